//! The dotted path of a function of the user: prime-rl splits it at the last dot into a module and a name, and imports it when the process has loaded its model.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    texts::{Text, Texts, Within},
};

/// The tables whose `import_path` is one.
const TABLES: [&str; 3] = ["loss", "advantage", "filter"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::IMPORT_PATH,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    Texts::of(cx).import_paths.clone()
}

/// The finding for a text, if it is the path of a function and can't be imported.
pub(crate) fn finding(written: &Text<'_>) -> Option<Finding> {
    if written.within != Within::Fields || written.path.key() != "import_path" {
        return None;
    }
    let key = written.path.to_string();
    let table = key.rsplit('.').nth(1)?;
    if !TABLES.contains(&table) {
        return None;
    }
    let fault = fault(written.value)?;
    let message = format!("`{key}` is \"{}\": {fault}", written.value);
    let help = match meant(written.value) {
        Some(meant) => format!("write \"{meant}\": the module, a dot, and the function's name"),
        None => "write the module, a dot, and the function's name: \"my_module.my_function\"".to_owned(),
    };
    Some(Finding::new(message).key(key).at(written.location).help(help))
}

/// Why Python can't import an object by this path.
fn fault(path: &str) -> Option<&'static str> {
    let is_name = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    match path.rsplit_once('.') {
        _ if path.contains(['/', '\\']) || path.rsplit('.').next() == Some("py") => {
            Some("it is the path of a file, not of an object")
        }
        _ if path.contains(':') => Some("the function is searched for after the last dot, not after a colon"),
        None | Some(("", _)) => Some("it names no module, so Python stops with `Empty module name`"),
        _ if path.starts_with('.') => Some("a relative import has no package to begin at"),
        Some((_, name)) => {
            (name.is_empty() || !is_name(name)).then_some("what follows the last dot is not the name of an object")
        }
    }
}

/// The path that was probably meant.
fn meant(path: &str) -> Option<String> {
    let dotted = path.replace(".py:", ":").replace([':', '/', '\\'], ".");
    (dotted != path && fault(&dotted).is_none() && dotted.split('.').all(|part| !part.is_empty())).then_some(dotted)
}

#[cfg(test)]
mod tests {
    use super::{fault, meant};

    #[test]
    fn only_paths_that_python_refuses_are_faults() {
        for path in ["my_module.my_loss", "a.b.c", "my-package.loss", "größe.maß", "prime_rl.losses.x1"] {
            assert_eq!(fault(path), None, "{path}");
        }
        for path in ["", "my_loss", ".my_loss", "my_module:my_loss", "a.b:c", "losses/mine.py", "a.", "mine.py", "a.b c", "..a.b"]
        {
            assert!(fault(path).is_some(), "{path}");
        }
        assert_eq!(meant("a.b:c").as_deref(), Some("a.b.c"));
        assert_eq!(meant("losses/mine.py:loss").as_deref(), Some("losses.mine.loss"));
        for path in ["my.pytorch_losses:loss", "losses/pytorch_loss.py:loss"] {
            assert_eq!(meant(path), Some(path.replace(".py:", ".").replace([':', '/'], ".")), "{path}");
        }
        assert_eq!(meant("losses/mine.py"), None);
        assert_eq!(meant("my_loss"), None);
    }
}
