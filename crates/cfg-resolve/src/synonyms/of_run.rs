//! The words for what a config states about the whole run. Each number of each config may be one, and nearly none is: most are known not to be by their
//! last step alone.

use super::{
    Form, Setting,
    filter::{Filter, digest},
    is_of_evaluations, rows, setting,
};

/// The keys of the settings that are read of a whole run.
pub(crate) const GROUP_SIZE: &str = "orchestrator.group_size";
pub(crate) const ANSWER: &str = "orchestrator.train.sampling.max_completion_tokens";
pub(crate) const BATCH: &str = "orchestrator.batch_size";
pub(crate) const TRAIN_GPUS: &str = "deployment.num_train_gpus";
pub(crate) const ENGINE_GPUS: &str = "inference.parallel.tp";
pub(crate) const RATE: &str = "trainer.optim.lr";

const KEYS: [&str; 6] = [GROUP_SIZE, ANSWER, BATCH, TRAIN_GPUS, ENGINE_GPUS, RATE];

/// The last step of each word whose setting is one of the above, or decides what the number of another is.
static LAST_STEPS: Filter = last_steps();

/// The setting of the run that a word means, if it is one; of another setting it is not said that there is one.
pub(crate) fn setting_of_run(owner: &str, word: &str) -> Option<&'static Setting> {
    let may_be = LAST_STEPS.may_have(digest(word.as_bytes(), 0)) || is_of_evaluations(word);
    if may_be { setting(owner, word).map(|(setting, _)| setting).filter(|setting| is_of_run(setting)) } else { None }
}

const fn last_steps() -> Filter {
    let mut steps = Filter::EMPTY;
    let mut number = 0;
    while number < rows::WORDS.len() {
        let (word, setting) = rows::WORDS[number];
        if is_of_run(&rows::SETTINGS[setting as usize]) {
            let word = word.as_bytes();
            let mut start = word.len();
            while start > 0 && word[start - 1] != b'.' {
                start -= 1;
            }
            steps.add(digest(word, start));
        }
        number += 1;
    }
    steps
}

const fn is_of_run(setting: &Setting) -> bool {
    if matches!(setting.form, Some(Form::Groups | Form::Micro)) {
        return true;
    }
    let mut number = 0;
    while number < setting.keys.len() {
        let mut other = 0;
        while other < KEYS.len() {
            if is_same(setting.keys[number].as_bytes(), KEYS[other].as_bytes()) {
                return true;
            }
            other += 1;
        }
        number += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::{super::setting, is_of_run, rows, setting_of_run};

    #[test]
    fn no_word_of_a_run_is_missed() {
        let mut of_run = 0;
        for (path, _) in rows::WORDS {
            let (owner, word) = path.rsplit_once('.').unwrap_or(("", path));
            for owner in [owner.to_owned(), format!("x.{owner}"), format!("evals.{owner}")] {
                let expected = setting(&owner, word).map(|(setting, _)| setting).filter(|setting| is_of_run(setting));
                let found = setting_of_run(&owner, word);
                assert_eq!(found.map(std::ptr::from_ref), expected.map(std::ptr::from_ref), "{owner}.{word}");
                of_run += usize::from(found.is_some());
            }
        }
        assert!(of_run > 100, "{of_run}");
        assert!(setting_of_run("trainer.model", "seq_len").is_none() && setting_of_run("", "max_steps").is_none());
    }
}
