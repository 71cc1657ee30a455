//! Determines the entrypoint of a file: by its place, then by its content.

mod generic;
mod of_verifiers;
pub(crate) mod other_program;
mod similar;

use cfg_schema::{FieldType, History, Kind, Node, Schema, Segment, Target, TypeKind};
use cfg_syntax::Document;

use self::{
    generic::GENERIC,
    of_verifiers::of_verifiers,
    other_program::{evaluates, is_clear, is_in_evaluations, other_program},
    similar::{is_misspelt, is_nearly_known, is_strange},
};
use crate::{
    hosted,
    shape::{Shape, Shaped},
    verifiers::VerifiersFile,
};

/// What a text is. It is decided once, before anything else is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Family {
    /// A config of prime-rl, of this kind.
    Config(Kind),
    /// A config of prime-rl, of one of these kinds: its keys fit all of them alike.
    OneOf(Vec<Kind>),
    /// A config for hosted training, of this kind.
    Hosted(Kind),
    /// A file of verifiers' own evaluations, which prime-rl does not read.
    Evaluation(VerifiersFile),
    /// A file of another program. The text says which.
    OtherProgram(&'static str),
    /// Nothing shows that it is a config.
    Unclear,
}

impl Family {
    /// A config of a stated kind.
    pub(crate) const fn of(kind: Kind) -> Self {
        if kind.is_hosted() { Self::Hosted(kind) } else { Self::Config(kind) }
    }

    /// Its kind, if it has exactly one.
    pub const fn kind(&self) -> Option<Kind> {
        match self {
            Self::Config(kind) | Self::Hosted(kind) => Some(*kind),
            _ => None,
        }
    }

    /// Whether it is a config of prime-rl or of hosted training. Files of other programs are not checked.
    pub(crate) const fn is_config(&self) -> bool {
        !matches!(self, Self::OtherProgram(_) | Self::Unclear)
    }
}

/// Determines the kind of a document from its path (as the user wrote it) and from its keys. A file that the user `named`, instead of a search in a
/// folder, has the kind that its name states even if its keys show little.
pub fn guess_kind(history: History, path: &str, document: &Document, named: bool) -> Family {
    guess_kind_of(history, path, &document.root, named)
}

