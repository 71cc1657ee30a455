//! What became of removed keys.

use std::collections::BTreeMap;

use crate::{
    Cache, History, Kind, Point,
    table::{self, NONE, Section},
};

/// Whether a file can be migrated without its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Automatic {
    /// The migrated file has the same meaning.
    Safe,
    /// The migrated file loads, but prime-rl may behave differently.
    Review,
    /// There is no equivalent.
    Impossible,
}

/// A key that was removed, or that got another name, place or values. The header of `schemas/moves.toml` explains the fields.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    history: History,
    index: usize,
}

impl History {
    /// All moves, by kind and path, then by date.
    pub fn moves(self) -> impl ExactSizeIterator<Item = Move> {
        (0..self.move_count()).map(move |index| Move { history: self, index })
    }

    /// The moves of a key, oldest first. `path` has the notation of the history without variants: `train.env[].args`. Keys below
    /// `trainer`, `orchestrator` or `inference` of an `rl` file have the moves of that component.
    pub fn moves_of(self, kind: Kind, path: &str) -> impl Iterator<Item = Move> {
        let (kind, path) = component(kind.entrypoint(), path);
        let key = [kind.name(), ":", path].concat();
        let (mut low, mut high) = (0, self.move_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if (Move { history: self, index: middle }).key() < key.as_str() { low = middle + 1 } else { high = middle }
        }
        (low..self.move_count()).map(move |index| Move { history: self, index }).take_while(move |entry| entry.key() == key)
    }

    /// The former names of the keys of a table, each with the name that replaced it and the move. `table` has the notation of [`History::moves_of`].
    pub fn renames_in(self, kind: Kind, table: &str) -> Vec<(&'static str, &'static str, Move)> {
        let probe = if table.is_empty() { "x".to_owned() } else { format!("{table}.x") };
        let (kind, path) = component(kind.entrypoint(), &probe);
        let above = &path[..path.len() - 1];
        let is_name = |name: &&str| !name.is_empty() && !name.contains(['.', '[', '<']);
        let name_in = |(of, path): (Kind, &'static str)| path.strip_prefix(above).filter(|_| of == kind).filter(is_name);
        self.moves().filter_map(|step| Some((name_in(step.from())?, name_in(step.to()?)?, step))).collect()
    }

    /// The moves after which the key at `path` of a file, or a table around it, may be where it is: their new paths have the first name of the path, or
    /// of what is below its first table. In the order of [`History::moves`].
    pub(crate) fn moves_towards(self, path: &str) -> impl Iterator<Item = Move> {
        // Most moves are about other keys, and each unknown key asks for these.
        static KNOWN: Cache<History, BTreeMap<&'static str, Vec<usize>>> = Cache::new();
        let chronicle = Self { table: self.table.chronicle() };
        let known = KNOWN.of(chronicle, || {
            let mut by_name: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
            for step in chronicle.moves() {
                if let Some(to) = step.string(2) {
                    by_name.entry(first_name(to)).or_default().push(step.index);
                }
            }
            by_name
        });
        // The new path may be that of the file itself, or that of the component in an rl file; a variant of the root is not in paths.
        let below = path.split_once('.').map_or("", |(_, below)| below);
        let mut names = [first_name(path), first_name(below), ""].to_vec();
        names.sort_unstable();
        names.dedup();
        let mut found: Vec<usize> = names.iter().filter_map(|name| known.get(name)).flatten().copied().collect();
        found.sort_unstable();
        found.into_iter().map(move |index| Move { history: self, index })
    }

    fn move_count(self) -> usize {
        self.table.chronicle().words(Section::Moves) / table::MOVE_WORDS
    }
}

/// The component to which a path of an `rl` file belongs, and the path in that component.
fn component(kind: Kind, path: &str) -> (Kind, &str) {
    let parts = path.split_once('.').filter(|_| kind == Kind::Rl);
    match parts.and_then(|(first, rest)| Some((Kind::named(first)?, rest))) {
        Some((component, rest)) if component != Kind::Rl => (component, rest),
        _ => (kind, path),
    }
}

/// The first name of a path; empty if the path begins with a variant.
fn first_name(path: &str) -> &str {
    path.split(['.', '[', '<']).next().unwrap_or_default()
}

impl Move {
    fn word(self, index: usize) -> u32 {
        self.history.table.chronicle().word(Section::Moves, table::MOVE_WORDS * self.index + index)
    }

