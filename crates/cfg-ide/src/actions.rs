//! Actions for a finding, and for the whole file.

use cfg_check::{Ignoring, Session};
use cfg_diag::{Applicability, Diagnostic, Edit, Fix, Location, Span};
use cfg_repair::{Repaired, Subject, Wanted};

use crate::{
    Analysis,
    context::{line_start, text_start},
};

/// The purpose of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// It repairs a finding.
    Repair,
    /// It ignores a finding.
    Suppress,
    /// It applies all safe repairs.
    RepairAll,
    /// It rewrites the file.
    Rewrite,
}

/// An action in an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its title, in imperative form.
    pub title: String,
    /// Its purpose.
    pub kind: ActionKind,
    /// Whether it is the obvious choice.
    pub is_preferred: bool,
    /// The finding that it repairs: its index in the list of the analysis.
    pub diagnostic: Option<usize>,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
}

/// The number of bytes that are read to offer to ignore findings: each such action reads the whole text.
const SUPPRESSED_BYTES: usize = 16 << 20;

/// The number of findings that may be ignored in a text of any size.
const FEWEST_SUPPRESSIONS: usize = 4;

/// The actions for the findings that touch `span`, and after them for the others of its lines: repairs, and ignoring them. A repair is offered if it improves
/// the file.
pub fn actions(session: &Session, analysis: &Analysis, span: Span) -> Vec<Action> {
    let touches = |diagnostic: &Diagnostic, span: Span| {
        let own = diagnostic.location.map_or(Some(Span::default()), |location| analysis.own(location));
        own.is_some_and(|own| own.start <= span.end && span.start <= own.end)
    };
    let lines = whole_lines(&analysis.text, span);
    let all = || analysis.checked.diagnostics.iter().enumerate();
    let touching = || all().filter(|(_, found)| touches(found, span));
    let found = || touching().chain(all().filter(|(_, found)| touches(found, lines) && !touches(found, span)));
    let check = |text: &str| analysis.check_again(session, text);
    let here = found().map(|(index, _)| index);
    let offered = cfg_repair::offer(analysis.file, &analysis.text, &analysis.checked, here, Wanted::All, &check);
    let repairs = offered.into_iter().flat_map(|offered| offered.fixes.into_iter().map(move |fix| repair(fix, offered.index)));
    let most = (SUPPRESSED_BYTES / analysis.text.len().max(1)).max(FEWEST_SUPPRESSIONS);
    let suppressions = found().take(most).filter_map(|(index, diagnostic)| suppression(analysis, diagnostic, index));
    repairs.chain(suppressions).collect()
}

/// The lines of a span, from the start of the first to the end of the last.
fn whole_lines(text: &str, span: Span) -> Span {
    let (start, end) = (span.start as usize, span.end as usize);
    let before = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let after = text.get(end..).and_then(|after| after.find('\n')).map_or(text.len(), |newline| end + newline);
    Span { start: before as u32, end: after as u32 }
}

fn repair(fix: Fix, index: usize) -> Action {
    Action {
        title: fix.title,
        kind: ActionKind::Repair,
        is_preferred: fix.applicability == Applicability::Safe,
        diagnostic: Some(index),
        edits: fix.edits,
    }
}

/// Adds a comment that ignores a finding, with room for the reason.
fn suppression(analysis: &Analysis, diagnostic: &Diagnostic, index: usize) -> Option<Action> {
    let Ignoring { text, count } = cfg_check::add_ignores(analysis.file, &analysis.text, std::slice::from_ref(diagnostic), "");
    let (start, inserted) = insertion(&analysis.text, &text).filter(|_| count > 0)?;
    let line_end = inserted.trim_end_matches(['\r', '\n']).len();
    // A code that is added to others has their reason.
    let reason = if inserted[..line_end].ends_with(']') { " reason: " } else { "" };
    let new_text = format!("{}{reason}{}", &inserted[..line_end], &inserted[line_end..]);
    Some(Action {
        title: format!("ignore {} ({}) here, with a reason", diagnostic.code.code, diagnostic.code.name),
        kind: ActionKind::Suppress,
        is_preferred: false,
        diagnostic: Some(index),
        edits: vec![Edit { location: Location::new(analysis.file, Span::empty(start)), new_text }],
    })
}

