//! Days in sentences that say when something passed, ran or was made: "passed on 2026-11-20", "last run: Nov 20, 2026".
//!
//! Comments and pages have many other dates, in the names of runs, models and datasets. So a day counts only as a word of its own, and only if its
//! sentence says of that day that it is one of use.

mod words;

use words::Word;
pub(super) use words::is_day;

/// The maximum number of words between a day and what it belongs to.
const FAR: usize = 10;

/// What is said of a config that was used.
const USED: [&str; 22] = [
    "checked",
    "completed",
    "confirmed",
    "executed",
    "finished",
    "launched",
    "pass",
    "passed",
    "passes",
    "ran",
    "reproduced",
    "run",
    "started",
    "succeeded",
    "successful",
    "successfully",
    "tested",
    "trained",
    "validated",
    "verified",
    "worked",
    "works",
];

/// What is said of a config that was written, and of many other things too.
const MADE: [&str; 6] = ["created", "generated", "made", "updated", "used", "written"];

/// The words before one of these, so that it is about the config.
const ABOUT_IT: [&str; 15] = [
    "auto",
    "automatically",
    "config",
    "configuration",
    "date",
    "file",
    "first",
    "is",
    "it",
    "last",
    "recipe",
    "run",
    "the",
    "this",
    "was",
];

/// The words between "run" and what makes it a verb, or the last of several.
const BEFORE_RUN: [&str; 10] =
    ["been", "final", "first", "good", "last", "latest", "newest", "successful", "successfully", "was"];

/// The words directly before a day that belongs to what was said before.
const LINKS: [&str; 16] = [
    "again", "and", "at", "date", "dated", "day", "from", "head", "in", "main", "of", "on", "prime-rl", "prime_rl", "since",
    "time",
];

/// What has a day of its own.
const OTHERS: [&str; 22] = [
    "archive",
    "branch",
    "checkpoint",
    "ckpt",
    "corpus",
    "crawl",
    "cutoff",
    "data",
    "dataset",
    "datasets",
    "dump",
    "edition",
    "image",
    "model",
    "models",
    "name",
    "nightly",
    "release",
    "revision",
    "snapshot",
    "split",
    "weights",
];

/// The words with which a sentence says something else about a day.
const NOT_USED: [&str; 26] = [
    "after",
    "before",
    "broke",
    "broken",
    "by",
    "cannot",
    "crashed",
    "deprecated",
    "due",
    "expected",
    "expires",
    "failed",
    "fails",
    "fixme",
    "must",
    "never",
    "no",
    "not",
    "planned",
    "removed",
    "scheduled",
    "should",
    "tbd",
    "todo",
    "until",
    "will",
];

/// Whether a text may have a day: a quick look before it is read.
pub(super) fn may_have_day(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| four.starts_with(b"20") && four.iter().all(u8::is_ascii_digit))
}

