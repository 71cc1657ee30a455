//! Asks for the reason of a new version in the user's editor, as `git commit` does.

use std::io::{self, IsTerminal as _};

use cfg_diag::word;
use cfg_project::editor;
use cfg_system::{Admission, NewMode, Program, Role};

use super::{Made, Opened, Reader, Unmade, failed, plan, tell};
use crate::{args::Bump, context::Context, progress};

/// The name of the file with the reason: editors know the names of git's messages.
const FILE: &str = "COMMIT_EDITMSG";

/// What stands for the reason until it is known.
pub(super) const UNKNOWN: &str = "?";

/// The reason, from the editor; the error says why there is none.
pub(super) fn asked_for(reader: &Reader, opened: &Opened, asked: &Bump) -> Result<String, Unmade> {
    let cx = &reader.cx;
    // What can't be registered needs no reason.
    let (made, _) = plan(reader, opened, asked, UNKNOWN)?;
    let editor = if has_person(cx) { editor(&*cx.system, &opened.base) } else { None };
    let Some(editor) = editor else { return Err(failed(what_to_write(asked, &made))) };
    let text = edited(cx, &editor, &template(asked, &made)).map_err(failed)?;
    let why = written(&text);
    if why.is_empty() { Err(failed("nothing was registered, because the reason is empty".to_owned())) } else { Ok(why) }
}

/// Whether someone sees an editor.
fn has_person(cx: &Context) -> bool {
    !cx.is_for_program() && cx.host().is_interactive() && io::stdout().is_terminal()
}

/// The message where there is no editor.
fn what_to_write(asked: &Bump, made: &Made) -> String {
    let edits: Vec<String> = tell::lines(asked, made).iter().skip(1).map(|line| line.trim().to_owned()).collect();
    let changes = if edits.is_empty() { String::new() } else { format!(" ({})", edits.join("; ")) };
    let word = word(&asked.path.to_string_lossy()).into_owned();
    format!(
        "say what changed and why: `cfg bump {word} -m \"why\"` registers {} of {}{changes}; in a terminal, it opens the editor of \
         git's `core.editor`, `VISUAL` or `EDITOR`",
        made.planned.to,
        cfg_diag::one_line(&made.key)
    )
}

/// What the editor shows.
fn template(asked: &Bump, made: &Made) -> String {
    let to = &made.planned.to;
    let mut lines = vec![
        format!("Say above what changed, and why. It is kept as `notes` of {to}, and shown by `cfg log`."),
        "Lines that begin with # are left out, and without any other line nothing is registered.".to_owned(),
        String::new(),
    ];
    lines.extend(tell::lines(asked, made));
    lines.extend(made.hints().iter().map(|hint| format!("note: {}", cfg_diag::one_line(hint))));
    let comments = lines.iter().map(|line| if line.is_empty() { "#\n".to_owned() } else { format!("# {line}\n") });
    format!("\n{}", comments.collect::<String>())
}

/// The reason in an edited text.
fn written(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

/// A text after the user has edited it.
fn edited(cx: &Context, editor: &[String], text: &str) -> Result<String, String> {
    let Some((name, words)) = editor.split_first() else { return Err("the name of the editor is empty".to_owned()) };
    let fault = |error: io::Error| format!("the editor `{name}` can't be used: {error}; state the reason with -m");
    let folder = cx.writer.temporary_folder("cfg-bump-").map_err(fault)?;
    let path = folder.path().join(FILE);
    cx.system.admit(&path, Admission::Alone);
    cx.writer.create(&path, text.as_bytes(), NewMode::Private).map_err(fault)?;
    progress::end();
    let program = Program::new(name).arguments(words).arguments([&path]);
    match cx.host().execute(&program, None, &mut |_| ()) {
        Ok(true) => {}
        Ok(false) => return Err(format!("nothing was registered, because the editor `{name}` failed")),
        Err(error) => return Err(fault(error)),
    }
    let bytes = cx.system.read(&path, Role::Config).map_err(fault)?;
    String::from_utf8(bytes).map_err(|_| "nothing was registered, because the reason is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn comments_are_no_reason() {
        for (text, expected) in [
            ("\n# a.toml: v1 -> v2\n", ""),
            ("longer\n# a.toml: v1 -> v2\n", "longer"),
            ("\nlonger  \n\nbecause of #3\n#\n# note\n", "longer\n\nbecause of #3"),
            ("longer\r\n# x\r\n", "longer"),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
    }
}
