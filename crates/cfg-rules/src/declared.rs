//! The arguments of environments: declared by a project, read from the source of their package, or declared in `schemas/environments/`.
//!
//! prime-rl passes the arguments of an environment on without checking them. `schemas/environments/README.md` describes a declaration. The built-in
//! ones are read once, when the first config uses the environment.

mod read;
mod value;

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use cfg_diag::{Order, Severity};
use cfg_plan::{Arg, Environment, Plan};
use cfg_resolve::ResolvedValue;
use cfg_schema::{EnvironmentArg, ExtraType, OtherArgs};

use crate::{Project, schedule::Schedule};

pub use value::in_words;

/// The declaration of one environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// Its arguments, in the order of the declaration.
    pub args: Vec<DeclaredArg>,
    /// What happens to other arguments; `None` if unknown.
    pub others: Option<Others>,
    /// Other arguments, which a library that it uses accepts.
    pub passed_on: Vec<String>,
    /// Whether it has a curriculum; `None` if unknown.
    pub curriculum: Option<Curriculum>,
    /// The names that weights of a curriculum can have; empty if unknown.
    pub difficulties: Vec<String>,
    /// Versions that must not be used, each with the reason.
    pub broken: Vec<(String, String)>,
    /// Whether it gives the model tools; `None` if unknown.
    pub tools: Option<bool>,
    /// The minimum number of tokens in its prompts, as measured; `None` if unknown.
    pub input_tokens: Option<i64>,
    /// The number of tokens at which answers were truncated before their tool call, with every model; `None` if unknown.
    pub cut_answers: Option<i64>,
    /// Conflicting values.
    pub conflicts: Vec<Conflict>,
    /// Where the function is defined from whose source the arguments were read; `None` if they are declared.
    pub place: Option<String>,
    /// The errors in the declaration itself: the key, and why it can't be used.
    pub problems: Vec<(String, String)>,
}

/// A declared argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclaredArg {
    /// Its name.
    pub name: String,
    /// Its type; `None` for any.
    pub type_: Option<ExtraType>,
    /// The default, as text: `bench`, `30.0`; `None` if unknown.
    pub default: Option<String>,
    /// The smallest value.
    pub min: Option<f64>,
    /// The value that it must exceed.
    pub above: Option<f64>,
    /// Whether the environment refuses to start with a wrong value.
    pub refused: bool,
    /// Whether the environment refuses to start without it.
    pub required: bool,
    /// Why it has no effect; `None` if it has one.
    pub ignored: Option<String>,
    /// The only suitable values for a training environment; empty if all are.
    pub train: Vec<String>,
    /// The only suitable values for an evaluation environment; empty if all are.
    pub eval: Vec<String>,
    /// Seconds that a tool call takes, by value.
    pub seconds: Vec<(String, f64)>,
    /// Its meaning for rules.
    pub means: Option<Meaning>,
}

/// What happens to an argument that is not declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// It is dropped silently.
    Ignored,
    /// The environment does not start.
    Refused,
}

/// How an environment treats the keys of a curriculum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curriculum {
    /// It counts samples, and divides their number by `samples_per_step` to get the training step.
    Samples,
    /// It accepts the keys and ignores them.
    Ignored,
}

/// The meaning of an argument for a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The number of problems.
    Examples,
    /// The number of tokens above which an answer gets a penalty.
    AnswerTokens,
    /// The maximum number of tool calls of a rollout.
    ToolCalls,
}

/// Conflicting values.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// Arguments, each with its possible values; all must match.
    pub when: Vec<(String, Vec<String>)>,
    /// Arguments that must not be written.
    pub unset: Vec<String>,
    /// The reason.
    pub says: String,
    /// What to write instead.
    pub instead: String,
    /// The severity of the finding.
    pub severity: Severity,
}

macro_rules! built_in {
    ($($id:literal),* $(,)?) => {
        /// The built-in declarations, by id.
        static BUILT_IN: [(&str, LazyLock<Declared>); [$($id),*].len()] =
            [$(($id, LazyLock::new(|| Declared::read(include_str!(concat!("../../../schemas/environments/", $id, ".toml")))))),*];
    };
}

built_in!["seconds-0/beautiful-soup-env", "swe-grep-oss-env"];

