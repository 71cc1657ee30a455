//! An environment with the name under which the trainer has the figures of all environments together.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::RESERVED_ENV_NAME,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::with(Behaviour::EnvNameAllIsReserved),
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

const RESERVED: &str = "all";

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let named = cx.plan.train_environments().filter_map(|environment| {
        let name = environment.name.fact().filter(|name| &*name.value == RESERVED && name.is_written())?;
        let message = format!(
            "an environment can't be named \"{RESERVED}\": the trainer, which calls their common metrics that, stops at the first \
             batch with an AssertionError"
        );
        let finding = Finding::new(message).on(name);
        let key = name.written_key();
        // Without a name, the environment has that of its id.
        let id = environment.base_id().filter(|id| *id != RESERVED && !id.is_empty());
        Some(match id {
            Some(id) => {
                let title = format!("remove `{key}`");
                let repair = Repair::possible(&*title).remove(key);
                finding.help(format!("{title}: the environment is then named after its id, {id}")).repair(repair)
            }
            None => finding.help("write another name"),
        })
    });
    named.collect()
}
