//! Reads the sources from the folders that contain packages, through the caller's `System`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_meter::{Allowance, Spent, charge_each};
use cfg_system::{Role, System};

use crate::{ast::Name, module::Module, parse, parsed};

/// The maximum number of modules. prime-rl's configs need fewer than a hundred.
const MAX_MODULES: usize = 1000;

/// The maximum number of bytes of all modules together. Those of prime-rl's configs have some 200,000.
const MAX_BYTES: usize = 8 << 20;

/// The maximum number of tokens of all modules together: each needs up to 350 bytes of memory. Those of prime-rl's configs have some 20,000.
const MAX_TOKENS: usize = 400_000;

/// What reading a text again costs, in units of the meter: for each byte if it is parsed, or for so many bytes if only compared.
const OF_A_PARSED_BYTE: usize = 8;
const KNOWN_BYTES: usize = 64;

/// Packages whose effect is modelled, and whose sources are never read.
const KNOWN: [&str; 16] = [
    "pydantic",
    "pydantic_core",
    "pydantic_settings",
    "typing",
    "typing_extensions",
    "annotated_types",
    "pathlib",
    "enum",
    "os",
    "sys",
    "abc",
    "collections",
    "functools",
    "re",
    "uuid",
    "builtins",
];

/// Whether a dotted name belongs to one of these packages.
pub(crate) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name.split('.').next().unwrap_or_default())
}

/// Python code that is used instead of a package whose source is not available; it has only what configs need.
const STAND_INS: [(&str, &str); 1] = [("pydantic_config", include_str!("known/pydantic_config.py"))];

/// The folders with packages, in the order in which Python searches them.
#[derive(Debug)]
pub(crate) struct Sources<'s> {
    system: &'s dyn System,
    roots: Vec<PathBuf>,
    read: usize,
    bytes: usize,
    tokens: usize,
    /// The file that was read last, as it is shown in messages.
    last_read: Option<Name>,
}

/// What was found for a module.
pub(crate) enum FoundModule {
    Module(Arc<Module>),
    /// A folder without code of its own.
    Namespace,
    /// A file that can't be read: its path and the reason.
    Unreadable(Name, String),
    Nothing,
}

impl<'s> Sources<'s> {
    pub(crate) fn new(system: &'s dyn System, roots: Vec<PathBuf>) -> Self {
        Self { system, roots, read: 0, bytes: 0, tokens: 0, last_read: None }
    }

    /// The file that was read last, as it is shown in messages.
    pub(crate) fn last_read(&self) -> &str {
        self.last_read.as_deref().unwrap_or_default()
    }

    /// Reads a module by its dotted name.
    pub(crate) fn module(&mut self, name: &Name) -> FoundModule {
        let package = name.split('.').next().unwrap_or_default();
        if KNOWN.contains(&package) || !name.split('.').all(is_identifier) {
            return FoundModule::Nothing;
        }
        let relative = name.replace('.', "/");
        for root in &self.roots {
            let path = root.join(&relative);
            for (path, is_package) in [(path.join("__init__.py"), true), (path.with_extension("py"), false)] {
                if !self.system.is_file(&path) {
                    continue;
                }
                let shown: Name = self.system.shown(&path).into();
                self.last_read = Some(Arc::clone(&shown));
                self.read += 1;
                if self.read > MAX_MODULES || self.bytes > MAX_BYTES {
                    return FoundModule::Unreadable(shown, "too much is imported".to_owned());
                }
                let text = match self.system.read(&path, Role::Source).map(String::from_utf8) {
                    Ok(Ok(text)) => text,
                    Ok(Err(_)) => return FoundModule::Unreadable(shown, "it is not UTF-8".to_owned()),
                    Err(error) => return FoundModule::Unreadable(shown, error.to_string()),
                };
                self.bytes += text.len();
                return self.parsed(name, shown, is_package, &text);
            }
        }
        if let Some((package, text)) = STAND_INS.iter().find(|(package, _)| **package == **name)
            && let Ok(parsed) = parse::module(text, usize::MAX)
        {
            return FoundModule::Module(Arc::new(Module::new(Arc::clone(name), (*package).into(), true, text, parsed)));
        }
        let is_folder = |root: &PathBuf| self.system.is_folder(&root.join(Path::new(&relative)));
        if self.roots.iter().any(is_folder) { FoundModule::Namespace } else { FoundModule::Nothing }
    }

    /// The module of a text. What it takes to read a text again draws from the budget.
    fn parsed(&mut self, name: &Name, shown: Name, is_package: bool, text: &str) -> FoundModule {
        let is_new = cfg_meter::extend_for(&shown, text.len() as u64 * Allowance::OF_A_BYTE);
        let known = parsed::known(name, &shown, is_package, text);
        let units = if known.is_some() { text.len() / KNOWN_BYTES } else { text.len() * OF_A_PARSED_BYTE };
        if !is_new && charge_each(units).is_err() {
            return FoundModule::Unreadable(shown, Spent::TooMuch.to_string());
        }
        let left = MAX_TOKENS.saturating_sub(self.tokens);
        let module = match known {
            Some(known) if known.tokens.len() <= left => known,
            _ => match parse::module(text, left) {
                Ok(parsed) => Arc::new(Module::new(Arc::clone(name), shown, is_package, text, parsed)),
                Err(error) => return FoundModule::Unreadable(shown, error),
            },
        };
        self.tokens += module.tokens.len();
        parsed::keep(&module);
        FoundModule::Module(module)
    }
}

fn is_identifier(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|character| character.is_alphanumeric() || character == '_')
}
