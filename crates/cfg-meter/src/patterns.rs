//! Patterns of a repository: several are compiled together, their size is bounded, and what matching costs is charged.
//!
//! A pattern is a regular expression for a whole text. The states of its automaton are made only when a text needs them. Usually a few are made, and a
//! text then costs little more than reading it; but a text can need as many as it has bytes, each of which costs time for every part of all patterns.
//! So it is the making of states that is [charged](crate::charge), not the size of the patterns.

use std::fmt;

use crate::{Spent, charge, charge_bytes, charge_each};
use regex_automata::{
    Anchored, Input, MatchKind,
    hybrid::dfa::{Cache, DFA},
    nfa::thompson::{self, NFA, WhichCaptures},
    util::syntax,
};

/// The maximum length of a pattern, in bytes. Reading a pattern takes a few hundred bytes for each of its own.
pub const LONGEST: usize = 4096;

/// The number of bytes that the states of an automaton may take. Beyond it, they are made anew.
const MAX_STATES: usize = 1 << 18;

/// The units for making a state, in addition to those for the parts of the patterns: its row has up to a kilobyte.
const OF_A_STATE: u64 = 64;

/// Compiled patterns.
#[derive(Clone, Debug)]
pub struct Patterns {
    automaton: DFA,
    /// The number of parts of all patterns.
    parts: u64,
    /// The size of the parts in bytes.
    bytes: usize,
}

/// The states that have been made for [`Patterns`].
#[derive(Clone, Debug)]
pub struct States(Cache);

/// Why patterns can't be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// One of them is not a regular expression, or one that is not supported.
    Invalid,
    /// They are too large.
    TooLarge,
    /// Compiling them costs too much.
    Spent(Spent),
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid => formatter.write_str("it is not a pattern that cfg supports"),
            Self::TooLarge => formatter.write_str("it is too large"),
            Self::Spent(spent) => spent.fmt(formatter),
        }
    }
}

