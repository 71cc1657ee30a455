//! Values of a wrong type that show what was meant: how they are written.

use cfg_compose::{Integer, Node, Value};
use cfg_diag::{Applicability, Diagnostic, Edit, Fix, KeyChange, Location, Proposal, Span};
use cfg_schema::{Discriminator, FieldType, Kind, Point, Segment, TypeKind};
use cfg_syntax::{thousand, variable};

use super::{
    items::{list_of, listed},
    units::{bare_number, bytes, seconds, step_of, table_in},
};
use crate::{coerce, emit::string, synonyms, walk::Walker};

/// The keys of tables that a bare number in place of the table means.
pub(super) const NUMBERS: [&str; 9] = ["lr", "rank", "interval", "freq", "step", "max_inflight", "episode", "rollout", "port"];

impl Walker<'_> {
    /// Adds the fix for a value of the wrong type, if its text shows what was meant.
    pub(crate) fn rewritten(
        &self,
        diagnostic: Diagnostic,
        raw: &Node,
        ty: FieldType,
        node: Option<cfg_schema::Node>,
    ) -> Diagnostic {
        if diagnostic.fix.is_some() {
            return diagnostic;
        }
        if let (TypeKind::Table(_) | TypeKind::Union, Value::List(items), None) = (ty.kind(), &raw.value, &diagnostic.help)
            && items.iter().all(|item| item.value.as_table().is_some())
        {
            let key = self.path.key();
            let help = format!("write its header with single brackets, `[{key}]`: it is one table");
            let mut diagnostic = diagnostic.help(&*help);
            if let ([_], Some(Location { file, span })) = (items.as_slice(), raw.origin.place())
                && span.range().len() == key.len() + 4
            {
                let cut =
                    |start: u32| Edit { location: Location::new(file, Span::new(start, start + 1)), new_text: String::new() };
                let edits = vec![cut(span.start), cut(span.end - 1)];
                diagnostic.fix = Some(Fix::new(format!("write `[{key}]`"), Applicability::Unsafe, edits));
            }
            return diagnostic;
        }
        if let (
            TypeKind::Str | TypeKind::Path | TypeKind::Int | TypeKind::Float | TypeKind::Bool | TypeKind::Literal,
            Value::Table(table),
        ) = (ty.kind(), &raw.value)
            && !table.entries().is_empty()
        {
            return self.table_for_value(diagnostic, table, ty);
        }
        // Without a step, the table stands for the newest checkpoint.
        if self.path.key().ends_with("resume.step") && step_of(&raw.value).is_some_and(|step| step == "-1") {
            let key = self.path.key();
            let title = format!("remove `{key}`: without it, the run resumes from the last checkpoint");
            let proposal = Proposal::possible(title.clone(), vec![KeyChange::Remove { key }]);
            return diagnostic.help(title).propose(proposal);
        }
        let [removed, shared] = self.removed_value(&raw.value, ty);
        if let Some(removed) = removed {
            let help = removed.title.clone();
            // That a word could be in a list is not what it means.
            let is_better = diagnostic.help.is_none() || ty.kind() == TypeKind::List;
            let diagnostic = if is_better { diagnostic.help(help) } else { diagnostic };
            return shared.into_iter().fold(diagnostic.propose(removed), Diagnostic::propose);
        }
        let referred = raw.value.as_str().and_then(|text| self.run.referred(text));
        if let (Some(value), Some(location)) = (referred, raw.origin.place()) {
            let help = format!("prime-rl does not fill in other keys in a config: write the value, {value}");
            let edit = Edit { location, new_text: value.to_owned() };
            return diagnostic.help(help).fix(format!("write `{value}`"), Applicability::Unsafe, edit);
        }
        let asked = raw.value.as_str().and_then(variable);
        if let Some((name, default)) = asked.filter(|_| diagnostic.help.is_none()) {
            let flag = self.path.key().replace('_', "-");
            let default = default.map(|text| Value::Str(text.into())).and_then(|text| self.number_of(&text, ty));
            let write = default.as_ref().map_or_else(|| "the value itself".to_owned(), |value| format!("{value}, its default,"));
            let help = format!("prime-rl does not expand variables in a config: write {write} or pass `--{flag} \"${name}\"`");
            let diagnostic = diagnostic.help(help);
            return match (default, raw.origin.place()) {
                (Some(value), Some(location)) => {
                    diagnostic.fix(format!("write `{value}`"), Applicability::Unsafe, Edit { location, new_text: value })
                }
                _ => diagnostic,
            };
        }
        let Some((value, applicability)) = self.value_for(&raw.value, ty, node) else { return diagnostic };
        let Some(location) = raw.origin.place() else { return diagnostic };
        let mut diagnostic = diagnostic;
        if diagnostic.help.is_none() || applicability == Applicability::Unsafe {
            diagnostic.help = Some(format!("write {value}"));
        }
        let shared = self.shared_table(ty, &value);
        let diagnostic = diagnostic.fix(format!("write `{value}`"), applicability, Edit { location, new_text: value });
        let diagnostic = shared.into_iter().fold(diagnostic, Diagnostic::propose);
        // A number for a table of evaluations has no environments to evaluate in.
        let is_table = || raw.value.as_str().and_then(table_in).is_some_and(|table| table.contains('='));
        if synonyms::is_of_evaluations(&self.path.last_key()) && !self.run.has_evaluations && !is_table() {
            let key = self.path.key();
            let title = format!("remove `{key}`: nothing is evaluated without environments for it");
            return diagnostic.propose(Proposal::possible(title, vec![KeyChange::Remove { key }]));
        }
        diagnostic
    }

    /// The same table at the top of an rl config, for one that all of its components share and that only one of them has.
    fn shared_table(&self, ty: FieldType, value: &str) -> Option<Proposal> {
        let key = self.path.key();
        let (_, shared) = key.split_once('.').filter(|_| self.schema.kind == Kind::Rl)?;
        if !matches!(ty.kind(), TypeKind::Table(_)) || !value.contains('=') || !self.is_table(shared) {
            return None;
        }
        let set = KeyChange::Set { key: shared.to_owned(), value: value.to_owned() };
        let title = format!("write `{shared} = {value}` at the top instead");
        let help = format!("write `{shared} = {value}`, which all processes share");
        Some(Proposal::possible(title, vec![KeyChange::Remove { key: key.clone() }, set]).help(help))
    }

    fn value_for(&self, value: &Value, ty: FieldType, node: Option<cfg_schema::Node>) -> Option<(String, Applicability)> {
        let (safe, possible) = (Applicability::Safe, Applicability::Unsafe);
        let is_time = || {
            let key = self.path.key();
            let mut last = key.rsplit('.').take(2);
            ["seconds", "timeout", "secs"].iter().any(|word| self.path.last_key().ends_with(word))
                || last.any(|step| step == "timeout")
        };
        let in_seconds = |text: &str| seconds(text).filter(|_| is_time());
        match (ty.kind(), value) {
            (TypeKind::Table(_) | TypeKind::Union | TypeKind::Dict, _) => self.table_of(value, ty, node),
            (TypeKind::List, Value::Str(text)) if is_of_numbers(ty) => {
                let numbers: Option<Vec<String>> =
                    text.trim_matches(['[', ']']).split(',').map(|number| Some(number_text(self.quantity(number)?))).collect();
                Some((format!("[{}]", numbers?.join(", ")), possible))
            }
            (TypeKind::List, Value::Str(text)) => {
                let item = ty.members().next()?;
                match item.kind() {
                    TypeKind::Str | TypeKind::Path | TypeKind::Literal => {
                        Some((list_of(text), if listed(text).len() > 1 { possible } else { safe }))
                    }
                    TypeKind::Table(_) | TypeKind::Union => {
                        let class = node?.item()?;
                        let table =
                            |text: &str| Some(format!("{{ {} = {} }}", self.key_of_string(text, item, class)?, string(text)));
                        let tables: Vec<String> = listed(text).into_iter().map(table).collect::<Option<_>>()?;
                        Some((format!("[{}]", tables.join(", ")), possible))
                    }
                    _ => None,
                }
            }
            // Those of several names that are on.
            (TypeKind::List, Value::Table(table)) => {
                let is_text = ty.members().next().is_some_and(|item| matches!(item.kind(), TypeKind::Str | TypeKind::Literal));
                let is_switch = |entry: &cfg_compose::Entry| matches!(entry.node.value, Value::Bool(_));
                let on = table.entries().iter().filter(|entry| matches!(entry.node.value, Value::Bool(true)));
                let on: Vec<String> = on.map(|entry| string(&entry.key)).collect();
                let is_set = is_text && !on.is_empty() && table.entries().iter().all(is_switch);
                is_set.then(|| (format!("[{}]", on.join(", ")), possible))
            }
            (TypeKind::List, Value::Int(integer)) => is_of_numbers(ty).then(|| (format!("[{}]", coerce::wide(integer)), safe)),
            // A week has fewer minutes, which a bare number is for Slurm.
            (TypeKind::Str, Value::Int(Integer::Small(time)))
                if self.path.key().ends_with("slurm.time") && *time > 7 * 24 * 60 =>
            {
                Some((format!("\"{:02}:{:02}:{:02}\"", time / 3600, time / 60 % 60, time % 60), possible))
            }
            // A level of Python's logging.
            (TypeKind::Str, Value::Int(Integer::Small(level))) if self.path.key().ends_with("log.level") => {
                let name =
                    [(10, "debug"), (20, "info"), (30, "warning"), (40, "error")].iter().find(|(known, _)| known == level)?;
                Some((string(name.1), possible))
            }
            (TypeKind::Str | TypeKind::Path, Value::Int(integer)) => Some((format!("\"{}\"", coerce::wide(integer)), safe)),
            // SLURM lists nodes in one text.
            (TypeKind::Str, Value::List(items)) if items.len() > 1 && self.path.key().contains("slurm.") => {
                let texts: Vec<&str> = items.iter().map(|item| item.value.as_str()).collect::<Option<_>>()?;
                Some((string(&texts.join(",")), possible))
            }
            // One value in brackets, or in the brackets of a call.
            (TypeKind::Str | TypeKind::Path | TypeKind::Int | TypeKind::Float, Value::List(items)) => {
                let [item] = items.as_slice() else { return None };
                let value = match &item.value {
                    Value::Str(text) if matches!(ty.kind(), TypeKind::Str | TypeKind::Path) => string(text),
                    Value::Int(integer) if matches!(ty.kind(), TypeKind::Int | TypeKind::Float) => {
                        coerce::wide(integer).to_string()
                    }
                    Value::Float(number) if ty.kind() == TypeKind::Float => format!("{number:?}"),
                    _ => return None,
                };
                Some((value, possible))
            }
            // A share of all steps.
            (TypeKind::Int, Value::Str(text))
                if (self.path.last_key().ends_with("_steps") || self.path.last_key() == "interval")
                    && text.trim().ends_with('%') =>
            {
                let share: f64 =
                    text.trim().trim_end_matches('%').trim().parse().ok().filter(|share| (0.0..=100.0).contains(share))?;
                Some((format!("{}", whole(Some((share / 100.0 * self.run.max_steps?).round()))?), possible))
            }
            (TypeKind::Int, Value::Str(_)) if self.path.last_key() == "resume_step" => Some((step_of(value)?, possible)),
            (TypeKind::Int, Value::Str(text)) => {
                let number = in_seconds(text).or_else(|| self.quantity(text)).or_else(|| self.quantity(&without_words(text)));
                let number = number.or_else(|| bytes(text).filter(|_| self.path.last_key().ends_with("bytes")));
                let number = number.filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
                Some((format!("{number}"), possible))
            }
            (TypeKind::Float, Value::Str(text)) => {
                Some((format!("{:?}", in_seconds(text).or_else(|| self.quantity(text))?), possible))
            }
            (TypeKind::Bool, Value::Str(text)) => match &*text.trim().to_ascii_lowercase() {
                "enabled" | "enable" => Some(("true".to_owned(), possible)),
                // Where it goes: `optim_cpu_offload = "cpu"`.
                word if self.path.last_key().split('_').any(|part| part == word && part.len() > 2) => {
                    Some(("true".to_owned(), possible))
                }
                "disabled" | "disable" | "none" => Some(("false".to_owned(), possible)),
                // What W&B does with the network.
                "online" if self.path.last_key() == "offline" => Some(("false".to_owned(), possible)),
                "offline" if self.path.last_key() == "offline" => Some(("true".to_owned(), possible)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A text as the number or the switch that a key of this type takes.
    fn number_of(&self, text: &Value, ty: FieldType) -> Option<String> {
        match (ty.kind(), text.as_str()?) {
            (TypeKind::Int | TypeKind::Float, _) => self.value_for(text, ty, None).map(|(value, _)| value),
            (TypeKind::Bool, text @ ("true" | "false")) => Some(text.to_owned()),
            _ => None,
        }
    }

    /// The number that a text states for the current key; `8x` is a factor.
    fn quantity(&self, text: &str) -> Option<f64> {
        let thousand = thousand(&self.path.last_key());
        let factor = text.trim().trim_start_matches('x').trim_end_matches(['x', '×']);
        let bare = || cfg_syntax::quantity(&bare_number(text), thousand);
        cfg_syntax::quantity(text, thousand).or_else(|| cfg_syntax::quantity(factor, thousand)).or_else(bare)
    }

    /// The whole number that a text states for a key: with its unit, if it is a time or a size.
    pub(super) fn counted(&self, key: &str, text: &str) -> Option<i64> {
        let is_time = self.path.last_key().contains("timeout");
        let number = if is_time { seconds(text) } else { None }.or_else(|| self.quantity(text));
        whole(number.or_else(|| bytes(text).filter(|_| key.ends_with("bytes"))))
    }

    /// The key of a table that a bare string means: that of a choice which has it, or the name of what the table is about.
    pub(super) fn key_of_string(&self, text: &str, ty: FieldType, table: cfg_schema::Node) -> Option<String> {
        let point = self.schema.point;
        if let Some(discriminator) = ty.discriminator() {
            let key = match discriminator {
                Discriminator::Key(key) => key,
                Discriminator::TypeOrDefault => "type",
            };
            let is_tag = |variant: cfg_schema::Node| matches!(variant.segment(), Segment::Variant(tag) if tag == text);
            return table.variants(point).any(is_tag).then(|| key.to_owned());
        }
        if let Some((name, _)) = choice_in(text, table, point, "") {
            return Some(name.to_owned());
        }
        let takes = |path: &str| {
            let mut node = Some(table);
            let mut ty = None;
            for step in path.split('.') {
                let field = node.and_then(|node| node.field(step));
                ty = field.and_then(|field| field.at(point)).map(cfg_schema::Interval::field_type);
                node = field;
            }
            ty.is_some_and(|ty: FieldType| ty.kind() == TypeKind::Str)
        };
        if is_level(text) && takes("level") {
            return Some("level".to_owned());
        }
        // The names of the environments' new kind end in their version.
        let first = ["id", if is_of_new_kind(text) { "env.taskset.id" } else { "legacy.id" }];
        let others = ["legacy.id", "env.taskset.id", "project", "name", "model", "model.name"];
        let is_text = |interval: cfg_schema::Interval| matches!(interval.field_type().kind(), TypeKind::Str | TypeKind::Path);
        let only = || {
            let mut fields = table.fields(point);
            let (field, interval) = fields.next().filter(|_| fields.next().is_none())?;
            field.field_name().filter(|_| is_text(interval))
        };
        first.into_iter().chain(others).find(|path| takes(path)).or_else(only).map(str::to_owned)
    }
}

/// The key of a table whose choices have a text, which may be another trainer's word for one, and that choice. `place` is where the table is.
pub(super) fn choice_in(text: &str, table: cfg_schema::Node, point: Point, place: &str) -> Option<(&'static str, String)> {
    table.fields(point).find_map(|(field, interval)| {
        let name = field.field_name()?;
        let meant = synonyms::choice(place, name, text).filter(|_| !place.is_empty()).unwrap_or(text);
        interval.field_type().literals().any(|literal| literal == meant).then(|| (name, meant.to_owned()))
    })
}

/// Whether the id of an environment says that it is one of the new kind, a taskset: `reverse-text-v1`.
pub(crate) fn is_of_new_kind(id: &str) -> bool {
    id.rsplit_once("-v").is_some_and(|(_, version)| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text for a key is a word of PEFT for what is the default: LoRA on all linear layers.
pub(super) fn is_all_modules(key: &str, text: &str) -> bool {
    key == "target_modules" && matches!(&*text.trim().to_ascii_lowercase(), "all" | "all-linear" | "all_linear" | "linear")
}

/// Whether a text is a level of logs.
fn is_level(text: &str) -> bool {
    matches!(&*text.to_ascii_lowercase(), "trace" | "debug" | "info" | "warn" | "warning" | "error" | "critical")
}

/// Whether a type is a list of numbers.
fn is_of_numbers(ty: FieldType) -> bool {
    ty.members().next().is_some_and(|item| matches!(item.kind(), TypeKind::Int | TypeKind::Float))
}

/// A number as TOML, without a fraction if it has none.
fn number_text(number: f64) -> String {
    whole(Some(number)).map_or_else(|| format!("{number:?}"), |whole| whole.to_string())
}

/// A number as an integer, if it is whole.
pub(super) fn whole(number: Option<f64>) -> Option<i64> {
    let number = number.filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
    Some(number as i64)
}

/// Whether a text says that something is switched on.
pub(super) fn is_on(text: &str) -> bool {
    matches!(&*text.trim().to_ascii_lowercase(), "true" | "yes" | "on" | "enabled" | "enable" | "1")
}

/// Whether a text says that something is switched off.
pub(super) fn is_off(text: &str) -> bool {
    matches!(&*text.trim().to_ascii_lowercase(), "false" | "no" | "off" | "disabled" | "disable")
}

/// Whether a text stands for no value.
pub(super) fn is_nothing(text: &str) -> bool {
    matches!(&*text.trim().to_ascii_lowercase(), "null" | "none" | "nil" | "undefined" | "~" | "")
}

/// A text without the words that only say what its number counts: `every 20 steps`.
pub(super) fn without_words(text: &str) -> String {
    const WORDS: [&str; 18] = [
        "every",
        "each",
        "about",
        "step",
        "steps",
        "token",
        "tokens",
        "gpu",
        "gpus",
        "example",
        "examples",
        "sample",
        "samples",
        "rollouts",
        "checkpoint",
        "checkpoints",
        "node",
        "nodes",
    ];
    let words = text.split_whitespace().filter(|word| !WORDS.contains(&&*word.to_ascii_lowercase()));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// The text of the first fix of a config, and its help.
    fn meant(target: &str, text: &str) -> (Option<String>, Option<String>) {
        let text = format!("{text}[trainer]\n");
        let found = found_in(Kind::Rl, target, &text);
        let found = found.into_iter().find(|found| found.location.is_some()).expect("a finding");
        (found.fix.map(|fix| fix.edits[0].new_text.clone()), found.help)
    }

    #[test]
    fn a_value_is_read_as_it_was_meant() {
        let head = "[orchestrator]\n";
        for (target, text, expected) in [
            ("0.8.0", "[ckpt]\nresume_step = \"1,000\"\n", "1000"),
            ("0.8.0", "[ckpt]\nresume_step = \"step_200\"\n", "200"),
            ("0.8.0", "[ckpt]\nresume_step = \"runs/a/step_0030/\"\n", "30"),
            ("0.8.0", "[ckpt]\nresume_step = \"yes\"\n", "-1"),
            ("main", "resume = \"yes\"\n", "{}"),
            ("main", "resume = \"1\"\n", "{ step = 1 }"),
            ("main", "resume = \"1,000\"\n", "{ step = 1000 }"),
            ("0.8.0", "[ckpt]\nresume_step = \"step 1,000\"\n", "1000"),
        ] {
            assert_eq!(meant(target, &format!("{text}{head}")).0.as_deref(), Some(expected), "{text} at {target}");
        }
        let two = format!("{head}env = \"gsm8k, math\"\n");
        assert_eq!(meant("0.4.0", &two).0.as_deref(), Some("[{ id = \"gsm8k\" }, { id = \"math\" }]"));
        for (text, table) in [("{}", "{}"), ("{ n = 1 }", "{ n = 1 }"), ("{\\\"n\\\": 1}", "{ n = 1 }"), ("n", "")] {
            let args = format!("{head}[[orchestrator.env]]\nid = \"a\"\nargs = \"{text}\"\n");
            assert_eq!(meant("0.4.0", &args).0.unwrap_or_default(), table, "{text}");
        }
        for (target, text, table) in [
            ("0.8.0", "[inference]\nparallel = 2\n", "{ tp = 2 }"),
            // A choice of the table, or its only key.
            ("main", "[trainer.model]\nac = \"full\"\n", "{ mode = \"full\" }"),
            ("0.4.0", "[trainer.model]\nac = true\n", "{}"),
            ("main", "[monitors]\nfile = \"out.jsonl\"\n", "{ path = \"out.jsonl\" }"),
            ("0.8.0", "[inference.kv_cache_offload]\ntype = \"native\"\ncpu.num_bytes = \"64GiB\"\n", "68719476736"),
            (
                "0.8.0",
                "[inference.parallel]\ntp = 1\n[orchestrator.model.client]\nheaders = [\"X-Team: me\"]\n",
                "{ X-Team = \"me\" }",
            ),
            ("0.8.0", "[trainer.model.ac]\nmode = \"selective_checkpointing\"\n", "\"selective\""),
            ("main", "[inference]\nkv_cache_offload = { type = \"native\", cpu = \"64GB\" }\n", "{ num_bytes = 64000000000 }"),
        ] {
            assert_eq!(meant(target, &format!("{head}{text}")).0.as_deref(), Some(table), "{text}");
        }
        // As where the list moves.
        let help = meant("0.8.0", &two).1.expect("a help");
        assert!(help.contains("orchestrator.train.source = [{ legacy = { id = \"gsm8k\" } }, { legacy"), "{help}");
    }
}