/// Determines the kind of a table of values, written or composed.
pub(crate) fn guess_kind_of<T: Shaped>(history: History, path: &str, root: &T, named: bool) -> Family {
    if let Some(file) = of_verifiers(path, root, named || is_in_evaluations(path)) {
        return Family::Evaluation(file);
    }
    let place = kind_of_place(path);
    // A folder is less specific than a file name: `configs/rl` also contains configs of other tools.
    let folder = kind_of_folder(path).filter(|_| place.is_none());
    if let Some(guess) = other_program(path, root).or_else(|| evaluates(path, root)).filter(|_| place.is_none()) {
        return match guess {
            Family::Config(kind) if !named && !is_clear(kind, root) => Family::OtherProgram("a config of an evaluation"),
            guess => guess,
        };
    }
    if let Some(kind) = hosted::kind_of(history, path, root, named) {
        return Family::Hosted(kind);
    }
    let is_table = |key: &str| matches!(root.shape_of(key), Some(Shape::Table(_)));
    let score = |kind| score(root, history.root(kind));
    let place = place.or(folder);
    if is_table("trainer") || is_table("orchestrator") {
        // A file for one process may have a table of another one by mistake.
        if let Some(process) = place.filter(|place| *place != Kind::Rl && score(*place).known > score(Kind::Rl).known) {
            return Family::Config(process);
        }
        let has_both = is_table("trainer") && is_table("orchestrator");
        // Configs of other programs may also be named `orchestrator.toml` or have such a table.
        let is_telling = || ["trainer", "orchestrator"].iter().any(|key| distinctive_keys(history, root, key) > 0);
        let is_config = named || has_both || place.is_some() && is_telling() || score(Kind::Rl).is_mostly_known();
        return if is_config { Family::Config(Kind::Rl) } else { Family::Unclear };
    }
    let is_clear = || named || place.is_some() || has_distinctive_keys(history, root);
    // No other kind can have more keys than all of them.
    if let Some(place) = place.filter(|place| score(*place).is_full()) {
        return Family::Config(place);
    }
    let scores = Kind::RUNS.map(|kind| (kind, score(kind)));
    let all = scores[0].1.keys;
    let best = scores.iter().map(|(_, score)| score.known).max().unwrap_or(0);
    if let Some(place) = place
        && let Some((_, score)) = scores.iter().find(|(kind, _)| *kind == place)
    {
        // If few keys are of another kind, they are mistakes in the file; if many are, or one that has all keys explains several, its name is wrong.
        let is_other = best == all && score.known + FEW_MISTAKES < best;
        let fits = !is_other && (best < FEW_KEYS || score.known * 2 >= best);
        let is_config = named || score.known * 2 >= all;
        if fits && is_config {
            return Family::Config(place);
        }
    }
    // A misspelt key is one all the same.
    let meant = scores.iter().map(|(_, score)| score.known + score.near).max().unwrap_or(0);
    if meant * 3 < all * 2 || (all > 0 && meant == 0) || !is_clear() {
        return Family::Unclear;
    }
    let fitting = scores.iter().filter(|(_, score)| if best == 0 { score.near == meant } else { score.known == best });
    let fitting: Vec<Kind> = fitting.map(|(kind, _)| *kind).collect();
    match fitting.as_slice() {
        [kind] => Family::Config(*kind),
        _ => Family::OneOf(fitting),
    }
}

/// If a file may be of several kinds: the only kind that has all its keys at the target and requires more tables than the file has. The file is then
/// a part of such a config.
pub(crate) fn narrowed<T: Shaped>(guess: Family, root: &T, target: &Target) -> Family {
    let Family::OneOf(kinds) = &guess else { return guess };
    let knows_all = |schema: Schema| {
        root.shapes().all(|(key, _)| schema.root().field(key).is_some_and(|node| node.at(schema.point).is_some()))
    };
    let fitting: Vec<Schema> = kinds.iter().map(|kind| target.schema(*kind)).filter(|schema| knows_all(*schema)).collect();
    let [schema] = fitting[..] else { return guess };
    let is_given = |node: Node| node.field_name().is_some_and(|name| root.shape_of(name).is_some());
    let is_part = schema.root().required(schema.point).any(|(node, _)| !is_given(node));
    if is_part { Family::Config(schema.kind) } else { guess }
}

/// Whether there are more keys that only prime-rl and few other programs use than keys of the root that no prime-rl ever had.
fn has_distinctive_keys<T: Shaped>(history: History, root: &T) -> bool {
    let telling: usize = root.shapes().take(MAX_KEYS).map(|(key, shape)| telling(history, key, &shape)).sum();
    // Only as many are compared as decide it.
    telling > 0 && root.shapes().filter(|(key, _)| is_strange(history, key)).nth(telling - 1).is_none()
}

fn distinctive_keys<T: Shaped>(history: History, root: &T, key: &str) -> usize {
    root.shape_of(key).map_or(0, |shape| telling(history, key, &shape))
}

/// The number of keys that only prime-rl and few other programs use: the key of the root itself, or the keys of its table. A misspelt one is one all the
/// same.
fn telling<T: Shaped>(history: History, key: &str, shape: &Shape<'_, T>) -> usize {
    let is_own = |key: &str| !GENERIC.contains(&key);
    let of_kind = |kind: &Kind| {
        let root = history.root(*kind);
        let Some(field) = root.field(key).filter(|field| shape_fits(shape, *field)) else {
            return usize::from(is_own(key) && (root.is_alias(key) || is_misspelt(root, key)));
        };
        let Shape::Table(inner) = shape else { return usize::from(is_own(key)) };
        let is_meant = |key: &str| field_is_known(field, key) || is_misspelt(field, key);
        let known = inner.shapes().take(MAX_KEYS).filter(|(key, _)| is_own(key) && is_meant(key)).count();
        known + usize::from(is_own(key) && has_known(*inner, field))
    };
    Kind::RUNS.iter().map(of_kind).max().unwrap_or(0)
}

