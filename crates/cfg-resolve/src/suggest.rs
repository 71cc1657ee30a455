//! Suggestions: the nearest name, and the tables in which a key is known.

mod alike;
mod distance;
mod paths;
mod slips;
mod spelling;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_meter::charge_each;
use cfg_schema::{CheckCode, FieldCheck, Kind, Node, OpenPart, OwnCheck, OwnChecks, Packages, Schema};
use foldhash::fast::RandomState;

pub(crate) use self::{
    alike::{Meant, alike},
    spelling::respelt,
};
use self::{
    paths::{Paths, names, paths},
    spelling::{characters, letters, plain, strange_letters},
};
use crate::walk::OwnOfField;

/// The candidate that was most probably meant by a misspelt name.
pub fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = plain(name);
    let length = characters(&wanted);
    // Up to a third of the letters may be wrong. A name that is much longer than every key is not compared.
    let most = (length / 3).clamp(1, 4);
    if wanted.len() > 64 {
        return None;
    }
    let letters_of_wanted = letters(&wanted);
    let distance = |candidate: &'c str| {
        // Each typing error changes the length by at most one, and adds or removes one letter: that excludes most candidates.
        if characters(candidate).abs_diff(length) > most {
            return None;
        }
        if strange_letters(letters_of_wanted, letters(candidate)) > most {
            return None;
        }
        let candidate_plain = plain(candidate);
        let distance = distance::distance(&wanted, &candidate_plain, most)?;
        // Names that differ only in a number mean different things.
        let without_digits = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let is_it = distance < candidate.len() && (distance == 0 || without_digits(&wanted) != without_digits(&candidate_plain));
        is_it.then_some((distance, candidate))
    };
    candidates.filter_map(distance).min().map(|(_, candidate)| candidate)
}

/// The only candidate that has all words of a name, and more: `num_infer_nodes` for `infer_nodes`. One word alone has other meanings, unless it is long and
/// the candidate begins with it.
pub(crate) fn with_its_words<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    const LONG: usize = 8;
    const SHORTEST_OF_WORD: usize = 3;
    let written = plain(name);
    let words: Vec<&str> = written.split('_').filter(|word| !word.is_empty()).collect();
    let has_all = |candidate: &&&str| match words.as_slice() {
        [] => false,
        [word] => word.len() >= LONG && candidate.strip_prefix(word).is_some_and(|rest| rest.starts_with('_')),
        several => several.iter().all(|word| candidate.split('_').any(|other| other == *word)),
    };
    // The same words, of which one may be short for the other: `output_directory` for `output_dir`.
    let is_short = |one: &str, other: &str| one.len() >= SHORTEST_OF_WORD && other.starts_with(one);
    let abbreviates = |candidate: &&&str| match words.as_slice() {
        [first, _, ..] if candidate.as_bytes().first() == first.as_bytes().first() => {
            let mut pairs = words.iter().zip(candidate.split('_'));
            candidate.split('_').count() == words.len()
                && pairs.all(|(one, other)| *one == other || is_short(one, other) || is_short(other, one))
        }
        _ => false,
    };
    let only = |having: &mut dyn Iterator<Item = &&'c str>| having.next().filter(|_| having.next().is_none()).copied();
    if written.len() > 64 {
        return None;
    }
    only(&mut candidates.iter().filter(has_all)).or_else(|| only(&mut candidates.iter().filter(abbreviates)))
}

/// Whether a refused key can only mean `suggestion`, with a single typing error: one letter is wrong, missing or added, or two neighbouring letters are
/// swapped. No other key of the table is as similar, and what is written for a word of the suggestion is not itself a word of some key, as `is_word` says:
/// `num_gpus` is not a typing error of `num_cpus`.
pub fn is_slip(key: &str, suggestion: &str, fields: &[&str], is_word: impl Fn(&str) -> bool) -> bool {
    let written = plain(key);
    let (length, letters_written) = (characters(&written), letters(&written));
    let may_be_near = |field: &str| {
        let is_plain = !field.contains(|character: char| character.is_ascii_uppercase());
        !is_plain || characters(field).abs_diff(length) <= 1 && strange_letters(letters_written, letters(field)) <= 1
    };
    let is_near = |field: &str| may_be_near(field) && distance::distance(&written, &plain(field), 1).is_some();
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    // For four letters only a swap of two is certain.
    let is_long = match characters(suggestion) {
        0..4 => false,
        4 => sorted(&written) == sorted(&plain(suggestion)),
        _ => true,
    };
    if !is_long || !is_near(suggestion) || fields.iter().any(|field| *field != suggestion && is_near(field)) {
        return false;
    }
    let suggestion = plain(suggestion);
    let mut strange = written.split('_').filter(|word| suggestion.split('_').all(|other| other != *word));
    !strange.any(is_word)
}

