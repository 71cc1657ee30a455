//! Varies a setting of a run.

use cfg_check::{
    Checked, Verdict,
    memory::{Memory, MemoryOptions},
};
use cfg_diag::{FileId, Order, Severity};
use cfg_draft::values::{Value, doubling, parse};
use cfg_memory::{Tokens, run::Run, solve::Change};
use cfg_report::memory::RowReport;
use cfg_syntax::rewrite::{Change as Rewrite, Literal, Rewriter};

use super::{Job, StepResult, failed};
use crate::commands::read::check_alone;

/// A setting of the memory model itself, for which the config does not have to be checked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direct {
    SeqLen,
    MaxModelLen,
    MicroBatch,
    Utilization,
}

impl Job<'_> {
    /// The key that is varied, and the result for each value.
    pub(super) fn sweep(&self, words: &str, memory: &Memory, options: MemoryOptions<'_>) -> StepResult<(String, Vec<RowReport>)> {
        let (key, values) = words.split_once('=').map_or((words, None), |(key, values)| (key, Some(values)));
        let key = key.trim();
        let run = &memory.budget.run;
        let direct = Direct::named(key);
        let values = match (values, direct) {
            (Some(values), _) => parse(values).map_err(failed)?,
            (None, Some(direct)) => direct.usual(run),
            (None, None) => return Err(failed(format!("missing values, such as --sweep {key}=1024..16384"))),
        };
        let rows = match direct {
            Some(direct) => values.iter().map(|value| direct.row(run, value).ok_or(value)).collect::<Result<_, _>>(),
            None => return self.rewritten(key, &values, options).map(|rows| (key.to_owned(), rows)),
        };
        match rows {
            Ok(rows) => Ok((key.to_owned(), rows)),
            Err(value) => Err(failed(format!("`{key}` can't be {value}, or this config does not have it"))),
        }
    }

    /// Sets a key in the file that can have it, and checks that file again for each value.
    fn rewritten(&self, key: &str, values: &[Value], options: MemoryOptions<'_>) -> StepResult<Vec<RowReport>> {
        let history = self.session.history;
        let has = |checked: &Checked| checked.kind.is_some_and(|kind| history.schema(kind, checked.target.point).has(key));
        let Some(index) = self.files.iter().position(|(_, checked, _)| has(checked)) else {
            let target = self.files.first().map(|(_, checked, _)| checked.target.to_string()).unwrap_or_default();
            return Err(failed(format!("prime-rl {target} has no key `{key}` here; `cfg schema show` lists them")));
        };
        let (path, before, text) = &self.files[index];
        if before.has_includes {
            return Err(failed(format!("`{key}` may be set in one of the files that {} lists in `toml_files`", path.display())));
        }
        let Some(rewriter) = Rewriter::new(FileId(0), text, cfg_syntax::Dialect::Toml11) else {
            return Err(failed("the file is not valid TOML"));
        };
        let row = |value: &Value| {
            let shown = value.to_string();
            let Ok(mut edits) = rewriter.edits(&[Rewrite::set(key, Literal::raw(shown.as_str()))]) else {
                return RowReport::rejected(shown, format!("`{key}` can't be set in this file"));
            };
            let mut changed = text.clone();
            edits.order_by_key(|edit| std::cmp::Reverse(edit.location.span.start));
            for edit in edits {
                changed.replace_range(edit.location.span.range(), &edit.new_text);
            }
            let target = Some(before.target.clone());
            let checked = check_alone(&self.session, path, &changed, Vec::new(), before.kind, target);
            if checked.verdict == Verdict::Rejected {
                let error = checked.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
                return RowReport::rejected(shown, error.map_or("prime-rl refuses it", |error| error.message.as_str()));
            }
            let files: Vec<&Checked> =
                self.files.iter().enumerate().map(|(at, (_, own, _))| if at == index { &checked } else { own }).collect();
            match Self::plan(&files).and_then(|plan| self.memory(&plan, options)) {
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

    /// The values that are tried if none are given.
    fn usual(self, run: &Run) -> Vec<Value> {
        let up_to = |context: Tokens| doubling(512, i64::try_from(context.0).unwrap_or(i64::MAX).max(512));
        match self {
            Self::SeqLen => up_to(run.model.context),
            Self::MaxModelLen => up_to(run.served_model().context),
            Self::MicroBatch => doubling(1, 16),
            Self::Utilization => (2..=19).map(|twentieths| Value::Float(f64::from(twentieths) / 20.0)).collect(),
        }
    }

    /// The result for a value; `None` if the run does not have this setting, or if the value is not valid for it.
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
