//! Types of keys that are not in the history, in its notation: `int`, `str?`, `list[float]`, `literal("a", "b")`.

use std::str::FromStr;

/// The type of a key that a project declares: a key of its fork, or an argument of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraType {
    /// `any`: nothing is checked.
    Any,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `bool`.
    Bool,
    /// `str`.
    Str,
    /// `path`: a string.
    Path,
    /// `literal("a", "b")`: one of these strings.
    Literal(Vec<String>),
    /// `list[T]`; `list` alone is `list[any]`.
    List(Box<Self>),
    /// `dict[str, T]`; `dict` alone is `dict[str, any]`.
    Dict(Box<Self>),
    /// `union[T, U]`.
    Union(Vec<Self>),
    /// `T?`: the type, or null.
    Optional(Box<Self>),
}

/// The maximum nesting of types. Types that people write have three or four levels.
const MAX_DEPTH: usize = 16;

impl ExtraType {
    /// The names with which a type may begin.
    pub const NAMES: [&'static str; 10] = ["int", "float", "bool", "str", "path", "any", "literal", "list", "dict", "union"];
}

impl FromStr for ExtraType {
    /// The unknown name of a type; `None` if the text is malformed in another way.
    type Err = Option<String>;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut rest = Cursor(text);
        let read = rest.read_type(0)?;
        if rest.0.trim().is_empty() { Ok(read) } else { Err(None) }
    }
}

struct Cursor<'t>(&'t str);

impl<'t> Cursor<'t> {
    fn read_type(&mut self, depth: usize) -> Result<ExtraType, Option<String>> {
        if depth == MAX_DEPTH {
            return Err(None);
        }
        let word = self.word();
        let mut read = match word {
            "any" => ExtraType::Any,
            "int" => ExtraType::Int,
            "float" => ExtraType::Float,
            "bool" => ExtraType::Bool,
            "str" => ExtraType::Str,
            "path" => ExtraType::Path,
            "literal" => ExtraType::Literal(self.literals()?),
            "list" => match self.members(depth)?.as_mut_slice() {
                [] => ExtraType::List(Box::new(ExtraType::Any)),
                [item] => ExtraType::List(Box::new(item.clone())),
                _ => return Err(None),
            },
            "dict" => match self.members(depth)?.as_slice() {
                [] => ExtraType::Dict(Box::new(ExtraType::Any)),
                [ExtraType::Str, value] => ExtraType::Dict(Box::new(value.clone())),
                _ => return Err(None),
            },
            "union" => match self.members(depth)? {
                members if members.is_empty() => return Err(None),
                members => ExtraType::Union(members),
            },
            unknown => return Err(Some(unknown.to_owned()).filter(|word| !word.is_empty())),
        };
        if self.eat('?') {
            read = ExtraType::Optional(Box::new(read));
        }
        Ok(read)
    }

    /// Parses `[T, U]`, which may be absent.
    fn members(&mut self, depth: usize) -> Result<Vec<ExtraType>, Option<String>> {
        let mut members = Vec::new();
        if !self.eat('[') {
            return Ok(members);
        }
        loop {
            members.push(self.read_type(depth + 1)?);
            if self.eat(']') {
                return Ok(members);
            }
            if !self.eat(',') {
                return Err(None);
            }
        }
    }

    /// Parses `("a", "b")`.
    fn literals(&mut self) -> Result<Vec<String>, Option<String>> {
        let mut literals = Vec::new();
        if !self.eat('(') {
            return Err(None);
        }
        loop {
            let quote = if self.eat('"') {
                '"'
            } else if self.eat('\'') {
                '\''
            } else {
                return Err(None);
            };
            let (literal, rest) = self.0.split_once(quote).ok_or(None)?;
            literals.push(literal.to_owned());
            self.0 = rest;
            if self.eat(')') {
                return Ok(literals);
            }
            if !self.eat(',') {
                return Err(None);
            }
        }
    }

    fn word(&mut self) -> &'t str {
        self.0 = self.0.trim_start();
        let end = self.0.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    fn eat(&mut self, wanted: char) -> bool {
        let rest = self.0.trim_start().strip_prefix(wanted);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::ExtraType;

    #[test]
    fn the_notation_of_the_history_is_read() {
        assert_eq!("int".parse(), Ok(ExtraType::Int));
        assert_eq!("list[ float ]?".parse(), Ok(ExtraType::Optional(Box::new(ExtraType::List(Box::new(ExtraType::Float))))));
        assert_eq!("dict[str, bool]".parse(), Ok(ExtraType::Dict(Box::new(ExtraType::Bool))));
        let mode = ExtraType::Literal(vec!["a".to_owned(), "b c".to_owned()]);
        assert_eq!("union[int, literal(\"a\", 'b c')]".parse(), Ok(ExtraType::Union(vec![ExtraType::Int, mode])));
    }

    #[test]
    fn a_wrong_word_is_named() {
        assert_eq!("integer".parse::<ExtraType>(), Err(Some("integer".to_owned())));
        assert_eq!("list[string]".parse::<ExtraType>(), Err(Some("string".to_owned())));
        for text in ["", "list[int", "int int", "dict[int, str]", "literal()", "union", "list[int, str]", "?"] {
            assert_eq!(text.parse::<ExtraType>(), Err(None), "{text}");
        }
        assert_eq!("list[".repeat(5000).parse::<ExtraType>(), Err(None));
    }
}