/// What the project's own prime-rl runs instead of a known `before` validator.
pub(crate) enum Own {
    /// Code that is run instead.
    Runs(Arc<dyn CheckCode>),
    /// Nothing here: it is a check of fields, which runs at its field.
    OfField,
}

/// The names that are known for a config: for every key of a schema, the paths at which it exists, computed on first use; and the available packages.
/// A copy shares the paths.
#[derive(Clone, Debug)]
pub struct Names {
    known: Arc<SchemaPaths>,
    packages: Option<Arc<dyn Packages>>,
    /// The checks of the project's prime-rl that differ from those at the schema's point.
    own: Option<OwnChecks>,
}

#[derive(Debug)]
struct SchemaPaths {
    schema: Schema,
    paths: OnceLock<Paths>,
    paths_ever: OnceLock<Paths>,
    /// The names of the keys of any version, each once.
    names_ever: OnceLock<Vec<&'static str>>,
    /// The same as a set.
    set_ever: OnceLock<Words>,
    /// The words of which they are made.
    words: OnceLock<Words>,
    /// Those that a name with one typing error may mean.
    long_names: OnceLock<slips::LongNames>,
    /// What the words of all names say.
    senses: alike::Senses,
    /// The names at the target that exist in one table alone.
    single: OnceLock<Vec<&'static str>>,
    /// What paths of other versions are at the target, as far as it was looked for.
    now: Mutex<HashMap<String, Option<String>, RandomState>>,
}

type Words = HashSet<&'static str, RandomState>;

impl Names {
    /// The names of a schema, with no packages available.
    pub fn new(schema: Schema) -> Self {
        let (paths, paths_ever) = (OnceLock::new(), OnceLock::new());
        let (names_ever, set_ever) = (OnceLock::new(), OnceLock::new());
        let (words, long_names) = (OnceLock::new(), OnceLock::new());
        let (senses, single) = (alike::Senses::default(), OnceLock::new());
        let known = SchemaPaths {
            schema,
            paths,
            paths_ever,
            names_ever,
            words,
            long_names,
            senses,
            single,
            set_ever,
            now: Mutex::default(),
        };
        Self { known: Arc::new(known), packages: None, own: None }
    }

    /// The kind of the config.
    pub(crate) fn kind(&self) -> Kind {
        self.known.schema.kind
    }

    /// Sets the packages that are available for a config.
    #[must_use]
    pub fn with_packages(self, packages: Option<Arc<dyn Packages>>) -> Self {
        Self { packages, ..self }
    }

    /// Sets the own checks of the project's prime-rl.
    #[must_use]
    pub fn with_own(self, own: Option<OwnChecks>) -> Self {
        Self { own, ..self }
    }

    /// Whether the project's prime-rl has own checks.
    pub(crate) fn has_own(&self) -> bool {
        self.own.is_some()
    }

    /// The code of the check of this name in a table's class, if the project's prime-rl has another version of it.
    pub(crate) fn own_code(&self, class: Node, name: &str) -> Option<Arc<dyn CheckCode>> {
        let own = self.own.as_ref()?;
        (class.history() == self.known.schema.history && own.code.check(class, name).is_some()).then(|| Arc::clone(&own.code))
    }

    /// The code that replaces a `before` validator of the history: the project's own, if it differs. A check of fields runs at its field.
    pub(crate) fn before_code(&self, class: Node, listed: &str) -> Option<Own> {
        self.own.as_ref()?;
        match listed.split_once('(') {
            None => self.own_code(class, listed).map(Own::Runs),
            Some((name, _)) => self.changed(class, name).map(|_| Own::OfField),
        }
    }

    /// What the declarations of the project's own prime-rl leave open.
    pub(crate) fn open(&self) -> Option<Arc<[OpenPart]>> {
        self.own.as_ref().filter(|own| !own.open.is_empty()).map(|own| Arc::clone(&own.open))
    }

    /// The open part that is this field, or the extra keys of this table.
    pub(crate) fn open_at(&self, node: Node) -> Option<&OpenPart> {
        let own = self.own.as_ref().filter(|own| !own.open.is_empty())?;
        if node.history() == self.known.schema.history { own.open_at(node) } else { None }
    }

    /// The checks of a class's field that are run from the source of the project's own prime-rl.
    pub(crate) fn own_of_field(&self, class: Node, field: Node) -> Option<OwnOfField> {
        let name = field.field_name()?;
        self.own_of_fields(class, |check| *check.field == *name)
    }

    /// The fields of a class whose checks also apply to their defaults, each with these checks.
    pub(crate) fn own_of_defaults(&self, class: Node) -> Vec<(Node, OwnOfField)> {
        let Some(own) = self.own_of_fields(class, |check| check.looks_at_default) else { return Vec::new() };
        let mut fields: Vec<&str> = own.checks.iter().map(|(_, check)| &*check.field).collect();
        fields.dedup();
        fields
            .into_iter()
            .filter_map(|name| class.field(name))
            .filter_map(|field| Some((field, self.own_of_field(class, field)?)))
            .collect()
    }

