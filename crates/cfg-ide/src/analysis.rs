//! One version of one text, with all its results.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use cfg_check::{
    BaselineTexts, Certainty, Checked, CheckedCommand, Command, CommandRequest, Family, Fragment, Held, Project, Request,
    Session, guess_kind,
};
use cfg_compose::{Integer, Origin, Tree};
use cfg_diag::{Diagnostic, FileId, LineIndex, Location, PositionEncoding, Severity, Span, codes};
use cfg_plan::{Metadata, Plan};
use cfg_repair::Subject;
use cfg_resolve::{Resolved, ResolvedValue};
use cfg_schema::{Kind, Schema, Target};
use cfg_syntax::{Dialect, Document, MetadataBlock};
use cfg_system::{Overlay, System, tidy};

use crate::{
    Action,
    memory::Memory,
    place::{self, PathSegment},
};

/// The text to analyse, and its surroundings.
pub struct Source<'a> {
    /// Its path, as the user knows it: it may show the kind.
    pub path: &'a str,
    /// Whether someone has opened or named it, instead of a search in a folder: then it is treated as a config if it can be one.
    pub named: bool,
    /// The text.
    pub text: String,
    /// The kind, if the user states it for all files.
    pub kind: Option<Kind>,
    /// The target, if the user states it for all files.
    pub target: Option<Target>,
    /// The settings of the project that rules use.
    pub project: Arc<Project>,
    /// The system for files that the text includes, and for those that include it; `None` if it is analysed alone.
    pub system: Option<&'a Arc<dyn System>>,
}

/// Another text of a config, or of its run.
pub struct Part {
    /// Its id in locations.
    pub file: FileId,
    /// Its path, derived from the file that names it.
    pub path: String,
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: LineIndex,
    document: OnceLock<Document>,
}

/// A text that has been parsed and checked.
pub struct Analysis {
    /// Its id in locations.
    pub file: FileId,
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: LineIndex,
    /// The parsed text.
    pub document: Document,
    /// Its metadata block.
    pub metadata: Option<MetadataBlock>,
    /// Its metadata.
    pub stated: Metadata,
    /// Its findings and its resolved values, together with the files that it includes.
    pub checked: Checked,
    /// The other files of the config: those that it includes by `toml_files`, directly or through others, or the one that includes it.
    pub parts: Vec<Part>,
    /// The path of the config that includes it, if there is one.
    pub whole: Option<String>,
    /// Whether the project's scripts start it with other files or flags, so that these were checked with it.
    pub is_launched: bool,
    /// The other files of its run, if the processes are started separately.
    pub split: Vec<Part>,
    /// The options of this check, to check another text in its place.
    options: CheckOptions,
    repaired: OnceLock<Option<Action>>,
    pub(crate) path: String,
    pub(crate) project: Arc<Project>,
    /// The composed values, if there are several files.
    pub(crate) tree: Option<Tree>,
    plan: OnceLock<Option<Box<Plan>>>,
    memory: OnceLock<Option<Box<Memory>>>,
}

/// What was stated for an analysed text.
struct CheckOptions {
    named: bool,
    kind: Option<Kind>,
    target: Option<Target>,
    project: Arc<Project>,
    system: Option<Arc<dyn System>>,
}

impl Part {
    fn new(file: FileId, path: String, text: String) -> Self {
        Self { file, path, lines: LineIndex::new(&text), text, document: OnceLock::new() }
    }

    /// The parsed text.
    pub fn document(&self) -> &Document {
        self.document.get_or_init(|| cfg_syntax::parse(self.file, &self.text, Dialect::Toml11).0)
    }
}

impl Analysis {
    /// Parses and checks a text.
    pub fn new(session: &Session, source: Source<'_>) -> Self {
        Self::holding(session, source, None)
    }

