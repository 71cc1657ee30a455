//! The lines of prime-rl's loggers, from `schemas/lines.toml`: which numbers a line has, under which names, and in which units.

use std::sync::LazyLock;

use cfg_diag::{FileId, Order};
use cfg_syntax::{Dialect, Table, Value};
use memchr::memchr_iter;

use crate::{
    Component,
    line::{bar, duration},
};

/// A number of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Step,
    Seconds,
    Reward,
    Truncated,
    Trainable,
    Errors,
    OffPolicy,
    Loss,
    Entropy,
    Kl,
    Norm,
    LearningRate,
    TokensPerSecond,
    Mfu,
    Memory,
    Batch,
    Tries,
    Code,
}

/// The names of the fields in the table.
const FIELDS: [(&str, Field); 18] = [
    ("step", Field::Step),
    ("seconds", Field::Seconds),
    ("reward", Field::Reward),
    ("truncated", Field::Truncated),
    ("trainable", Field::Trainable),
    ("errors", Field::Errors),
    ("off_policy", Field::OffPolicy),
    ("loss", Field::Loss),
    ("entropy", Field::Entropy),
    ("kl", Field::Kl),
    ("norm", Field::Norm),
    ("learning_rate", Field::LearningRate),
    ("tokens_per_second", Field::TokensPerSecond),
    ("mfu", Field::Mfu),
    ("memory", Field::Memory),
    ("batch", Field::Batch),
    ("tries", Field::Tries),
    ("code", Field::Code),
];

/// How a number is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unit {
    #[default]
    Plain,
    /// `9.4`, of 100.
    Percent,
    /// `48/64`.
    Share,
    /// `1m 2s`, `2.00s`.
    Duration,
    /// `71.8`, in GiB.
    Gib,
}

const UNITS: [(&str, Unit); 4] =
    [("percent", Unit::Percent), ("share", Unit::Share), ("duration", Unit::Duration), ("gib", Unit::Gib)];

impl Unit {
    /// The number at the beginning of a text.
    fn read(self, text: &str) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "rollouts of a batch")]
        match self {
            Self::Duration => duration(text),
            Self::Share => bar(text).map(|bar| bar.done as f64 / bar.total as f64),
            Self::Percent => number(text).map(|percent| percent / 100.0),
            Self::Plain | Self::Gib => number(text),
        }
    }
}

/// What a line reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reported {
    TrainerStep,
    OrchestratorStep,
    Rollouts,
    RolloutFails,
    EmptyBatch,
    Waits,
    GoesOn,
    Evaluates,
    Evaluated,
    Validated,
    Begins,
    LoopBegins,
    RolloutsBegin,
    Resumes,
    Finished,
    Exits,
    Interrupted,
    Stops,
    GivesUp,
}

const EVENTS: [(&str, Reported); 19] = [
    ("trainer-step", Reported::TrainerStep),
    ("orchestrator-step", Reported::OrchestratorStep),
    ("rollouts", Reported::Rollouts),
    ("rollout-fails", Reported::RolloutFails),
    ("empty-batch", Reported::EmptyBatch),
    ("waits", Reported::Waits),
    ("goes-on", Reported::GoesOn),
    ("evaluates", Reported::Evaluates),
    ("evaluated", Reported::Evaluated),
    ("validated", Reported::Validated),
    ("begins", Reported::Begins),
    ("loop-begins", Reported::LoopBegins),
    ("rollouts-begin", Reported::RolloutsBegin),
    ("resumes", Reported::Resumes),
    ("finished", Reported::Finished),
    ("exits", Reported::Exits),
    ("interrupted", Reported::Interrupted),
    ("stops", Reported::Stops),
    ("gives-up", Reported::GivesUp),
];

impl Reported {
    /// Its name in the table.
    pub(crate) fn name(self) -> &'static str {
        EVENTS.iter().find(|(_, event)| *event == self).map_or("", |(name, _)| name)
    }
}

/// A part of a line between two bars, in lower case: `mismatch kl {kl}`.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The text before the number.
    label: Box<str>,
    field: Field,
    unit: Unit,
}

/// What a placeholder stands for; `None` if it is not read.
type Placeholder = Option<(Field, Unit)>;

