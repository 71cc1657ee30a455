//! The macro that declares the parts of a plan: each field with its meaning, its type, and its keys at all versions.

/// Declares a part of a plan and the code that reads it.
///
/// `field: Type = "newest.key" | "older.key", shared "top.level.key";` becomes a field `Setting<Type>`. The keys are dotted paths below
/// the table from which the part is read, without indices and variants. The parts after `with` are read from the same table.
macro_rules! facts {
    (
        $(#[$meta:meta])*
        $name:ident {
            $(
                $(#[$doc:meta])*
                $field:ident: $type:ty = $first:literal $(| $other:literal)* $(, shared $shared:literal $(| $older:literal)*)?;
            )*
        }
        $(with {
            $(
                $(#[$part_doc:meta])*
                $part:ident: $part_type:ty;
            )*
        })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        pub struct $name {
            $($(#[$doc])* pub $field: $crate::Setting<$type>,)*
            $($($(#[$part_doc])* pub $part: $part_type,)*)?
        }

        impl $crate::facts::Part for $name {
            fn declared() -> Vec<$crate::facts::Declared> {
                let facts = [$($crate::facts::Declared {
                    field: stringify!($field).to_owned(),
                    own: vec![$first $(, $other)*],
                    shared: vec![$($shared $(, $older)*)?],
                    below: <$type as $crate::value::Value>::declared(),
                },)*];
                facts.into_iter()$($(.chain(<$part_type as $crate::facts::Part>::declared().into_iter().map(|each| {
                    $crate::facts::Declared { field: format!("{}.{}", stringify!($part), each.field), ..each }
                })))*)?.collect()
            }

            fn read(reader: &$crate::reader::Reader<'_>) -> Self {
                // In the order of the fields, which is also the order in which they are read.
                static PATHS: &[$crate::reader::Paths] =
                    &[$($crate::reader::Paths { own: &[$first $(, $other)*], shared: &[$($shared $(, $older)*)?] }),*];
                static KNOWN: cfg_schema::NodeCache<Box<[$crate::layout::Layout]>> = cfg_schema::NodeCache::new();
                let layout = reader.layout(PATHS, &KNOWN);
                let mut settings = layout.iter();
                Self {
                    $($field: reader.setting(settings.next()),)*
                    $($($part: <$part_type as $crate::facts::Part>::read(reader),)*)?
                }
            }

            fn rows(&self, field: &str, rows: &mut Vec<$crate::Row>) {
                $($crate::rows::of_setting(&self.$field, &format!("{field}.{}", stringify!($field)), rows);)*
                $($($crate::facts::Part::rows(&self.$part, &format!("{field}.{}", stringify!($part)), rows);)*)?
            }
        }

        impl $crate::value::Value for $name {
            fn read(resolved: &cfg_resolve::Resolved, reader: &$crate::reader::Reader<'_>, path: &'static str) -> Option<Self> {
                matches!(resolved.value, cfg_resolve::ResolvedValue::Table(_)).then_some(())?;
                Some(<Self as $crate::facts::Part>::read(&reader.below(path)?))
            }

            fn declared() -> Vec<$crate::facts::Declared> {
                <Self as $crate::facts::Part>::declared()
            }

            fn text(&self) -> String {
                "table".to_owned()
            }

            fn rows(&self, field: &str, rows: &mut Vec<$crate::Row>) {
                $crate::facts::Part::rows(self, field, rows);
            }
        }
    };
}

pub(crate) use facts;

use crate::{Row, reader::Reader};

/// A declared field.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// Its path in its part: `rank`, `model.lora`.
    pub(crate) field: String,
    /// Its keys.
    pub(crate) own: Vec<&'static str>,
    /// The shared keys from which prime-rl copies it.
    pub(crate) shared: Vec<&'static str>,
    /// The fields of the part, if it is a part itself.
    pub(crate) below: Vec<Declared>,
}

/// A part of a plan that is read from one table.
pub(crate) trait Part: Sized {
    /// Its fields.
    fn declared() -> Vec<Declared>;

    /// Reads the part.
    fn read(reader: &Reader<'_>) -> Self;

    /// Adds the rows of the part; `field` is its path in the plan.
    fn rows(&self, field: &str, rows: &mut Vec<Row>);
}