    /// As [`Self::new`], for the target of an earlier form of the text, if nothing states one.
    fn holding(session: &Session, source: Source<'_>, held: Option<&Held>) -> Self {
        let Source { path, named, text, kind, target, project, system } = source;
        let file = FileId(0);
        let options =
            CheckOptions { named, kind, target: target.clone(), project: Arc::clone(&project), system: system.map(Arc::clone) };
        let request =
            Request { file, named, kind, target: target.clone(), held, project: Some(&project), ..Request::new(path, &text) };
        let (mut checked, document, stated) = cfg_check::check_document(session, request);
        let split = std::mem::take(&mut checked.split);
        let whole = system.filter(|_| checked.may_be_part()).and_then(|system| includer(session, system, path));
        let mut analysis = Self {
            file,
            lines: LineIndex::new(&text),
            metadata: document.metadata_block(&text),
            document,
            stated,
            checked,
            parts: Vec::new(),
            whole: None,
            is_launched: false,
            split: split.into_iter().map(|other| Part::new(other.file, other.path, other.text)).collect(),
            options,
            repaired: OnceLock::new(),
            path: path.to_owned(),
            project,
            tree: None,
            plan: OnceLock::new(),
            memory: OnceLock::new(),
            text,
        };
        if let Some(system) = system {
            let is_alone = whole.is_none() && kind.is_none() && !analysis.checked.has_includes;
            if is_alone && analysis.launch(session, system, target.as_ref()) {
                // Its launches have said what is to be said.
            } else if analysis.checked.has_includes || whole.is_some() {
                analysis.compose(session, system, whole, kind, target);
            } else if kind.is_none() && analysis.stated.kind.is_none() && analysis.checked.is_part() {
                analysis.complete(session, system, target.as_ref());
            }
        }
        analysis.checked.diagnostics.iter_mut().for_each(soften);
        analysis
    }

    /// Checks a config that only overrides another one with the files that complete it.
    fn complete(&mut self, session: &Session, system: &Arc<dyn System>, target: Option<&Target>) {
        let with_own = Overlay::with(Arc::clone(system), Path::new(&self.path), self.text.as_bytes());
        let (path, text, project) = (&*self.path, &*self.text, Some(&*self.project));
        let part = Fragment { session, system: &with_own, path, text, target, project };
        match cfg_check::complete(part, &mut self.checked) {
            Some(completed) => {
                self.adopt(session, completed.command);
            }
            None if self.text.trim().is_empty() => {
                // A file in which nothing is written yet overrides nothing: it is about to become a config.
                self.checked.diagnostics.retain(|found| found.code != &codes::UNKNOWN_BASE);
            }
            None => {}
        }
    }

    /// Checks it together with the other files of the config: it includes them, or a `whole` includes it.
    fn compose(
        &mut self,
        session: &Session,
        system: &Arc<dyn System>,
        whole: Option<(String, Arc<Project>)>,
        kind: Option<Kind>,
        target: Option<Target>,
    ) {
        let with_own = Overlay::with(Arc::clone(system), Path::new(&self.path), self.text.as_bytes());
        let (first, project) = match &whole {
            Some((whole, project)) => (whole, project),
            None => (&self.path, &self.project),
        };
        let request = CommandRequest {
            command: Command::Files(std::slice::from_ref(first)),
            environment: &[],
            kind,
            target,
            project: Some(project),
            system: &with_own,
        };
        let together = cfg_check::check_command(session, &request);
        if self.adopt(session, together)
            && let Some((whole, project)) = whole
        {
            (self.whole, self.project) = (Some(whole), project);
        }
    }

    /// Uses the result of a check together with other files. Returns whether it is one of these.
    pub(crate) fn adopt(&mut self, session: &Session, together: CheckedCommand) -> bool {
        let CheckedCommand { checked, texts, files, tree } = together;
        // The files of a launch are named from the folder in which the program runs.
        let system = session.projects().system();
        let place = |path: &str| tidy(&system.absolute(Path::new(path)));
        let own_path = place(&self.path);
        let is_absolute = Path::new(&self.path).is_absolute();
        let name = |path: &str| if is_absolute { place(path).to_string_lossy().into_owned() } else { path.to_owned() };
        // A path that looks the same as the words around it leads to nothing, and a file may include another one by now: then the text is analysed
        // alone.
        let texts: Vec<_> = files.iter().filter_map(|file| texts.get(*file)).collect();
        let Some(own) = texts.iter().find(|text| place(&text.path) == own_path) else { return false };
        self.file = own.file;
        let parts = texts.iter().filter(|text| text.file != self.file);
        self.parts = parts.map(|text| Part::new(text.file, name(&text.path), text.text.clone())).collect();
        self.split.clear();
        self.tree = Some(tree);
        self.stated = session.metadata(self.file, &self.path, &self.text, &self.document).0;
        self.checked = Checked { has_includes: true, ..checked };
        true
    }

