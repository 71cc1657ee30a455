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

        const _: () = {
            /// Where the settings of the part are found in one class of table.
            pub(crate) struct Layouts {
                $($field: $crate::layout::Layout<$type>,)*
                $($($part: <$part_type as $crate::facts::Part>::Layouts,)*)?
            }

            impl $crate::facts::Part for $name {
                type Layouts = Layouts;

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

                fn known() -> &'static $crate::class::Classes<Self::Layouts> {
                    static KNOWN: $crate::class::Classes<Layouts> = $crate::class::Classes::new();
                    &KNOWN
                }

                fn layouts(class: &$crate::class::Class) -> Self::Layouts {
                    Layouts {
                        $($field: $crate::layout::Layout::new(&[$first $(, $other)*], &[$($shared $(, $older)*)?], class),)*
                        $($($part: <$part_type as $crate::facts::Part>::layouts(class),)*)?
                    }
                }

                fn read(&mut self, layouts: &'static Self::Layouts, reader: &$crate::reader::Reader<'_>) {
                    $(layouts.$field.read(&mut self.$field, reader);)*
                    $($($crate::facts::Part::read(&mut self.$part, &layouts.$part, reader);)*)?
                }

                fn rows(&self, field: &str, rows: &mut Vec<$crate::Row>) {
                    $($crate::rows::of_setting(&self.$field, &format!("{field}.{}", stringify!($field)), rows);)*
                    $($($crate::facts::Part::rows(&self.$part, &format!("{field}.{}", stringify!($part)), rows);)*)?
                }
            }
        };

        impl $crate::value::Value for $name {
            fn read(
                resolved: &cfg_resolve::Resolved,
                reader: &$crate::reader::Reader<'_>,
                path: &'static &'static str,
            ) -> Option<Self> {
                let cfg_resolve::ResolvedValue::Table(table) = &resolved.value else { return None };
                let mut part = Self::default();
                reader.inner(table, path).read(&mut part);
                Some(part)
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

use crate::{
    Row,
    class::{Class, Classes},
    reader::Reader,
};

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
pub(crate) trait Part: Default {
    /// Where its settings are found in one class of table.
    type Layouts: Send + Sync + 'static;

    /// Its fields.
    fn declared() -> Vec<Declared>;

    /// Its layouts in the classes from which it has been read.
    fn known() -> &'static Classes<Self::Layouts>;

    /// Its layouts in a class.
    fn layouts(class: &Class) -> Self::Layouts;

    /// Reads the settings of the part, which all are absent. A part has several kilobytes, so it is made where it remains.
    fn read(&mut self, layouts: &'static Self::Layouts, reader: &Reader<'_>);

    /// Adds the rows of the part; `field` is its path in the plan.
    fn rows(&self, field: &str, rows: &mut Vec<Row>);
}

#[cfg(test)]
mod tests {
    use super::{Declared, Part};
    use crate::{Inference, Orchestrator, Run, Trainer, environment::EnvironmentSettings};

    /// The number of tables in each other below a part.
    fn levels(declared: &[Declared]) -> usize {
        declared.iter().map(|field| if field.below.is_empty() { 0 } else { 1 + levels(&field.below) }).max().unwrap_or_default()
    }

    /// The key of a setting's table has at most three parts (`Owner`).
    #[test]
    fn no_table_is_deeper_than_a_key_can_tell() {
        assert!(levels(&Run::declared()) <= 3);
        for component in [Trainer::declared(), Orchestrator::declared(), Inference::declared()] {
            assert!(levels(&component) <= 2);
        }
        // An environment is an item of an array of the component.
        assert!(levels(&EnvironmentSettings::declared()) <= 1);
    }
}
