//! Every run has a name, and a folder of that name below `output_dir` in which trainer and orchestrator work; neither has its own folder. If no name
//! is given, it is composed of the environments, the model and eight random digits, so it is known only when the run starts.

use std::collections::HashSet;

use cfg_compose::Value;
use cfg_schema::Behaviour;

use crate::{
    ResolvedValue, coerce,
    native::{Failure, ValidatorCtx},
};

/// Stands in for the random digits.
const RANDOM: &str = "????????";

/// Fills in the name and the folder.
fn name(cx: &mut ValidatorCtx<'_>) {
    if !cx.has("run.name") {
        let model = cx.str("trainer.model.name").unwrap_or_default().to_owned();
        let model = model.rsplit('/').next().unwrap_or_default();
        let (mut envs, mut seen) = (Vec::new(), HashSet::new());
        for source in cx.each("orchestrator.train.source") {
            let env = ["name", "env.taskset.id", "env.id", "legacy.id"].iter().find_map(|path| source.str(*path));
            let env = env.filter(|env| !env.is_empty()).map_or_else(|| "env".to_owned(), str::to_owned);
            if seen.insert(env.clone()) {
                envs.push(env);
            }
        }
        let envs = if envs.is_empty() { "no-env".to_owned() } else { envs.join("+") };
        cx.set_str("run.name", &format!("{envs}--{model}--{RANDOM}").to_lowercase());
    }
    if !cx.has("run.dir") {
        cx.copy("run.name", "run.dir");
    }
}

pub(super) fn dir(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    name(cx);
    let folder = joined(cx.str("output_dir").unwrap_or_default(), cx.str("run.dir").unwrap_or_default());
    for path in ["trainer.output_dir", "orchestrator.output_dir"] {
        let own = cx.str(path).unwrap_or_default();
        if cx.is_set(path) && own != folder {
            let message = format!("`{path}` is \"{own}\", but the run works in \"{folder}\"");
            return Err(Failure::value(message, &[path, "output_dir", "run.dir", "run.name"])
                .help(format!("remove `{path}`, and set `output_dir` and `run.name` instead")));
        }
        cx.from("run.dir").set_str(path, &folder);
    }
    Ok(())
}

/// The path of a folder below another, joined as in `pathlib`.
fn joined(outer: &str, inner: &str) -> String {
    let text = if inner.starts_with('/') { inner.to_owned() } else { format!("{}/{inner}", outer.trim_end_matches('/')) };
    coerce::path(&Value::Str(text.as_str().into())).map_or(text, |(path, _)| path.into_string())
}

/// Sets the run's name in monitors that have none.
pub(super) fn identity(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    name(cx);
    let names: &[(&str, &str)] = if cx.point.lacks(Behaviour::Monitors) {
        &[
            ("wandb", "wandb.name"),
            ("trainer.wandb", "trainer.wandb.name"),
            ("orchestrator.wandb", "orchestrator.wandb.name"),
            ("orchestrator.prime_monitor", "orchestrator.prime_monitor.run_name"),
        ]
    } else {
        &[
            ("monitors.wandb", "monitors.wandb.name"),
            ("trainer.monitors.wandb", "trainer.monitors.wandb.name"),
            ("orchestrator.monitors.wandb", "orchestrator.monitors.wandb.name"),
            ("monitors.prime", "monitors.prime.name"),
            ("orchestrator.monitors.prime", "orchestrator.monitors.prime.name"),
        ]
    };
    for (monitor, name) in names {
        let is_nameless = cx.get(*name).is_some_and(|name| matches!(name.value, ResolvedValue::Null));
        if cx.has(*monitor) && is_nameless {
            cx.copy("run.name", *name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn folders_are_joined_as_pathlib_joins_them() {
        for (outer, inner, path) in
            [("outputs", "a", "outputs/a"), (".", "a", "a"), ("a", "/b", "/b"), ("/", "b", "/b"), ("a", "", "a")]
        {
            assert_eq!(joined(outer, inner), path);
        }
    }
}