/// The place of a comment, or of a code in one, that was inserted into a text, and the inserted text.
fn insertion<'t>(old: &str, new: &'t str) -> Option<(u32, &'t str)> {
    let added = new.len().checked_sub(old.len()).filter(|added| *added > 0)?;
    let same = old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
    // The text around it may look like its beginning or its end; only one place is valid.
    let is_it = |start: &usize| {
        let begins =
            new.get(*start..).is_some_and(|rest| ["  # cfg:", "# cfg:", ", "].iter().any(|begin| rest.starts_with(begin)));
        begins && new.get(start + added..) == old.get(*start..)
    };
    let start = (same.saturating_sub(added)..=same).rev().find(is_it)?;
    Some((start as u32, new.get(start..start + added)?))
}

/// All safe repairs, as one action; `None` if there are none. The result is the same as that of `cfg check --fix`.
pub fn fix_all(session: &Session, analysis: &Analysis) -> Option<Action> {
    analysis.repaired(session).cloned()
}

pub(crate) fn repair_all(analysis: &Analysis, subject: Subject<'_>) -> Option<Action> {
    // A config that includes others is checked with them, and `--fix` does not change it.
    if !analysis.checked.is_config || analysis.parts.is_empty() && analysis.checked.has_includes {
        return None;
    }
    let alone = subject.check(&analysis.text, Vec::new());
    if alone.has_includes {
        return None;
    }
    let subject = subject.holding(&alone);
    let check = |text: &str| subject.check(text, Vec::new());
    let allows = |_, applicability| applicability == Applicability::Safe;
    let Repaired { text, count, .. } = cfg_repair::repair_all(Subject::FILE, &analysis.text, alone, &allows, &check);
    let edit = cfg_repair::difference(analysis.file, &analysis.text, &text)?;
    let title = match count {
        1 => "fix all safe problems (1 finding)".to_owned(),
        count => format!("fix all safe problems ({count} findings)"),
    };
    Some(Action { title, kind: ActionKind::RepairAll, is_preferred: false, diagnostic: None, edits: edit })
}

/// Converts a `[config]` table, which prime-rl refuses, to the metadata block; `None` if there is none, or a block already exists.
pub fn convert_metadata(analysis: &Analysis) -> Option<Action> {
    let table = analysis.stated.table.filter(|_| analysis.metadata.is_none())?;
    let span = analysis.own(table)?;
    let headers = &analysis.document.headers;
    let at = headers.iter().position(|header| header.span.start <= span.start && span.end <= header.span.end)?;
    let header = &headers[at];
    if header.keys.len() != 1 || header.array {
        return None;
    }
    let text = &analysis.text;
    let line_after = |offset: u32| text[offset as usize..].find('\n').map_or(text.len(), |newline| offset as usize + newline + 1);
    let last = analysis.document.root.get("config").and_then(|entry| match &entry.value.kind {
        cfg_syntax::ValueKind::Table(table) => table.entries.iter().map(|entry| entry.value.span.end).max(),
        _ => None,
    });
    let body_start = line_after(header.span.start);
    let body_end = last.map_or(body_start, line_after).max(body_start);
    let body = text.get(body_start..body_end)?;
    // A value over several lines, or a table with a header, can't be in comments.
    let is_plain = |line: &str| line.is_empty() || line.starts_with('#') || line.contains('=');
    if !body.lines().map(str::trim).all(is_plain) || body.contains("\"\"\"") || body.contains("'''") {
        return None;
    }
    let newline = newline(text);
    let lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.fold(String::new(), |block, line| block + "# " + line + newline);
    let top = text_start(text);
    let gap = if text[top..].starts_with('#') { newline } else { "" };
    let block = format!("# /// config{newline}{lines}# ///{newline}{gap}");
    let end = if text[body_end..].starts_with(newline) { body_end + newline.len() } else { body_end };
    let start = line_start(text, header.span.start as usize);
    let at = |span: Span| Location::new(analysis.file, span);
    let edits = if start == top {
        vec![Edit { location: at(Span::from(start..end)), new_text: format!("{block}{newline}") }]
    } else {
        vec![
            Edit { location: at(Span::empty(top as u32)), new_text: block },
            Edit { location: at(Span::from(start..end)), new_text: String::new() },
        ]
    };
    let title = "turn the `[config]` table into a metadata block, which prime-rl ignores".to_owned();
    Some(Action { title, kind: ActionKind::Rewrite, is_preferred: true, diagnostic: None, edits })
}

