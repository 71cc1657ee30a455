//! Prints the resolved config as TOML.

use cfg_check::reread;
use cfg_compose::{Tree, loader};
use cfg_diag::FileId;

use super::Config;
use crate::{CommandResult, Outcome, context::Context};

pub(super) fn run(cx: &Context, config: &Config<'_>) -> CommandResult {
    let resolve = |tree: Tree| reread(config.session, config.checked, config.kind(), tree);
    let made = cfg_resolve::emit::faithful(config.resolved, config.point(), &config.input.command.tree.root, &resolve);
    let (text, unwritable) = cfg_resolve::emit::toml(&made.table);
    let mut lost: Vec<String> = made.lost.iter().cloned().chain(unwritable.into_iter().map(|value| value.key)).collect();
    if lost.is_empty() {
        // Whether the written text means the same is tested with the text itself.
        let (document, _) = cfg_syntax::parse(FileId(0), &text, loader::dialect(config.point()));
        lost = match resolve(Tree::from_document(FileId(0), document)) {
            Some(again) => cfg_resolve::emit::differing(config.resolved, &again, config.point()),
            None => vec!["what is written out".to_owned()],
        };
    }
    if !lost.is_empty() {
        cx.complain(&format!(
            "no prime-rl {} file can express what {} resolves to: {}",
            config.checked.target,
            config.name,
            lost.join(", ")
        ));
        return Ok(Outcome::Failed);
    }
    if !made.left_out.is_empty() {
        let keys = made.left_out.join(", ");
        cx.note(&format!("left out, because prime-rl computes these values only if they are not written: {keys}"));
    }
    if !made.replaced.is_empty() {
        let keys = made.replaced.join(", ");
        cx.note(&format!("as it is written, although prime-rl replaces it, because other values follow from it: {keys}"));
    }
    let resolved_by = match &config.checked.of_script {
        Some(of) => format!("`{}`", cfg_diag::one_line(&of.name)),
        None => format!("prime-rl {}", config.checked.target),
    };
    let head = format!("# {} as resolved by {resolved_by}\n", cfg_diag::one_line(config.name));
    let between = if text.starts_with('[') { "" } else { "\n" };
    cx.print([&head, between, &text].concat().as_bytes())?;
    Ok(Outcome::Clean)
}
