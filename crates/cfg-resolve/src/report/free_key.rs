//! Keys of tables that take any key, which prime-rl hands to vLLM, to an endpoint or to a process: what those don't read has no effect, and nobody
//! says so.

use cfg_compose::{Entry, Value};
use cfg_diag::{Applicability, Diagnostic, KeyChange, Proposal, codes};
use cfg_meter::is_spent;
use cfg_schema::{Node, without_indices};

use super::elsewhere::has_table;
use crate::{
    loc::LocSegment,
    suggest::{Meant, nearest, with_its_words},
    synonyms::{self, Suggestion},
    vllm::{Part, Version, at_another_version},
    walk::Walker,
};

/// Who reads the keys of the table that has this name; `None` for a table with readers that are not known.
pub(crate) fn reader(table: &str) -> Option<Part> {
    match table {
        "vllm" | "vllm_extra" | "prefill_vllm_overrides" | "decode_vllm_overrides" => Some(Part::Server),
        "sampling" | "extra_body" => Some(Part::Request),
        "env_vars" | "prefill_env_vars" | "decode_env_vars" | "prefill_env_overrides" | "decode_env_overrides" => {
            Some(Part::Variable)
        }
        _ => None,
    }
}

impl Walker<'_> {
    /// The keys of a table without a class.
    pub(crate) fn free_keys(&mut self, table: &cfg_compose::Table) {
        if reader(&self.path.last_key()).is_some() {
            table.entries().iter().for_each(|entry| self.free_key(None, entry));
        }
    }

    /// A key of a table that takes any. `declared` is the class of the table, if it has one: its own keys are meant as well.
    pub(crate) fn free_key(&mut self, declared: Option<Node>, entry: &Entry) {
        let table = self.path.last_key().into_owned();
        let Some(part) = reader(&table) else { return };
        let Some(place) = entry.key_origin.place().filter(|_| !is_spent()) else { return };
        let Some(version) = Version::at(self.schema.history, self.schema.point) else { return };
        let owner = self.path.key();
        if let Some(found) = self.address_of_engine(&table, &owner, entry) {
            self.push(found.at(place));
            return;
        }
        if version.has(part, &entry.key) {
            return;
        }
        // The project may lock another vLLM than the one that this prime-rl pins.
        let locked = self.names.packages().filter(|_| part != Part::Variable).and_then(|packages| packages.locked("vllm"));
        let Some(version) = locked.map_or(Some(version), |locked| Version::numbered(&locked)) else { return };
        if version.has(part, &entry.key) {
            return;
        }
        self.path.push(LocSegment::key(entry));
        // A table of settings that vLLM has under other names, such as those of an older prime-rl.
        let foreign = if part == Part::Server && has_table(entry) { self.foreign_table(&table, entry) } else { None };
        let found = match foreign {
            Some(foreign) => Some(Diagnostic {
                message: format!(
                    "`{}` has no effect: vLLM {} has no such argument, but `{table}` accepts any key",
                    entry.key,
                    version.name()
                ),
                code: &codes::UNREAD_KEY,
                severity: codes::UNREAD_KEY.severity,
                ..foreign
            }),
            None => self.unread(part, version, &table, &owner, declared, entry),
        };
        let key = self.path.key();
        self.path.pop();
        if let Some(found) = found {
            self.push(found.at(place).key(key).label("nothing reads it"));
        }
    }

    /// The finding for the address of the engine in the table of vLLM's own settings: what connects to the server goes by another key.
    fn address_of_engine(&self, table: &str, owner: &str, entry: &Entry) -> Option<Diagnostic> {
        let key = &*entry.key;
        if table != "vllm" || !matches!(key, "host" | "port") {
            return None;
        }
        let component = owner.strip_suffix("vllm")?;
        let home = format!("{component}server.{key}");
        self.names.paths(key).contains(&home).then_some(())?;
        let message = format!("`{key}` moves vLLM's engine away from where prime-rl's router and the other processes expect it");
        let own = format!("{owner}.{key}");
        let found = Diagnostic::new(&codes::UNREAD_KEY, message).key(&*own).label("only the engine reads it");
        let found = found.help(format!("the address of the server is `{home}`")).choices([&*home]);
        Some(found.propose(Proposal::relocate(&own, &home)))
    }

    /// Another trainer's word for a setting of the server, also if it is one in a table that other versions have for it.
    fn word_for_server(&self, owner: &str, key: &str) -> Option<Suggestion> {
        let of = |table: &str| {
            let (setting, steps) = synonyms::setting(table, key)?;
            (steps > 1).then(|| synonyms::of_setting(self.names, &without_indices(owner), setting)).flatten()
        };
        let elsewhere = || ["inference.model", "inference"].into_iter().find_map(of);
        synonyms::suggestion(self.names, owner, key).or_else(elsewhere)
    }

    /// The finding for a key that `part` of vLLM does not read, if it is clear what was meant.
    fn unread(
        &self,
        part: Part,
        version: Version,
        table: &str,
        owner: &str,
        declared: Option<Node>,
        entry: &Entry,
    ) -> Option<Diagnostic> {
        let key = &*entry.key;
        let own = declared.into_iter().flat_map(|class| class.fields(self.schema.point));
        let own: Vec<&str> = own.filter_map(|(field, _)| field.field_name()).collect();
        let names: Vec<&str> = own.iter().copied().chain(version.names(part)).collect();
        let number = version.name();
        let message = match part {
            Part::Server => format!("`{key}` has no effect: vLLM {number} has no such argument, but `{table}` accepts any key"),
            Part::Request => {
                format!("`{key}` has no effect: a request to vLLM {number} has no such field, but `{table}` accepts any key")
            }
            Part::Variable => format!("`{key}` has no effect: no program that prime-rl starts reads this variable"),
        };
        let found = Diagnostic::new(&codes::UNREAD_KEY, message);
        // A setting with this very name belongs elsewhere.
        if part == Part::Server && version.has(Part::Request, key) {
            let homes = self.names.paths(key).iter().filter(|home| home.contains("sampling.") && !home.contains("eval"));
            let home = homes.min_by_key(|home| home.len()).cloned();
            let suggestion = synonyms::suggestion(self.names, owner, key);
            let home = home.or_else(|| suggestion.as_ref()?.homes.first().cloned());
            let suggestion = suggestion.map(|suggestion| suggestion.help);
            let help =
                home.as_ref().map(|home| format!("it is a setting of each request: in prime-rl it is `{home}`")).or(suggestion);
            let found =
                found.help(help.unwrap_or_else(|| "it is a setting of each request, not of the server: remove it".to_owned()));
            let key = self.path.key();
            return Some(found.propose(match home.and_then(|home| self.placed(&home)) {
                Some(home) => Proposal::relocate(&key, &home),
                None => Proposal::possible(format!("remove `{key}`, which nothing reads"), vec![KeyChange::Remove { key }]),
            }));
        }
        let rename = |found: Diagnostic, name: &str| match entry.key_origin.place() {
            Some(location) => found.choices([name]).rename(name, Applicability::Unsafe, location),
            None => found,
        };
        let synonym = if part == Part::Server { self.word_for_server(owner, key) } else { None };
        if let Some(synonym) = synonym {
            let found = found.help(synonym.help.clone());
            return Some(match &synonym.rename {
                Some(name) => rename(found, name),
                None => self.propose_synonym(found, &synonym, entry),
            });
        }
        let is_near = |name: &&str| {
            if part == Part::Variable {
                is_slip_of_variable(key, name)
            } else {
                !self.names.has_other_beginning(key, name) && !self.names.has_other_word(key, name)
            }
        };
        let with_its_words = || {
            let mut each = names.clone();
            each.sort_unstable();
            each.dedup();
            // What prime-rl declares is what most configs set.
            let found = with_its_words(key, &own).or_else(|| with_its_words(key, &each));
            found.filter(|name| part == Part::Server && key.contains('_') && adds_one_word(key, name))
        };
        let is_switch = matches!(entry.node.value, Value::Bool(_));
        let in_other_words = || {
            let meant = Meant::of(names.iter().copied());
            let found = meant.alike(key).or_else(|| meant.alike_without("enable", key).filter(|_| is_switch));
            found.filter(|_| part != Part::Variable)
        };
        if let Some(near) =
            in_other_words().or_else(with_its_words).or_else(|| nearest(key, names.iter().copied()).filter(is_near))
        {
            return Some(rename(found.help(format!("did you mean `{near}`?")), near));
        }
        // The sources of an installed vLLM say what it has; otherwise it is the one that this prime-rl pins.
        if part != Part::Server || self.names.has_own() {
            return None;
        }
        let other = at_another_version(part, key, version).map(|other| format!("; {other}")).unwrap_or_default();
        let is_pinned = Version::at(self.schema.history, self.schema.point) == Some(version);
        let whose = if is_pinned { "this prime-rl pins" } else { "the project locks" };
        let key = self.path.key();
        let remove = Proposal::possible(format!("remove `{key}`"), vec![KeyChange::Remove { key }]);
        Some(found.help(format!("remove it: vLLM {number}, which {whose}, does not have it{other}")).propose(remove))
    }
}

