//! prime-rl's own checks and automatic changes: the `after` validators of its classes, each a small function in its own file.
//!
//! The schema history lists the validators of each class, in their order; the body of each name is here. The comment of a check states what
//! prime-rl requires or sets. If several classes have a function of the same name, the component of their root selects the body.

pub(crate) mod attached;
mod evaluation;
mod failure;
mod inference;
mod model;
mod orchestrator;
mod own;
mod replaced;
mod rl;
mod sft;
mod trainer;
mod unchecked;
mod validator_ctx;
mod words;

use cfg_compose::Origin;
use cfg_diag::{Diagnostic, KeyChange, LocPart, Location, Native, Proposal, codes};
use cfg_schema::{Interval, Kind, Node, NodeMap, Point};

pub(crate) use failure::{Failure, FailureKind};
pub(crate) use inference::Family;
pub(crate) use orchestrator::sources::{UNKNOWN_ID, how_to_name};
pub(crate) use own::{NoTable, failure as own_failure};
use replaced::Replaced;
pub use unchecked::{Contradiction, End, unchecked};
pub(crate) use validator_ctx::{RunState, ValidatorCtx};

use crate::{ResolvedTable, ResolvedValue, before::Class, constructed, walk::Walker};

/// The models for which prime-rl has a renderer at any point, by name.
pub fn models_with_renderer() -> impl Iterator<Item = &'static str> {
    orchestrator::models_with_renderer()
}

/// Whether prime-rl has a renderer for the model of this name at a point.
pub fn has_renderer(model: &str, point: Point) -> bool {
    orchestrator::has_renderer(model, point)
}

/// The renderer for a model at any point, under its latest name.
pub fn renderer_of(model: &str) -> Option<&'static str> {
    orchestrator::renderer_of(model)
}