    /// The result with another text in its place, with the files around it.
    pub(crate) fn check_again(&self, session: &Session, text: &str) -> Checked {
        let CheckOptions { named, kind, target, project, system } = &self.options;
        let source = Source {
            path: &self.path,
            named: *named,
            text: text.to_owned(),
            kind: *kind,
            target: target.clone(),
            project: Arc::clone(project),
            system: system.as_ref(),
        };
        let mut again = Self::holding(session, source, Held::of(&self.checked).as_ref());
        let judged = again.whole.as_deref().unwrap_or(&self.path);
        session.projects().apply_lint(Path::new(judged), &[], &[], &mut again.checked.diagnostics, |_| false);
        again.hide_accepted(session);
        again.checked
    }

    /// Removes the findings that the baseline of the project accepts.
    pub fn hide_accepted(&mut self, session: &Session) {
        let mut diagnostics = std::mem::take(&mut self.checked.diagnostics);
        let get = |file| {
            let part = || self.parts.iter().chain(&self.split).find(|part| part.file == file);
            if file == self.file { Some((&*self.path, &*self.text)) } else { part().map(|part| (&*part.path, &*part.text)) }
        };
        let reported = Path::new(self.whole.as_deref().unwrap_or(&self.path));
        session.projects().hide_accepted(BaselineTexts { reported, get: &get }, &mut diagnostics);
        self.checked.diagnostics = diagnostics;
    }

    /// All safe repairs, applied as by `cfg check --fix`; computed once.
    pub(crate) fn repaired(&self, session: &Session) -> Option<&Action> {
        let all = || {
            let CheckOptions { named: _, kind, target, project, .. } = &self.options;
            let subject = Subject { kind: *kind, target: target.clone(), ..Subject::new(session, &self.path, project) };
            crate::actions::repair_all(self, subject)
        };
        self.repaired.get_or_init(all).as_ref()
    }

    /// Whether it is the file of another program, for which nothing is reported. The line at `at` is unfinished, and is ignored.
    pub fn is_others(&self, at: Option<u32>) -> bool {
        if self.checked.is_config {
            return false;
        }
        let before = at.map_or(self.text.len(), |at| cfg_diag::line_start(&self.text, at as usize));
        let behind = self.text[before..].find('\n').map_or(self.text.len(), |newline| before + newline);
        let rest = [&self.text[..before], &self.text[behind..]].concat();
        let (document, _) = cfg_syntax::parse(self.file, &rest, Dialect::Toml11);
        match guess_kind(self.history(), &self.path, &document, true) {
            Family::Unclear => !document.root.entries.is_empty(),
            guess => matches!(guess, Family::OtherProgram(_)),
        }
    }

    /// The bytes of a location in this text; `None` for one in another text.
    pub fn own(&self, location: Location) -> Option<Span> {
        (location.file == self.file).then_some(location.span)
    }

    /// The part that contains a location.
    pub fn part(&self, location: Location) -> Option<&Part> {
        self.parts.iter().chain(&self.split).find(|part| part.file == location.file)
    }

    /// Its plan; `None` if its kind is unknown.
    pub fn plan(&self) -> Option<&Plan> {
        let lower = || Some(Box::new(Plan::new(self.schema(), self.checked.resolved.as_ref()?)));
        self.plan.get_or_init(|| self.checked.kind.and_then(|_| lower())).as_deref()
    }

    /// The contents of its GPUs; `None` if prime-rl refuses it, or model or card are unknown.
    pub fn memory(&self) -> Option<&Memory> {
        self.memory.get_or_init(|| Memory::of(self).map(Box::new)).as_deref()
    }

    /// Whether a program other than prime-rl reads it, if known.
    pub fn is_of_other_program(&self) -> bool {
        self.checked.of_verifiers.is_some() || self.checked.of_script.is_some() || self.checked.of_dialect.is_some()
    }

    /// The target of the help, in words, with its source.
    pub fn target_in_words(&self) -> String {
        let checked = &self.checked;
        let target = &checked.target;
        let here = Path::new(&self.path).parent().unwrap_or(Path::new(""));
        match &checked.certainty {
            _ if checked.is_of_other() || checked.own.is_some() => {}
            Certainty::Unknown => return "prime-rl, version unknown".to_owned(),
            Certainty::Read(source) => return format!("prime-rl {target} ({})", source.describe(here)),
            _ => {}
        }
        checked.target_in_words(here).unwrap_or_else(|| format!("prime-rl {target}"))
    }

    /// The history for the check.
    pub const fn history(&self) -> cfg_schema::History {
        self.checked.target.history
    }

