//! The words of a name, and other ways to read it.

/// The number of underscores between digits that may stand for a point.
const MAX_JOINTS: usize = 3;

pub(super) fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// The words and numbers of a name, in lower case: `qwen 2.5 7 b instruct`.
pub(super) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.to_lowercase().chars().collect();
    let digit = |index: usize| letters.get(index).is_some_and(char::is_ascii_digit);
    // The underscore of `3_1` belongs to the number, that of `3_32` does not.
    words_of(&letters, |index| digit(index + 1) && !digit(index + 2))
}

/// The words of lower-case letters; `is_point` says of an underscore behind a number whether it stands for a point.
fn words_of(letters: &[char], is_point: impl Fn(usize) -> bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for (index, letter) in letters.iter().enumerate() {
        // A point between digits belongs to the number.
        let is_point = last == Some('0')
            && match letter {
                '.' => letters.get(index + 1).is_some_and(char::is_ascii_digit),
                '_' => is_point(index),
                _ => false,
            };
        let class = match letter {
            letter if letter.is_ascii_digit() => Some('0'),
            _ if is_point => Some('0'),
            letter if letter.is_alphabetic() => Some('a'),
            _ => None,
        };
        let letter = if is_point { '.' } else { *letter };
        match words.last_mut().filter(|_| class.is_some() && class == last) {
            Some(word) => word.push(letter),
            None => words.extend(class.map(|_| letter.to_string())),
        }
        last = class;
    }
    words
}

/// The ways to read a name, the usual one first. In the names of folders, an underscore or nothing is written for a point or a hyphen: `qwen2_5_1_5b`,
/// `qwen3_4b`, `qwen25-3b`, `qwen3-06b`.
pub(super) fn readings(name: &str) -> Vec<Vec<String>> {
    let letters: Vec<char> = name.to_lowercase().chars().collect();
    let digit = |index: usize| letters.get(index).is_some_and(char::is_ascii_digit);
    let is_joint = |index: &usize| letters[*index] == '_' && *index > 0 && digit(index - 1) && digit(index + 1);
    let joints: Vec<usize> = (0..letters.len()).filter(is_joint).take(MAX_JOINTS).collect();
    let mut readings = vec![words(name)];
    let mut add = |words: Vec<String>| {
        if !readings.contains(&words) {
            readings.push(words);
        }
    };
    for points in 0..1_usize << joints.len() {
        let stands_for_point =
            |index: usize| joints.iter().position(|joint| *joint == index).is_some_and(|bit| points & (1 << bit) != 0);
        add(words_of(&letters, stands_for_point));
    }
    for index in 0..readings.len() {
        let pointed = with_points(&readings[index]);
        if !readings.contains(&pointed) {
            readings.push(pointed);
        }
    }
    readings
}

/// Words with the points that two digits lack: `qwen 25 3 b` is `qwen 2.5 3 b`, and `06 b` is `0.6 b`.
fn with_points(words: &[String]) -> Vec<String> {
    let is_unit = |index: usize| words.get(index).is_some_and(|word| matches!(&**word, "b" | "m"));
    let pointed = |(index, word): (usize, &String)| {
        let is_pair = word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_version = index > 0 && !is_number(&words[index - 1]) && !is_unit(index + 1) && !word.starts_with('0');
        let is_small_size = word.starts_with('0') && is_unit(index + 1);
        if is_pair && (is_version || is_small_size) { format!("{}.{}", &word[..1], &word[1..]) } else { word.clone() }
    };
    words.iter().enumerate().map(pointed).collect()
}
