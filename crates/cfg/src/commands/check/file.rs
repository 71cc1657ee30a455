//! The stages of checking one text: it is checked, edited if requested, completed by the config of which it is a part, and reported.

use std::{borrow::Cow, io, path::Path};

use cfg_check::{Checked, CheckedCommand, Command, Doubt, Launches, Own, Project, Texts};
use cfg_diag::{Diagnostic, FileId, Severity, codes};
use cfg_project::{BaselineTexts, is_yaml};
use cfg_repair::Subject as Repairable;
use cfg_report::{Sources, json::FixesMade};
use cfg_system::tidy;

use super::{Done, Job, edit::Edited, report::CheckedFor, worse};
use crate::{Outcome, commands::registry::staged::explain_unstaged};

/// The source of a text.
pub(super) struct Given<'a> {
    pub(super) path: &'a Path,
    /// Whether the user named it; otherwise it was found in a folder.
    pub(super) is_explicit: bool,
    /// Whether it is standard input.
    pub(super) is_stdin: bool,
}

/// The text of a path: whether all of it is Unicode is found out faster than what is not.
fn name_of(path: &Path) -> Cow<'_, str> {
    path.to_str().map_or_else(|| path.to_string_lossy(), Cow::from)
}

impl Job<'_> {
    pub(super) fn file(&self, given: &Given<'_>, bytes: Vec<u8>) -> io::Result<Done> {
        let Given { path, is_explicit, is_stdin } = *given;
        let name = name_of(path);
        let original = self.check.control.edits().then(|| bytes.clone());
        let (mut text, encoding) = cfg_syntax::decode(FileId(0), bytes);
        // A text without a name is YAML if it can't be TOML.
        let is_yaml =
            if self.has_place(given) { is_yaml(path) && !self.is_in_dialect(path) } else { cfg_check::is_yaml_text(&text) };
        if is_yaml {
            let instead = original.filter(|_| is_stdin && !self.check.control.diff).map(|_| text);
            return Ok(Done { instead, ..self.yaml(&name)? });
        }
        let mut checked = self.check_at(path, &text, encoding, is_explicit);
        let includer = self.includer(path, &checked);
        let mut done = Done::new(None, Outcome::Clean);
        if !checked.is_config && !is_explicit && includer.is_none() {
            done.doubt = checked.doubt.map(|doubt| (doubt, name.to_string()));
            if self.check.control.verbose {
                let why = match checked.doubt {
                    Some(Doubt::CommonKeys) => "many programs have such keys, and no other file in its folder is a config",
                    Some(Doubt::NotToml) => "it can't be read as TOML",
                    None => "prime-rl has few or none of its keys",
                };
                done.left.push(format!("{name} is not checked: {why}; name it to check it"));
            }
            return Ok(done);
        }
        if self.check.control.show_files {
            done.instead = Some(format!("{}\n", cfg_diag::one_line(&name)));
            return Ok(done);
        }
        let mut launches = if includer.is_none() { self.launches(given, &text, &checked) } else { Launches::default() };
        if checked.has_includes && includer.is_none() {
            if launches.checks.is_empty() {
                return self.command(&name, Command::Files(&[name.to_string()]));
            }
            let CheckedCommand { checked, texts, .. } = self.check_composed(&name, Command::Files(&[name.to_string()]));
            self.report_launched(given, &launches, Some(checked), texts, &mut done)?;
            return Ok(done);
        }
        if let Some(original) = original.filter(|_| !checked.has_includes) {
            if self.check.control.add_ignore.is_some() {
                self.leave_what_others_complete(given, &text, &launches, &mut checked);
            }
            let is_edited = self.fix(given, &original, &mut text, &mut checked, &mut done);
            if !launches.checks.is_empty() && is_edited {
                launches = self.launches(given, &text, &checked);
            }
        }
        if let Some(includer) = includer {
            return Ok(done.merge_report(self.included(path, &includer)?));
        }
        if self.is_reported_with(&launches, &checked, &name, &text) {
            let mut texts = Texts::default();
            texts.add(&name, text);
            for other in &checked.split {
                texts.add(&other.path, other.text.clone());
            }
            self.report_launched(given, &launches, Some(checked), texts, &mut done)?;
            return Ok(done);
        }
        if let Some(launched) = self.complete(given, &text, &mut checked)? {
            return Ok(done.merge_report(launched));
        }
        self.report_alone(given, &text, checked, &mut done)?;
        Ok(done)
    }

    /// Removes the findings that only checking a file alone gives, although it is a part of a launch or of a config with others: there, nothing is ignored
    /// with them.
    fn leave_what_others_complete(&self, given: &Given<'_>, text: &str, launches: &Launches, checked: &mut Checked) {
        let name = name_of(given.path);
        let is_part = self.is_part(checked, &name, text);
        if let Some(together) = self.with_launches(given, text, launches, checked) {
            checked.diagnostics = together;
        } else if is_part && self.completed_by(checked, &name, text).is_some() {
            checked.diagnostics.retain(|found| found.code != &codes::MISSING_KEY);
        }
    }

    /// Whether a file is reported with its launches. A part whose launches all have unknown words is completed by what is known of them.
    fn is_reported_with(&self, launches: &Launches, checked: &Checked, name: &str, text: &str) -> bool {
        let is_whole = || launches.is_only_part(checked.is_part()) || !self.is_part(checked, name, text);
        !launches.checks.is_empty() && is_whole()
    }

    /// The findings in a file itself that are reported with it because of its launches; `None` if it has none, or is completed by other files. `checked` is
    /// the result of checking it alone.
    pub(super) fn with_launches(
        &self,
        given: &Given<'_>,
        text: &str,
        launches: &Launches,
        checked: &Checked,
    ) -> Option<Vec<Diagnostic>> {
        let name = name_of(given.path);
        if !self.is_reported_with(launches, checked, &name, text) {
            return None;
        }
        let place = tidy(&self.cx.system.absolute(given.path));
        let mut texts = Texts::default();
        texts.add(&name, text.to_owned());
        let alone = self.check_at(given.path, text, Vec::new(), given.is_explicit);
        let own = Own { place: &place, path: &name, alone: Some(alone), texts };
        let (together, _) = launches.combine(own, &|_, at| at.is_some_and(|at| *at == *place))?;
        Some(together.diagnostics.into_iter().filter(|found| found.location.is_none_or(|at| at.file == FileId(0))).collect())
    }

    /// Whether a text has a path. Standard input without a given name is not in any folder.
    pub(super) fn has_place(&self, given: &Given<'_>) -> bool {
        !given.is_stdin || self.check.stdin_filename.is_some()
    }

    /// Edits the text according to the command line, and checks the new text. Returns whether there is one.
    fn fix(&self, given: &Given<'_>, original: &[u8], text: &mut String, checked: &mut Checked, done: &mut Done) -> bool {
        let Given { path, is_explicit, is_stdin } = *given;
        match self.edit((!is_stdin).then_some(path), path, original, checked) {
            Edited::Unchanged(left) => {
                let is_fixing = self.check.control.edits() && self.check.control.add_ignore.is_none();
                (done.left, done.fixed) = (left, is_fixing.then(FixesMade::default));
                false
            }
            Edited::Written(new, count, left, fixed) => {
                *checked = self.check_at(path, &new, Vec::new(), is_explicit);
                (*text, done.edits, done.left, done.fixed) = (new, count, left, fixed);
                true
            }
            Edited::Shown(shown, count, left, fixed) => {
                (done.left, done.edits) = (left, count);
                let is_new_text = is_stdin && !self.check.control.diff;
                if is_new_text {
                    *checked = self.check_at(path, &shown, Vec::new(), is_explicit);
                    text.clone_from(&shown);
                }
                if is_new_text && self.cx.is_for_program() {
                    done.fixed = Some(FixesMade { text: Some(shown), ..fixed.unwrap_or_default() });
                } else {
                    done.instead = Some(shown);
                }
                is_new_text
            }
            Edited::Failed => {
                done.outcome = Outcome::Failed;
                false
            }
        }
    }

    /// Completes a file that is a part of another config: returns the report of the launch to which it belongs, or removes the findings that only
    /// exist because it is a part.
    fn complete(&self, given: &Given<'_>, text: &str, checked: &mut Checked) -> io::Result<Option<Done>> {
        let name = name_of(given.path);
        if !self.has_place(given) || !self.is_part(checked, &name, text) {
            return Ok(None);
        }
        self.completed_by(checked, &name, text).map(|completed| self.completed(given, completed)).transpose()
    }

    /// Reports the findings of checking the file alone.
    fn report_alone(&self, given: &Given<'_>, text: &str, mut checked: Checked, done: &mut Done) -> io::Result<()> {
        let Given { path, is_explicit, .. } = *given;
        let name = name_of(path);
        if let Some(disk) = &self.disk {
            explain_unstaged(&**disk, path, text, &mut checked.diagnostics);
        }
        done.accepted = {
            let of_split = |file| checked.split.iter().find(|other| other.file == file);
            let get = |file| {
                let own = (file == FileId(0)).then_some((&*name, text));
                own.or_else(|| of_split(file).map(|other| (&*other.path, &*other.text)))
            };
            let texts = BaselineTexts { reported: path, get: &get };
            self.baselines.hide(self.session.projects(), texts, &mut checked.diagnostics)
        };
        if !self.is_quiet {
            self.offer(path, text, is_explicit, &mut checked);
        }
        let is_unreadable = checked.diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::UNREADABLE_FILE);
        let outcome = if is_unreadable { Outcome::Failed } else { self.judge(&checked.diagnostics) };
        done.outcome = worse(done.outcome, outcome);
        let late = self.defer_shared(path, is_explicit, &mut checked);
        let mut sources = Sources::single(&name, text);
        for other in &checked.split {
            sources.insert(other.file, &other.path, &other.text);
        }
        done.rendered = Some(self.render_fixed(&name, &sources, &checked, done.fixed.as_ref())?);
        done.late = Some((path.to_owned(), late));
        done.target = CheckedFor::of(&*self.cx.system, &checked);
        done.note_open(&name, &checked);
        if self.check.control.statistics {
            done.diagnostics = checked.diagnostics;
        }
        Ok(())
    }

    /// Checks a text as the content of a file, with the settings of the file's project.
    pub(super) fn check_at(&self, path: &Path, text: &str, encoding: Vec<Diagnostic>, is_explicit: bool) -> Checked {
        let project = self.project_among_inputs(path);
        self.subject(&name_of(path), &project, is_explicit).check(text, encoding)
    }

    /// The input for checking a file.
    pub(super) fn subject<'a>(&'a self, path: &'a str, project: &'a Project, named: bool) -> Repairable<'a> {
        let control = &self.check.control;
        Repairable {
            session: &self.session,
            path,
            named,
            kind: self.cx.common.kind(),
            script: self.cx.common.script(),
            target: self.target.clone(),
            held: None,
            project,
            select: &control.select,
            ignore: &control.ignore,
            // Fixes are also made, or counted, of what is not shown.
            shown: if control.edits() || self.is_quiet { Severity::Info } else { self.shown() },
        }
    }

    /// Keeps only those proposed fixes of shown findings that improve the file when they are applied to a copy.
    fn offer(&self, path: &Path, text: &str, is_explicit: bool, checked: &mut Checked) {
        if !checked.diagnostics.iter().any(|found| found.severity >= self.shown()) {
            checked.diagnostics.iter_mut().for_each(|found| found.fix = None);
            return;
        }
        let project = self.project_among_inputs(path);
        let path = name_of(path);
        let subject = self.subject(&path, &project, is_explicit).holding(checked);
        let check = |text: &str| {
            let mut tried = subject.trial(text);
            let get = |file| (file == FileId(0)).then_some((&*path, text));
            let texts = BaselineTexts { reported: Path::new(&*path), get: &get };
            self.baselines.hide_in_trial(self.session.projects(), texts, &mut tried.diagnostics);
            tried
        };
        cfg_repair::offer_all(FileId(0), text, checked, self.wanted, self.shown(), &check);
    }
}
