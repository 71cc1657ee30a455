//! Checks what a command starts: several files, arguments and variables, composed.

mod evaluation;
mod flags;
mod inferred;
mod program;
mod stated;
mod variables;
mod words;
mod written;

use std::{borrow::Cow, path::Path};

use cfg_compose::{CommandLine, Composed, Input, Launch, Table, Text, Texts, Tree, Word, WrittenLaunch, compose, loader};
use cfg_diag::{Diagnostic, FileId, Location, codes};
use cfg_plan::Metadata;
use cfg_rules::{Project, launch::Variable};
use cfg_schema::{Kind, Target};
use cfg_syntax::Dialect;
use cfg_system::System;

use crate::{
    Certainty, Checked, Family, Session, Verdict,
    finish::finish,
    hosted,
    identity::{
        family::{guess_kind_of, kind_of_place, other_program::config_of_program},
        infer,
        version::{self, Settled},
    },
    lm_eval, no_launch, own_program, rules, several, suppress, unchecked,
    values::{ConfigText, Values, schema_checks},
    verifiers,
};
pub use written::Written;

use flags::config_at;
pub(crate) use flags::help_with_flags;
use inferred::as_inferred;
use stated::{CommandMetadata, command_metadata};
use variables::variables;
use words::file_words;
pub(crate) use words::words_of_files;

/// The file name of the command line in diagnostics.
pub const COMMAND_LINE: &str = "<command line>";

/// The file name of the environment in diagnostics.
pub const ENVIRONMENT: &str = "<environment>";