    /// The fields of a class whose plain defaults prime-rl compares with their types.
    pub(crate) fn compared_defaults(&self, class: Node) -> Vec<&'static str> {
        let own = self.own.as_ref().filter(|_| class.history() == self.known.schema.history);
        let compared = own.map_or(&[][..], |own| own.code.compared_defaults(class));
        compared.iter().filter_map(|name| class.field(name)?.field_name()).collect()
    }

    /// The fields of a class, in their order, whose checks read the fields before them.
    pub(crate) fn own_that_read_others(&self, class: Node) -> Vec<Node> {
        let Some(own) = self.own_of_fields(class, |check| check.reads_others) else { return Vec::new() };
        own.checks.into_iter().filter_map(|(_, check)| class.field(&check.field)).collect()
    }

    fn own_of_fields(&self, class: Node, is_wanted: impl Fn(&FieldCheck) -> bool) -> Option<OwnOfField> {
        let own = self.own.as_ref()?;
        if class.history() != self.known.schema.history {
            return None;
        }
        let wanted = own.code.of_fields(class).iter().enumerate().filter(|(_, check)| is_wanted(check));
        let checks: Vec<(usize, FieldCheck)> = wanted.map(|(number, check)| (number, check.clone())).collect();
        (!checks.is_empty()).then(|| OwnOfField { code: Arc::clone(&own.code), checks })
    }

    /// The check of this name in a table's class, if the project's prime-rl has changed it.
    pub(crate) fn changed(&self, class: Node, check: &str) -> Option<&OwnCheck> {
        let own = self.own.as_ref()?;
        // Another class may have changed a check of the same name.
        if class.history() == self.known.schema.history && own.code.has_changed(class, check) == Some(false) {
            return None;
        }
        self.own.as_ref()?.changed.iter().find(|changed| changed.name == check)
    }

    /// Whether it is unknown what the check of this name refuses: the project's prime-rl has changed it, and it is not run from its source.
    pub(crate) fn is_left_open(&self, class: Node, check: &str) -> bool {
        self.changed(class, check).is_some() && self.own_code(class, check).is_none()
    }

    pub(crate) fn packages(&self) -> Option<&dyn Packages> {
        self.packages.as_deref()
    }

    /// The dotted paths at which `key` exists, the shortest first.
    pub(crate) fn paths(&self, key: &str) -> &[String] {
        if !self.is_known_ever(key) {
            return &[];
        }
        let SchemaPaths { schema, paths: known, .. } = &*self.known;
        let exists = |node: Node| node.at(schema.point).is_some();
        known.get_or_init(|| paths(*schema, &exists)).get(key).map_or(&[], Vec::as_slice)
    }

    /// The dotted paths that a key without its table, or a misspelt one, most probably means, the shortest first.
    pub fn likely(&self, key: &str) -> &[String] {
        match self.paths(key) {
            [] => {
                let SchemaPaths { schema, paths: known, .. } = &*self.known;
                let exists = |node: Node| node.at(schema.point).is_some();
                let known = known.get_or_init(|| paths(*schema, &exists));
                let mut names: Vec<&'static str> = known.keys().copied().collect();
                names.sort_unstable();
                nearest(key, names.into_iter()).map_or(&[], |name| self.paths(name))
            }
            found => found,
        }
    }

    /// The key of the table at `table` that a misspelt one most probably means, with its path.
    pub fn likely_in(&self, table: &str, key: &str) -> Option<String> {
        let SchemaPaths { schema, paths: known, .. } = &*self.known;
        let exists = |node: Node| node.at(schema.point).is_some();
        let known = known.get_or_init(|| paths(*schema, &exists));
        let path = |name: &str| if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") };
        let is_there = |(name, places): &(&&'static str, &Vec<String>)| places.contains(&path(name));
        let mut names: Vec<&'static str> = known.iter().filter(is_there).map(|(name, _)| *name).collect();
        names.sort_unstable();
        nearest(key, names.into_iter()).map(path)
    }

    /// The only name of the target that has all words of another one, and more, if it exists in one table alone.
    pub(crate) fn with_its_words_elsewhere(&self, key: &str) -> Option<&'static str> {
        charge_each(self.names_ever().len()).ok()?;
        let is_single = |name: &&'static str| self.paths(name).len() == 1;
        with_its_words(key, self.known.single.get_or_init(|| self.names_ever().iter().copied().filter(is_single).collect()))
    }

    /// Whether a refused key can only mean `suggestion` among the fields of its table, as in [`is_slip`]: the written name is not a word of any key of any
    /// version.
    pub(crate) fn is_slip(&self, key: &str, suggestion: &str, fields: &[&str]) -> bool {
        let words = self.known.words.get_or_init(|| self.names_ever().iter().flat_map(|name| name.split('_')).collect());
        is_slip(key, suggestion, fields, |word| words.contains(word))
    }

    /// Whether a name that is near another one has a known word where that has a longer one with this ending: `batch_size` is not `ubatch_size`.
    pub(crate) fn has_other_beginning(&self, key: &str, near: &str) -> bool {
        let words = self.known.words.get_or_init(|| self.names_ever().iter().flat_map(|name| name.split('_')).collect());
        let is_longer = |(written, word): (&str, &str)| written != word && word.ends_with(written) && words.contains(written);
        key.split('_').zip(near.split('_')).any(is_longer)
    }

    /// Whether a name that is near another one has a known word where that has a different one: `lora_rank` is not `node_rank`.
    pub(crate) fn has_other_word(&self, key: &str, near: &str) -> bool {
        let words = self.known.words.get_or_init(|| self.names_ever().iter().flat_map(|name| name.split('_')).collect());
        let is_form = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
        let is_other = |(written, word): (&str, &str)| !is_form(written, word) && words.contains(written);
        key.split('_').count() == near.split('_').count() && key.split('_').zip(near.split('_')).any(is_other)
    }

    /// The names of the keys of any version, as deep as paths are searched.
    fn names_ever(&self) -> &[&'static str] {
        // The paths have them, and take more time.
        let known = || self.known.paths_ever.get().map(|paths| paths.keys().copied().collect());
        self.known.names_ever.get_or_init(|| known().unwrap_or_else(|| names(self.known.schema)))
    }

    /// What a path of those that [`Self::paths_ever`] returns is at the target, which `find` tells. It is asked once for each: a file often has one mistake
    /// many times.
    pub(crate) fn now_of_known(&self, path: &str, find: impl FnOnce() -> Option<String>) -> Option<String> {
        let known = || self.known.now.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known().get(path).cloned();
        before.unwrap_or_else(|| {
            let now = find();
            known().insert(path.to_owned(), now.clone());
            now
        })
    }

    /// Whether a key has this name at any version. Most names that are looked for are mistakes, for which no path has to be found.
    fn is_known_ever(&self, name: &str) -> bool {
        self.known.set_ever.get_or_init(|| self.names_ever().iter().copied().collect()).contains(name)
    }

    /// The dotted paths at which `key` exists at any version, the shortest first.
    pub(crate) fn paths_ever(&self, key: &str) -> &[String] {
        if !self.is_known_ever(key) {
            return &[];
        }
        self.known.paths_ever.get_or_init(|| paths(self.known.schema, &|_| true)).get(key).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Kind, Target};

    use super::{Names, nearest};

    #[test]
    fn typing_errors_are_recognized_and_foreign_words_are_not() {
        let keys = ["rollouts_per_example", "batch_size", "seq_len", "lr"];
        assert_eq!(nearest("rollouts_per_exmaple", keys.into_iter()), Some("rollouts_per_example"));
        assert_eq!(nearest("Batch-Size", keys.into_iter()), Some("batch_size"));
        assert_eq!(nearest("learning_rate", keys.into_iter()), None);
        assert_eq!(nearest("fa2", ["fa4"].into_iter()), None);
        assert_eq!(nearest("xy", keys.into_iter()), None);
    }

    #[test]
    fn a_single_typing_error_in_a_long_name_is_certain() {
        let history = History::built_in();
        let target = Target::parse(history, "0.4.0").expect("it is a release");
        let names = Names::new(history.schema(Kind::Rl, target.point));
        let fields = ["rollouts_per_example", "batch_size", "batch_sizes", "num_cpus", "port", "seq_len"];
        for (written, suggestion, is_slip) in [
            ("rollouts_per_exmaple", "rollouts_per_example", true),
            ("Rollouts-Per-Example", "rollouts_per_example", true),
            ("seq_lenn", "seq_len", true),
            ("rolouts_per_exmaple", "rollouts_per_example", false),
            ("batch_siz", "batch_size", true),
            ("batch_sizess", "batch_sizes", true),
            ("batch_size_", "batch_size", false),
            ("num_gpus", "num_cpus", false),
            ("prot", "port", true),
            ("porx", "port", false),
            ("por", "port", false),
        ] {
            assert_eq!(names.is_slip(written, suggestion, &fields), is_slip, "{written}");
        }
    }

    #[test]
    fn a_key_is_found_in_other_tables() {
        let history = History::built_in();
        let target = Target::parse(history, "0.4.0").expect("it is a release");
        let names = Names::new(history.schema(Kind::Inference, target.point));
        assert_eq!(names.paths("port")[0], "server.port");
        assert!(names.paths("no_such_key").is_empty());
    }
}
