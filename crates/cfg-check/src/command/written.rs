//! A launch that is written in a text.

use cfg_compose::{CommandLine, Word, WrittenLaunch};
use cfg_diag::{FileId, Location};

/// A launch in a text.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    /// The path of the text.
    pub path: &'a str,
    /// The text, in which the words of the launch have their places.
    pub text: &'a str,
    /// The launch.
    pub launch: &'a WrittenLaunch,
}

impl Written<'_> {
    /// Its words, with their places in the text, which is number `file`.
    pub(super) fn line(&self, file: FileId) -> CommandLine {
        let words = self.launch.words.iter().zip(&self.launch.places).map(|(word, place)| {
            let is_verbatim = self.text.get(place.range()) == Some(&**word);
            Word { text: word.as_str().into(), location: Location::new(file, *place), is_verbatim }
        });
        CommandLine { text: self.text.to_owned(), words: words.collect() }
    }
}
