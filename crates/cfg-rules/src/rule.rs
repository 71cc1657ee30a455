//! What a rule is, and what it sees.

use cfg_diag::Code;
use cfg_memory::hardware::{self, Named};
use cfg_plan::{Metadata, Plan};
use cfg_resolve::View;
use cfg_schema::{Behaviour, Kind, Point, Target};

use crate::{Finding, Memory, Project, Stated, declared::Declarations};

/// One check beyond those of prime-rl.
#[derive(Debug)]
pub struct Rule {
    /// Its entry in the table of codes: name, usual severity, one line for lists, and the page.
    pub code: Code,
    /// The entrypoints whose configs it looks at.
    pub kinds: &'static [Kind],
    /// The stretch of prime-rl's history in which what it says is true.
    pub targets: Targets,
    /// How sure the repairs are that it offers.
    pub fix: FixKind,
    /// The check.
    pub check: Check,
}

/// How a rule looks at a config.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// There is one finding at most.
    Once(fn(&Context<'_>) -> Option<Finding>),
    /// There may be several: one for each environment, for instance.
    Each(fn(&Context<'_>) -> Vec<Finding>),
}

/// A stretch of prime-rl's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets {
    /// All of it has this.
    pub with: Option<Behaviour>,
    /// None of it has this.
    pub without: Option<Behaviour>,
}

/// How sure the repairs of a rule are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixKind {
    /// It offers none.
    None,
    /// Where it offers one, it is what prime-rl does already, or certainly meant.
    Safe,
    /// Where it offers one, the author has to judge it.
    Unsafe,
    /// It offers both kinds.
    Mixed,
}

/// What a rule sees of a config.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// What the config means.
    pub plan: &'a Plan,
    /// The resolved config, for what the plan does not hold.
    pub view: &'a View<'a>,
    /// The metadata of the config.
    pub metadata: &'a Metadata,
    /// The entrypoint that it is for.
    pub kind: Kind,
    /// The prime-rl that it is for.
    pub target: &'a Target,
    /// What the project around it says of it.
    pub project: &'a Project,
    /// What is declared of the plan's environments.
    pub environments: &'a Declarations,
    /// What the memory model says of it, once a rule has asked.
    pub memory: &'a Memory,
    /// Whether it is all that a command starts, and no file that others may be laid over.
    pub is_launch: bool,
}

/// A run of so few steps is there to see whether it starts.
const SMOKE_STEPS: i64 = 10;

impl Context<'_> {
    /// Whether the run trains nothing that anyone would keep: a benchmark, random data, a dry run, a few steps, a config that its folder or name
    /// says is for tests; or several adapters at once, whose checkpoints another rule reports.
    pub(crate) fn is_trial(&self) -> bool {
        self.project.is_for_tests || is_trial(self.plan)
    }

    /// How many GPUs the machine has that is asked for or stated for the config, and who says so. A kind alone (`H100`) says nothing of how many
    /// there are.
    pub(crate) fn stated_gpus(&self) -> Option<(i64, Stated)> {
        let count = |named: &Named| named.is_counted.then(|| i64::from(named.count));
        let in_text = |text: &str| hardware::parse_name(text).ok().as_ref().and_then(count);
        match (&self.project.asked, &self.metadata.hardware, &self.project.gpu) {
            (Some(asked), ..) => Some((in_text(asked)?, Stated::Asked)),
            (None, Some(stated), _) => Some((in_text(&stated.value)?, Stated::Config(stated.location))),
            (None, None, Some(gpu)) => Some((count(gpu)?, Stated::Settings)),
            (None, None, None) => None,
        }
    }

    /// Whether the launch command in the config's own comments passes a flag.
    pub(crate) fn usage_passes(&self, key: &str) -> bool {
        self.metadata.usage.iter().any(|launch| launch.passes(key))
    }
}

/// The same by what the config itself says, leaving aside where it is.
pub(crate) fn is_trial(plan: &Plan) -> bool {
    let of_trainer = plan.trainer.as_ref().is_some_and(|trainer| {
        trainer.bench.is_on()
            || trainer.fake_data.fact().is_some()
            || trainer.max_concurrent_runs.get().is_some_and(|runs| runs > 1)
    });
    let steps = [
        plan.trainer.as_ref().and_then(|trainer| trainer.max_steps.get()),
        plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.max_steps.get()),
    ];
    of_trainer
        || plan.run.bench.is_on()
        || plan.run.dry_run.is_on()
        || steps.into_iter().flatten().any(|steps| steps <= SMOKE_STEPS)
}

impl Targets {
    /// The whole history.
    pub const ALL: Self = Self { with: None, without: None };

    /// Where prime-rl does something.
    pub const fn with(behaviour: Behaviour) -> Self {
        Self { with: Some(behaviour), without: None }
    }

    /// Where prime-rl does not do something.
    pub const fn without(behaviour: Behaviour) -> Self {
        Self { with: None, without: Some(behaviour) }
    }

    /// Whether a point is in it.
    pub fn contains(self, point: Point) -> bool {
        self.with.is_none_or(|behaviour| point.has(behaviour)) && self.without.is_none_or(|behaviour| point.lacks(behaviour))
    }
}