fn newline(text: &str) -> &'static str {
    if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use cfg_check::Session;
    use cfg_diag::{Edit, Span};

    use super::{Action, SUPPRESSED_BYTES, actions, convert_metadata, fix_all, insertion};
    use crate::{Analysis, testing::analysis};

    fn after(analysis: &Analysis, action: &Action) -> String {
        cfg_check::apply(&analysis.text, action.edits.iter().collect::<Vec<&Edit>>()).expect("edits within the text")
    }

    #[test]
    fn a_config_table_is_converted_to_a_metadata_block() {
        let text =
            "# about\n\n[config]\nversion = \"v2\" # why\n\n# note\nnotes = \"x\"\n\nmax_steps = 3\n[trainer]\n[orchestrator]\n";
        let analysis = analysis("[model]\nname = \"a\"\n");
        assert!(convert_metadata(&analysis).is_none());
        let analysis = crate::testing::analysis(text);
        let action = convert_metadata(&analysis).expect("there is one");
        let new = after(&analysis, &action);
        assert!(new.starts_with("# /// config\n# version = \"v2\" # why\n# # note\n# notes = \"x\"\n"), "{new}");
        assert!(!new.contains("[config]") && new.contains("# about\n"), "{new}");
        assert_eq!(crate::testing::analysis(&new).stated.version.as_ref().map(|stated| &*stated.value), Some("v2"));
        let marked = crate::testing::analysis("\u{feff}[config]\nversion = \"v2\"\n[trainer]\n[orchestrator]\n");
        let new = after(&marked, &convert_metadata(&marked).expect("there is one"));
        assert_eq!(new, "\u{feff}# /// config\n# version = \"v2\"\n# ///\n\n[trainer]\n[orchestrator]\n");
    }

    #[test]
    fn a_finding_can_be_ignored_with_a_reason() {
        let analysis = analysis("max_steps = 3\nmax_async_lvl = 2\n[trainer]\n[orchestrator]\n");
        let offered = actions(&Session::default(), &analysis, Span::new(16, 16));
        let ignore = offered.iter().find(|action| action.title.starts_with("ignore ")).expect("it is offered");
        let new = after(&analysis, ignore);
        assert!(new.contains("max_async_lvl = 2  # cfg: ignore[PRL1"), "{new}");
        assert!(new.lines().nth(1).is_some_and(|line| line.ends_with("] reason: ")), "{new}");
        assert_eq!(crate::testing::analysis(&new).checked.ignored, 1);
    }

    #[test]
    fn a_repair_is_offered_at_each_place_of_its_line() {
        let analysis = analysis("max_stepps = 3 # why\n[trainer]\n[orchestrator]\n");
        for place in [0, 5, 14, 20] {
            let offered = actions(&Session::default(), &analysis, Span::new(place, place));
            assert!(offered.iter().any(|action| action.title == "rename to `max_steps`"), "{place}: {offered:?}");
        }
        assert_eq!(actions(&Session::default(), &analysis, Span::new(22, 22)), []);
    }

    #[test]
    fn what_is_read_to_ignore_each_of_many_findings_is_bounded() {
        let keys: String =
            (0..150).map(|at| format!("unknown{at} = 1 # {}\n", "x".repeat(4_000))).collect::<Vec<String>>().concat();
        let analysis = analysis(&format!("{keys}[trainer]\n[orchestrator]\n"));
        let offered = actions(&Session::default(), &analysis, Span::new(0, analysis.text.len() as u32));
        let ignoring = offered.iter().filter(|action| action.title.starts_with("ignore ")).count();
        assert_eq!(ignoring, SUPPRESSED_BYTES / analysis.text.len());
    }

    #[test]
    fn only_safe_fixes_are_applied_together() {
        let analysis = analysis("[trainer]\n[orchestrator]\nrollouts_per_example = 8\nbatch_sz = 16\n");
        let all = fix_all(&Session::default(), &analysis).expect("one is certain, the other likely");
        assert!(all.title.contains("1 finding)"), "{}", all.title);
        assert!(after(&analysis, &all).ends_with("group_size = 8\nbatch_sz = 16\n"));
    }

    #[test]
    fn the_inserted_text_is_found() {
        assert_eq!(insertion("a = [1]\n", "a = [1]  # cfg: ignore[X]\n"), Some((7, "  # cfg: ignore[X]")));
        assert_eq!(insertion("# é\n", "# cfg: ignore-file[X]\n# é\n"), Some((0, "# cfg: ignore-file[X]\n")));
        assert_eq!(insertion("a # cfg: ignore[X]", "a # cfg: ignore[X, Y]"), Some((17, ", Y")));
        assert_eq!(insertion("ab", "ab"), None);
    }
}
