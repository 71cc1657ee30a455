//! One run with each of many values of a setting.

use cfg_check::{
    Checked, Verdict,
    memory::{Asked, Memory},
};
use cfg_diag::{FileId, Severity};
use cfg_memory::{Tokens, run::Run, solve::Change};
use cfg_report::memory::RowReport;
use cfg_schema::find_fields;
use cfg_syntax::rewrite::{Change as Rewrite, Literal, Rewriter};

use super::{Job, Step, failed};
use crate::commands::read::check_text;

/// More rows than this are no table any more.
const MOST: usize = 64;

/// One of the values.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Int(i64),
    Float(f64),
    /// As TOML writes it.
    Raw(String),
}

/// A setting of the model itself: no config need be read anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direct {
    SeqLen,
    MaxModelLen,
    MicroBatch,
    Utilization,
}

impl Job<'_> {
    /// The key that is varied, and what becomes of the run with each value.
    pub(super) fn sweep(&self, words: &str, memory: &Memory, asked: Asked<'_>) -> Step<(String, Vec<RowReport>)> {
        let (key, values) = words.split_once('=').map_or((words, None), |(key, values)| (key, Some(values)));
        let key = key.trim();
        let run = &memory.budget.run;
        let direct = Direct::named(key);
        let values = match (values, direct) {
            (Some(values), _) => parse(values).map_err(failed)?,
            (None, Some(direct)) => direct.usual(run),
            (None, None) => return Err(failed(format!("say with which values: --sweep {key}=1024..16384"))),
        };
        let rows = match direct {
            Some(direct) => values.iter().map(|value| direct.row(run, value).ok_or(value)).collect::<Result<_, _>>(),
            None => return self.rewritten(key, &values, asked).map(|rows| (key.to_owned(), rows)),
        };
        match rows {
            Ok(rows) => Ok((key.to_owned(), rows)),
            Err(value) => Err(failed(format!("`{key}` can't be {value}, or there is nothing in this config that has it"))),
        }
    }

    /// Sets a key in the file that may have it, and reads that file anew with each value.
    fn rewritten(&self, key: &str, values: &[Value], asked: Asked<'_>) -> Step<Vec<RowReport>> {
        let history = self.session.history;
        let has = |checked: &Checked| {
            let fields = checked.kind.map(|kind| find_fields(history, kind, key)).unwrap_or_default();
            fields.iter().any(|found| found.exists_at(checked.target.point))
        };
        let Some(index) = self.files.iter().position(|(_, checked, _)| has(checked)) else {
            let target = self.files.first().map(|(_, checked, _)| checked.target.to_string()).unwrap_or_default();
            return Err(failed(format!("prime-rl {target} has no key `{key}` here; `cfg schema show` lists them")));
        };
        let (path, before, text) = &self.files[index];
        if before.has_includes {
            return Err(failed(format!("`{key}` may be set in one of the files that {} names in `toml_files`", path.display())));
        }
        let Some(rewriter) = Rewriter::new(FileId(0), text, cfg_syntax::Dialect::Toml11) else {
            return Err(failed("the file is no TOML"));
        };
        let row = |value: &Value| {
            let shown = value.to_string();
            let Ok(mut edits) = rewriter.edits(&[Rewrite::set(key, Literal::raw(shown.as_str()))]) else {
                return RowReport::rejected(shown, format!("`{key}` can't be set in this file"));
            };
            let mut changed = text.clone();
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.location.span.start));
            for edit in edits {
                changed.replace_range(edit.location.span.range(), &edit.new_text);
            }
            let stated = (before.kind, Some(before.target.clone()));
            let checked = check_text(&self.session, path, &changed, Vec::new(), stated);
            if checked.verdict == Verdict::Rejected {
                let error = checked.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
                return RowReport::rejected(shown, error.map_or("prime-rl refuses it", |error| error.message.as_str()));
            }
            let files: Vec<&Checked> =
                self.files.iter().enumerate().map(|(at, (_, own, _))| if at == index { &checked } else { own }).collect();
            match Self::plan(&files).and_then(|plan| self.memory(&plan, asked)) {
                Ok(memory) => RowReport::new(shown, &memory.budget.run),
                Err(missing) => RowReport::rejected(shown, self.sentence(&missing)),
            }
        };
        Ok(values.iter().map(row).collect())
    }
}

impl Direct {
    fn named(key: &str) -> Option<Self> {
        Some(match key {
            "seq_len" => Self::SeqLen,
            "max_model_len" => Self::MaxModelLen,
            "micro_batch" | "micro_batch_size" => Self::MicroBatch,
            "gpu_memory_utilization" => Self::Utilization,
            _ => return None,
        })
    }

    /// The values where none are given.
    fn usual(self, run: &Run) -> Vec<Value> {
        let up_to = |context: Tokens| doubling(512, i64::try_from(context.0).unwrap_or(i64::MAX).max(512));
        match self {
            Self::SeqLen => up_to(run.model.context),
            Self::MaxModelLen => up_to(run.served_model().context),
            Self::MicroBatch => doubling(1, 16),
            Self::Utilization => (2..=19).map(|twentieths| Value::Float(f64::from(twentieths) / 20.0)).collect(),
        }
    }

