//! What environments take: declared by a project, read from the source of their package, or declared in `schemas/environments/`.
//!
//! prime-rl hands the arguments of an environment on without a look. `schemas/environments/README.md` says what a declaration holds. Those
//! of this program are read once, when the first config uses the environment.

mod read;
mod value;

use std::{borrow::Cow, sync::LazyLock};

use cfg_diag::Severity;
use cfg_plan::{Arg, Environment, Plan};
use cfg_resolve::ResolvedValue;
use cfg_schema::{EnvironmentArg, ExtraType, OtherArgs};

use crate::Project;

pub use value::in_words;

/// What one environment takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// Its arguments, in the order of the declaration.
    pub args: Vec<DeclaredArg>,
    /// What becomes of other arguments; `None` if that is not known.
    pub others: Option<Others>,
    /// Further arguments, which a library below it takes.
    pub passed_on: Vec<String>,
    /// Whether it has a curriculum; `None` if that is not known.
    pub curriculum: Option<Curriculum>,
    /// The names that weights of a curriculum may have; empty where they are not known.
    pub difficulties: Vec<String>,
    /// Versions that must not be used, each with the reason.
    pub broken: Vec<(String, String)>,
    /// Whether it gives the model tools; `None` if that is not known.
    pub tools: Option<bool>,
    /// Tokens that its prompts have at least, as far as they were measured; `None` if that is not known.
    pub input_tokens: Option<i64>,
    /// An answer of so many tokens was seen to break off before its tool call, whatever the model; `None` if that is not known.
    pub cut_answers: Option<i64>,
    /// Values that don't go together.
    pub conflicts: Vec<Conflict>,
    /// Where the function is defined that it was read from; `None` if it is declared.
    pub place: Option<String>,
    /// What is wrong in the declaration itself: the key, and why it can't be used.
    pub problems: Vec<(String, String)>,
}

/// An argument as it is declared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclaredArg {
    /// Its name.
    pub name: String,
    /// Its type; `None` for any.
    pub type_: Option<ExtraType>,
    /// The value that counts where none is written, as text: `bench`, `30.0`.
    pub default: Option<String>,
    /// The least value.
    pub min: Option<f64>,
    /// What the value must exceed.
    pub above: Option<f64>,
    /// Whether the environment does not start with a wrong value.
    pub refused: bool,
    /// Whether the environment does not start without it.
    pub required: bool,
    /// Why it has no effect, where it has none.
    pub ignored: Option<String>,
    /// The only values that suit an environment that is trained on; empty for all.
    pub train: Vec<String>,
    /// The only values that suit an environment that measures; empty for all.
    pub eval: Vec<String>,
    /// Seconds that a tool call takes, by value.
    pub seconds: Vec<(String, f64)>,
    /// What rules may take it for.
    pub means: Option<Meaning>,
}

/// What becomes of an argument that is not declared.
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
    /// It counts samples, and takes their number over `samples_per_step` for the training step.
    Samples,
    /// It accepts the keys and does nothing.
    Ignored,
}

/// What an argument is to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// How many problems there are.
    Examples,
    /// Tokens of an answer, beyond which there is a penalty.
    AnswerTokens,
    /// Tool calls of a rollout at most.
    ToolCalls,
}

/// Values that don't go together.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// Arguments, each with the values of which it must have one; all must hold.
    pub when: Vec<(String, Vec<String>)>,
    /// Arguments that must not be written.
    pub unset: Vec<String>,
    /// Why they don't.
    pub says: String,
    /// What to write instead.
    pub instead: String,
    /// How bad it is.
    pub severity: Severity,
}

macro_rules! built_in {
    ($($id:literal),* $(,)?) => {
        /// The declarations of this program, by id.
        static BUILT_IN: [(&str, LazyLock<Declared>); [$($id),*].len()] =
            [$(($id, LazyLock::new(|| Declared::read(include_str!(concat!("../../../schemas/environments/", $id, ".toml")))))),*];
    };
}

built_in!["seconds-0/beautiful-soup-env", "swe-grep-oss-env"];

impl Declared {
    /// The ids of the environments that this program knows.
    pub fn known() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(id, _)| *id)
    }

    /// What this program knows of an environment, by its id without version.
    pub fn built_in(id: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|(known, _)| *known == id).map(|(_, declared)| &**declared)
    }

    /// What is declared of an environment: by the project, or else by this program.
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

    /// What the package of an environment says, where its source is available; with what this program knows of it besides.
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

    /// The argument that means something to a rule.
    pub fn meaning(&self, meaning: Meaning) -> Option<&DeclaredArg> {
        self.args.iter().find(|arg| arg.means == Some(meaning))
    }

    /// The value that counts for an argument, as text: the one that is written, or else the default. `None` if neither is known.
    pub fn effective<'a>(&'a self, environment: &'a Environment, name: &str) -> Option<Cow<'a, str>> {
        match environment.arg(name) {
            Some(arg) => text_of(&arg.value.value),
            None => self.arg(name)?.default.as_deref().map(Cow::Borrowed),
        }
    }
}

impl DeclaredArg {
    /// What a written value has to be, where it is not that: "a boolean", "one of `a` and `b`", "at least 1".
    pub fn fault(&self, arg: &Arg) -> Option<String> {
        value::fault(self, &arg.value.value)
    }
}

/// Of an argument that chooses between tasks to train on and tasks that measure: the former.
fn splits_to_train_on(arg: &EnvironmentArg) -> Vec<String> {
    const MEASURING: [&str; 7] = ["bench", "benchmark", "eval", "evaluation", "test", "val", "validation"];
    let ExtraType::Literal(choices) = &arg.ty else { return Vec::new() };
    if !arg.name.contains("split") || !choices.iter().any(|choice| choice == "train") {
        return Vec::new();
    }
    let is_for_training = |choice: &&String| !MEASURING.contains(&&***choice);
    let mut train: Vec<String> = choices.iter().filter(is_for_training).cloned().collect();
    train.sort_by_key(|choice| choice != "train");
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

/// The environments of a plan, each with what is declared of it.
#[derive(Clone, Debug, Default)]
pub struct Declarations(Vec<Option<Cow<'static, Declared>>>);

impl Declarations {
    /// Looks up what is declared of the environments of a plan.
    pub fn of(plan: &Plan, project: &Project) -> Self {
        Self(plan.environments.iter().map(|environment| Declared::of(environment, project)).collect())
    }

    /// The environments of the plan that are declared, each with its declaration.
    pub fn each<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = (&'a Environment, &'a Declared)> {
        let declared = plan.environments.iter().zip(&self.0);
        declared.filter_map(|(environment, declared)| Some((environment, declared.as_deref()?)))
    }

    /// The declaration of the environment of that number, if there is one.
    pub fn get(&self, index: usize) -> Option<&Declared> {
        self.0.get(index)?.as_deref()
    }
}
