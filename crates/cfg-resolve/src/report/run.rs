//! What a config states about the whole run, by whatever names.

use cfg_compose::{Entry, Integer, Table, Value};

use super::{foreign::sends_samples, value::is_of_new_kind};
use crate::{
    coerce,
    emit::inline,
    synonyms::{self, Form},
};

/// What a config states about the whole run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// The number of its steps.
    pub(super) max_steps: Option<f64>,
    /// Whether there is a table of evaluations, wherever it is.
    pub(super) has_evaluations: bool,
    /// The number of rollouts of each problem.
    pub(super) group_size: Option<i64>,
    /// The most tokens of an answer.
    pub(super) answer: Option<i64>,
    /// The samples of a step.
    pub(super) batch: Option<i64>,
    /// The samples that one GPU of the trainer has at once.
    part: Option<i64>,
    /// The number of such parts of a step.
    parts: Option<i64>,
    /// The GPUs of the trainer.
    train_gpus: Option<i64>,
    /// The learning rate.
    pub(super) rate: Option<f64>,
    /// The GPUs of one inference engine.
    pub(super) engine_gpus: Option<i64>,
    /// Whether the nodes of the trainer are counted apart from the others.
    pub(super) has_train_nodes: bool,
    /// The word for the schedule of the learning rate.
    pub(super) schedule: Option<String>,
    /// The word for the optimizer.
    pub(super) optimizer: Option<String>,
    /// The name of the model that is trained.
    pub(super) model: Option<String>,
    /// Whether samples are sent to the makers of prime-rl.
    pub(super) sends_samples: bool,
    /// The values to which texts of the config refer, each with its key, as TOML.
    pub(super) references: Vec<(String, String)>,
    /// The clients whose host or port is given.
    pub(super) clients: Vec<Client>,
    /// The lists of one table.
    pub(super) lists_of_one: Vec<ListOfOne>,
    /// The items of lists that name a taskset, an environment of the new kind.
    pub(super) of_new_kind: Vec<String>,
}

/// The table of a client, with what other programs write in place of its address.
#[derive(Clone, Debug, Default)]
pub(super) struct Client {
    /// Its path.
    pub(super) path: String,
    pub(super) host: Option<String>,
    pub(super) port: Option<i64>,
}

/// A list with a single item, which is a table.
#[derive(Clone, Debug)]
pub(super) struct ListOfOne {
    /// Its path.
    pub(super) path: String,
    /// The keys of the item.
    pub(super) keys: Vec<String>,
}

impl Run {
    pub(crate) fn of(root: &Table) -> Self {
        let mut run = Self { max_steps: max_steps(root), has_evaluations: has_evaluations(root), ..Self::default() };
        run.read(&mut String::with_capacity(64), 0, root);
        references(root, root, 0, &mut run.references);
        run
    }