    /// What becomes of the run; `None` if it has not this setting, or the value can't be one.
    fn row(self, run: &Run, value: &Value) -> Option<RowReport> {
        let count = || if let Value::Int(count) = value { u64::try_from(*count).ok().filter(|count| *count > 0) } else { None };
        let changed = match self {
            Self::SeqLen => Change::SeqLen(Tokens(count()?)).applied(run)?,
            Self::MicroBatch => Change::MicroBatch(u32::try_from(count()?).ok()?).applied(run)?,
            Self::MaxModelLen => {
                let mut run = run.clone();
                run.inference.as_mut()?.max_model_len = Some(Tokens(count()?));
                run
            }
            Self::Utilization => {
                let share = match value {
                    Value::Float(share) => *share,
                    Value::Int(1) => 1.0,
                    _ => return None,
                };
                let is_share = share > 0.0 && share <= 1.0;
                Change::Utilization(share).applied(run).filter(|_| is_share)?
            }
        };
        Some(RowReport::new(value.to_string(), &changed))
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(int) => write!(formatter, "{int}"),
            Self::Float(float) => write!(formatter, "{float:?}"),
            Self::Raw(text) => formatter.write_str(text),
        }
    }
}

/// Reads `1024..16384`, `0.3..0.6:0.02` or `8,16,32`. Whole numbers are doubled unless a step is given; a share goes by twentieths.
fn parse(text: &str) -> Result<Vec<Value>, String> {
    let wrong = || format!("`{text}` names no values: write 1024..16384, 0.3..0.6:0.02 or 8,16,32");
    let Some((first, rest)) = text.split_once("..") else {
        let values: Vec<Value> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(one).collect();
        return if values.is_empty() || values.len() > MOST { Err(wrong()) } else { Ok(values) };
    };
    let (last, step) = rest.split_once(':').map_or((rest, None), |(last, step)| (last, Some(step)));
    let values = match (one(first.trim()), one(last.trim()), step.map(|step| one(step.trim()))) {
        (Value::Int(first), Value::Int(last), None) if first >= 0 && first <= last => doubling(first, last),
        (Value::Int(first), Value::Int(last), Some(Value::Int(step))) if first <= last && step > 0 => {
            let values = std::iter::successors(Some(first), |value| value.checked_add(step)).take_while(|value| *value <= last);
            values.take(MOST + 1).map(Value::Int).collect()
        }
        (first, last, step) => {
            let step = step.as_ref().map_or(Some(0.05), real);
            let (Some(first), Some(last), Some(step)) = (real(&first), real(&last), step) else { return Err(wrong()) };
            shares(first, last, step).ok_or_else(wrong)?
        }
    };
    if values.is_empty() || values.len() > MOST { Err(format!("`{text}` are too many values, or none")) } else { Ok(values) }
}

/// A number, or the word as TOML writes it.
fn one(word: &str) -> Value {
    if let Ok(int) = word.parse() {
        return Value::Int(int);
    }
    match word.parse::<f64>() {
        Ok(float) if float.is_finite() => Value::Float(float),
        _ if matches!(word, "true" | "false") || word.starts_with(['"', '\'', '[', '{']) => Value::Raw(word.to_owned()),
        _ => Value::Raw(format!("{word:?}")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "bounds of a range are small")]
const fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        Value::Raw(_) => None,
    }
}

/// Each twice the one before, and the last.
fn doubling(first: i64, last: i64) -> Vec<Value> {
    let next = |value: &i64| value.checked_mul(2).map(|value| value.max(1));
    let mut values: Vec<i64> = std::iter::successors(Some(first), next).take_while(|value| *value < last).collect();
    values.push(last);
    values.into_iter().map(Value::Int).collect()
}

/// From the first to the last by steps, without the dust of binary fractions.
fn shares(first: f64, last: f64, step: f64) -> Option<Vec<Value>> {
    let clean = |value: f64| (value * 1e6).round() / 1e6;
    let values = (0..=MOST).map(|index| {
        #[expect(clippy::cast_precision_loss, reason = "there are few")]
        let index = index as f64;
        clean(index.mul_add(step, first))
    });
    (step > 0.0 && first <= last).then(|| values.take_while(|value| *value <= last + 1e-9).map(Value::Float).collect())
}

#[cfg(test)]
mod tests {
    use super::{Value, parse};

    fn shown(text: &str) -> String {
        match parse(text) {
            Ok(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
            Err(_) => "no".to_owned(),
        }
    }

    #[test]
    fn values_are_read_in_every_form() {
        let forms = [
            ("1024..16384", "1024 2048 4096 8192 16384"),
            ("1000..5000", "1000 2000 4000 5000"),
            ("0..3", "0 1 2 3"),
            ("7..7", "7"),
            ("1000..3000:1000", "1000 2000 3000"),
            ("0.5..0.6", "0.5 0.55 0.6"),
            ("0.3..0.34:0.02", "0.3 0.32 0.34"),
            ("8, 16,32", "8 16 32"),
            ("true,false", "true false"),
            ("adamw,\"muon\"", "\"adamw\" \"muon\""),
        ];
        for (text, values) in forms {
            assert_eq!(shown(text), values, "{text}");
        }
        for text in ["", "5..1", "a..b", "1..2:0", "0.1..0.9:-1", "1..100000:1", "0.0..1.0:0.000001", "-4..8", ".."] {
            assert_eq!(shown(text), "no", "{text}");
        }
        assert_eq!(shown("1..9223372036854775807").split(' ').count(), 64);
    }
}