fn field_is_known(field: Node, key: &str) -> bool {
    field.field(key).is_some() || variants(field).any(|variant| variant.field(key).is_some())
}

/// The variants of a table, and the tables of an array.
pub(crate) fn variants(field: Node) -> impl Iterator<Item = Node> {
    field.children().filter(|child| !matches!(child.segment(), Segment::Field(_)))
}

/// Whether at least half of the keys of a table are known.
fn has_known<T: Shaped>(table: &T, field: Node) -> bool {
    let (mut keys, mut known) = (0, 0);
    for (key, _) in table.shapes() {
        keys += 1;
        known += usize::from(knows(field, key));
    }
    known * 2 >= keys
}

/// Up to this many keys of another kind do not outweigh the name of a file.
const FEW_KEYS: usize = 4;

/// Up to this many keys that the kind of a file's name does not have are mistakes, although another kind has all of its keys.
const FEW_MISTAKES: usize = 1;

/// The kind that a file's name states: `train.toml`, `orch.toml`, `qwen3-8b.sft.toml`, `sft/train.toml`.
pub(crate) fn kind_of_place(path: &str) -> Option<Kind> {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    let words = stem.split(['-', '_', '.']);
    let mut kinds: Vec<Kind> = words.filter_map(kind_of_word).collect();
    kinds.dedup();
    match kinds.as_slice() {
        // Both names are for training; the folder tells them apart.
        [Kind::Trainer] if parts.next().is_some_and(|folder| folder == "sft") => Some(Kind::Sft),
        [kind] => Some(*kind),
        _ => None,
    }
}

/// The kind in the name of a file's folder: `configs/inference/qwen3.toml`.
fn kind_of_folder(path: &str) -> Option<Kind> {
    let folder = path.rsplit(['/', '\\']).nth(1)?;
    // `prime-rl` is the name of the program, and the word `train` does not determine a kind.
    let words = folder.split(['-', '_', '.']).filter(|word| *word != "train");
    let mut kinds: Vec<Kind> = words.filter_map(kind_of_word).collect();
    kinds.dedup();
    match kinds.as_slice() {
        [kind] if !matches!(folder, "prime-rl" | "prime_rl") => Some(*kind),
        _ => None,
    }
}

fn kind_of_word(word: &str) -> Option<Kind> {
    match word {
        "rl" => Some(Kind::Rl),
        "train" | "trainer" => Some(Kind::Trainer),
        "orch" | "orchestrator" => Some(Kind::Orchestrator),
        "infer" | "inference" => Some(Kind::Inference),
        "sft" => Some(Kind::Sft),
        _ => None,
    }
}

/// How many of a file's keys a kind has, at any point of its history.
#[derive(Default)]
pub(crate) struct Score {
    keys: usize,
    known: usize,
    /// How many of the others are nearly known ones.
    near: usize,
    /// How many of the others were compared with the known ones.
    compared: usize,
}

/// Up to this many keys of a table are looked at: no kind has nearly as many.
const MAX_KEYS: usize = 2000;

/// Up to this many unknown keys are compared with the known ones. A file that has more of them is no config, or is one by the keys that are known.
const MAX_COMPARED: usize = 200;

impl Score {
    pub(crate) const fn is_mostly_known(&self) -> bool {
        (self.known + self.near) * 3 >= self.keys * 2
    }

    const fn is_full(&self) -> bool {
        self.known == self.keys
    }