    /// The value, as TOML, of the key to which a text refers as a whole: `${model.name}`.
    pub(super) fn referred(&self, text: &str) -> Option<&str> {
        let name = text.trim().strip_prefix("${")?.strip_suffix('}')?;
        self.references.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// The samples of a step, if it is given by what one GPU has at once and by the number of such parts. The former alone says nothing of a step.
    pub(super) fn batch_of_parts(&self) -> Option<i64> {
        self.part?.checked_mul(self.parts?)?.checked_mul(self.train_gpus.unwrap_or(1))
    }

    /// Whether a key with the form [`Form::Micro`] is what one GPU has at once in training, not the number of such parts or a part of something else.
    pub(super) fn is_part(key: &str) -> bool {
        let name = key.rsplit('.').next().unwrap_or(key);
        !name.contains("accum")
            && ["device", "train", "gpu", "local"].iter().any(|word| name.contains(word))
            && !name.contains("prob")
    }

    /// Reads the numbers of a table and of those below it. `path` is that of the table, which is `depth` tables below the root.
    fn read(&mut self, path: &mut String, depth: usize, table: &Table) {
        // So long a path is none of a config, and each of its keys is looked up.
        if path.len() > MAX_PATH {
            return;
        }
        let is_client = path.strip_suffix("client").is_some_and(|above| above.is_empty() || above.ends_with('.'));
        if is_client && self.clients.len() < MAX_LISTS {
            self.clients.extend(client(path, table));
        }
        for entry in table.entries() {
            if let Value::Int(Integer::Small(count @ 1..=100_000_000)) = entry.node.value {
                self.note(path, &entry.key, count);
            }
            self.has_train_nodes |= is_train_nodes(path, &entry.key);
            if let Value::Str(text) = &entry.node.value {
                if self.schedule.is_none() && is_schedule(path, &entry.key) {
                    self.schedule = Some(text.to_string());
                }
                if self.optimizer.is_none() && is_optimizer(path, &entry.key) {
                    self.optimizer = Some(text.to_string());
                }
                if self.model.is_none()
                    && *entry.key == *"name"
                    && matches!(path.as_str(), "model" | "trainer.model" | "orchestrator.model")
                {
                    self.model = Some(text.to_string());
                }
            }
            let rate = match entry.node.value {
                Value::Float(rate) => Some(rate),
                _ => None,
            };
            let is_rate = || {
                &*entry.key == "lr"
                    || synonyms::setting_of_run(path, &entry.key).is_some_and(|setting| setting.is_key(synonyms::RATE))
            };
            if self.rate.is_none() && rate.is_some() && is_rate() {
                self.rate = rate;
            }
        }
        for entry in table.entries() {
            if let Value::List(items) = &entry.node.value {
                let of_new_kind = items.iter().take(MAX_KEYS).enumerate();
                let of_new_kind = of_new_kind.filter(|(_, item)| item.value.as_table().is_some_and(is_of_taskset));
                let dot = if path.is_empty() { "" } else { "." };
                self.of_new_kind.extend(of_new_kind.map(|(index, _)| format!("{path}{dot}{}[{index}]", entry.key)));
            }
            if let Value::List(items) = &entry.node.value
                && let [item] = items.as_slice()
                && let Some(item) = item.value.as_table()
                && self.lists_of_one.len() < MAX_LISTS
            {
                let path = if path.is_empty() { entry.key.to_string() } else { format!("{path}.{}", entry.key) };
                let keys = item.entries().iter().take(MAX_KEYS).map(|entry| entry.key.to_string());
                self.lists_of_one.push(ListOfOne { path, keys: keys.collect() });
            }
            let Some(inner) = entry.node.value.as_table().filter(|_| !is_measured(&entry.key)) else { continue };
            let length = path.len();
            if length > 0 {
                path.push('.');
            }
            path.push_str(&entry.key);
            self.sends_samples |= sends_samples(path);
            if depth < MAX_DEPTH {
                self.read(path, depth + 1, inner);
            }
            path.truncate(length);
        }
    }

    /// Notes the number of a key of a table; the first one of a setting counts.
    fn note(&mut self, table: &str, key: &str, count: i64) {
        let of_half = |half: &str| table.strip_prefix(half).is_some_and(|below| below.is_empty() || below.starts_with('.'));
        let setting = synonyms::setting_of_run(table, key);
        let is = |home: &str| setting.is_some_and(|setting| setting.is_key(home));
        let form = setting.and_then(synonyms::Setting::form);
        // It is one of two settings, which the others decide.
        if form == Some(Form::Groups) {
            return;
        }
        let is_one_engine = |key: &str| matches!(key, "tp" | "tensor_parallel_size") && !of_half("trainer");
        let (place, most) = match key {
            // Groups of weights, as in quantization, are others.
            "group_size" | "rollouts_per_example" if !(of_half("trainer") || of_half("inference") || of_half("model")) => {
                (&mut self.group_size, 4096)
            }
            "max_completion_tokens" | "max_tokens" => (&mut self.answer, i64::MAX),
            "batch_size" if !of_half("inference") => (&mut self.batch, i64::MAX),
            "micro_batch_size" => (&mut self.part, i64::MAX),
            "num_train_gpus" => (&mut self.train_gpus, 4096),
            key if (key == "max_steps" || is("max_steps") && form == Some(Form::Same)) && !is_of_environments(table) => {
                if self.max_steps.is_none() {
                    self.max_steps = Some(coerce::as_double(&Integer::Small(count)));
                }
                return;
            }
            key if is_one_engine(key) => (&mut self.engine_gpus, 4096),
            _ if is(synonyms::GROUP_SIZE) => (&mut self.group_size, 4096),
            _ if is(synonyms::ANSWER) => (&mut self.answer, i64::MAX),
            _ if form == Some(Form::Micro) && key.contains("accum") => (&mut self.parts, i64::MAX),
            _ if form == Some(Form::Micro) && Self::is_part(key) => (&mut self.part, i64::MAX),
            _ if is(synonyms::BATCH) && form != Some(Form::Micro) => (&mut self.batch, i64::MAX),
            _ if is(synonyms::TRAIN_GPUS) => (&mut self.train_gpus, 4096),
            _ if is(synonyms::ENGINE_GPUS) && !of_half("trainer") => (&mut self.engine_gpus, 4096),
            _ => return,
        };
        if place.is_none() && count <= most {
            *place = Some(count);
        }
    }
}

/// The values to which the texts of a table refer: `${model.name}`.
fn references(root: &Table, table: &Table, depth: usize, found: &mut Vec<(String, String)>) {
    for entry in table.entries() {
        match &entry.node.value {
            Value::Table(inner) if depth < MAX_DEPTH => references(root, inner, depth + 1, found),
            Value::Str(text) if found.len() < MAX_KEYS && text.contains("${") => {
                let asked = text.split("${").skip(1).take(MAX_LISTS).filter_map(|rest| rest.split_once('}'));
                let value = |name: &str| {
                    let mut steps = name.split('.');
                    let first = &root.get(steps.next()?)?.node.value;
                    let value = steps.try_fold(first, |value, step| Some(&value.as_table()?.get(step)?.node.value))?;
                    let is_plain = match value {
                        Value::Str(text) => !text.contains("${"),
                        value => !matches!(value, Value::Table(_) | Value::List(_) | Value::Unknown),
                    };
                    is_plain.then(|| (name.to_owned(), inline(value)))
                };
                found.extend(asked.filter_map(|(name, _)| value(name)));
            }
            _ => {}
        }
    }
}

/// Whether an item is about a taskset: it has one, or an id of the new kind.
fn is_of_taskset(item: &Table) -> bool {
    let inner = |entry: &'_ Entry| entry.node.value.as_table().is_some_and(|table| table.get("id").is_some());
    let id = item.get("id").and_then(|entry| entry.node.value.as_str());
    let env = item.get("env").and_then(|entry| entry.node.value.as_table());
    env.and_then(|env| env.get("taskset")).is_some_and(inner) || id.is_some_and(is_of_new_kind)
}

/// Whether a key chooses the optimizer, by its usual names.
fn is_optimizer(table: &str, key: &str) -> bool {
    let is_table = |table: &str| matches!(table.rsplit('.').next(), Some("optim" | "optimizer"));
    is_table(table) && matches!(key, "type" | "name") || is_table(key)
}

/// Whether a key is the number of the trainer's nodes, by a name of its own.
fn is_train_nodes(table: &str, key: &str) -> bool {
    let is_word = || {
        let found = synonyms::setting(table, key).map(|(setting, _)| setting);
        found.is_some_and(|setting| setting.is_key("deployment.num_train_nodes") && setting.form() == Some(Form::Same))
    };
    key == "num_train_nodes" || key.contains("node") && is_word()
}

/// Whether a key chooses the schedule of the learning rate, by any name.
fn is_schedule(table: &str, key: &str) -> bool {
    let is_of_table = || table.ends_with("scheduler") && matches!(key, "type" | "name");
    let is_word = || {
        (key.contains("sched") || key.contains("decay") || key.contains("style")) && {
            let found = synonyms::setting(table, key);
            found.is_some_and(|(setting, _)| setting.is_key("scheduler.type") || setting.is_key("scheduler"))
        }
    };
    is_of_table() || key == "scheduler" || is_word()
}

/// The deepest table, from the root, that is read.
const MAX_DEPTH: usize = 3;

/// The most lists of one table that are noted.
const MAX_LISTS: usize = 8;

/// The most keys of an item that are noted.
const MAX_KEYS: usize = 32;

/// A client with a host or a port.
fn client(path: &str, table: &Table) -> Option<Client> {
    let of = |key: &str| table.get(key).map(|entry| &entry.node.value);
    let host = of("host").and_then(Value::as_str).map(str::to_owned);
    let port = match of("port") {
        Some(Value::Int(Integer::Small(port @ 1..=65535))) => Some(*port),
        _ => None,
    };
    (host.is_some() || port.is_some()).then(|| Client { path: path.to_owned(), host, port })
}

/// The longest path of a table that is read, in bytes.
const MAX_PATH: usize = 256;

/// Whether a table is about what is measured, not trained.
fn is_measured(table: &str) -> bool {
    synonyms::is_of_evaluations(table) || matches!(table, "evaluate" | "val" | "validate" | "validation" | "test")
}

/// Whether a table has the settings of an environment, whose steps are others.
fn is_of_environments(table: &str) -> bool {
    let is_it = |step: &str| {
        matches!(step, "env" | "envs" | "environment" | "args" | "taskset" | "task" | "harness" | "agent" | "source" | "legacy")
    };
    table.split('.').any(is_it)
}

/// Whether a config has a table of evaluations, wherever it is.
fn has_evaluations(root: &Table) -> bool {
    let is_it = |entry: &Entry| {
        (synonyms::is_of_evaluations(&entry.key) || *entry.key == *"val") && entry.node.value.as_table().is_some()
    };
    let has = |table: &Table| table.entries().iter().any(is_it);
    has(root) || root.entries().iter().filter_map(|entry| entry.node.value.as_table()).any(has)
}

/// The number of steps of a run, if its config states it.
fn max_steps(root: &Table) -> Option<f64> {
    match &root.get("max_steps")?.node.value {
        Value::Int(integer @ Integer::Small(1..)) => Some(coerce::as_double(integer)),
        Value::Str(text) => text.trim().parse::<u32>().ok().filter(|steps| *steps > 0).map(f64::from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use cfg_compose::Tree;
    use cfg_diag::FileId;

    use super::Run;

    fn run(text: &str) -> Run {
        let (document, _) = cfg_syntax::parse(FileId(0), text, cfg_syntax::Dialect::Toml10);
        Run::of(&Tree::from_document(FileId(0), document).root)
    }

    #[test]
    fn what_is_stated_of_the_run_is_read_by_any_name() {
        let stated = run("max_steps = 20\n[actor]\nnum_generations = 8\n[data]\ntrain_batch_size = 64\n[evals]\nevery = 2\n");
        let schedule = |text: &str| run(text).schedule;
        assert_eq!(schedule("[trainer]\nlr_scheduler_type = \"cosine\"\n").as_deref(), Some("cosine"));
        assert_eq!(schedule("[trainer.scheduler]\ntype = \"linear\"\n").as_deref(), Some("linear"));
        assert_eq!(schedule("[trainer.optim]\ntype = \"muon\"\n"), None);
        let optimizer = |text: &str| run(text).optimizer;
        assert_eq!(optimizer("[trainer.optim]\nname = \"muon\"\n").as_deref(), Some("muon"));
        assert_eq!(optimizer("[trainer]\noptimizer = \"adam\"\n").as_deref(), Some("adam"));
        assert_eq!(
            (stated.max_steps, stated.group_size, stated.batch, stated.has_evaluations),
            (Some(20.0), Some(8), Some(64), true)
        );
    }

    #[test]
    fn a_table_with_a_long_path_is_not_read() {
        let within = |name: &str| run(&format!("[\"{name}\"]\nnum_generations = 8\n")).group_size;
        assert_eq!(within("actor"), Some(8));
        assert_eq!(within(&"a.".repeat(1000)), None);
    }
}
