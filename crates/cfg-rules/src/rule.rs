//! What a rule is, and its input.

use std::cell::OnceCell;

use cfg_diag::Code;
use cfg_memory::hardware::{self, Named};
use cfg_plan::{Metadata, Plan, Socket};
use cfg_resolve::View;
use cfg_schema::{Behaviour, Kind, Point, Target};

use crate::{Finding, MachineSource, Memory, Project, Texts, declared::Declarations};

/// One check that prime-rl does not make.
#[derive(Debug)]
pub struct Rule {
    /// Its entry in the table of codes: name, usual severity, one line for lists, and the page.
    pub code: Code,
    /// The entrypoints whose configs it checks.
    pub kinds: &'static [Kind],
    /// The range of prime-rl's history to which it applies.
    pub versions: VersionRange,
    /// Whether its repairs are safe.
    pub fix: FixKind,
    /// The check.
    pub check: Check,
}

/// The function of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// At most one finding.
    Once(fn(&Context<'_>) -> Option<Finding>),
    /// Several findings are possible, for example one for each environment.
    Each(fn(&Context<'_>) -> Vec<Finding>),
}

/// A range of prime-rl's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionRange {
    /// Every version in it has this.
    pub with: Option<Behaviour>,
    /// No version in it has this.
    pub without: Option<Behaviour>,
}

/// Whether the repairs of a rule are safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixKind {
    /// It has no repairs.
    None,
    /// Its repairs are what prime-rl already does, or certainly what was meant.
    Safe,
    /// The author has to check its repairs.
    Unsafe,
    /// It has both kinds.
    Mixed,
}

/// The input of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The config as typed settings.
    pub plan: &'a Plan,
    /// The resolved config, for values that the plan does not contain.
    pub view: &'a View<'a>,
    /// The metadata of the config.
    pub metadata: &'a Metadata,
    /// The entrypoint that it is for.
    pub kind: Kind,
    /// The prime-rl that it is for.
    pub target: &'a Target,
    /// The project around it.
    pub project: &'a Project,
    /// The declarations of the plan's environments.
    pub environments: &'a Declarations,
    /// The memory model's results, computed when a rule first asks for them.
    pub memory: &'a Memory,
    /// The texts that rules report, found when a rule first asks for them.
    pub texts: &'a Texts,
    /// The ports on which the run listens, computed when a rule first asks for them.
    pub sockets: &'a OnceCell<Vec<Socket>>,
    /// Whether it is everything that a command starts; `false` for a file that may be combined with others.
    pub is_launch: bool,
}

/// A run of at most this many steps only tests whether it starts.
const SMOKE_STEPS: i64 = 10;

impl Context<'_> {
    /// The ports on which the run listens.
    pub(crate) fn sockets(&self) -> &[Socket] {
        self.sockets.get_or_init(|| self.plan.sockets())
    }

    /// Whether the run trains nothing that is worth keeping: a benchmark, random data, a dry run, a few steps, a config whose path marks it as
    /// one for tests; or several adapters at once, whose checkpoints another rule reports.
    pub(crate) fn is_trial(&self) -> bool {
        self.project.is_for_tests || is_trial(self.plan)
    }

    /// The number of GPUs of the requested or stated machine, and where it is from. A card alone (`H100`) does not state a number.
    pub(crate) fn stated_gpus(&self) -> Option<(i64, MachineSource)> {
        let count = |named: &Named| named.is_counted.then(|| i64::from(named.count));
        let in_text = |text: &str| hardware::parse_name(text).ok().as_ref().and_then(count);
        match (&self.project.requested_gpu, &self.metadata.hardware, &self.project.gpu) {
            (Some(gpu), ..) => Some((in_text(gpu)?, MachineSource::CommandLine)),
            (None, Some(stated), _) => Some((in_text(&stated.value)?, MachineSource::Config(stated.location))),
            (None, None, Some(gpu)) => Some((count(gpu)?, MachineSource::Settings)),
            (None, None, None) => None,
        }
    }

    /// Whether the launch command in the config's own comments passes a flag.
    pub(crate) fn usage_passes(&self, key: &str) -> bool {
        self.metadata.usage.passes(key)
    }
}

/// Whether the settings alone, whatever the config's path, show that the run trains nothing that is worth keeping.
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

impl VersionRange {
    /// The whole history.
    pub const ALL: Self = Self { with: None, without: None };

    /// Where prime-rl has a behaviour.
    pub const fn with(behaviour: Behaviour) -> Self {
        Self { with: Some(behaviour), without: None }
    }

    /// Where prime-rl does not have a behaviour.
    pub const fn without(behaviour: Behaviour) -> Self {
        Self { with: None, without: Some(behaviour) }
    }

    /// Whether it contains a point.
    pub fn contains(self, point: Point) -> bool {
        self.with.is_none_or(|behaviour| point.has(behaviour)) && self.without.is_none_or(|behaviour| point.lacks(behaviour))
    }
}