/// Whether `name` has one word at most that `written` does not have. In front it may turn the meaning around, or be about another part: `log_stats` is not
/// `disable_log_stats`, nor `num_workers` `renderer_num_workers`.
fn adds_one_word(written: &str, name: &str) -> bool {
    let is_new = |(_, word): &(usize, &str)| written.split('_').all(|own| own != *word);
    let mut added = name.split('_').enumerate().filter(is_new);
    let is_harmless = |(at, word): (usize, &str)| match at {
        0 => matches!(word, "max" | "num" | "enable"),
        _ => !matches!(word, "disable" | "no" | "not" | "skip" | "without"),
    };
    added.next().is_none_or(is_harmless) && added.next().is_none()
}

/// Whether a variable can only be another one with one typing error: people have variables of their own.
fn is_slip_of_variable(written: &str, name: &str) -> bool {
    written.len() >= 7 && strsim::damerau_levenshtein(&written.to_ascii_uppercase(), name) <= if name.len() > 14 { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cfg_compose::Tree;
    use cfg_diag::{FileId, codes};
    use cfg_schema::{EnvironmentArgs, History, Kind, Node, PackageClass, Packages, Point, Role, Target, Unread};

    use crate::{Names, resolve};

    /// A project that locks this vLLM.
    #[derive(Debug)]
    struct Locking(&'static str);

    impl Packages for Locking {
        fn class(&self, _: Role, _: &str, _: Node, _: Point) -> Result<PackageClass, Unread> {
            Err(Unread::Absent)
        }

        fn environment_of(&self, _: &str, _: Node, _: Point) -> Result<Option<PackageClass>, Unread> {
            Err(Unread::Absent)
        }

        fn arguments(&self, _: &str) -> Result<Arc<EnvironmentArgs>, Unread> {
            Err(Unread::Absent)
        }

        fn locked(&self, package: &str) -> Option<String> {
            (package == "vllm").then(|| self.0.to_owned())
        }
    }

    #[test]
    fn arguments_are_those_of_the_vllm_that_the_project_locks() {
        let history = History::built_in();
        let schema = history.schema(Kind::Rl, Target::parse(history, "0.8.0").expect("a target").point);
        let told = |version: Option<&'static str>| {
            let text = "[inference.vllm_extra]\nsome_far_name_of_nothing = 1\n";
            let (document, _) = cfg_syntax::parse(FileId(0), text, cfg_syntax::Dialect::Toml10);
            let packages = version.map(|version| Arc::new(Locking(version)) as Arc<dyn Packages>);
            let names = Names::new(schema).with_packages(packages);
            let (_, found) = resolve(schema, &names, Tree::from_document(FileId(0), document));
            found.into_iter().find(|found| found.code == &codes::UNREAD_KEY).and_then(|found| found.help)
        };
        assert!(told(None).is_some_and(|help| help.contains("this prime-rl pins")));
        assert!(told(Some("0.24.0")).is_some_and(|help| help.contains("the project locks")));
        // What a vLLM has that is not known here is not known either.
        assert_eq!(told(Some("9.9.9")), None);
    }

    #[test]
    fn a_guess_never_turns_the_meaning_around() {
        for line in [
            "log_stats = true",
            "custom_all_reduce = true",
            "sliding_window = 4096",
            "use_ray = true",
            "cp_size = 2",
            "num_workers = 2",
        ] {
            let found = crate::testing::found_in(Kind::Inference, "main", &format!("[vllm]\n{line}\n"));
            let key = line.split(' ').next().expect("a key");
            let is_guess = |choice: &String| choice.contains(key) || choice.starts_with("disable");
            assert!(!found.iter().any(|found| found.choices.iter().any(is_guess)), "{line}");
            assert!(!super::adds_one_word(key, &format!("disable_{key}")), "{line}");
        }
    }

    #[test]
    fn another_word_is_no_typing_error() {
        let meant = |name: &str| {
            let found = crate::testing::found_in(Kind::Inference, "main", &format!("[vllm]\n{name} = 32\n"));
            found.into_iter().find(|found| found.code == &codes::UNREAD_KEY).map(|found| found.choices)
        };
        assert_eq!(meant("lora_rank"), Some(vec!["max_lora_rank".to_owned()]));
        assert_eq!(meant("gpu_memory"), Some(vec!["gpu_memory_utilization".to_owned()]));
        assert_eq!(meant("max_context"), Some(vec!["max_model_len".to_owned()]));
        assert_eq!(meant("tensor_parallel_szie"), Some(vec!["tensor_parallel_size".to_owned()]));
        assert_eq!(meant("max_num_seq"), Some(vec!["max_num_seqs".to_owned()]));
    }
}
