//! Tables that take any key, whose readers are known: what may be written in them.

use cfg_schema::{ExtraType, FieldType, Policy, Schema, TypeKind};

use crate::{
    report::free_key::reader,
    vllm::{Part, Version},
};

/// A table whose keys prime-rl hands to vLLM, to its endpoint, or to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeTable {
    part: Part,
    version: Version,
}

impl FreeTable {
    /// The table of this name at a point of the history, if its type takes any key and what reads it is known.
    pub fn of(name: &str, ty: FieldType, schema: Schema) -> Option<Self> {
        let part = reader(name).filter(|_| takes_any(ty))?;
        Some(Self { part, version: Version::at(schema.history, schema.point)? })
    }

    /// The keys that are read, each with the type of its value; a variable of the environment is a string.
    pub fn keys(self) -> impl Iterator<Item = (&'static str, ExtraType)> {
        self.version.typed_names(self.part).map(move |(name, ty)| (name, self.parsed(ty)))
    }

    /// The type of a key that is read.
    pub fn type_of(self, key: &str) -> Option<ExtraType> {
        self.version.typed_names(self.part).find(|(name, _)| *name == key).map(|(_, ty)| self.parsed(ty))
    }

    fn parsed(self, ty: &str) -> ExtraType {
        match self.part {
            Part::Variable => ExtraType::Str,
            _ => ty.parse().unwrap_or(ExtraType::Any),
        }
    }

    /// What one of its keys is: "an argument of vLLM 0.26".
    pub fn in_words(self) -> String {
        let version = self.version.name();
        match self.part {
            Part::Server => format!("an argument of vLLM {version}"),
            Part::Request => format!("a field of a request to vLLM {version}"),
            Part::Variable => "an environment variable".to_owned(),
        }
    }
}

/// Whether a value of this type can be a table with keys that its class does not have.
fn takes_any(ty: FieldType) -> bool {
    match ty.kind() {
        TypeKind::Dict => true,
        TypeKind::Table(policy) => policy == Policy::Allow,
        TypeKind::Union if ty.discriminator().is_none() => ty.members().any(takes_any),
        _ => false,
    }
}
