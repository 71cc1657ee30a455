//! Trainer, orchestrator and inference server use the same model, number of steps and folder. If two components set such a value themselves, the
//! values must agree.

use super::{engine::engine, python::equal, shared_ckpt, shared_wandb};
use crate::{
    coerce,
    native::{Failure, ValidatorCtx},
};
use cfg_compose::Value;
use cfg_schema::Behaviour;

pub(super) fn run(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.lacks(Behaviour::RunTable) {
        output_dir(cx)?;
    }
    model(cx)?;
    chat_template(cx)?;
    agree(cx, "trainer.max_steps", "orchestrator.max_steps", "max_steps")?;
    if cx.point.lacks(Behaviour::NoAsyncLevel) {
        agree(cx, "trainer.max_async_level", "orchestrator.max_async_level", "max_async_level")?;
    }
    seq_len(cx)?;
    shared_ckpt::run(cx)?;
    shared_wandb::run(cx)
}

/// Refuses two values that differ; the shared key sets both.
pub(super) fn agree(cx: &ValidatorCtx<'_>, one: &'static str, other: &'static str, shared: &str) -> Result<(), Failure> {
    if equal(cx, one, other) {
        return Ok(());
    }
    let message = format!("`{one}` is {}, but `{other}` is {}", cx.show(one), cx.show(other));
    Err(Failure::value(message, &[one, other]).help(format!("set the shared `{shared}` instead of the two")))
}

fn output_dir(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const ENDS: [&str; 2] = ["trainer.output_dir", "orchestrator.output_dir"];
    if cx.point.has(Behaviour::OneAddress) {
        return agree(cx, ENDS[0], ENDS[1], "output_dir");
    }
    let (trainer, orchestrator) = (cx.str(ENDS[0]).unwrap_or_default(), cx.str(ENDS[1]).unwrap_or_default());
    if tidy(trainer) == parent(&tidy(orchestrator)) {
        return Ok(());
    }
    let message = format!(
        "`orchestrator.output_dir` is \"{orchestrator}\", which is not directly below `trainer.output_dir`, \"{trainer}\""
    );
    Err(Failure::value(message, &["orchestrator.output_dir", "trainer.output_dir"])
        .help("set the shared `output_dir` instead of the two"))
}

fn tidy(path: &str) -> String {
    coerce::path(&Value::Str(path.into())).map_or_else(|_| path.to_owned(), |(path, _)| path.into_string())
}

/// `parent` of a path, as in `pathlib`.
fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some(("/", name)) => &path[..path.len() - name.len()],
        Some((parent, _)) => parent,
        None => ".",
    }
}

fn model(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    let orchestrator =
        if cx.point.lacks(Behaviour::Algorithms) { "orchestrator.student.model.name" } else { "orchestrator.model.name" };
    if cx.has("inference") {
        return agree(cx, engine(cx.point).model, orchestrator, "model.name");
    }
    // prime-rl's own test models have different names for training and serving.
    if cx.str("trainer.model.name").is_some_and(|name| name.starts_with("Jackmin108/")) {
        return Ok(());
    }
    agree(cx, "trainer.model.name", orchestrator, "model.name")
}

fn chat_template(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    const TRAINER: &str = "trainer.tokenizer.chat_template";
    agree(cx, TRAINER, "orchestrator.tokenizer.chat_template", "tokenizer.chat_template")?;
    if cx.has("inference") { agree(cx, TRAINER, engine(cx.point).chat_template, "tokenizer.chat_template") } else { Ok(()) }
}

fn seq_len(cx: &ValidatorCtx<'_>) -> Result<(), Failure> {
    let (Some(trainer), Some(orchestrator)) = (cx.int("trainer.model.seq_len"), cx.int("orchestrator.seq_len")) else {
        return Ok(());
    };
    if trainer >= orchestrator {
        return Ok(());
    }
    let message = format!("`trainer.model.seq_len` is {trainer}, less than `orchestrator.seq_len`, {orchestrator}");
    Err(Failure::value(message, &["trainer.model.seq_len", "orchestrator.seq_len"])
        .help("set the shared `seq_len` instead of the two; the trainer must accept every sequence that the orchestrator sends"))
}

#[cfg(test)]
mod tests {
    use super::parent;

    #[test]
    fn parents_are_those_of_pathlib() {
        for (path, outer) in
            [("a/b", "a"), ("a", "."), (".", "."), ("/a", "/"), ("/", "/"), ("/a/b", "/a"), ("//a", "//"), ("//", "//")]
        {
            assert_eq!(parent(path), outer, "{path}");
        }
    }
}
