//! The message of each error: what is wrong, what was expected, and what to write instead.

mod address;
mod contrary;
mod describe;
mod elsewhere;
pub(crate) mod foreign;
mod foreign_table;
pub(crate) mod free_key;
mod future;
mod guesses;
mod items;
pub(crate) mod misspelt;
pub(crate) mod nameless;
mod off;
mod other_time;
mod other_words;
mod places;
pub(crate) mod run;
mod siblings;
mod single_item;
mod table_value;
mod tag;
mod units;
mod unknown_key;
mod value;
mod value_in_table;
mod variants;

pub use unknown_key::OTHER_VARIANT;
pub(crate) use value::is_of_new_kind;

use cfg_compose::{
    Integer, Node, Origin, Value,
    loader::{self, Grammar},
};
use cfg_diag::{Applicability, Code, Diagnostic, Edit, KeyChange, Location, Native, Proposal, codes};
use cfg_meter::charge_each;
use cfg_schema::{Bounds, FieldType, Interval, TypeKind, alternatives, type_in_words};

use crate::{
    before::Refusal,
    loc::LocSegment,
    suggest::nearest,
    synonyms,
    walk::{Outcome, Walker},
};

impl Walker<'_> {
    /// An error in the value at the walker's position.
    fn fault(&self, code: Code, message: String, kind: &'static str, place: Option<Location>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(code, message).native(kind, self.path.loc());
        let key = self.path.key();
        diagnostic.key = (!key.is_empty()).then_some(key);
        diagnostic.location = place;
        diagnostic
    }

    /// Records a value that pydantic-config would print in its message, if it contains an integer with more digits than Python prints.
    pub(super) fn note_wordless(&mut self, raw: &Value, place: Option<Location>) {
        let is_huge = matches!(raw, Value::Int(Integer::Big(digits)) if digits.starts_with("0x"));
        if is_huge && loader::at(self.schema.point).grammar == Grammar::Own {
            self.wordless.extend(place);
        }
    }

    /// A value that the type does not accept; `kind` is pydantic's error type.
    pub(crate) fn wrong(&mut self, kind: &'static str, raw: &Node, ty: FieldType) -> Outcome {
        self.wrong_at(kind, raw, ty, None)
    }

    /// As [`Walker::wrong`], for a type with this place in the schema.
    pub(crate) fn wrong_at(&mut self, kind: &'static str, raw: &Node, ty: FieldType, node: Option<cfg_schema::Node>) -> Outcome {
        let code = match kind {
            "literal_error" => &codes::INVALID_CHOICE,
            _ if kind.ends_with("_type") => &codes::WRONG_TYPE,
            _ => &codes::UNPARSABLE_VALUE,
        };
        // Each choice is compared with what is written.
        if charge_each(ty.literals().len().saturating_mul(8)).is_err() {
            return Outcome::invalid(raw.origin);
        }
        let (expected, found) = (type_in_words(ty), describe::value(&raw.value));
        let message = format!("`{}` must be {expected}, not {found}", self.path.last_key());
        let mut diagnostic = self.fault(code, message, kind, raw.origin.place()).label(format!("expected {expected}"));
        diagnostic.help = describe::how_to_write(&raw.value, ty);
        if kind == "literal_error" {
            diagnostic = diagnostic.choices(ty.literals());
            diagnostic = Self::meant_choice(diagnostic, &raw.value, ty.literals(), raw.origin);
        }
        diagnostic = self.rewritten(diagnostic, raw, ty, node);
        self.note_wordless(&raw.value, raw.origin.place());
        self.push(diagnostic);
        Outcome::invalid(raw.origin)
    }

    /// Adds the choice that a text means: that of another trainer's word, or the one that is nearest.
    fn meant_choice<'c>(
        diagnostic: Diagnostic,
        value: &Value,
        choices: impl Iterator<Item = &'c str>,
        origin: Origin,
    ) -> Diagnostic {
        let Some(text) = value.as_str() else { return diagnostic };
        let choices: Vec<&str> = choices.collect();
        let key = diagnostic.key.clone().unwrap_or_default();
        let (owner, key) = key.rsplit_once('.').unwrap_or(("", &key));
        let word = synonyms::choice(owner, key, text).filter(|word| choices.contains(word));
        let within = || choice_within(text, &choices);
        match word.or_else(|| nearest(text, choices.iter().copied())).or_else(within) {
            Some(meant) => did_you_mean(diagnostic, &format!("\"{meant}\""), origin),
            None => diagnostic,
        }
    }

    /// How to write a table instead of a string: with the key that accepts the string, or else with the keys that the table has.
    pub(crate) fn table_for(&self, table: cfg_schema::Node, word: &str) -> String {
        let point = self.schema.point;
        let takes_it = |(_, interval): &(_, Interval)| interval.field_type().literals().any(|literal| literal == word);
        if let Some(name) = table.fields(point).find(takes_it).and_then(|(field, _)| field.field_name()) {
            return format!("write `{} = {{ {name} = \"{word}\" }}`", self.path.last_key());
        }
        let keys: Vec<&str> = table.fields(point).filter_map(|(field, _)| field.field_name()).collect();
        let mut help = format!("put its keys into a table, `[{}]`", self.path.key());
        if (1..=8).contains(&keys.len()) {
            help.push_str(&format!(": {}", keys.join(", ")));
        }
        help
    }

    /// Replaces refusals by checks that the project's prime-rl has changed by a finding that the result is unknown.
    pub(crate) fn without_changed(
        &mut self,
        class: cfg_schema::Node,
        refusals: Vec<Refusal>,
        place: Option<Location>,
    ) -> Vec<Refusal> {
        let (left_open, certain): (Vec<_>, Vec<_>) =
            refusals.into_iter().partition(|refusal| self.names.is_left_open(class, refusal.validator));
        for refusal in left_open {
            self.changed_check(class, refusal.validator, refusal.diagnostic, place);
        }
        certain
    }

    /// Reports that the project's own version of a check may accept what the known version refuses.
    pub(crate) fn changed_check(&mut self, class: cfg_schema::Node, check: &str, known: Diagnostic, place: Option<Location>) {
        let Some(own) = self.names.changed(class, check) else { return };
        let message = format!(
            "the project's own `{check}` decides whether this is accepted; the version known to cfg refuses it: {}",
            known.message
        );
        let mut diagnostic =
            Diagnostic::new(&codes::CHANGED_CHECK, message).help(format!("its code differs there: {}", own.place));
        diagnostic.key = known.key;
        diagnostic.location = known.location.or(place);
        self.push(diagnostic);
    }

    /// Reports the refusals of `before` validators.
    pub(crate) fn refused(&mut self, refusals: Vec<Refusal>) {
        for Refusal { mut diagnostic, kind, check, doubtful, .. } in refusals {
            doubtful.iter().for_each(|path| self.doubt(path));
            // An exception that pydantic does not catch has no location.
            let loc = if diagnostic.code == &codes::LOADING_CRASHES { Vec::new() } else { self.path.loc() };
            let native = Native { kind: kind.into(), loc, check: Some(check.into()), masked: false };
            diagnostic.native = Some(native);
            if check == "_refuse_env_level_harness" {
                let owner = self.path.key();
                let (own, to) = (format!("{owner}.harness"), format!("{owner}.agent.harness"));
                diagnostic = diagnostic.key(&*own).choices([&*to]).propose(Proposal::relocate(&own, &to));
            }
            self.push(diagnostic);
        }
    }

    /// A number outside its limits; `kind` names the limit.
    pub(crate) fn out_of_range(&mut self, kind: &'static str, raw: &Node, bounds: Bounds) {
        let limit = match kind {
            "finite_number" => Some("a finite number".to_owned()),
            "less_than_equal" => bounds.le.map(|limit| format!("at most {limit}")),
            "less_than" => bounds.lt.map(|limit| format!("less than {limit}")),
            "greater_than_equal" => bounds.ge.map(|limit| format!("at least {limit}")),
            _ => bounds.gt.map(|limit| format!("greater than {limit}")),
        };
        let limit = limit.unwrap_or_default();
        let message = format!("`{}` must be {limit}, not {}", self.path.last_key(), describe::number(&raw.value));
        let diagnostic = self.fault(&codes::OUT_OF_RANGE, message, kind, raw.origin.place()).label(limit);
        let diagnostic = self.without_limit(diagnostic, &raw.value);
        self.note_wordless(&raw.value, raw.origin.place());
        self.push(diagnostic);
    }

    /// A string or an array that is too short.
    pub(crate) fn too_short(&mut self, kind: &'static str, origin: Origin, length: usize, least: usize) {
        let unit = if kind == "too_short" { "item" } else { "character" };
        let plural = if least == 1 { "" } else { "s" };
        let message = format!("`{}` must have at least {least} {unit}{plural}, not {length}", self.path.last_key());
        let diagnostic = self.fault(&codes::OUT_OF_RANGE, message, kind, origin.place());
        self.push(diagnostic);
    }

    /// A required field that is not given.
    pub(crate) fn missing(&mut self, field: cfg_schema::Node, interval: Interval, place: Option<Location>) {
        let Some(name) = field.field_name() else { return };
        let name = interval.aliases().next().unwrap_or(name);
        let owner = self.path.key();
        self.path.push(LocSegment::of_field(name));
        let is_table = matches!(interval.field_type().kind(), TypeKind::Table(_));
        let (message, help) = if owner.is_empty() && is_table {
            let kind = self.schema.kind.with_article();
            (format!("{kind} config needs a `[{name}]` table"), format!("add `[{name}]`; it may be empty"))
        } else {
            let expected = type_in_words(interval.field_type());
            let owner = if owner.is_empty() { "the config".to_owned() } else { format!("`{owner}`") };
            (format!("{owner} needs `{name}`"), format!("add `{name}`: {expected}"))
        };
        let mut diagnostic = self.fault(&codes::MISSING_KEY, message, "missing", place).help(help);
        if owner.is_empty() && is_table && place.is_none() {
            let header = KeyChange::Table { key: name.to_owned() };
            diagnostic = diagnostic.propose(Proposal::possible(format!("add `[{name}]`"), vec![header]));
        }
        self.push(diagnostic);
        self.path.pop();
    }

    /// prime-rl refuses the default of a field that is not given. The findings since `start` are its errors; nothing is written to which they point.
    pub(crate) fn default_is_refused(&mut self, start: usize, default: &Node, ty: FieldType, place: Option<Location>) {
        let (expected, found) = (type_in_words(ty), describe::value(&default.value));
        let name = self.path.last_key().into_owned();
        let message = format!("missing `{name}`: prime-rl refuses its own default, {found}, and expects {expected}");
        let key = self.path.key();
        for (index, diagnostic) in self.diagnostics[start..].iter_mut().enumerate() {
            diagnostic.message.clone_from(&message);
            diagnostic.key = Some(key.clone());
            diagnostic.location = place;
            (diagnostic.label, diagnostic.fix) = (None, None);
            diagnostic.help = Some(format!("set `{name}` to {expected}: this project's prime-rl requires it"));
            diagnostic.is_echo = index > 0;
        }
    }

    /// A tag that matches no table of the union.
    pub(crate) fn unknown_tag(&mut self, union: cfg_schema::Node, tag_key: &str, tag: &Node) {
        let tags: Vec<&str> = self.tags(union).collect();
        let allowed = alternatives(tags.iter().copied());
        let owner = self.path.last_key().into_owned();
        let message = format!("{} is not a valid `{tag_key}` of `{owner}`: expected {allowed}", describe::value(&tag.value));
        let mut diagnostic = self
            .fault(&codes::UNKNOWN_VARIANT, message, "union_tag_invalid", tag.origin.place())
            .label(format!("expected {allowed}"))
            .choices(tags.iter().copied());
        if let Some(key) = &mut diagnostic.key {
            key.push('.');
            key.push_str(tag_key);
        }
        self.push(Self::meant_choice(diagnostic, &tag.value, tags.into_iter(), tag.origin));
    }

    pub(super) fn tags(&self, union: cfg_schema::Node) -> impl Iterator<Item = &'static str> {
        union.variants(self.schema.point).filter_map(cfg_schema::Node::variant_tag)
    }

    /// No member of an untagged union accepts the value. prime-rl reports that once for each member; all of them mean the same error.
    pub(crate) fn one_of_several(&mut self, start: usize, raw: &Node, ty: FieldType) {
        // Each choice is compared with what is written.
        if charge_each(ty.literals().len().saturating_mul(8)).is_err() {
            return;
        }
        let (expected, found) = (type_in_words(ty), describe::value(&raw.value));
        let message = format!("`{}` must be {expected}, not {found}", self.path.last_key());
        let count = self.diagnostics.len() - start;
        // Each of them says it.
        if charge_each(count.saturating_mul(message.len() + expected.len())).is_err() {
            self.diagnostics.truncate(start);
            return;
        }
        for (index, diagnostic) in self.diagnostics[start..].iter_mut().enumerate() {
            // An error inside a table member is more specific than the list of members.
            if diagnostic.location == raw.origin.place() {
                message.clone_into(&mut diagnostic.message);
                diagnostic.code = &codes::WRONG_TYPE;
                diagnostic.label = Some(format!("expected {expected}"));
                diagnostic.is_echo = index > 0;
            }
        }
    }
}

