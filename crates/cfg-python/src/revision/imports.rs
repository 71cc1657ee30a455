//! The names that a function imports itself.

use std::sync::Arc;

use crate::{
    ast::{Name, Stmt, StmtKind},
    module::Module,
};

/// A name that an import binds.
#[derive(Debug)]
pub(super) struct Imported {
    pub(super) known_as: Name,
    /// The module from which it comes, by its dotted name.
    pub(super) base: Name,
    /// Its name there; `None` if it is the module itself.
    pub(super) name: Option<Name>,
}

/// The names that the imports in a block bind, those of inner blocks included.
pub(super) fn imports_in(home: &Module, body: &[Stmt]) -> Vec<Imported> {
    let mut found = Vec::new();
    collect(home, body, &mut found);
    found
}

fn collect(home: &Module, body: &[Stmt], found: &mut Vec<Imported>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Import(names) => {
                for (dotted, known_as) in names {
                    let head: Name = dotted.split('.').next().unwrap_or_default().into();
                    let (known_as, base) = match known_as {
                        Some(name) => (Arc::clone(name), Arc::clone(dotted)),
                        None => (Arc::clone(&head), head),
                    };
                    found.push(Imported { known_as, base, name: None });
                }
            }
            StmtKind::ImportFrom { level, module, names } => {
                let base = home.named_from(*level, module.as_deref());
                for (name, known_as) in names {
                    let known_as = Arc::clone(known_as.as_ref().unwrap_or(name));
                    found.push(Imported { known_as, base: Arc::clone(&base), name: Some(Arc::clone(name)) });
                }
            }
            StmtKind::Function(function) => collect(home, &function.body, found),
            _ => stmt.each_block(&mut |body| collect(home, body, found)),
        }
    }
}