/// A line as it is formatted.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) event: Reported,
    /// The process that writes it, as the table names it.
    pub(crate) component: Box<str>,
    /// The first and the last release that writes it; empty if it is a fork's, or main's.
    pub(crate) since: Box<str>,
    pub(crate) until: Box<str>,
    /// The line with its placeholders.
    pub(crate) line: Box<str>,
    parts: Vec<Part>,
    /// The texts around its placeholders, in lower case; the last is empty if it ends with one.
    texts: Vec<Box<str>>,
    fields: Vec<Placeholder>,
}

impl Format {
    /// What stands at the placeholders of a line, in lower case, if it has this format.
    fn values<'t>(&self, line: &'t str) -> Option<Vec<&'t str>> {
        let (first, others) = self.texts.split_first()?;
        let mut rest = line.strip_prefix(&**first)?;
        let mut values = Vec::new();
        for text in others {
            // Nothing is known of what follows a last placeholder.
            let at = if text.is_empty() { rest.len() } else { rest.find(&**text)? };
            values.push(&rest[..at]);
            rest = &rest[at + text.len()..];
        }
        rest.is_empty().then_some(values)
    }
}

/// The table, and what is wrong with it.
static TABLE: LazyLock<(Vec<Format>, Vec<String>)> = LazyLock::new(read);

/// The parts of all steps of the trainer, and of the orchestrator; the longest label first.
static STEPS: LazyLock<[Vec<Part>; 2]> = LazyLock::new(|| [Reported::TrainerStep, Reported::OrchestratorStep].map(parts_of));

/// All formats.
pub(crate) fn all() -> &'static [Format] {
    &TABLE.0
}

fn parts_of(event: Reported) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for part in all().iter().filter(|format| format.event == event).flat_map(|format| &format.parts) {
        if !parts.iter().any(|known| known.label == part.label) {
            parts.push(part.clone());
        }
    }
    parts.order_by_key(|part| std::cmp::Reverse(part.label.len()));
    parts
}

/// The numbers of a step's line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    values: [Option<f64>; FIELDS.len()],
}

impl Numbers {
    pub(crate) const fn get(&self, field: Field) -> Option<f64> {
        self.values[field as usize]
    }
}

/// Reads the numbers of a line of a step, in lower case from the word `step` on, whatever version wrote it.
pub(crate) fn numbers(event: Reported, text: &str) -> Numbers {
    let mut numbers = Numbers::default();
    let Some(parts) = STEPS.get(usize::from(event == Reported::OrchestratorStep)) else { return numbers };
    let mut from = 0;
    for end in memchr_iter(b'|', text.as_bytes()).chain([text.len()]) {
        let piece = text[from..end].trim_ascii();
        from = end + 1;
        let found = parts.iter().find_map(|part| Some((part.field, part.value(piece)?)));
        if let Some((field, value)) = found {
            let known = &mut numbers.values[field as usize];
            *known = known.or(Some(value));
        }
    }
    numbers
}

impl Part {
    /// The number of a piece of a line, if this is its part.
    fn value(&self, piece: &str) -> Option<f64> {
        // A log of steps asks this of each piece of each line, and most labels differ in the first byte.
        let may_be = self.label.is_empty() || self.label.as_bytes().first() == piece.as_bytes().first();
        if may_be { self.unit.read(piece.strip_prefix(&*self.label)?) } else { None }
    }
}

/// The number at the beginning of a text.
fn number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
    let end = text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len());
    text[..end].trim_end_matches('.').parse().ok()
}

