//! The words of sentences, with dates as one word each.

/// A word of a sentence.
#[derive(Debug)]
pub(super) struct Word {
    /// In small letters, without punctuation.
    pub(super) text: String,
    /// Its line.
    pub(super) line: u32,
    /// If it is a date: `2026-11-20`.
    pub(super) day: Option<String>,
    /// Whether a bracket, a comma, a colon, a dash or the border of a cell is before it.
    pub(super) is_set_off: bool,
}

const MONTHS: [&str; 12] =
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/// The marks around a word.
const MARKS: [char; 24] = [
    '(', '[', '{', '<', ')', ']', '}', '>', '"', '\'', '`', '*', '~', '#', '|', ',', ';', ':', '.', '!', '?', '=', '\u{201c}',
    '\u{201d}',
];

/// The sentences of a paragraph.
pub(super) fn sentences(lines: &[(u32, &str)]) -> Vec<Vec<Word>> {
    let mut sentences = vec![Vec::new()];
    let mut is_set_off = false;
    for (line, text) in lines {
        if is_entry(text) {
            sentences.push(Vec::new());
            is_set_off = false;
        }
        // The border of a cell may directly follow its text.
        let cells = text.replace('|', " | ");
        for raw in cells.split_whitespace() {
            let core = raw.trim_matches(MARKS);
            if core.chars().all(|character| matches!(character, '-' | '\u{2013}' | '\u{2014}' | '_')) {
                is_set_off = true;
                continue;
            }
            let begin = raw.find(core).unwrap_or_default();
            let (before, after) = (&raw[..begin], &raw[begin + core.len()..]);
            let text = core.to_lowercase();
            let day = written_day(core);
            let is_abbreviated = month(&text).is_some();
            let word = Word { text, line: *line, day, is_set_off: is_set_off || before.contains(['(', '[', '|', ',', ':', '=']) };
            if let Some(sentence) = sentences.last_mut() {
                sentence.push(word);
            }
            is_set_off = after.contains([',', ':', '|', '(', '=']);
            if after.contains(['.', '!', '?', ';']) && !is_abbreviated {
                sentences.push(Vec::new());
                is_set_off = false;
            }
        }
    }
    sentences.into_iter().map(with_named_months).collect()
}

/// Whether a line is an entry of its own: `last run: ...`, `created = ...`, an item of a list.
fn is_entry(line: &str) -> bool {
    let line = line.trim_start_matches(['#', ' ', '\t']);
    let is_item = ["- ", "* ", "+ ", "|"].iter().any(|mark| line.starts_with(mark));
    let name = [": ", " = "].iter().filter_map(|mark| line.split_once(mark)).map(|(name, _)| name).min_by_key(|name| name.len());
    is_item || name.is_some_and(|name| name.split_whitespace().count() <= MAX_NAME_WORDS)
}

/// The maximum number of words in the name of an entry.
const MAX_NAME_WORDS: usize = 3;

/// The sentence with `Nov 20, 2026` and `20th of November 2026` as one word each.
fn with_named_months(sentence: Vec<Word>) -> Vec<Word> {
    let mut joined: Vec<Word> = Vec::with_capacity(sentence.len());
    for word in sentence {
        joined.push(word);
        let texts: Vec<&str> = joined.iter().rev().take(4).map(|word| word.text.as_str()).collect();
        let (parts, taken) = match texts[..] {
            [year, day, name, ..] if month(name).is_some() => ((year, name, day), 3),
            [year, name, "of", day] => ((year, name, day), 4),
            [year, name, day, ..] => ((year, name, day), 3),
            _ => continue,
        };
        let Some(day) = named_day(parts) else { continue };
        let first = joined.len() - taken;
        joined.truncate(first + 1);
        if let Some(word) = joined.last_mut() {
            word.day = Some(day);
            word.text.clear();
        }
    }
    joined
}

/// The day of a year, the name of a month, and the number of a day.
fn named_day((year, name, day): (&str, &str, &str)) -> Option<String> {
    let day = ["st", "nd", "rd", "th"].iter().find_map(|ending| day.strip_suffix(ending)).unwrap_or(day);
    let is_number =
        |text: &str, most: usize| !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(day, 2) || !is_number(year, 4) {
        return None;
    }
    let day = format!("{year}-{:02}-{day:0>2}", month(name)?);
    is_day(&day).then_some(day)
}

/// The number of a month, by its name or its first three or four letters.
fn month(name: &str) -> Option<usize> {
    let is_it = |month: &&str| *month == name || matches!(name.len(), 3 | 4) && month.starts_with(name);
    MONTHS.iter().position(is_it).map(|index| index + 1)
}

/// The day in a word of digits: `2026-11-20`, `2026/11/20`, `2026-11-20T10:15:00Z`.
fn written_day(word: &str) -> Option<String> {
    let (day, time) = word.split_at_checked(10)?;
    let is_time = time.strip_prefix('T').is_some_and(|time| time.starts_with(|first: char| first.is_ascii_digit()));
    let day = day.replace('/', "-");
    (is_day(&day) && (time.is_empty() || is_time)).then_some(day)
}

/// Whether a text is a day of this century: `2026-11-20`.
pub(in crate::day) fn is_day(text: &str) -> bool {
    text.starts_with("20") && cfg_schema::is_day(text)
}

#[cfg(test)]
mod tests {
    use super::is_day;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert!(["2026-11-20", "2024-02-29", "2000-02-29"].iter().all(|day| is_day(day)));
        for other in [
            "2026-02-29",
            "2100-02-29",
            "2026-00-10",
            "2026-04-31",
            "1999-01-01",
            "2026-1-10",
            "2026/01/10",
            "2026-01-0\u{e9}",
            "",
        ] {
            assert!(!is_day(other), "{other}");
        }
    }
}
