//! Migrates the whole file to another prime-rl.

use cfg_check::Session;
use cfg_diag::{Diagnostic, Edit, Location, Span, codes};
use cfg_migrate::{Request, migrate};
use cfg_schema::Target;

use crate::{Action, ActionKind, Analysis};

/// Rewrites the file for another prime-rl: in its metadata block, for the newest release, if it states an older one; at a key that its prime-rl no
/// longer has, for that prime-rl. `None` if `span` touches neither, or if nothing would change.
pub fn migration(session: &Session, analysis: &Analysis, span: Span) -> Option<Action> {
    let touches = |other: Span| other.start <= span.end && span.start <= other.end;
    let history = analysis.history();
    let stated = analysis.stated.target.as_ref();
    let newest = Target::newest_release(history);
    let is_gone = |diagnostic: &Diagnostic| {
        let by_time: [cfg_diag::Code; 2] = [&codes::REMOVED_KEY, &codes::OTHER_TARGET_FITS];
        let is_by_time = by_time.contains(&diagnostic.code);
        let own = diagnostic.location.and_then(|location| analysis.own(location));
        is_by_time && own.is_none_or(touches)
    };
    let is_at_metadata = analysis.metadata.as_ref().is_some_and(|block| touches(block.span));
    let (from, to) = match stated {
        Some(stated) if is_at_metadata && stated.value.point < newest.point => (Some(stated.value.clone()), newest),
        _ if analysis.checked.diagnostics.iter().any(is_gone) => (None, analysis.checked.target.clone()),
        _ => return None,
    };
    let from = from.or_else(|| cfg_check::best_target(session, analysis.checked.kind?, &analysis.text, to.point))?;
    if from.point >= to.point {
        return None;
    }
    let request = Request {
        path: "",
        text: &analysis.text,
        kind: Some(analysis.checked.kind?),
        from: Some(from.clone()),
        to,
        makes_all: false,
        keeps_defaults: false,
        is_part: false,
    };
    let migration = migrate(session, &request).ok().filter(|migration| !migration.edits.is_empty())?;
    let own = |edit: Edit| Edit { location: Location::new(analysis.file, edit.location.span), ..edit };
    let keys = |count: usize| if count == 1 { "1 key".to_owned() } else { format!("{count} keys") };
    let left = migration.left().map(|left| format!(", {left}")).unwrap_or_default();
    Some(Action {
        title: format!("rewrite this file for prime-rl {} from {from} ({}{left})", migration.to, keys(migration.done.len())),
        kind: ActionKind::Rewrite,
        is_preferred: false,
        diagnostic: None,
        edits: migration.edits.into_iter().map(own).collect(),
    })
}

#[cfg(test)]
mod tests {
    use cfg_check::Session;
    use cfg_diag::Span;

    use super::migration;
    use crate::testing::analysis;

    const OLD: &str = "# /// config\n# prime_rl = \"0.2\"\n# ///\n[ckpt]\nkeep = 2  # two\n[trainer]\n[orchestrator]\nrollouts_per_example = 8\n";

    #[test]
    fn a_file_that_states_an_old_target_is_rewritten_for_the_newest_release() {
        let analysis = analysis(OLD);
        let session = Session::default();
        let action = migration(&session, &analysis, Span::empty(20)).expect("there is one");
        assert!(action.title.starts_with("rewrite this file for prime-rl 0.8.0 from 0.2 ("), "{}", action.title);
        let new = cfg_check::apply(&analysis.text, &action.edits).expect("edits within the text");
        for line in ["# prime_rl = \"0.8.0\"", "keep_last = 2  # two", "group_size = 8"] {
            assert!(new.lines().any(|other| other == line), "{new}");
        }
        let elsewhere = OLD.find("[trainer]").expect("a header") as u32;
        assert_eq!(migration(&session, &analysis, Span::empty(elsewhere)), None);
        let again = crate::testing::analysis(&new);
        assert_eq!(migration(&session, &again, Span::empty(20)), None);
    }

    /// A value that the new prime-rl refuses needs a decision like a key: the title counts the same as `cfg migrate`.
    #[test]
    fn the_title_counts_all_that_is_left_to_decide() {
        let session = Session::default();
        let title = |more: &str| {
            let analysis = analysis(&format!("{OLD}{more}"));
            migration(&session, &analysis, Span::empty(20)).expect("there is one").title
        };
        assert!(!title("").contains("left to decide"), "{}", title(""));
        let refused = title("[orchestrator.sampling]\ntemperature = 3.0\n");
        assert!(refused.ends_with("1 thing left to decide)"), "{refused}");
    }

    #[test]
    fn a_removed_key_offers_a_migration() {
        let text = OLD.replace("# prime_rl = \"0.2\"\n", "# prime_rl = \"0.8.0\"\n");
        let analysis = analysis(&text);
        let session = Session::default();
        let key = text.find("keep").expect("a key") as u32;
        let action = migration(&session, &analysis, Span::empty(key)).expect("there is one");
        let new = cfg_check::apply(&text, &action.edits).expect("edits within the text");
        assert!(new.contains("keep_last = 2  # two") && new.contains("group_size = 8"), "{new}");
    }
}
