//! Turns a resolved config into its plan.

use std::sync::Arc;

use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::Kind;

use crate::{
    Arg, Environment, Plan, Role, Run, Trainer,
    environment::EnvironmentSettings,
    fact::{self, Owner},
    facts::Part,
    reader::{Above, Reader},
};

/// The keys of the training environments at all versions, the newest first: arrays of tables.
pub(crate) const TRAIN: [&str; 3] = ["train.source", "train.env", "env"];
/// The keys of the evaluation environments, the newest first: arrays of tables.
pub(crate) const EVAL: [&str; 2] = ["eval.source", "eval.env"];
/// The key of the only environment, until 2025-10: a table.
pub(crate) const SINGLE: &str = "environment";
/// The tables of an environment whose remaining keys are read by its own code.
pub(crate) const OPEN: [&str; 3] = ["env.taskset", "taskset", "env"];

pub(crate) fn lower(top: &View<'_>) -> Plan {
    let kind = top.schema().kind;
    let is_run = matches!(kind, Kind::Rl | Kind::Sft);
    let own = Reader::new(*top, fact::top(), None);
    let shared = (kind == Kind::Rl).then_some(Above::Run(top));
    let below = |path: &str| Some(Reader { above: shared, ..own.below(path)? });
    let component = |of: Kind, path: &str| if kind == of { below("") } else { below(path).filter(|_| is_run) };
    // An `sft` config has the settings of its trainer at the root.
    let trainer = if kind == Kind::Sft { below("") } else { component(Kind::Trainer, "trainer") };
    let orchestrator = component(Kind::Orchestrator, "orchestrator");
    let environments = orchestrator.as_ref().or(trainer.as_ref().filter(|_| kind == Kind::Sft)).map(environments);
    Plan {
        kinds: vec![kind],
        point: top.schema().point,
        is_valid: top.table().is_valid,
        run: if is_run { Part::read(&own) } else { Run::default() },
        trainer: trainer.as_ref().map(|reader| Box::new(trainer_of(reader, kind))),
        orchestrator: orchestrator.as_ref().map(boxed),
        environments: environments.unwrap_or_default(),
        inference: component(Kind::Inference, "inference").as_ref().map(boxed),
        teacher_inference: below("teacher_inference").filter(|_| is_run).as_ref().map(boxed),
    }
}

/// Puts a part on the heap: a part has several kilobytes, and this avoids moving it.
fn boxed<T: Part>(reader: &Reader<'_>) -> Box<T> {
    Box::new(T::read(reader))
}

fn trainer_of(reader: &Reader<'_>, kind: Kind) -> Trainer {
    let mut trainer = Trainer::read(reader);
    if kind == Kind::Sft {
        // The model's table has this key as well, but prime-rl does not read it there.
        trainer.seq_len.clone_from(&trainer.data.seq_len);
    }
    trainer
}

fn environments(owner: &Reader<'_>) -> Vec<Environment> {
    let mut environments = Vec::new();
    let above = Some(Above::Component(&owner.view, &owner.owner));
    for (role, paths) in [(Role::Train, &TRAIN[..]), (Role::Eval, &EVAL[..])] {
        for path in paths {
            let tables = owner.view.each(path);
            environments.reserve_exact(tables.len());
            let list = owner.key_of(path);
            for (index, view) in tables {
                let key = [&list, "[", &index.to_string(), "]"].concat();
                let location = item(owner, path, index).and_then(|item| item.origin.location());
                environments.push(environment(&Reader::new(view, Owner::new(key), above), role, location));
            }
        }
    }
    if let Some(single) = owner.below(SINGLE) {
        environments.insert(0, environment(&single, Role::Train, owner.view.location(SINGLE)));
    }
    environments
}

/// The item of an array at a path.
fn item<'r>(owner: &Reader<'r>, path: &str, index: usize) -> Option<&'r Resolved> {
    owner.view.get(path)?.value.as_list()?.get(index)
}

fn environment(table: &Reader<'_>, role: Role, location: Option<cfg_diag::Location>) -> Environment {
    let settings: Box<EnvironmentSettings> = boxed(table);
    let mut args = Vec::new();
    if let Some(own) = settings.args.fact() {
        let key = Owner::new(own.key.text());
        let arg =
            |(name, value): &(Box<str>, Resolved)| Arg { name: name.clone(), value: value.clone(), table: Arc::clone(&key) };
        args.extend(own.value.0.iter().map(arg));
    }
    for path in OPEN {
        let Some(open) = table.below(path) else { continue };
        let arg = |(name, value): (Box<str>, Resolved)| Arg { name, value, table: Arc::clone(&open.owner) };
        if path != "env" {
            args.extend(given(open.view.table()).map(arg));
        }
        args.extend(open.view.extras("").into_iter().map(arg));
    }
    Environment { role, key: String::clone(&table.owner), location, settings, args }
}

/// The written fields that the class of the taskset's table declares, except its id and except tables, which prime-rl does not pass on.
fn given(table: &ResolvedTable) -> impl Iterator<Item = (Box<str>, Resolved)> {
    table.fields.iter().filter_map(|field| {
        let name = field.node.field_name()?;
        let is_arg = name != "id" && !matches!(field.resolved.value, ResolvedValue::Table(_));
        is_arg.then(|| (name.into(), field.resolved.clone()))
    })
}