/// The only one of several choices whose words are all in a text, in their order: `selective_checkpointing` says `selective`.
fn choice_within<'c>(text: &str, choices: &[&'c str]) -> Option<&'c str> {
    const CONTRARY: [&str; 6] = ["no", "not", "non", "none", "without", "disable"];
    let split = |text: &str| -> Vec<String> {
        let words = text.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    let written = if text.len() <= 64 { split(text) } else { return None };
    let has = |choice: &str| {
        let words = split(choice);
        choice.len() > 2 && !words.is_empty() && written.windows(words.len()).any(|window| window == words)
    };
    let mut found = choices.iter().copied().filter(|choice| has(choice));
    found.next().filter(|_| found.next().is_none() && !written.iter().any(|word| CONTRARY.contains(&&**word)))
}

/// Adds a suggestion to a finding, with a fix if the value is written in a file.
fn did_you_mean(diagnostic: Diagnostic, suggestion: &str, origin: Origin) -> Diagnostic {
    let diagnostic = diagnostic.help(format!("did you mean `{suggestion}`?"));
    match origin.place() {
        Some(location) => diagnostic.fix(
            format!("write `{suggestion}`"),
            Applicability::Unsafe,
            Edit { location, new_text: suggestion.to_owned() },
        ),
        None => diagnostic,
    }
}