/// The input of the composition.
#[derive(Clone, Copy)]
pub enum Command<'a> {
    /// The words of a launch command, such as `uv run rl @ a.toml --max-steps 5`.
    Words(&'a [String]),
    /// Files, in the order in which they are merged.
    Files(&'a [String]),
    /// A launch in a text, whose files are named as they are to be read.
    Written(Written<'a>),
}

/// The input of a check of a command.
pub struct CommandRequest<'a> {
    /// The command.
    pub command: Command<'a>,
    /// The environment variables that may set values, as name and value. Variables before a command are in its words.
    pub environment: &'a [(String, String)],
    /// The kind, if the user states it.
    pub kind: Option<Kind>,
    /// The target, if the user states it.
    pub target: Option<Target>,
    /// The settings of the config's project, for rules.
    pub project: Option<&'a Project>,
    /// The system on which files are read.
    pub system: &'a dyn System,
}

/// A checked command.
pub struct CheckedCommand {
    /// The result. The diagnostics point into `texts`.
    pub checked: Checked,
    /// The command line, the environment if it was read, and all files.
    pub texts: Texts,
    /// The files that were merged, in their order.
    pub files: Vec<FileId>,
    /// The composed values, before prime-rl changes anything.
    pub tree: Tree,
}

/// Composes the files and arguments of a command, and checks the result.
pub fn check_command(session: &Session, request: &CommandRequest<'_>) -> CheckedCommand {
    let mut texts = Texts::default();
    let mut launches = Vec::new();
    let line = match request.command {
        Command::Words(words) => {
            let line = CommandLine::new(texts.next_id(), words);
            launches = line.launches();
            line.started(request.system)
        }
        Command::Files(files) => CommandLine::new(texts.next_id(), files.iter().flat_map(|file| ["@", file])),
        Command::Written(written) => written.line(texts.next_id()),
    };
    texts.add(if let Command::Written(written) = request.command { written.path } else { COMMAND_LINE }, line.text.clone());
    let is_open = request.kind.is_none();
    let of_files = || own_program::command::of_files(session, &request.command, &line, &mut texts, request.system);
    let own = is_open.then(of_files).flatten();
    let is_own = own.as_ref().is_some_and(|own| own.class().is_some() || own.known().is_some());
    if let Command::Words(_) = request.command
        && is_open
        && !is_own
        && let Some((checked, files, tree)) = verifiers::command::check(session, &line.words, &mut texts, request)
    {
        return CheckedCommand { checked, texts, files, tree };
    }
    if let Command::Words(_) = request.command
        && !is_own
        && let Some(checked) = lm_eval::check(session, &line.words)
    {
        return CheckedCommand { checked, texts, files: Vec::new(), tree: Tree::default() };
    }
    let is_words = matches!(request.command, Command::Words(_)) && is_open;
    let own = own.or_else(|| is_words.then(|| own_program::command::of_words(session, &line.words)).flatten());
    if let Some(started) = &own
        && let Some(class) = started.class()
    {
        let (checked, files, tree) = own_program::command::check(session, started, class, &line, &mut texts, request.system);
        return CheckedCommand { checked, texts, files, tree };
    }
    let kind = request.kind.or(own.as_ref().and_then(own_program::command::Started::known));
    let request = &CommandRequest { kind, target: request.target.clone(), ..*request };
    if is_words
        && own.is_none()
        && let Some(found) = no_launch::finding(&line, &Launch::read(&line.words), request.system)
    {
        let mut checked = Checked::unchecked(hosted::settle(session, None, None));
        checked.is_config = false;
        let checked = finish(checked, vec![found], |_| 0);
        return CheckedCommand { checked, texts, files: Vec::new(), tree: Tree::default() };
    }
    let mut result = of_prime_rl(session, request, texts, &line, own.is_some());
    if let Some(only) = only_kind(session, &result) {
        return check_command(session, &CommandRequest { kind: Some(only), target: request.target.clone(), ..*request });
    }
    if let Some(started) = &own {
        own_program::command::explain(started, &mut result.checked, &result.tree);
    }
    if let [others @ .., last] = &launches[..]
        && !others.is_empty()
    {
        result.checked.diagnostics.insert(0, no_launch::others(others, last));
        if result.checked.verdict == Verdict::Ok {
            result.checked.verdict = Verdict::Depends;
        }
    }
    result
}

/// The paths of the files that a launch command names, where they are.
pub fn files_of_command(words: &[String], system: &dyn System) -> Vec<String> {
    let line = CommandLine::new(FileId(0), words).started(system);
    let after_sign = file_words(&line.words).into_iter().filter_map(<[Word]>::last);
    let paths = after_sign.map(|word| word.text.strip_prefix('@').unwrap_or(&word.text).to_owned());
    let others = line.words.iter().filter(|word| word.text.ends_with(".toml") && !word.text.starts_with(['-', '@']));
    let mut files: Vec<String> = paths.filter(|path| !path.is_empty()).collect();
    for other in others.map(|word| word.text.to_string()) {
        if !files.contains(&other) {
            files.push(other);
        }
    }
    files
}

/// The only kind that accepts the files of a command whose keys fit several.
fn only_kind(session: &Session, found: &CheckedCommand) -> Option<Kind> {
    let CheckedCommand { checked, texts, files, tree } = found;
    let is_open = |found: &Diagnostic| found.is_refusal() || found.code == &codes::UNREADABLE_FILE;
    if checked.kinds.is_empty() || checked.is_unknown() || checked.diagnostics.iter().any(is_open) {
        return None;
    }
    let path = files.first().and_then(|file| texts.get(*file)).map_or("", |text| &*text.path);
    several::only(session, path, &checked.kinds, tree, checked)
}

/// What the files of a command are for, by the first one whose place says it, or else by their keys.
fn guessed(session: &Session, paths: &[String], root: &Table) -> Family {
    let path = paths.iter().find(|path| kind_of_place(path).is_some()).or(paths.first());
    guess_kind_of(session.history, &path.map_or_else(Cow::default, |path| session.place(path)), root, true)
}

/// The same for a command that starts prime-rl, or passes a config to its platform, with whether the project has the program.
fn of_prime_rl(
    session: &Session,
    request: &CommandRequest<'_>,
    mut texts: Texts,
    line: &CommandLine,
    has_program: bool,
) -> CheckedCommand {
    let (mut launch, hosted_run, other) = launched(&request.command, line);
    // What the project's own program does with a config is not known.
    launch.stranger = launch.stranger.filter(|_| !has_program);
    let words = hosted_run.as_ref().map_or(&line.words[launch.arguments.clone()], |run| &run.words);
    let variables = variables(&mut texts, line, &launch, request.environment);
    let stated = command_metadata(session, &mut texts, words, request, launch.kind);
    let CommandMetadata { target, is_target_refused, mut diagnostics, paths, metadata, below, .. } = stated;
    let is_target_stated = target.is_some() || is_target_refused;
    let first = paths.first().or(below.as_ref()).map(String::as_str);
    let mut settled = version_of(session, request, &mut texts, target.clone(), is_target_refused, first, metadata.as_ref());
    settled.extend(request.project);
    let composed_for = |texts: &mut Texts, target: &Target, kind: Kind, words: &[Word]| {
        let schema = target.schema(kind);
        compose(texts, &Input { schema, words, variables: &variables, system: request.system, loader: loader::at(target.point) })
    };
    // The kind only decides how the other arguments are read. It is determined from the files.
    let of_files = |texts: &mut Texts| composed_for(texts, &settled.target, Kind::Rl, &words_of_files(words)).tree.root;
    let stated_kind = request.kind.or(launch.kind).or(stated.kind);
    let mut kind = stated_kind.map_or_else(|| guessed(session, &paths, &of_files(&mut texts)), Family::of);
    if let Some(what) = other.filter(|_| request.kind.is_none()) {
        kind = Family::OtherProgram(what);
    }
    if let Family::Hosted(_) = kind {
        let root = of_files(&mut texts);
        kind = Family::Hosted(hosted::kind(&root));
        let source_ref = root.get("source_ref").and_then(|entry| entry.node.value.as_str());
        if !is_target_refused {
            settled = hosted::settle(session, target, source_ref);
            settled.extend(request.project);
        }
    }
    let (mut checked, none) = (Checked::unchecked(settled), Project::default());
    let stated_target = checked.target.clone();
    let read_as = kind.kind().unwrap_or(Kind::Rl);
    let is_of_verifiers = kind == Family::Config(Kind::Eval) && unchecked::is_of_verifiers(&stated_target);
    let known = is_of_verifiers.then(|| evaluation::known_words(words));
    let has_others = known.as_ref().is_some_and(|known| known.len() < words.len());
    let Composed { tree, overlay, late, files, is_partial, diagnostics: found } =
        composed_for(&mut texts, &stated_target, read_as, known.as_deref().unwrap_or(words));
    let about_metadata = std::mem::replace(&mut diagnostics, found);
    let is_partial = is_partial || has_others;
    // A file that could not be read may contain what is missing, and may change the input of rules.
    let is_whole = !is_partial && diagnostics.iter().all(|found| found.code != &codes::UNREADABLE_FILE);
    let mut whole = tree.clone();
    whole.root.lay_over(overlay.clone());
    match kind {
        _ if request.kind.is_none()
            && let Some(unchecked) = program::without_fields(line, &launch, &stated_target) =>
        {
            launch.stranger = None;
            checked.verdict = Verdict::Depends;
            diagnostics.push(unchecked);
        }
        Family::Config(kind) | Family::Hosted(kind)
            if let Some(unchecked) = unchecked::finding(&stated_target, kind, &tree.root) =>
        {
            (checked.kind, checked.verdict) = (Some(kind), Verdict::Depends);
            if !infer::judge_elsewhere(session, &mut checked, kind, &whole, &mut diagnostics) {
                diagnostics.push(unchecked);
            }
        }
        Family::Config(kind) | Family::Hosted(kind) => {
            let mut values = Values { tree, overlay, late };
            if let Some(run) = &hosted_run {
                run.lay_over(&mut values.tree.root);
            }
            let is_told = if kind.is_hosted() {
                files.iter().filter_map(|file| texts.get(*file)).for_each(|text| of_hosted(text, request, &mut diagnostics));
                hosted::checks(session, &mut checked, kind, values, &mut diagnostics)
            } else {
                let text_at = |at: Location| texts.get(at.file)?.text.get(at.span.range()).map(str::to_owned);
                let path = paths.first().map_or("", String::as_str);
                let written = ConfigText { path, text: None, text_at: &text_at, is_held: false };
                schema_checks(session, &mut checked, kind, &written, values, &mut diagnostics)
            };
            let schema = checked.target.schema(kind);
            if let Some(resolved) = checked.resolved.as_ref().filter(|_| !is_told && is_whole) {
                let mut metadata = metadata.unwrap_or_default();
                if launch.kind.is_some() {
                    // The start command is this one, whatever comments state.
                    metadata.usage = vec![as_written_launch(&launch, kind, words)].into();
                }
                let (target, project, later_names) = (&checked.target, request.project.unwrap_or(&none), &checked.later_names);
                let mut found = rules::findings(schema, resolved, &metadata, target, project, None, later_names);
                hosted::remove_platform_findings(kind, &mut found);
                diagnostics.extend(found);
            }
        }
        family => of_no_kind(family, (is_whole, whole.root.entries().is_empty()), &mut checked, &mut diagnostics),
    }
    help_with_flags(line, &mut diagnostics);
    drop_missing_keys(line, is_whole, &mut diagnostics);
    diagnostics.extend(about_metadata);
    diagnostics.extend(about_line(line, &launch, &checked));
    keep_missing_files(line, &mut diagnostics);
    let mut checked = finish(checked, diagnostics, |diagnostics| suppressed(&texts, &files, diagnostics));
    if is_partial && checked.is_accepted() {
        checked.verdict = Verdict::Depends;
        checked.is_left_to_others = false;
    }
    if !is_target_stated && let Certainty::Inferred(_) = checked.certainty {
        return as_inferred(session, request, checked, &paths);
    }
    CheckedCommand { checked, texts, files, tree: whole }
}

/// The prime-rl that a command is for: the stated one, or that of its first file.
fn version_of(
    session: &Session,
    request: &CommandRequest<'_>,
    texts: &mut Texts,
    stated: Option<Target>,
    is_refused: bool,
    first: Option<&str>,
    metadata: Option<&Metadata>,
) -> Settled {
    if is_refused && stated.is_none() {
        return version::refused(session, first.map(Path::new));
    }
    let text = first.and_then(|first| texts.file(first, request.system).ok()).and_then(|file| texts.get(file));
    let text = text.map_or("", |text| &*text.text);
    version::settle(session, stated, &version::Subject { path: first.map(Path::new), text, metadata }, None)
}

/// Reports a command whose files are of no kind, or of several; whether all files were read, and whether they have no keys.
fn of_no_kind(family: Family, (is_whole, is_empty): (bool, bool), checked: &mut Checked, diagnostics: &mut Vec<Diagnostic>) {
    match family {
        Family::OneOf(kinds) => {
            checked.verdict = Verdict::Depends;
            // A file that was not read may show the entrypoint.
            if is_whole {
                diagnostics.insert(0, if is_empty { several::empty_file() } else { several::unclear(&kinds) });
            }
            if !is_empty {
                checked.kinds = kinds;
            }
        }
        Family::Evaluation(_) => unchecked::evaluation(checked, diagnostics),
        Family::OtherProgram(what) => unchecked::no_config(checked, None, Some(what), true, diagnostics),
        Family::Unclear | Family::Config(_) | Family::Hosted(_) => unchecked::no_config(checked, None, None, true, diagnostics),
    }
}

/// Drops findings about missing keys that may be in a file that was not read, or that an argument without an `@` names.
fn drop_missing_keys(line: &CommandLine, is_whole: bool, diagnostics: &mut Vec<Diagnostic>) {
    let is_refused = |found: &Diagnostic| found.code == &codes::UNUSABLE_ARGUMENT || found.code == &codes::UNKNOWN_KEY;
    let is_forgotten = |found: &Diagnostic| is_refused(found) && found.location.is_some_and(|at| config_at(line, at).is_some());
    if !is_whole || diagnostics.iter().any(is_forgotten) {
        diagnostics.retain(|diagnostic| diagnostic.code != &codes::MISSING_KEY);
    }
}

/// The findings in the text of a config for hosted training.
fn of_hosted(text: &Text, request: &CommandRequest<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let document = text.parse(Dialect::Toml10).0;
    hosted::text::check(text.file, &text.text, &document, diagnostics);
    diagnostics.extend(hosted::env_files::missing(request.system, text.file, &text.path, &document));
}

/// Without a file that the command names, prime-rl reads nothing else: only the findings about such files are kept, if there are any.
fn keep_missing_files(line: &CommandLine, diagnostics: &mut Vec<Diagnostic>) {
    let is_of_line = |found: &Diagnostic| line.words.iter().any(|word| Some(word.location) == found.location);
    let is_missing = |found: &Diagnostic| found.code == &codes::UNREADABLE_FILE && found.native.is_some() && is_of_line(found);
    if diagnostics.iter().any(is_missing) {
        diagnostics.retain(is_missing);
    }
}

/// What a command starts: an entrypoint, a run of the platform, or another program with its own config.
fn launched(command: &Command<'_>, line: &CommandLine) -> (Launch, Option<hosted::command::Started>, Option<&'static str>) {
    if let Command::Written(Written { launch, .. }) = command {
        let arguments = 0..line.words.len();
        return (Launch { kind: Some(launch.kind), starter: launch.starter, arguments, ..Launch::default() }, None, None);
    }
    let Command::Words(_) = command else {
        return (Launch { arguments: 0..line.words.len(), ..Launch::default() }, None, None);
    };
    let mut launch = Launch::read(&line.words);
    let hosted_run = hosted::command::started(&line.words);
    if hosted_run.is_some() {
        (launch.kind, launch.stranger) = (Some(Kind::HostedRl), None);
    }
    let other = launch.stranger.and_then(|word| config_of_program(&line.words[word].text));
    launch.stranger = launch.stranger.filter(|_| other.is_none());
    (launch, hosted_run, other)
}

/// The command in the form of a launch in a text.
fn as_written_launch(launch: &Launch, kind: Kind, words: &[Word]) -> WrittenLaunch {
    let (words, places) = words.iter().map(|word| (word.text.to_string(), word.location.span)).unzip();
    let (unknown, folders) = (Vec::new(), Vec::new());
    WrittenLaunch { kind, words, places, unknown, starter: launch.starter, folders, is_comment: false, pattern: None }
}

/// The findings about the command itself: its program, and the variables that it sets.
fn about_line(line: &CommandLine, launch: &Launch, checked: &Checked) -> Vec<Diagnostic> {
    let variables = launch.variables.iter().filter_map(|(name, value, word)| {
        cfg_rules::launch::variable(Variable { name, value, location: line.words[*word].location })
    });
    program::finding(line, launch, checked).into_iter().chain(variables).collect()
}

/// Removes findings that comments of the files ignore.
pub(crate) fn suppressed(texts: &Texts, files: &[FileId], diagnostics: &mut Vec<Diagnostic>) -> usize {
    let mut count = 0;
    for &file in files {
        let Some(text) = texts.get(file) else { continue };
        let (document, _) = text.parse(Dialect::Toml11);
        count += suppress::apply(file, &text.text, &cfg_syntax::suppressions(&text.text, &document), diagnostics);
    }
    count
}