    /// Counts a key of a table; `table` is what a kind has in its place, if it has anything.
    fn count(&mut self, key: &str, is_known: bool, table: Option<Node>) {
        self.keys += 1;
        self.known += usize::from(is_known);
        if !is_known && self.compared < MAX_COMPARED {
            self.compared += 1;
            self.near += usize::from(table.is_some_and(|table| is_nearly_known(table, key)));
        }
    }
}

/// Counts the keys of the root and of its tables; deeper ones add no information.
pub(crate) fn score<T: Shaped>(table: &T, root: Node) -> Score {
    let mut score = Score::default();
    for (key, shape) in table.shapes().take(MAX_KEYS) {
        let field = root.field(key).filter(|field| shape_fits(&shape, *field));
        score.count(key, field.is_some() || root.is_alias(key), Some(root));
        if let Shape::Table(inner) = shape {
            for (key, _) in inner.shapes().take(MAX_KEYS) {
                score.count(key, field.is_some_and(|field| knows(field, key)), field);
            }
        }
    }
    score
}

/// Whether a kind has all keys of a file, at any point of its history.
pub(crate) fn knows_all<T: Shaped>(history: History, kind: Kind, root: &T) -> bool {
    score(root, history.root(kind)).is_full()
}

/// Whether a table, or any variant of it, has a key.
fn knows(field: Node, key: &str) -> bool {
    let is_free = || field.intervals().any(|interval| interval.field_type().kind() == TypeKind::Dict);
    field.field(key).is_some() || is_free() || variants(field).any(|variant| variant.field(key).is_some())
}

