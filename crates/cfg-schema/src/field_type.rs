//! The types of fields.

use crate::{
    History,
    table::{self, Section},
};

/// What happens to keys that a table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// They are errors.
    Forbid,
    /// They are dropped silently.
    Ignore,
    /// They are kept unchanged.
    Allow,
}

/// The kind of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// Any value, unchecked.
    Any,
    /// An integer of any size.
    Int,
    /// A double.
    Float,
    /// A boolean.
    Bool,
    /// A string.
    Str,
    /// A path, written as a string.
    Path,
    /// One of some fixed strings: [`FieldType::literals`].
    Literal,
    /// An array; [`FieldType::members`] has the type of its items.
    List,
    /// A map with free keys; [`FieldType::members`] has the types of key and value, or is empty if all are allowed.
    Dict,
    /// One of several types: [`FieldType::members`].
    Union,
    /// A table with known keys.
    Table(Policy),
}

/// How the variant of a tagged union is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Discriminator {
    /// By the value of this key.
    Key(&'static str),
    /// By the key `type`, or the tag `default` if the key is missing.
    TypeOrDefault,
}

/// The limits of a value. `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// At least.
    pub ge: Option<f64>,
    /// More than.
    pub gt: Option<f64>,
    /// At most.
    pub le: Option<f64>,
    /// Less than.
    pub lt: Option<f64>,
    /// Neither infinite nor NaN.
    pub finite: bool,
    /// The smallest number of items or characters.
    pub min_length: Option<usize>,
}

/// A type of the history.
#[derive(Clone, Copy, Debug)]
pub struct FieldType {
    history: History,
    id: u32,
}

impl PartialEq for FieldType {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for FieldType {}

impl FieldType {
    pub(crate) const fn new(history: History, id: u32) -> Self {
        Self { history, id }
    }

    fn word(self, index: usize) -> u32 {
        self.history.table.word(Section::Types, table::TYPE_WORDS * self.id as usize + index)
    }

    /// Its kind.
    pub fn kind(self) -> TypeKind {
        let word = self.word(0);
        match word & 0xFF {
            table::TYPE_INT => TypeKind::Int,
            table::TYPE_FLOAT => TypeKind::Float,
            table::TYPE_BOOL => TypeKind::Bool,
            table::TYPE_STR => TypeKind::Str,
            table::TYPE_PATH => TypeKind::Path,
            table::TYPE_LITERAL => TypeKind::Literal,
            table::TYPE_LIST => TypeKind::List,
            table::TYPE_DICT => TypeKind::Dict,
            table::TYPE_UNION => TypeKind::Union,
            table::TYPE_TABLE => TypeKind::Table(match word >> 16 {
                table::POLICY_IGNORE => Policy::Ignore,
                table::POLICY_ALLOW => Policy::Allow,
                _ => Policy::Forbid,
            }),
            _ => TypeKind::Any,
        }
    }

    /// Whether null is allowed too.
    pub fn is_nullable(self) -> bool {
        self.word(0) >> 8 & 0xFF != 0
    }

    /// How the variant of a tagged union is selected; `None` for every other type.
    pub fn discriminator(self) -> Option<Discriminator> {
        let key = self.history.table.string(self.word(1))?;
        Some(if key.starts_with("fn:") { Discriminator::TypeOrDefault } else { Discriminator::Key(key) })
    }

    /// The strings of a literal.
    pub fn literals(self) -> impl ExactSizeIterator<Item = &'static str> {
        self.history.table.strings(self.word(2))
    }

    /// The types of which it consists.
    pub fn members(self) -> impl ExactSizeIterator<Item = FieldType> {
        let history = self.history;
        history.table.list(self.word(3)).map(move |id| FieldType::new(history, id))
    }

    /// Whether it has limits.
    pub fn is_bounded(self) -> bool {
        self.word(4) != table::NONE
    }

    /// Its limits.
    pub fn bounds(self) -> Bounds {
        let mut bounds = Bounds::default();
        let table = self.history.table;
        let list = self.word(4);
        for item in (0..table.length(list)).step_by(3) {
            let [low, high] = [1, 2].map(|word| u64::from(table.item(list, item + word)));
            let limit = f64::from_bits(low | high << 32);
            match table::BOUNDS.get(table.item(list, item) as usize) {
                Some(&"ge") => bounds.ge = Some(limit),
                Some(&"gt") => bounds.gt = Some(limit),
                Some(&"le") => bounds.le = Some(limit),
                Some(&"lt") => bounds.lt = Some(limit),
                Some(&"finite") => bounds.finite = true,
                #[expect(clippy::cast_sign_loss, reason = "a length is a small whole number")]
                Some(&"min_length") => bounds.min_length = Some(limit as usize),
                _ => {}
            }
        }
        bounds
    }

    /// prime-rl's functions attached to the type, as `MODE:name`.
    pub fn functions(self) -> impl ExactSizeIterator<Item = &'static str> {
        self.history.table.strings(self.word(5))
    }
}
