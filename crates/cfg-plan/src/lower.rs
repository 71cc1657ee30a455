//! From a resolved config to its plan.

use std::sync::Arc;

use cfg_resolve::View;
use cfg_schema::Kind;

use crate::{
    Environment, Inference, Orchestrator, Plan, Trainer, environment::Role, facts::Part, orchestrator::OrchestratorSettings,
    reader::Reader,
};

pub(crate) fn lower(top: &View<'_>) -> Plan {
    let kind = top.schema().kind;
    let is_run = matches!(kind, Kind::Rl | Kind::Sft);
    let own = Reader { view: top.clone(), owner: Arc::from(""), top: None };
    let below = |path: &str| {
        let reader = own.below(path)?;
        Some(Reader { top: (kind == Kind::Rl).then_some(top), ..reader })
    };
    let component = |of: Kind, path: &str| {
        if kind == of {
            below("")
        } else if is_run {
            below(path)
        } else {
            None
        }
    };
    let trainer = if kind == Kind::Sft { below("") } else { component(Kind::Trainer, "trainer") };
    Plan {
        kinds: vec![kind],
        point: top.schema().point,
        is_valid: top.table().is_valid,
        run: if is_run { Part::read(&own) } else { crate::Run::default() },
        trainer: trainer.map(|reader| Trainer::read(&reader)),
        orchestrator: component(Kind::Orchestrator, "orchestrator").map(|reader| orchestrator(&reader)),
        inference: component(Kind::Inference, "inference").map(|reader| Inference::read(&reader)),
        teacher_inference: below("teacher_inference").map(|reader| Inference::read(&reader)),
    }
}

fn orchestrator(reader: &Reader<'_>) -> Orchestrator {
    Orchestrator {
        settings: OrchestratorSettings::read(reader),
        train: environments(reader, Role::Train),
        eval: environments(reader, Role::Eval),
    }
}

fn environments(_reader: &Reader<'_>, _role: Role) -> Vec<Environment> {
    Vec::new()
}
