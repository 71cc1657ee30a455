//! What a declared schema asks of a value beyond its type.

use regex_automata::{meta::Regex, util::syntax};

/// What is asked of one field.
#[derive(Debug, Default)]
pub(crate) struct Constraint {
    /// What the whole text must fit.
    pub(crate) pattern: Option<Pattern>,
    /// What the whole text must not fit.
    pub(crate) never: Option<Pattern>,
    /// So many characters a text may have.
    pub(crate) longest: Option<usize>,
    /// The text is the path of a file that must be there.
    pub(crate) file: Option<From>,
    /// No line of that file is there twice, and one at least is.
    pub(crate) has_distinct_lines: bool,
    /// The text must be in this file.
    pub(crate) listed: Option<String>,
    /// The values of this key in the items, or of all keys where it is `*`, sum to so much.
    pub(crate) sums: Vec<(String, f64)>,
    /// What the schema says of it, for people.
    pub(crate) says: Option<String>,
}

/// From where a relative path counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// The folder of the settings that declare the dialect.
    Project,
    /// The folder of the config.
    Beside,
}

/// A pattern, with its text.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    regex: Regex,
}

impl Pattern {
    /// Whether all of a text fits it.
    pub(crate) fn fits(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    fn read(text: &str) -> Result<Self, String> {
        // Linear in the length of a text whatever the pattern is, and bounded in memory.
        let config = Regex::config().nfa_size_limit(Some(1 << 20)).hybrid_cache_capacity(1 << 20);
        let syntax = syntax::Config::new().unicode(false).utf8(false).nest_limit(64);
        let regex = Regex::builder().configure(config).syntax(syntax).build(&format!("\\A(?:{text})\\z"));
        let regex = regex.map_err(|_| format!("`{text}` is not a pattern that cfg can read"))?;
        Ok(Self { text: text.to_owned(), regex })
    }
}

/// What a schema can ask, as it is written.
pub(crate) const NAMES: [&str; 8] = ["pattern", "never", "longest", "file", "lines", "listed", "sum", "says"];

impl Constraint {
    /// Takes in a line of the schema: `pattern: [a-z]+`.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> Result<(), String> {
        match name {
            "pattern" => self.pattern = Some(Pattern::read(text)?),
            "never" => self.never = Some(Pattern::read(text)?),
            "longest" => self.longest = Some(text.parse().map_err(|_| format!("`{text}` is not a number of characters"))?),
            "file" => {
                self.file = Some(match text {
                    "project" => From::Project,
                    "beside" => From::Beside,
                    _ => return Err("write `file: project` or `file: beside`".to_owned()),
                });
            }
            "lines" if text == "distinct" => self.has_distinct_lines = true,
            "lines" => return Err("write `lines: distinct`".to_owned()),
            "listed" => self.listed = Some(text.to_owned()),
            "sum" => {
                let sum = text.rsplit_once(' ').and_then(|(key, sum)| Some((key.trim().to_owned(), sum.parse().ok()?)));
                self.sums.push(sum.ok_or("write `sum: KEY NUMBER`, such as `sum: weight 1`")?);
            }
            "says" => self.says = Some(text.to_owned()),
            _ => return Err(format!("unknown check `{name}`: there are {}", NAMES.join(", "))),
        }
        Ok(())
    }
}