impl Patterns {
    /// Compiles regular expressions, which have `most` bytes at most when they are compiled. They match bytes; `.`, `\d` and `\w` match ASCII only.
    ///
    /// # Errors
    /// Why they can't be compiled.
    pub fn compile<P: AsRef<str>>(patterns: &[P], most: usize) -> Result<Self, Refused> {
        if patterns.iter().any(|pattern| pattern.as_ref().len() > LONGEST) {
            return Err(Refused::TooLarge);
        }
        let length: usize = patterns.iter().map(|pattern| pattern.as_ref().len()).sum();
        charge_each(length).map_err(Refused::Spent)?;
        let whole: Vec<String> = patterns.iter().map(|pattern| format!("\\A(?:{})\\z", pattern.as_ref())).collect();
        let syntax = syntax::Config::new().unicode(false).utf8(false).nest_limit(64);
        let config = thompson::Config::new().utf8(false).nfa_size_limit(Some(most)).which_captures(WhichCaptures::None);
        let nfa = NFA::compiler().configure(config).syntax(syntax).build_many(&whole);
        let nfa = nfa.map_err(|error| if error.size_limit().is_some() { Refused::TooLarge } else { Refused::Invalid })?;
        let (parts, bytes) = (nfa.states().len() as u64, nfa.memory_usage());
        charge(parts).and_then(|()| charge_bytes(bytes)).map_err(Refused::Spent)?;
        let config = DFA::config().match_kind(MatchKind::All).cache_capacity(MAX_STATES).skip_cache_capacity_check(true);
        let automaton = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| Refused::TooLarge)?;
        Ok(Self { automaton, parts, bytes })
    }

    /// The size of what they are compiled to, in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// No states; they are made as texts need them.
    pub fn states(&self) -> States {
        States(self.automaton.create_cache())
    }

    /// Removes all states, so that those of these patterns can be made.
    pub fn reset(&self, states: &mut States) {
        states.0.reset(&self.automaton);
    }

    /// Whether one of the patterns matches the whole text. `states` are those of these patterns.
    ///
    /// # Errors
    /// It costs too much.
    pub fn is_match(&self, states: &mut States, text: &[u8]) -> Result<bool, Spent> {
        Ok(self.matching(states, text)?.next().is_some())
    }

    /// The indices of the patterns that match the whole text. `states` are those of these patterns.
    ///
    /// # Errors
    /// It costs too much.
    pub fn matching(&self, states: &mut States, text: &[u8]) -> Result<impl Iterator<Item = usize> + use<>, Spent> {
        let found = match self.last(states, text)? {
            Some(last) if last.is_match() => {
                let count = self.automaton.match_len(&states.0, last);
                charge_each(count)?;
                (0..count).map(|index| self.automaton.match_pattern(&states.0, last, index).as_usize()).collect()
            }
            _ => Vec::new(),
        };
        Ok(found.into_iter())
    }

    /// The state at the end of a text; `None` if nothing matches any more.
    fn last(&self, States(cache): &mut States, text: &[u8]) -> Result<Option<regex_automata::hybrid::LazyStateID>, Spent> {
        charge_bytes(text.len())?;
        let made = OF_A_STATE + self.parts;
        charge(OF_A_STATE)?;
        let start = Input::new(text).anchored(Anchored::Yes);
        let mut state = self.automaton.start_state_forward(cache, &start).map_err(|_| Spent::TooMuch)?;
        for byte in text {
            let known = (!state.is_tagged()).then(|| self.automaton.next_state_untagged(cache, state, *byte));
            state = match known.filter(|known| !known.is_unknown()) {
                Some(known) => known,
                None => {
                    charge(made)?;
                    self.automaton.next_state(cache, state, *byte).map_err(|_| Spent::TooMuch)?
                }
            };
            if state.is_dead() {
                return Ok(None);
            }
        }
        charge(made)?;
        self.automaton.next_eoi_state(cache, state).map(Some).map_err(|_| Spent::TooMuch)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Allowance, Meter, Spent};

    use super::{LONGEST, Patterns, Refused};

    fn matching(patterns: &[&str], text: &str) -> Vec<usize> {
        let patterns = Patterns::compile(patterns, 1 << 20).expect("they are patterns");
        let mut found: Vec<usize> =
            patterns.matching(&mut patterns.states(), text.as_bytes()).expect("it costs little").collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn all_patterns_that_match_the_whole_text_are_found() {
        assert_eq!(matching(&["a+", "a|ab", "[ab]*", "b", ""], "ab"), [1, 2]);
        assert_eq!(matching(&["a+", "a|ab", "[ab]*", "b", ""], ""), [2, 4]);
        assert_eq!(matching(&["a|b$", "^b", "b\\b"], "b"), [0, 1, 2]);
        assert_eq!(matching(&["."], "é"), Vec::<usize>::new());
        assert_eq!(matching(&["(?s-u:.)*c"], "é\nc"), [0]);
    }

    #[test]
    fn patterns_that_are_invalid_or_too_large_are_refused() {
        let refused = |pattern: &str| Patterns::compile(&[pattern], 1 << 20).err();
        assert_eq!(refused("("), Some(Refused::Invalid));
        assert_eq!(refused(r"(a)\1"), Some(Refused::Invalid));
        assert_eq!(refused("(a{1000}){1000}"), Some(Refused::TooLarge));
        assert_eq!(refused(&"a".repeat(LONGEST + 1)), Some(Refused::TooLarge));
        let many = vec!["[a-z]{1,30}"; 4000];
        assert_eq!(Patterns::compile(&many, 1 << 18).err(), Some(Refused::TooLarge), "together");
    }

    #[test]
    fn a_text_that_needs_many_states_is_not_matched_to_its_end() {
        let patterns = Patterns::compile(&["([ab]*a[ab]{2000}|x)*"], 1 << 20).expect("a pattern");
        let mut number = 1_u32;
        let mut random = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if number >> 31 == 0 { b'a' } else { b'b' }
        };
        let text: Vec<u8> = (0..100_000).map(|_| random()).collect();
        let _meter = Meter::begin(Allowance { free: 1_000_000, most: 1_000_000 });
        assert_eq!(patterns.is_match(&mut patterns.states(), &text), Err(Spent::TooMuch));
        let _meter = Meter::begin(Allowance { free: 10_000_000, most: 10_000_000 });
        assert_eq!(
            patterns.is_match(&mut patterns.states(), &b"x".repeat(100_000)),
            Ok(true),
            "a long text that needs few states"
        );
    }
}