/// One check: it may refuse the table, change it, or both.
pub(crate) type Check = fn(&mut ValidatorCtx<'_>) -> Result<(), Failure>;

/// The body of a validator. `root` is the component if the class is that of its whole config, and `None` for inner tables.
fn find(point: Point, root: Option<Kind>, name: &str) -> Option<Check> {
    match root {
        Some(Kind::Rl | Kind::HostedRl) => rl::find(point, name),
        Some(Kind::Trainer) => trainer::find(name),
        Some(Kind::Orchestrator) => orchestrator::find_root(name),
        Some(Kind::Inference) => inference::find_root(name),
        Some(Kind::Sft | Kind::HostedSft) => sft::find(name),
        Some(Kind::Eval | Kind::Evals | Kind::Synthesize | Kind::EnvServer) => evaluation::find(name),
        // A project's own class has no validator of prime-rl.
        Some(Kind::Script) => None,
        None => {
            let tables = || orchestrator::find(name).or_else(|| inference::find(name)).or_else(|| rl::find_table(name));
            model::find(name).or_else(tables)
        }
    }
}

/// Validators that neither refuse nor change a table.
const WITHOUT_BODY: [&str; 4] = [
    // These set environment variables.
    "auto_setup_dynamic_lora_updating",
    "auto_setup_vllm_env",
    "set_env_var_for_lora",
    // This one only warns; a rule reports it.
    "warn_wandb_resume_id_missing",
];

/// Whether an `after` validator has a body at a point, or is known to need none.
pub(crate) fn is_known(point: Point, name: &str) -> bool {
    WITHOUT_BODY.contains(&name) || has_body(point, name)
}

fn has_body(point: Point, name: &str) -> bool {
    Kind::ALL.iter().map(|kind| Some(*kind)).chain([None]).any(|root| find(point, root, name).is_some())
}

/// The `after` validators of a class at a point, in their order. A validator has no body if it neither refuses nor changes anything here.
type AfterValidators = Box<[(&'static str, Option<Check>)]>;

/// The `after` validators of a class; `root` is as in [`find`]. They are looked up once for each class, not for each table.
fn validators(class: Class, interval: Interval, root: Option<Kind>) -> &'static [(&'static str, Option<Check>)] {
    static OF_TABLES: NodeMap<AfterValidators, 512> = NodeMap::new();
    static OF_ROOTS: [NodeMap<AfterValidators, 16>; Kind::ALL.len()] = [const { NodeMap::new() }; Kind::ALL.len()];
    let find = || interval.validators_of("after").map(|name| (name, find(class.point, root, name))).collect();
    match root {
        Some(kind) => OF_ROOTS[kind.entrypoint() as usize].of(class.node, class.point, find),
        None => OF_TABLES.of(class.node, class.point, find),
    }
}

impl Walker<'_> {
    /// Runs the `after` validators of a class over its table, in their order. prime-rl stops at the first refusal; refusals by the remaining ones are reported as
    /// masked. prime-rl runs no validator for a table with an invalid field; then the refusals that depend only on valid values are reported as
    /// masked. Returns whether the table is still valid.
    pub(crate) fn run_after_validators(
        &mut self,
        node: Node,
        interval: Interval,
        table: &mut ResolvedTable,
        place: Option<Location>,
    ) -> bool {
        if !interval.has_after_validators() {
            return table.is_valid;
        }
        let root = self.component();
        let validators = validators(Class { node, point: self.schema.point }, interval, root);
        let state = RunState::new(self.names.open());
        if self.constructs {
            return self.run_as_constructed(root, validators, table, place, &state);
        }
        let is_valid = self.pass(root, validators, table, place, &state);
        // A settings class inside another is validated by its own constructor, and then again as a field, so earlier validators also check an
        // automatic change. If no value was changed, the second pass is omitted, because it would give the same findings.
        let is_settings = || self.schema.root().at(self.schema.point).is_some_and(|root| root.settings_prefix().is_some());
        let is_below = root.is_some() && self.path.first_level() != Some("");
        if is_valid && state.assigns.get() && is_below && is_settings() {
            self.pass(root, validators, table, place, &state)
        } else {
            is_valid
        }
    }

    /// Runs the validators as if tyro constructed the table: then, if the table is a field, pydantic runs them again for the table around it. What
    /// they refuse ends in tyro, unless the table around it is the whole config.
    fn run_as_constructed(
        &mut self,
        root: Option<Kind>,
        validators: &[(&'static str, Option<Check>)],
        table: &mut ResolvedTable,
        place: Option<Location>,
        state: &RunState,
    ) -> bool {
        let depth = self.path.depth();
        let mut start = self.diagnostics.len();
        let mut is_valid = self.pass(root, validators, table, place, state);
        if depth > 0 {
            constructed::end_in_tyro(&mut self.diagnostics[start..]);
        }
        if is_valid && depth > 0 && state.assigns.get() {
            start = self.diagnostics.len();
            is_valid = self.pass(root, validators, table, place, state);
            if depth > 1 {
                constructed::end_in_tyro(&mut self.diagnostics[start..]);
            }
        }
        is_valid
    }

    /// Runs the validators one time.
    fn pass(
        &mut self,
        root: Option<Kind>,
        validators: &[(&'static str, Option<Check>)],
        table: &mut ResolvedTable,
        place: Option<Location>,
        state: &RunState,
    ) -> bool {
        let mut is_valid = table.is_valid;
        let mut blamed = Vec::new();
        let replaced = Replaced::default();
        for &(name, body) in validators {
            if let Some(code) = self.names.own_code(table.node, name) {
                is_valid = self.run_own(&*code, name, table, place, state, is_valid);
                continue;
            }
            let Some(check) = body else { continue };
            state.reads_invalid.set(false);
            state.read_open.set(None);
            let watched = (root == Some(Kind::Rl)).then_some(&replaced);
            let mut cx = ValidatorCtx::new(self.schema, table, name, state, watched);
            let assigns = state.assigns.replace(false);
            let result = check(&mut cx);
            // A port does not say which objects it puts where.
            if state.assigns.get() {
                state.shared.borrow_mut().clear();
            }
            state.assigns.set(assigns || state.assigns.get());
            if result.is_err()
                && let Some(part) = state.read_open.get()
            {
                self.left_to_part(part, place);
                continue;
            }
            if let Err(failure) = result
                && !state.reads_invalid.get()
            {
                let related_keys: Vec<Origin> = failure
                    .related_keys
                    .iter()
                    .filter_map(|path| Some(validator_ctx::end(self.schema, table, path)?.origin))
                    .collect();
                if failure.kind == FailureKind::LeftOpen {
                    let mut diagnostic = Diagnostic::new(&codes::PLUGIN_DECIDES, failure.message);
                    diagnostic.help = failure.help;
                    diagnostic.location = related_keys.first().and_then(|end| end.place()).or(place);
                    self.diagnostics.push(diagnostic);
                    continue;
                }
                if self.names.changed(table.node, name).is_some() {
                    let known = self.failed(&failure, name, table, place, false);
                    self.changed_check(table.node, name, known, place);
                    continue;
                }
                // A value that prime-rl derives from a wrong value belongs to the same error.
                let follows = |end: &Origin| end.made_by().is_some() && end.place().is_some_and(|place| blamed.contains(&place));
                if !is_valid && related_keys.iter().any(follows) {
                    continue;
                }
                blamed.extend(related_keys.into_iter().filter_map(Origin::place));
                let diagnostic = self.failed(&failure, name, table, place, !is_valid);
                self.diagnostics.push(diagnostic);
                is_valid = false;
            }
        }
        if is_valid && !replaced.borrow().is_empty() {
            self.diagnostics.extend(replaced::findings(self.schema, table, replaced));
        }
        is_valid
    }

    /// The component, if the walker is at its root.
    fn component(&self) -> Option<Kind> {
        match self.path.first_level()? {
            "" => Some(self.schema.kind),
            path if self.schema.kind == Kind::Rl => match path {
                "trainer" => Some(Kind::Trainer),
                "orchestrator" => Some(Kind::Orchestrator),
                "inference" | "teacher_inference" => Some(Kind::Inference),
                _ => None,
            },
            "inference" if self.schema.kind == Kind::Sft => Some(Kind::Inference),
            _ => None,
        }
    }

    /// A text of a check with the keys of a component as they are called in a file of all components.
    fn named_from_root(&self, text: &str) -> String {
        let owner = self.path.key();
        let component = owner.split('.').next().filter(|_| self.schema.kind == Kind::Rl).unwrap_or_default();
        if component.is_empty() {
            return text.to_owned();
        }
        let from_root = |quoted: &str| {
            let path = quoted.trim_matches(['[', ']']);
            let homes = self.names.paths(path.rsplit('.').next().unwrap_or(path));
            let full = format!("{component}.{path}");
            if homes.iter().any(|home| home == path) || !homes.contains(&full) {
                quoted.to_owned()
            } else {
                quoted.replacen(path, &full, 1)
            }
        };
        let parts = text.split('`').enumerate();
        let parts: Vec<String> =
            parts.map(|(number, part)| if number % 2 == 1 { from_root(part) } else { part.to_owned() }).collect();
        parts.join("`")
    }

    fn failed(
        &self,
        failure: &Failure,
        name: &'static str,
        table: &ResolvedTable,
        place: Option<Location>,
        masked: bool,
    ) -> Diagnostic {
        let owner = self.path.key();
        let prefix = if owner.is_empty() { String::new() } else { format!("{owner}.") };
        let code = if failure.kind.is_exception() { &codes::LOADING_CRASHES } else { &codes::CONTRADICTION };
        let mut diagnostic = Diagnostic::new(code, failure.message.clone());
        diagnostic.help = failure.help.as_deref().map(|help| self.named_from_root(help));
        // An exception that pydantic does not catch has no location.
        let mut loc = if code == &codes::LOADING_CRASHES { Vec::new() } else { self.path.loc() };
        if !failure.field.is_empty() {
            loc.push(LocPart::Key(failure.field.to_owned()));
        }
        diagnostic.native = Some(Native { kind: failure.kind.clone().name(), loc, check: Some(name.into()), masked });
        let related_keys =
            failure.related_keys.iter().filter_map(|path| Some((path, validator_ctx::end(self.schema, table, path)?)));
        let mut notes = Vec::new();
        for (path, end) in related_keys {
            let said = words::end(self.schema, &format!("{prefix}{path}"), &end);
            match end.origin.place() {
                Some(location) if diagnostic.location.is_none() => {
                    diagnostic = diagnostic.at(location).label(said).key(format!("{prefix}{path}"));
                }
                Some(location) => diagnostic = diagnostic.related(location, said),
                // The second value of a contradiction is often a default, which has no place in the file.
                None if !matches!(end.value, ResolvedValue::Table(_) | ResolvedValue::Map(_)) => notes.push(said),
                None => {}
            }
        }
        if diagnostic.location.is_none() {
            diagnostic.location = place;
            let first = failure.related_keys.first().map(|path| format!("{prefix}{path}"));
            diagnostic.key = first.or_else(|| (!owner.is_empty()).then_some(owner));
        }
        let advice = diagnostic.help.take();
        diagnostic.proposals = advice.as_deref().map(|advice| proposals(advice, &prefix)).unwrap_or_default();
        // Of two values that must agree, the one that is written becomes that of both.
        let shared = advice.as_deref().and_then(|advice| advice.split_once("the shared `")?.1.split_once("` instead of the two"));
        if let Some((shared, _)) = shared.filter(|(shared, _)| !shared.contains('`') && prefix.is_empty()) {
            diagnostic.proposals.extend(failure.related_keys.iter().map(|key| Proposal::relocate(key, shared)));
        }
        notes.extend(advice);
        diagnostic.help = (!notes.is_empty()).then(|| notes.join("; "));
        diagnostic
    }
}

/// The repairs that an advice names: a key and its value to write, a table to add, a key or table to move, or one to remove. Its keys are those of the table with this prefix, or those of
/// the file if they begin with it.
fn proposals(advice: &str, prefix: &str) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    let parts: Vec<&str> = advice.split('`').collect();
    let component = prefix.split_inclusive('.').next().unwrap_or_default();
    let full = |key: &str| if key.starts_with(component) { key.to_owned() } else { format!("{prefix}{key}") };
    let is_key = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
    for (number, pair) in parts.windows(2).enumerate().step_by(2) {
        let [before, quoted] = pair else { continue };
        let word = before.trim_end().rsplit([' ', ';']).next().unwrap_or_default();
        if let Some((key, value)) =
            quoted.split_once(" = ").filter(|(key, _)| is_key(key) && matches!(word, "write" | "or" | "set"))
        {
            let changes = vec![KeyChange::Set { key: full(key), value: value.to_owned() }];
            proposals.push(Proposal::possible(format!("write `{quoted}`"), changes));
        }
        let key = quoted.trim_matches(['[', ']']);
        // What is written stays: the table that it needs comes with it.
        let adds = ["add", "add a", "add an"].iter().any(|end| before.trim_end().ends_with(end));
        // Made-up data is none of a run.
        if adds && is_key(key) && quoted.len() == key.len() + 2 && quoted.starts_with('[') && !key.contains("fake") {
            let changes = vec![KeyChange::Set { key: full(key), value: "{}".to_owned() }];
            proposals.push(Proposal::possible(format!("add `[{}]`", full(key)), changes));
        }
        if let ("move", true, Some([" to ", home])) = (word, is_key(key), parts.get(number + 2..number + 4)) {
            proposals.push(Proposal::relocate(&full(key), &full(home)));
        }
        if let ("set", true, Some(number)) = (word, is_key(key), parts.get(number + 2).and_then(|text| number_after(text))) {
            let changes = vec![KeyChange::Set { key: full(key), value: number.to_owned() }];
            proposals.push(Proposal::possible(format!("set `{key}` to {number}"), changes));
        }
        // With a table goes all that is written in it: whether it may is for its author to say.
        if word == "remove" && is_key(key) && !quoted.starts_with('[') {
            let key = full(key);
            proposals.push(Proposal::possible(format!("remove `{key}`"), vec![KeyChange::Remove { key }]));
        }
    }
    proposals
}

/// The number in a text that begins with " to 8".
fn number_after(text: &str) -> Option<&str> {
    let number = text.strip_prefix(" to ")?.split([' ', ',', ';']).next()?;
    number.parse::<f64>().ok().map(|_| number)
}

#[cfg(test)]
mod tests {
    use cfg_schema::{Interval, Node};

    use super::{WITHOUT_BODY, has_body};

    fn unported_names(_: Node, interval: Interval) -> Vec<&'static str> {
        interval.validators_of("after").filter(|name| !has_body(interval.since(), name)).collect()
    }

    #[test]
    fn every_after_validator_has_a_body() {
        assert_eq!(
            crate::testing::in_every_class(&unported_names),
            WITHOUT_BODY,
            "write the body of the validator in crates/cfg-resolve/src/native/, or say in `WITHOUT_BODY` why it needs none"
        );
    }
}
