//! Turns a resolved config into its plan.

use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::{Kind, Node, NodeCache, Point};

use crate::{
    Arg, Environment, Plan, Role, Run, Trainer,
    environment::EnvironmentSettings,
    fact::Owner,
    facts::Part,
    place::may_exist,
    reader::{Above, Reader},
};

/// The keys of the training environments at all versions, the newest first: arrays of tables.
pub(crate) static TRAIN: [&str; 3] = ["train.source", "train.env", "env"];
/// The keys of the evaluation environments, the newest first: arrays of tables.
pub(crate) static EVAL: [&str; 2] = ["eval.source", "eval.env"];
/// The key of the only environment, until 2025-10: a table.
pub(crate) const SINGLE: &str = "environment";
/// The tables of an environment whose remaining keys are read by its own code.
pub(crate) static OPEN: [&str; 3] = ["env.taskset", "taskset", "env"];

pub(crate) fn lower(top: &View<'_>) -> Plan {
    let kind = top.schema().kind;
    let is_run = matches!(kind, Kind::Rl | Kind::Sft);
    let own = Reader::new(*top, Owner::TOP, None);
    let shared = (kind == Kind::Rl).then_some(Above::Run(top));
    let below = |path: &'static &'static str| own.below(path).map(|table| Reader::new(table.view, table.owner, shared));
    let component = |of: Kind, path| if kind == of { below(&"") } else { is_run.then(|| below(path)).flatten() };
    // An `sft` config has the settings of its trainer at the root.
    let trainer = if kind == Kind::Sft { below(&"") } else { component(Kind::Trainer, &"trainer") };
    let orchestrator = component(Kind::Orchestrator, &"orchestrator");
    // Evaluations for a run that is elsewhere have only these.
    let evals = if kind == Kind::Evals { below(&"") } else { None };
    let of_trainer = trainer.as_ref().filter(|_| kind == Kind::Sft);
    let environments = orchestrator.as_ref().or(of_trainer).or(evals.as_ref()).map(environments);
    Plan {
        kinds: vec![kind],
        point: top.schema().point,
        is_valid: top.table().is_valid,
        run: if is_run { boxed(&own) } else { Box::<Run>::default() },
        trainer: trainer.as_ref().map(|reader| trainer_of(reader, kind)),
        orchestrator: orchestrator.as_ref().map(boxed),
        environments: environments.unwrap_or_default(),
        inference: component(Kind::Inference, &"inference").as_ref().map(boxed),
        teacher_inference: is_run.then(|| below(&"teacher_inference")).flatten().as_ref().map(boxed),
    }
}

fn boxed<T: Part>(reader: &Reader<'_>) -> Box<T> {
    let mut part = Box::<T>::default();
    reader.read(&mut *part);
    part
}

fn trainer_of(reader: &Reader<'_>, kind: Kind) -> Box<Trainer> {
    let mut trainer: Box<Trainer> = boxed(reader);
    if kind == Kind::Sft {
        // The model's table has this key as well, but prime-rl does not read it there.
        trainer.seq_len.clone_from(&trainer.data.seq_len);
    }
    trainer
}

/// The arrays of environments that a class may have, in the order of the plan.
fn lists(class: Node, point: Point) -> Vec<(Role, &'static &'static str)> {
    let of_role = |role, paths: &'static [&'static str]| paths.iter().map(move |path| (role, path));
    of_role(Role::Train, &TRAIN).chain(of_role(Role::Eval, &EVAL)).filter(|(_, path)| may_exist(path, class, point)).collect()
}

fn environments(owner: &Reader<'_>) -> Vec<Environment> {
    static LISTS: NodeCache<Vec<(Role, &'static &'static str)>> = NodeCache::new();
    let mut environments = Vec::new();
    let above = Some(Above::Component(&owner.view, &owner.owner));
    for (role, path) in owner.of_class(&LISTS, lists) {
        let tables = owner.view.each(path);
        environments.reserve_exact(tables.len());
        for (index, view) in tables {
            let location = item(owner, path, index).and_then(|item| item.origin.location());
            environments.push(environment(&Reader::new(view, owner.owner.item(path, index), above), *role, location));
        }
    }
    if let Some(single) = owner.below(&SINGLE) {
        environments.insert(0, environment(&single, Role::Train, owner.view.location(SINGLE)));
    }
    environments
}

/// The item of an array at a path.
fn item<'r>(owner: &Reader<'r>, path: &str, index: usize) -> Option<&'r Resolved> {
    owner.view.get(path)?.value.as_list()?.get(index)
}

/// The tables of an environment's class that its own code may read.
fn open_tables(class: Node, point: Point) -> Vec<&'static &'static str> {
    OPEN.iter().filter(|path| may_exist(path, class, point)).collect()
}

fn environment(table: &Reader<'_>, role: Role, location: Option<cfg_diag::Location>) -> Environment {
    static OPEN_TABLES: NodeCache<Vec<&'static &'static str>> = NodeCache::new();
    let settings: Box<EnvironmentSettings> = boxed(table);
    let mut args = Vec::new();
    if let Some(own) = settings.args.fact() {
        let table_of_args = own.key.as_owner();
        let entries = table.get(own.key.path());
        let entries = entries.as_deref().and_then(|args| args.value.as_map()).unwrap_or_default();
        args.extend(entries.iter().map(|(name, value)| Arg { name: name.clone(), value: value.clone(), table: table_of_args }));
    }
    for path in table.of_class(&OPEN_TABLES, open_tables) {
        let Some(open) = table.below(path) else { continue };
        let arg = |(name, value): (Box<str>, Resolved)| Arg { name, value, table: open.owner };
        if **path != "env" {
            args.extend(given(open.view.table()).map(arg));
        }
        args.extend(open.view.extras("").into_iter().map(arg));
    }
    Environment { role, key: table.owner.text(), location, settings, args }
}

/// The written fields that the class of the taskset's table declares, except its id and except tables, which prime-rl does not pass on.
fn given(table: &ResolvedTable) -> impl Iterator<Item = (Box<str>, Resolved)> {
    table.fields.iter().filter_map(|field| {
        let name = field.node.field_name()?;
        let is_arg = name != "id" && !matches!(field.resolved.value, ResolvedValue::Table(_));
        is_arg.then(|| (name.into(), field.resolved.clone()))
    })
}
