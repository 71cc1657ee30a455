//! The modules that were used last: the packages of a project import the same ones.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{ast::Name, module::Module};

/// The maximum number of tokens of the modules that are kept, where each module counts for some more. prime-rl's configs and the part of verifiers that
/// they use have about half as many.
const MAX_TOKENS: usize = 100_000;
const OF_A_MODULE: usize = 100;

/// The modules, the one that was used last at the end.
#[derive(Debug, Default)]
struct Kept {
    modules: VecDeque<Arc<Module>>,
    tokens: usize,
}

static KEPT: Mutex<Kept> = Mutex::new(Kept { modules: VecDeque::new(), tokens: 0 });

/// The module of this text, if it is kept.
pub(crate) fn known(name: &Name, path: &Name, is_package: bool, text: &str) -> Option<Arc<Module>> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |module: &Arc<Module>| {
        module.path == *path && module.name == *name && module.is_package == is_package && *module.text == *text
    };
    let found = kept.modules.iter().position(is_it).and_then(|at| kept.modules.remove(at))?;
    kept.modules.push_back(Arc::clone(&found));
    Some(found)
}

/// Keeps a module, in place of those that were not used for longest.
pub(crate) fn keep(module: &Arc<Module>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if size(module) > MAX_TOKENS || kept.modules.iter().any(|known| Arc::ptr_eq(known, module)) {
        return;
    }
    kept.modules.retain(|known| known.path != module.path || known.name != module.name);
    kept.modules.push_back(Arc::clone(module));
    kept.tokens = kept.modules.iter().map(size).sum();
    while kept.tokens > MAX_TOKENS
        && let Some(oldest) = kept.modules.pop_front()
    {
        kept.tokens -= size(&oldest);
    }
}

fn size(module: &Arc<Module>) -> usize {
    module.tokens.len() + OF_A_MODULE
}