impl Declared {
    /// The ids of the environments with a built-in declaration.
    pub fn known() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(id, _)| *id)
    }

    /// The built-in declaration of an environment, by its id without version.
    pub fn built_in(id: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|(known, _)| *known == id).map(|(_, declared)| &**declared)
    }

    /// The declaration of an environment: the project's, or else the built-in one.
    pub fn of(environment: &Environment, project: &Project) -> Option<Cow<'static, Self>> {
        let id = environment.base_id()?;
        match project.environments.get(id) {
            Some(entries) => {
                let line = |(key, value): (&String, &String)| format!("{} = {value}\n", read::quoted(key));
                Some(Cow::Owned(Self::read(&entries.iter().map(line).collect::<String>())))
            }
            None => Self::of_source(id, project).map(Cow::Owned).or_else(|| Self::built_in(id).map(Cow::Borrowed)),
        }
    }

    /// The declaration from the source of an environment's package, if that is available, combined with the built-in one.
    fn of_source(id: &str, project: &Project) -> Option<Self> {
        let read = project.packages.as_ref()?.arguments(id).ok()?;
        let known = Self::built_in(id).cloned().unwrap_or_default();
        let arg = |read: &EnvironmentArg| {
            let known = known.arg(&read.name).cloned().unwrap_or_default();
            DeclaredArg {
                name: read.name.clone(),
                type_: (read.ty != ExtraType::Any).then(|| read.ty.clone()),
                default: read.default.clone(),
                required: read.is_required,
                train: if known.train.is_empty() { splits_to_train_on(read) } else { known.train },
                ..known
            }
        };
        let others = match read.others {
            OtherArgs::Refused => Some(Others::Refused),
            OtherArgs::Dropped => Some(Others::Ignored),
            OtherArgs::PassedOn => None,
        };
        let args = read.args.iter().map(arg).collect();
        Some(Self { args, others, place: Some(read.place.clone()), ..known })
    }

    /// The declaration of an argument.
    pub fn arg(&self, name: &str) -> Option<&DeclaredArg> {
        self.args.iter().find(|arg| arg.name == name)
    }

    /// The argument with this meaning.
    pub fn meaning(&self, meaning: Meaning) -> Option<&DeclaredArg> {
        self.args.iter().find(|arg| arg.means == Some(meaning))
    }

    /// The effective value of an argument, as text: the written one, or else the default. `None` if neither is known.
    pub fn effective<'a>(&'a self, environment: &'a Environment, name: &str) -> Option<Cow<'a, str>> {
        match environment.arg(name) {
            Some(arg) => text_of(&arg.value.value),
            None => self.arg(name)?.default.as_deref().map(Cow::Borrowed),
        }
    }
}

impl DeclaredArg {
    /// What a written value should be: "a boolean", "one of `a` and `b`", "at least 1"; `None` if it is valid.
    pub fn fault(&self, arg: &Arg) -> Option<String> {
        value::fault(self, &arg.value.value)
    }
}

/// The values for training, if the argument selects between tasks for training and for evaluation.
fn splits_to_train_on(arg: &EnvironmentArg) -> Vec<String> {
    const MEASURING: [&str; 7] = ["bench", "benchmark", "eval", "evaluation", "test", "val", "validation"];
    let ExtraType::Literal(choices) = &arg.ty else { return Vec::new() };
    if !arg.name.contains("split") || !choices.iter().any(|choice| choice == "train") {
        return Vec::new();
    }
    let is_for_training = |choice: &&String| !MEASURING.contains(&&***choice);
    let mut train: Vec<String> = choices.iter().filter(is_for_training).cloned().collect();
    train.order_by_key(|choice| choice != "train");
    train
}

/// A plain value as text.
pub(crate) fn text_of(value: &ResolvedValue) -> Option<Cow<'_, str>> {
    match value {
        ResolvedValue::Str(text) => Some(Cow::Borrowed(text)),
        ResolvedValue::Bool(boolean) => Some(Cow::Borrowed(if *boolean { "true" } else { "false" })),
        ResolvedValue::Int(_) => value.as_int().map(|number| Cow::Owned(number.to_string())),
        ResolvedValue::Float(number) => Some(Cow::Owned(format!("{number:?}"))),
        _ => None,
    }
}

/// The environments of a plan, each with its declaration if there is one.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    declared: Vec<Option<Arc<Cow<'static, Declared>>>>,
    /// The schedules of the environments whose curriculum is on, determined when a rule first asks for them.
    schedules: OnceCell<Vec<Option<Schedule>>>,
}

impl Declarations {
    /// Looks up the declarations of the environments of a plan. Those with the same id share one.
    pub fn of(plan: &Plan, project: &Project) -> Self {
        let mut known: HashMap<&str, Option<Arc<Cow<'static, Declared>>>> = HashMap::new();
        let mut look_up = |environment: &'_ Environment, id| {
            known.entry(id).or_insert_with(|| Declared::of(environment, project).map(Arc::new)).clone()
        };
        let declared = plan.environments.iter().map(|environment| look_up(environment, environment.base_id()?)).collect();
        Self { declared, schedules: OnceCell::new() }
    }

    /// The environments of the plan that are declared, each with its declaration.
    pub fn each<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (&'a Environment, &'a Declared)> {
        let declared = plan.environments.iter().zip(&self.declared);
        declared.filter_map(|(environment, declared)| Some((environment, &***declared.as_ref()?)))
    }

    /// The declaration of the environment of that number, if there is one.
    pub fn get(&self, index: usize) -> Option<&Declared> {
        self.declared.get(index)?.as_deref().map(|declared| &**declared)
    }

    /// The environments of the plan whose curriculum is on and has phases, each with its declaration and its schedule.
    pub(crate) fn scheduled<'a>(
        &'a self,
        plan: &'a Plan,
    ) -> impl Iterator<Item = (&'a Environment, Option<&'a Declared>, &'a Schedule)> {
        let schedule = |(index, environment): (usize, &Environment)| {
            let is_on = environment.arg_bool("curriculum_enabled") == Some(true);
            if is_on { Schedule::of(plan, environment, self.get(index)) } else { None }
        };
        let schedules = self.schedules.get_or_init(|| plan.environments.iter().enumerate().map(schedule).collect());
        let all = plan.environments.iter().zip(&self.declared).zip(schedules);
        all.filter_map(|((environment, declared), schedule)| {
            Some((environment, declared.as_deref().map(|declared| &**declared), schedule.as_ref()?))
        })
    }
}
