//! Configs of other programs, whose schema is declared in a project's settings.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, Severity, codes, one_line};
use cfg_dialect::{Around, Declared, read_yaml};
use cfg_plan::Metadata;
use cfg_project::{DeclaredDialect, Sourced};
use cfg_syntax::{Dialect, Document};
use cfg_system::{Refusal, Role};

use crate::{Checked, Request, Session, Verdict, finish::finish, hosted, suppress};

/// The schemas that have been used, each with its result: the schema, or why it can't be used.
pub(crate) type Schemas = std::collections::HashMap<PathBuf, Arc<Result<Declared, String>>>;

/// Whether a text is YAML and not TOML, such as `a: 1`.
pub fn is_yaml_text(text: &str) -> bool {
    let is_toml = || cfg_syntax::parse(FileId(0), text, Dialect::Toml11).1.iter().all(|found| found.severity != Severity::Error);
    let is_mapping = || read_yaml(FileId(0), text).tree.is_some_and(|tree| !tree.root.is_empty());
    !is_toml() && is_mapping()
}

/// The dialect of a file, if its project declares one.
pub(crate) fn of(session: &Session, request: &Request<'_>) -> Option<Sourced<DeclaredDialect>> {
    // An explicit kind of prime-rl config has priority.
    if session.prime_rl_only || request.kind.is_some() || request.script.is_some() {
        return None;
    }
    session.projects().dialect(Path::new(request.path))
}

/// Checks such a file. `read` receives its document, if it is TOML.
pub(crate) fn check<T>(
    session: &Session,
    request: Request<'_>,
    dialect: &Sourced<DeclaredDialect>,
    read: impl FnOnce(FileId, Document) -> (Tree, T),
) -> (Checked, T, Metadata) {
    let Request { file, path, text, .. } = request;
    let mut checked = Checked::unchecked(hosted::settle(session, None, None));
    checked.of_dialect = Some(dialect.value.name.as_str().into());
    let is_toml = Path::new(path).extension().is_some_and(|ending| ending == "toml");
    let mut diagnostics = request.encoding;
    let (document, tree, texts, kept, suppressions);
    if is_toml {
        let (parsed, found) = cfg_syntax::parse(file, text, Dialect::Toml10);
        document = parsed;
        diagnostics.extend(found);
        suppressions = cfg_syntax::suppressions(text, &document);
        let refusal = cfg_compose::too_many_values(&document, text);
        let is_read = refusal.is_none();
        diagnostics.extend(refusal);
        let (values, other) = read(file, document);
        (tree, texts, kept) = (is_read.then_some(values), Vec::new(), other);
    } else {
        diagnostics.iter_mut().for_each(|found| leave_to_program(text, found));
        let yaml = read_yaml(file, text);
        diagnostics.extend(yaml.diagnostics);
        suppressions = Vec::new();
        (tree, texts, kept) = (yaml.tree, yaml.texts, read(file, Document::default()).1);
    }
    let system = &**session.projects().system();
    let around = Around { system, config: Path::new(path), project: dialect.place.folder() };
    let schema = schema(session, &around, &dialect.value.schema);
    match (&*schema, tree) {
        (Err(why), _) => {
            let shown = session.projects().system().shown(&dialect.value.schema);
            let message = format!("the schema {} of its dialect can't be used: {why}", one_line(&shown));
            diagnostics.push(Diagnostic::new(&codes::INVALID_DIALECT, message));
            checked.verdict = Verdict::Depends;
        }
        (Ok(declared), Some(tree)) => {
            diagnostics.extend(cfg_dialect::check(declared, tree, text, &texts, &around));
        }
        (Ok(_), None) => {}
    }
    if diagnostics.iter().any(|found| found.code == &codes::UNSUPPORTED_FILE) {
        checked.verdict = Verdict::Depends;
    }
    let is_refused = |found: &Diagnostic| found.severity == Severity::Error && found.code != &codes::INVALID_DIALECT;
    if diagnostics.iter().any(is_refused) {
        checked.verdict = Verdict::Rejected;
    }
    let checked = finish(checked, diagnostics, |diagnostics| suppress::apply(file, text, &suppressions, diagnostics));
    (checked, kept, Metadata::default())
}

/// `PyYAML` reads UTF-16 if its program opens the file as bytes. Bytes that are not characters are replacement characters in the text.
fn leave_to_program(text: &str, encoding: &mut Diagnostic) {
    let written = encoding.location.and_then(|place| text.get(place.span.range()));
    if written != Some("\u{fffd}") {
        encoding.severity = Severity::Warning;
        encoding.help = Some("a program that opens the file as a text can't read it: save it as UTF-8".to_owned());
    }
}

/// A schema, which is read only once.
fn schema(session: &Session, around: &Around<'_>, path: &Path) -> Arc<Result<Declared, String>> {
    session.schema_of_dialect(path, || {
        let file = around.schema(path)?;
        let bytes = around.system.read(&file, Role::Config).map_err(|error| match Refusal::of(&error) {
            Some(refusal) => format!("it can't be read: {refusal}"),
            None => format!("it can't be read: {}", error.kind()),
        })?;
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        Declared::read(&text).map_err(|fault| {
            let message = one_line(&fault.message).into_owned();
            fault.line.map_or(message.clone(), |line| format!("line {line}: {message}"))
        })
    })
}