/// Whether the field can be a table if the value is one, and need not be a table otherwise.
fn shape_fits<T>(shape: &Shape<'_, T>, field: Node) -> bool {
    let takes_tables = |ty: FieldType| matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Dict | TypeKind::Union | TypeKind::Any);
    let is_table = matches!(shape, Shape::Table(_));
    field.intervals().any(|interval| {
        let ty = interval.field_type();
        matches!(shape, Shape::Unknown) || takes_tables(ty) == is_table || ty.kind() == TypeKind::Union
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use cfg_diag::FileId;
    use cfg_schema::{History, Kind};
    use cfg_syntax::Dialect;

    use super::{Family, guess_kind};

    pub(crate) fn guess(path: &str, text: &str) -> Family {
        guess_kind(History::built_in(), path, &cfg_syntax::parse(FileId(0), text, Dialect::Toml11).0, true)
    }

    pub(crate) fn found(path: &str, text: &str) -> Family {
        guess_kind(History::built_in(), path, &cfg_syntax::parse(FileId(0), text, Dialect::Toml11).0, false)
    }

    #[test]
    fn the_kind_is_guessed_from_the_content() {
        assert_eq!(guess("a.toml", "[trainer]\n[orchestrator]\n"), Family::Config(Kind::Rl));
        assert_eq!(
            guess("a.toml", "batch_size = 4\n[sampling]\nmax_tokens = 3\n[[env]]\nid = 'x'\n"),
            Family::Config(Kind::Orchestrator)
        );
        assert_eq!(guess("a.toml", "gpu_memory_utilization = 0.5\n[model]\nname = 'x'\n"), Family::Config(Kind::Inference));
    }

    #[test]
    fn the_path_decides_if_the_content_is_ambiguous() {
        let open = "[model]\nname = 'x'\n";
        assert_eq!(guess("configs/train.toml", open), Family::Config(Kind::Trainer));
        assert_eq!(guess("infer.toml", open), Family::Config(Kind::Inference));
        assert!(matches!(guess("base.toml", open), Family::OneOf(kinds) if kinds.len() == 5));
        assert_eq!(guess("train.toml", "lr = 1\nbatch_size = 8\n[model]\nname = 'x'\n"), Family::Config(Kind::Trainer));
        assert_eq!(guess("infer.toml", "max_model_len = 8\n[model]\nname = 'x'\n"), Family::Config(Kind::Inference));
    }

    #[test]
    fn the_folder_decides_between_sft_and_trainer() {
        let text = "max_steps = 5\n[data]\ntype = 'fake'\nbatch_size = 16\nseq_len = 128\n";
        assert_eq!(guess("configs/sft/train.toml", text), Family::Config(Kind::Sft));
        assert_eq!(guess("rl/train.toml", "max_steps = 5\n[model]\nname = 'x'\n"), Family::Config(Kind::Trainer));
        // One that has all keys explains more than a name with two mistakes, but not more than one with a single mistake.
        let of_sft =
            "max_steps = 5\n[model]\nname = 'x'\n[data]\nname = 'y'\nseq_len = 128\n[optim]\nlr = 1e-5\n[ckpt]\ninterval = 5\n";
        assert_eq!(guess("train.toml", of_sft), Family::Config(Kind::Sft));
        let mistaken = of_sft.replace("name = 'y'\n", "");
        assert_eq!(guess("train.toml", &mistaken), Family::Config(Kind::Trainer));
    }

    #[test]
    fn an_ambiguous_file_found_in_a_folder_is_not_a_config() {
        for foreign in [
            "[model]\nname = 'x'\n[data]\nname = 'y'\n",
            "[[model]]\nids = ['x']\nlayers = 26\n",
            "max_steps = 5\nseq_len = 128\n",
            "[trainer]\nmax_epochs = 3\naccelerator = 'gpu'\ndevices = 2\n",
            "[model]\nname = 'x'\n[optim]\nlr = 1e-5\n[log]\nlevel = 'info'\n",
            "[orchestrator]\nbranch_prefix = 'x'\nlabel = 'y'\n[[repos]]\nname = 'z'\n",
            // A single key of prime-rl does not outweigh one that it never had.
            "epochs_in_total = 5\n[model]\nname = 'x'\n[data]\nfake = true\nbatch_size = 16\n",
        ] {
            assert!(matches!(found("configs/x.toml", foreign), Family::OtherProgram(_) | Family::Unclear), "{foreign}");
        }
        let agents = "[orchestrator]\nbranch_prefix = 'x'\nlabel = 'y'\n[[repos]]\nname = 'z'\n";
        assert!(matches!(found("orchestrator.toml", agents), Family::OtherProgram(_) | Family::Unclear));
        assert_eq!(found("orchestrator.toml", "batch = 8\n[orchestrator]\nseq_len = 8\n"), Family::Config(Kind::Rl));
        assert_eq!(found("configs/inference/x.toml", "[model]\nname = 'x'\n"), Family::Config(Kind::Inference));
        assert_eq!(
            found("ci/reverse_text_sft/start.toml", "[model]\nname = 'x'\n[data]\nname = 'y'\n"),
            Family::Config(Kind::Sft)
        );
        assert_eq!(found("x.toml", "[trainer]\n[orchestrator]\n"), Family::Config(Kind::Rl));
        let of_fork = "epochs_in_total = 5\n[model]\nname = 'x'\nreshard_after_forward = true\n[data]\nfake = { seq_len = 8 }\n";
        assert_eq!(found("x.toml", of_fork), Family::Config(Kind::Trainer));
        // A misspelt key says the same as the one that is meant.
        let misspelt = "max_steps = 5\n[model]\nname = 'x'\n[ckpt]\nkeep_lst = 3\ninterval = 5\n";
        assert!(found("x.toml", misspelt).is_config());
        assert!(found("x.toml", "max_steps = 5\n[model]\nname = 'x'\n[ckpt]\nsave_dir = 'y'\ninterval = 5\n") == Family::Unclear);
        assert_eq!(
            found("x.toml", "batch_size = 4\nrollouts_per_example = 8\n[sampling]\nmax_tokens = 3\n[[env]]\nid = 'x'\n"),
            Family::Config(Kind::Orchestrator)
        );
    }
}