    fn string(self, index: usize) -> Option<&'static str> {
        self.history.table.chronicle().string(self.word(index))
    }

    fn key(self) -> &'static str {
        self.string(0).unwrap_or_default()
    }

    /// The kind of the file and the path in it before the move.
    pub fn from(self) -> (Kind, &'static str) {
        let (kind, path) = self.key().split_once(':').unwrap_or_default();
        (Kind::named(kind).unwrap_or(Kind::Rl), path)
    }

    /// The moved path with its variants: `loss<type=default>.ipo_mask_low`.
    pub fn pattern(self) -> &'static str {
        self.string(12).unwrap_or_default()
    }

    /// The kind of the file and the path in it after the move; `None` if there is no replacement.
    pub fn to(self) -> Option<(Kind, &'static str)> {
        let kind = self.string(3).and_then(Kind::named).unwrap_or_else(|| self.from().0);
        Some((kind, self.string(2)?))
    }

    /// The first point at which the old key is no longer valid; `None` if the move is older than the history.
    pub fn point(self) -> Option<Point> {
        Some(self.word(1)).filter(|&point| point != NONE).map(|point| Point(point as u16))
    }

    /// The day of a move that is older than the history.
    pub fn date(self) -> Option<&'static str> {
        self.string(4)
    }

    /// The condition under which the move is safe, even if [`Move::automatic`] says otherwise.
    pub fn when(self) -> Option<&'static str> {
        self.string(5)
    }

    /// An explanation for the user.
    pub fn note(self) -> Option<&'static str> {
        self.string(6)
    }

    /// The kind of move: `rename`, `move`, `remove`, ...
    pub fn change(self) -> &'static str {
        self.string(8).unwrap_or_default()
    }

    /// Whether the move can be made without the author.
    pub fn automatic(self) -> Automatic {
        match self.string(9) {
            Some("safe") => Automatic::Safe,
            Some("impossible") => Automatic::Impossible,
            _ => Automatic::Review,
        }
    }

    /// How the value is converted; the header of `schemas/moves.toml` explains the names.
    pub fn value(self) -> &'static str {
        self.string(10).unwrap_or_default()
    }

    /// The pull request that made it.
    pub fn pull_request(self) -> Option<u32> {
        let own = Some(self.word(11)).filter(|&number| number != NONE);
        own.or_else(|| self.history.commit_of(self.point()?)?.pull_request())
    }
}

#[cfg(test)]
mod tests {
    use crate::{History, Kind};

    #[test]
    fn a_key_below_a_component_moves_with_it() {
        let history = History::built_in();
        let split: Vec<_> = history.moves_of(Kind::Trainer, "model.experimental.lora").map(super::Move::to).collect();
        let joint: Vec<_> = history.moves_of(Kind::Rl, "trainer.model.experimental.lora").map(super::Move::to).collect();
        assert_eq!(split, joint);
        assert_eq!(split.last(), Some(&Some((Kind::Trainer, "model.lora"))));
    }

    #[test]
    fn every_move_names_paths_of_the_history() {
        for entry in History::built_in().moves() {
            assert!(!entry.change().is_empty());
            assert!(entry.to().is_some() || entry.note().is_some(), "{}: neither a new place nor a note", entry.key());
            assert!(entry.point().is_some() || entry.date().is_some(), "{}", entry.key());
        }
    }
}