    /// The documentation of a field.
    pub(crate) fn documentation(&self, node: cfg_schema::Node) -> Option<&'static str> {
        node.doc(self.checked.target.point)
    }

    /// The schema for the check. A file of unknown kind is treated as one of `rl`.
    pub fn schema(&self) -> Schema {
        self.checked.target.schema(self.checked.kind.unwrap_or(Kind::Rl))
    }

    /// prime-rl's value at a path, if something was given or assigned there.
    pub(crate) fn resolved_at(&self, path: &[PathSegment]) -> Option<&Resolved> {
        let mut table = self.checked.resolved.as_ref()?;
        let mut steps = path.iter().peekable();
        loop {
            let PathSegment::Key(key) = steps.next()? else { return None };
            let (node, _) = table.node.field_for_key(key, self.checked.target.point)?;
            let mut resolved = &table.fields.find(node)?.resolved;
            while let Some(PathSegment::Index(index)) = steps.peek() {
                let ResolvedValue::List(items) = &resolved.value else { return None };
                resolved = items.get(*index)?;
                steps.next();
            }
            if steps.peek().is_none() {
                return Some(resolved);
            }
            let ResolvedValue::Table(inner) = &resolved.value else { return None };
            table = inner;
        }
    }

    /// prime-rl's effective value for a written one, if they differ.
    pub(crate) fn effective(&self, path: &[PathSegment]) -> Option<String> {
        let resolved = self.resolved_at(path)?;
        let shown = shown(&resolved.value)?;
        let written = place::value(&self.document.root, path)?;
        if self.text[written.span.range()] == shown {
            return None;
        }
        let why = match resolved.origin {
            Origin::Check(derivation) => format!("; prime-rl sets it itself ({})", derivation.name),
            _ => String::new(),
        };
        Some(format!("prime-rl takes it as `{shown}`{why}"))
    }

    pub(crate) fn is_same_line(&self, one: Span, other: Span) -> bool {
        let line = |span: Span| self.lines.line_column(&self.text, span.start, PositionEncoding::Utf8).line;
        line(one) == line(other)
    }
}

/// A registered config that is being edited has no version yet: that is an error when it is committed, but not while it is edited. The settings are
/// applied later, and take precedence.
fn soften(found: &mut Diagnostic) {
    if found.code == &codes::UNBUMPED_CHANGE {
        found.severity = Severity::Info;
    }
}

/// The config that includes one by `toml_files`, with its project's settings.
fn includer(session: &Session, system: &Arc<dyn System>, path: &str) -> Option<(String, Arc<Project>)> {
    let whole = session.projects().includer(Path::new(path))?;
    let mut project = Project::around(session.projects(), &whole);
    project.nearby = project.nearby.read_on(system);
    Some((whole.to_string_lossy().into_owned(), Arc::new(project)))
}

/// A plain value in TOML notation; `None` for tables and arrays.
pub(crate) fn shown(value: &ResolvedValue) -> Option<String> {
    Some(match value {
        ResolvedValue::Bool(boolean) => boolean.to_string(),
        ResolvedValue::Int(Integer::Small(small)) => small.to_string(),
        ResolvedValue::Int(Integer::Big(digits)) => digits.to_string(),
        ResolvedValue::Float(float) => format!("{float:?}"),
        ResolvedValue::Str(text) => format!("{text:?}"),
        ResolvedValue::Null => "null".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cfg_check::Session;
    use cfg_project::Projects;
    use cfg_system::{MemorySystem, System};

    use super::{Analysis, Source};

    /// A server that runs in the folder of the project names the files of a launch as it sees them from there, and its client by their whole paths.
    #[test]
    fn a_launch_is_that_of_a_document_wherever_the_server_runs() {
        let base = "[trainer]\n[orchestrator]\n";
        let part = "# uv run rl @ rl.toml @ part.toml\n[slurm]\njob_name = \"x\"\n";
        let system: Arc<dyn System> = Arc::new(MemorySystem::with_files([("r/rl.toml", base), ("r/part.toml", part)]));
        let session = Session::new(Arc::new(Projects::new(Arc::clone(&system), None)));
        for path in ["/r/part.toml", "r/part.toml"] {
            let text = part.to_owned();
            let source =
                Source { path, named: true, text, kind: None, target: None, project: Arc::default(), system: Some(&system) };
            let analysis = Analysis::new(&session, source);
            let parts: Vec<&str> = analysis.parts.iter().map(|part| &*part.path).collect();
            assert_eq!(parts, [path.replace("part", "rl")], "{:?}", analysis.checked.diagnostics);
        }
    }
}