/// The step that a line of one of these events names, in lower case.
pub(crate) fn step(event: Reported, text: &str) -> Option<i64> {
    let formats = all().iter().filter(|format| format.event == event);
    formats.into_iter().find_map(|format| {
        let part = format.parts.iter().find(|part| part.field == Field::Step)?;
        // Versions differ in the sentences before.
        let label = part.label.rsplit(". ").next().unwrap_or(&part.label);
        let rest = text[text.find(label)? + label.len()..].trim_start();
        rest[..rest.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
    })
}

/// The process that a line of one of these events is about, in lower case, with what stands at its placeholders.
pub(crate) fn process(event: Reported, text: &str) -> Option<(Component, Vec<&str>)> {
    let formats = all().iter().filter(|format| format.event == event);
    formats.into_iter().find_map(|format| Some((Component::named(&format.component)?, format.values(text)?)))
}

/// A number of a line of one of these events, in lower case.
pub(crate) fn value(event: Reported, field: Field, text: &str) -> Option<f64> {
    let formats = all().iter().filter(|format| format.event == event);
    formats.into_iter().find_map(|format| {
        let at = format.fields.iter().position(|known| known.is_some_and(|(known, _)| known == field))?;
        let (_, unit) = format.fields[at]?;
        unit.read(format.values(text)?.get(at)?)
    })
}

/// Reads the table. Entries that can't be used are reported and left out.
fn read() -> (Vec<Format>, Vec<String>) {
    let text = include_str!("../../../schemas/lines.toml");
    let (document, faults) = cfg_syntax::parse(FileId(0), text, Dialect::Toml10);
    let mut problems: Vec<String> = faults.iter().map(|fault| fault.message.clone()).collect();
    let mut formats = Vec::new();
    for entry in &document.root.entries {
        let read = entry.value.as_table().ok_or_else(|| "it is not a table".to_owned()).and_then(format);
        match read {
            Ok(format) => formats.push(format),
            Err(why) => problems.push(format!("{}: {why}", entry.key.text)),
        }
    }
    (formats, problems)
}

fn format(table: &Table) -> Result<Format, String> {
    let text = |key: &str| table.value(key).and_then(Value::as_str).map(Box::<str>::from);
    for entry in &table.entries {
        if !["event", "component", "since", "until", "source", "line"].contains(&&*entry.key.text) {
            return Err(format!("unknown key `{}`", entry.key.text));
        }
    }
    let event = text("event").unwrap_or_default();
    let (_, event) = EVENTS.iter().find(|(name, _)| *name == &*event).ok_or_else(|| format!("unknown event `{event}`"))?;
    let line = text("line").ok_or("it has no line")?;
    let lower = line.to_ascii_lowercase();
    let (parts, fields) = parts(&lower)?;
    let texts = lower.split('{').map(|text| text.split_once('}').map_or(text, |(_, behind)| behind).into()).collect();
    let of = |key: &str| text(key).unwrap_or_default();
    Ok(Format { event: *event, component: of("component"), since: of("since"), until: of("until"), line, parts, texts, fields })
}

/// The parts with a named number, of a line in lower case, and what each placeholder stands for.
fn parts(line: &str) -> Result<(Vec<Part>, Vec<Placeholder>), String> {
    let (mut parts, mut fields) = (Vec::new(), Vec::new());
    for piece in line.split('|') {
        let mut rest = piece.trim_start();
        while let Some((label, behind)) = rest.split_once('{') {
            let (inside, behind) = behind.split_once('}').ok_or("a placeholder has no end")?;
            let (name, unit) = inside.split_once(':').unwrap_or((inside, ""));
            if name.is_empty() {
                fields.push(None);
            } else {
                let (_, field) =
                    FIELDS.iter().find(|(known, _)| *known == name).ok_or_else(|| format!("unknown field `{name}`"))?;
                let known = UNITS.iter().find(|(known, _)| *known == unit).map(|(_, unit)| *unit);
                let unit = match known {
                    Some(unit) => unit,
                    None if unit.is_empty() => Unit::Plain,
                    None => return Err(format!("unknown unit `{unit}`")),
                };
                fields.push(Some((*field, unit)));
                parts.push(Part { label: label.trim_end().into(), field: *field, unit });
            }
            rest = behind;
        }
    }
    Ok((parts, fields))
}

#[cfg(test)]
mod tests {
    use super::{Field, Format, Reported, TABLE, Unit, all, numbers, step};
    use crate::{
        event::{Event, TEXTS},
        log_event::LogEvent,
    };

    #[test]
    fn the_table_can_be_read() {
        assert_eq!(TABLE.1, [""; 0]);
        assert!(all().len() > 30, "{}", all().len());
    }

    /// A line with numbers in place of its placeholders, as the logger writes it.
    fn written(format: &Format) -> String {
        let mut line = String::new();
        let mut rest = &*format.line;
        while let Some((text, behind)) = rest.split_once('{') {
            let (inside, behind) = behind.split_once('}').expect("an end");
            let value = match inside.split_once(':').unwrap_or((inside, "")) {
                ("step", _) => "41",
                (_, "duration") => " 1m 2s",
                (_, "share") => "48/64",
                (_, "percent") => "9.4",
                (_, "gib") => "71.8",
                ("off_policy", _) => "2",
                ("code", _) => "-9",
                ("", _) => "7",
                _ => "-1.50e-03",
            };
            line = line + text + value;
            rest = behind;
        }
        format!("09:00:00    INFO {line}{rest}")
    }

    fn value(field: Field, unit: Unit) -> f64 {
        match (field, unit) {
            (Field::Step, _) => 41.0,
            (Field::OffPolicy, _) => 2.0,
            (_, Unit::Duration) => 62.0,
            (_, Unit::Share) => 0.75,
            (_, Unit::Percent) => 0.094,
            (_, Unit::Gib) => 71.8,
            (_, Unit::Plain) => -0.0015,
        }
    }

    /// Each line is found by one of the texts that are searched for, and is read as what it reports.
    #[test]
    fn every_line_is_read_as_what_it_reports() {
        for format in all() {
            let line = written(format).to_lowercase();
            let events: Vec<Event> = TEXTS.iter().filter(|(text, _)| line.contains(text)).map(|(_, event)| *event).collect();
            let found: Vec<LogEvent> = events.iter().filter_map(|event| Some(LogEvent::read(*event, &line)?.0)).collect();
            let is_it = |event: &LogEvent| match (format.event, event) {
                (Reported::TrainerStep, LogEvent::Loss(_))
                | (Reported::OrchestratorStep, LogEvent::Reward(_))
                | (Reported::Rollouts, LogEvent::Rollouts(_))
                | (Reported::LoopBegins, LogEvent::LoopBegins)
                | (Reported::RolloutsBegin, LogEvent::OrchestratorGoes)
                | (Reported::GoesOn, LogEvent::GoesOn(None))
                | (Reported::RolloutFails, LogEvent::RolloutFails(_))
                | (Reported::Interrupted, LogEvent::Interrupted { .. })
                | (Reported::Stops, LogEvent::Stops)
                | (Reported::GivesUp, LogEvent::GivesUp) => true,
                (Reported::Waits, LogEvent::Waits(step)) | (Reported::GoesOn, LogEvent::GoesOn(step)) => {
                    *step == format.line.contains("{step}").then_some(41)
                }
                (Reported::Evaluated, LogEvent::Evaluated(found)) => {
                    found.seconds.is_some() == format.line.contains("{seconds")
                        && found.reward.is_some() == format.line.contains("{reward")
                        && found.step.is_some() == format.line.contains("{step")
                }
                (Reported::EmptyBatch, LogEvent::EmptyBatch(share)) => *share == format.line.contains("{tries").then_some(0.75),
                (Reported::Resumes, LogEvent::Resumes(step))
                | (Reported::Evaluates, LogEvent::Evaluates(step))
                | (Reported::Validated, LogEvent::Validated { step, .. }) => *step == 41,
                (Reported::Begins, LogEvent::Begins(component))
                | (Reported::Finished, LogEvent::Finished(component))
                | (Reported::Exits, LogEvent::Exits(component, -9)) => component.name() == &*format.component,
                _ => false,
            };
            assert!(found.iter().any(is_it), "{}: {found:?}", format.line);
        }
    }

    /// All numbers of a step are read, in the units of the table.
    #[test]
    fn every_number_of_a_step_is_read() {
        for format in all().iter().filter(|format| matches!(format.event, Reported::TrainerStep | Reported::OrchestratorStep)) {
            let line = written(format).to_lowercase();
            let text = line.split_once("info ").expect("a level").1;
            let read = numbers(format.event, text);
            for part in &format.parts {
                let expected = value(part.field, part.unit);
                let read = read.get(part.field).unwrap_or(f64::NAN);
                assert!((read - expected).abs() < 1e-9, "{}: {:?} is {read} in {text}", format.line, part.field);
            }
        }
        assert_eq!(step(Reported::Waits, "hit async barrier because we are >1 step(s) async. waiting for checkpoint 7"), Some(7));
        assert_eq!(step(Reported::Waits, "pausing dispatcher"), None);
    }
}