/// The days of use in a paragraph, each with its line. The lines have their numbers, and may continue a sentence.
pub(super) fn days(lines: &[(u32, &str)]) -> Vec<(u32, String)> {
    if !lines.iter().any(|(_, line)| may_have_day(line)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for sentence in words::sentences(lines) {
        let of_sentence = (0..sentence.len()).filter(|at| is_of_use(&sentence, *at));
        found.extend(of_sentence.filter_map(|at| Some((sentence[at].line, sentence[at].day.clone()?))));
    }
    found
}

/// Whether the word at a place of a sentence is a day on which something was used.
fn is_of_use(sentence: &[Word], at: usize) -> bool {
    let text = |index: usize| sentence.get(index).map(|word| word.text.as_str()).unwrap_or_default();
    let is_one_of = |index: usize, list: &[&str]| list.contains(&text(index));
    let Some(day) = sentence.get(at).filter(|word| word.day.is_some()) else { return false };
    let is_denied = |word: &Word| NOT_USED.contains(&word.text.as_str()) || word.text.ends_with("n't");
    // "validated by a colleague on this day" says who, "to be validated by this day" says when at the latest.
    let is_by = |index: usize| text(index) == "by" && index + 1 != at;
    if (0..sentence.len()).any(|index| is_denied(&sentence[index]) && !is_by(index)) || is_one_of(at + 1, &OTHERS) {
        return false;
    }
    let last = at.wrapping_sub(1);
    let before = (at.saturating_sub(FAR)..at).rev().find(|index| is_verb(sentence, *index));
    if let Some(verb) = before {
        let is_linked = verb == last || day.is_set_off || is_one_of(last, &LINKS);
        let is_of_another = (verb + 1..at).any(|index| is_one_of(index, &OTHERS)) && text(last) != "on";
        return is_linked && !is_of_another;
    }
    let begins = at == 0 && (1..=FAR).take_while(|index| !is_one_of(*index, &OTHERS)).any(|index| is_verb(sentence, index));
    begins || day.is_set_off && at > 0 && is_verb(sentence, at + 1) && !(0..at).any(|index| is_one_of(index, &OTHERS))
}

/// Whether the word at a place says that a config was used or made.
fn is_verb(sentence: &[Word], at: usize) -> bool {
    let Some(word) = sentence.get(at) else { return false };
    let next = sentence.get(at + 1).map(|next| next.text.as_str());
    let previous = at.checked_sub(1).map(|previous| sentence[previous].text.as_str());
    match word.text.as_str() {
        // It is mostly a noun.
        "run" => matches!(next, Some("on" | "date")) || previous.is_some_and(|word| BEFORE_RUN.contains(&word)),
        // `Config version: v3 (2026-01-05)`, at the top of a config.
        "version" => at == 1 && previous == Some("config"),
        text if MADE.contains(&text) => {
            let is_about_it =
                |word: &Word| word.day.is_some() || ABOUT_IT.contains(&&*word.text) || word.text.strip_suffix(".toml").is_some();
            sentence[..at].iter().all(is_about_it)
        }
        text => USED.contains(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::days;

    fn day(text: &str) -> Option<String> {
        let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
        days(&lines).pop().map(|(_, day)| day)
    }

    #[test]
    fn a_day_of_use_is_found() {
        for text in [
            "passed on 2026-11-20",
            "Passed 2026-11-20.",
            "validated 2026-11-20 against prime-rl main",
            "Validated against prime-rl main on 2026-11-20, loss 0.3",
            "last run: Nov 20, 2026",
            "Last run: November 20th 2026",
            "Last successful run was on 20 Nov. 2026",
            "verified with the 8 x H100 box of the lab (2026-11-20)",
            "2026-11-20: passed on 8xH100",
            "[2026-11-20] validated by me",
            "2026/11/20 - ran fine",
            "ran 2026-11-20T10:15:00Z",
            "Created: 2026-11-20",
            "created = \"2026-11-20\"",
            "This file was created on 2026-11-20",
            "works as of 2026-11-20",
            "works with prime-rl main of 2026-11-20",
            "It was run on 2026-11-20",
            "run date: 2026-11-20",
            "tested by a colleague, 2026-11-20",
            "Passed all checks\non 2026-11-20",
            "| `rl.toml` | passed | 2026-11-20 |",
            "| rl.toml | 2026-11-20 | passed |",
            "tested on the math dataset on 2026-11-20",
            "Config version: v3 (2026-11-20)",
            "Known to be slow. Passed on 2026-11-20! Enjoy",
            "/// config\nversion = \"v3\"\ncreated = \"2026-11-20\"",
            "Model: a new one\nDataset: math\nlast run: 2026-11-20",
            "- the dataset of 2026-01-01\n- passed on 2026-11-20",
        ] {
            assert_eq!(day(text).as_deref(), Some("2026-11-20"), "{text}");
        }
    }

    #[test]
    fn other_dates_are_not_days_of_use() {
        for text in [
            "2026-11-20",
            "date: 2026-11-20",
            "run: rl-2026-11-20",
            "run name 2026-11-20",
            "run: 2026-11-20",
            "passed as run-2026-11-20",
            "ran as outputs/2026-11-20/rl",
            "tested with vllm@2026-11-20",
            "trained on the 2026-11-20 snapshot",
            "trained on dataset of 2026-11-20",
            "validated on the dump, 2026-11-20 edition",
            "tested with vllm nightly 2026-11-20",
            "dataset created on 2026-11-20",
            "the model was released on 2026-11-20. Tested on 8 GPUs",
            "not tested since 2026-11-20",
            "wasn't run on 2026-11-20",
            "failed on 2026-11-20",
            "will be run on 2026-11-20",
            "to be validated by 2026-11-20",
            "TODO: check that it passed on 2026-11-20",
            "works until 2026-11-20",
            "prime-rl version 0.8.0 (2026-11-20)",
            "passed on 2026-11-31",
            "passed on 2026-13-01",
            "passed 20 of 2026 tests",
            "passed on 11/20/2026",
            "passed in November 2026",
            "Passed. 2026-11-20 is a holiday",
            "knowledge cutoff 2026-11-20, passed on all",
            "Tested with vLLM\nData: the dump of 2026-11-20",
            "created by hand\ndata: 2026-11-20",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
