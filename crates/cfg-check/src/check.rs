//! Checks a text and returns its findings.

use std::path::Path;

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId, Location};
use cfg_plan::Metadata;
use cfg_registry::{around::Seen, fingerprint::Fingerprint};
use cfg_resolve::loader;
use cfg_rules::Project;
use cfg_schema::Kind;
use cfg_syntax::{Dialect, Document, Value};

use crate::{
    Certainty, Checked, Doubt, Family, Request, Session, Verdict,
    claim::{self, Claim},
    dialect,
    finish::finish,
    guess_kind, half_typed, hosted,
    identity::{
        differing,
        family::{kind_of_place, knows_all, narrowed, other_program::of_another_trainer},
        infer,
        neighbours::is_among_configs,
        version::{self, Settled},
    },
    launched_kind::{as_launched, in_doubt, launched_kind},
    overlay,
    own_kind::of_own_classes,
    own_program::{self, ReadBy},
    replaced, rules,
    rules::Source,
    several,
    split::{self, Own},
    suppress, unchecked,
    values::{ConfigText, Values, schema_checks},
    verifiers::{self, VerifiersFile},
    yaml,
};

/// Checks one config, given as one text.
pub fn check(session: &Session, request: Request<'_>) -> Checked {
    if let Some((found, text)) = yaml::as_toml(&request).filter(|_| dialect::of(session, &request).is_none()) {
        // What else is wrong with it shows once it is TOML.
        let as_toml = Request { text: &text, encoding: Vec::new(), ..request };
        let checked = check_any_family(session, as_toml, |file, document| (Tree::from_document(file, document), ())).0;
        return Checked { diagnostics: vec![found], verdict: Verdict::Rejected, ..checked };
    }
    check_any_family(session, request, |file, document| (Tree::from_document(file, document), ())).0
}

/// Checks one config, and also returns its parsed document and its metadata.
pub fn check_document(session: &Session, request: Request<'_>) -> (Checked, Document, Metadata) {
    check_any_family(session, request, |file, document| (Tree::of(file, &document), document))
}

/// Checks one config. `read` receives the document, and returns what the caller needs of it.
fn check_any_family<T>(
    session: &Session,
    request: Request<'_>,
    read: impl FnOnce(FileId, Document) -> (Tree, T),
) -> (Checked, T, Metadata) {
    if let Some(script) = request.script {
        let program = ReadBy::stated(session, request.path, script);
        return match program.known() {
            Some(kind) => check_text(session, Request { kind: Some(kind), script: None, ..request }, read),
            None => own_program::check(session, request, &program, read),
        };
    }
    match dialect::of(session, &request) {
        Some(declared) => dialect::check(session, request, &declared, read),
        None => match request.named.then(|| own_program::reader(session, &request)).flatten() {
            Some(program) => own_program::check(session, request, &program, read),
            None => check_text(session, request, read),
        },
    }
}

/// As `any`, for a file that no project declares to be in a dialect, in stages: text to document, document to values, values to findings.
fn check_text<T>(
    session: &Session,
    mut request: Request<'_>,
    read: impl FnOnce(FileId, Document) -> (Tree, T),
) -> (Checked, T, Metadata) {
    let Request { file, text, .. } = request;
    let Parsed { document, mut diagnostics, metadata, about_metadata, family, settled, dialect } =
        Parsed::read(session, &request);
    // The programs of the project are only read for a file that prime-rl does not know whole.
    let is_doubtful = match &family {
        Family::Config(kind) => request.kind.is_none() && !knows_all(session.history, *kind, &document.root),
        Family::Hosted(_) | Family::Evaluation(_) => false,
        Family::OneOf(_) | Family::OtherProgram(_) | Family::Unclear => true,
    };
    if is_doubtful
        && !request.named
        && let Some(program) = own_program::reader_of(session, &request, &document)
    {
        return own_program::check(session, request, &program, read);
    }
    let doubt = if request.named || family != Family::Unclear { None } else { doubt(session, &request, &document, &diagnostics) };
    let mut checked = Checked::unchecked(settled);
    // Files of other programs can be very large.
    let is_wanted = family.is_config() || request.named && document.is_unread;
    if let Some(refusal) = cfg_compose::too_many_values(&document, text).filter(|_| is_wanted) {
        // A document that is not checked is dropped: it would take many times the memory of its text.
        drop(document);
        let (_, kept) = read(file, Document::default());
        checked.verdict = Verdict::Depends;
        checked.diagnostics.push(refusal);
        return (checked, kept, metadata);
    }
    let is_readable = request.encoding.is_empty();
    diagnostics.splice(0..0, std::mem::take(&mut request.encoding));
    cfg_compose::name_exceptions(&mut diagnostics, text, checked.target.point);
    checked.has_includes = document.root.get("toml_files").is_some() && loader::at(checked.target.point).includes;
    let suppressions = cfg_syntax::suppressions(text, &document);
    // The walker reports a `[config]` table, which prime-rl refuses, but does not know the text: its fix is added here.
    let conversion = metadata.table.and_then(|_| metadata.into_block(file, text, &document));
    match &family {
        Family::Evaluation(of) if !session.prime_rl_only => {
            diagnostics.extend(of_verifiers(session, &request, *of, &document, &mut checked));
        }
        Family::Hosted(_) => {
            hosted::text::check(file, text, &document, &mut diagnostics);
            if let Some(system) = request.project.and_then(|project| project.nearby.system()) {
                diagnostics.extend(hosted::env_files::missing(system, file, request.path, &document));
            }
        }
        _ => {}
    }
    let half_typed = half_typed::headers(text, &document, &diagnostics);
    let (tree, kept) = read(file, document);
    let of_kind = |kind| ConfigCheck { session, request: &request, kind, dialect, metadata: &metadata };
    match family {
        Family::Config(Kind::Eval) if let Some(class) = own_program::evaluation_class(session, &request, &checked) => {
            let is_text = !diagnostics.iter().any(Diagnostic::is_refusal);
            let (of_verifiers, found) = own_program::evaluation(session, &class, request.path, tree, is_text);
            checked = of_verifiers;
            diagnostics.extend(found);
        }
        Family::Config(kind) | Family::Hosted(kind) => {
            of_kind(kind).check(tree, &mut checked, &mut diagnostics);
            let refused = diagnostics.iter_mut().find(|found| found.key.as_deref() == Some("config") && found.fix.is_none());
            if let Some(refused) = refused {
                refused.fix = conversion;
            }
        }
        Family::OneOf(kinds) => {
            if let Some(kind) = several::check(session, &request, &kinds, &tree, &mut checked, &mut diagnostics) {
                of_kind(kind).check(tree, &mut checked, &mut diagnostics);
            }
        }
        // It has been checked.
        Family::Evaluation(_) if !session.prime_rl_only => {}
        Family::Evaluation(_) => unchecked::evaluation(&mut checked, &mut diagnostics),
        Family::OtherProgram(what) => {
            unchecked::no_config(&mut checked, Some(&tree.root), Some(what), request.named, &mut diagnostics);
        }
        Family::Unclear => {
            unchecked::no_config(&mut checked, Some(&tree.root), None, request.named, &mut diagnostics);
            own_program::say_why_unread(session, &request, &mut diagnostics);
            checked.doubt = doubt;
        }
    }
    if !request.is_trial {
        differing::note(session, &request, &checked, &mut diagnostics);
    }
    if is_readable {
        diagnostics.extend(registered(session, request.path, text, &metadata, &checked));
    }
    diagnostics.extend(about_metadata);
    if !request.named {
        hosted::downgrade_legacy(&mut diagnostics);
    }
    half_typed::remove_findings(&half_typed, file, &mut diagnostics);
    let checked = finish(checked, diagnostics, |diagnostics| suppress::apply(file, text, &suppressions, diagnostics));
    (checked, kept, metadata)
}

/// A parsed text, its kind and target, and how it was read.
pub(crate) struct Parsed {
    pub(crate) document: Document,
    /// The parser's findings.
    pub(crate) diagnostics: Vec<Diagnostic>,
    metadata: Metadata,
    about_metadata: Vec<Diagnostic>,
    pub(crate) family: Family,
    pub(crate) settled: Settled,
    /// The TOML version with which it was parsed.
    dialect: Dialect,
}

impl Parsed {
    /// Parses a text, and determines its kind and its target, which decides the TOML version.
    pub(crate) fn read(session: &Session, request: &Request<'_>) -> Self {
        let Request { file, text, .. } = *request;
        // TOML 1.1 accepts everything of TOML 1.0 with the same meaning: most files are parsed once, whatever their target.
        let (mut document, mut diagnostics, differs) = cfg_syntax::parse_first(file, text);
        let (metadata, about_metadata) = session.metadata(file, request.path, text, &document);
        let mut family = family_of(session, request, &metadata, &document);
        let mut settled = settle(session, request, &family, &metadata, &document);
        settled.extend(request.project);
        let dialect = match family {
            // Python's own library reads these files; older versions of it support less.
            Family::Evaluation(_) => Dialect::Toml11,
            // The library of `prime train` is older than TOML 1.1.
            Family::Hosted(_) => Dialect::Toml10,
            _ => settled.dialect(),
        };
        if dialect != Dialect::Toml10 && differs && !diagnostics.is_empty() {
            (document, diagnostics) = cfg_syntax::parse(file, text, dialect);
            family = family_of(session, request, &metadata, &document);
        }
        yaml::mend_blocks(file, text, &mut diagnostics);
        if matches!(settled.certainty, Certainty::Stated | Certainty::Read(_)) {
            family = narrowed(family, &document.root, &settled.target);
        }
        Self { document, diagnostics, metadata, about_metadata, family, settled, dialect }
    }
}

/// A config of a known kind, as the stages of its check see it.
struct ConfigCheck<'a> {
    session: &'a Session,
    request: &'a Request<'a>,
    kind: Kind,
    /// The TOML version with which its text was parsed.
    dialect: Dialect,
    metadata: &'a Metadata,
}

impl ConfigCheck<'_> {
    /// Checks its values, then its plan, then what it claims.
    fn check(&self, tree: Tree, checked: &mut Checked, diagnostics: &mut Vec<Diagnostic>) {
        let Self { session, kind, .. } = *self;
        if let Some(unchecked) = unchecked::finding(&checked.target, kind, &tree.root) {
            if infer::judge_elsewhere(session, checked, kind, &tree, diagnostics) {
                return self.check(tree, checked, diagnostics);
            }
            checked.kind = Some(kind);
            checked.verdict = Verdict::Depends;
            diagnostics.push(unchecked);
            return;
        }
        let rules_are_off = self.check_values(tree, checked, diagnostics);
        // For a text that can't be read, the plan would be wrong.
        if !rules_are_off {
            self.check_plan(checked, diagnostics);
        }
        self.check_claim(checked, diagnostics);
    }

    /// Checks the values by the schema of the target and by prime-rl's own checks. Returns whether the rules can't run.
    fn check_values(&self, tree: Tree, checked: &mut Checked, diagnostics: &mut Vec<Diagnostic>) -> bool {
        let Self { session, kind, .. } = *self;
        let Request { file, text, path, .. } = *self.request;
        let values = Values { tree, ..Values::default() };
        if kind.is_hosted() {
            return hosted::checks(session, checked, kind, values, diagnostics);
        }
        let text_at = |at: Location| text.get(at.span.range()).filter(|_| at.file == file).map(str::to_owned);
        let own_text = Some(text).filter(|_| diagnostics.is_empty());
        let written = ConfigText { path, text: own_text, text_at: &text_at, is_held: self.request.held.is_some() };
        let rules_are_off = schema_checks(session, checked, kind, &written, values, diagnostics);
        overlay::mention(diagnostics, kind, checked.target.point, path);
        rules_are_off
    }

    /// Checks the resolved config by the rules, alone and with the other files of its run.
    fn check_plan(&self, checked: &mut Checked, diagnostics: &mut Vec<Diagnostic>) {
        let Self { session, request, kind, dialect, metadata } = *self;
        let Request { file, text, .. } = *request;
        let Some(resolved) = &checked.resolved else { return };
        let schema = checked.target.schema(kind);
        let none = Project::default();
        let project = request.project.unwrap_or(&none);
        let fixes_from = Some(request.fixes_from).filter(|_| !request.is_trial);
        let source = Source { file, text, dialect, fixes_from };
        if !request.is_trial {
            replaced::offer(session, checked, kind, resolved, &source, diagnostics);
        }
        let mut found =
            rules::findings(schema, resolved, metadata, &checked.target, project, Some(&source), &checked.later_names);
        hosted::remove_platform_findings(kind, &mut found);
        let own = Own { file, schema, resolved, metadata, target: &checked.target, project };
        let (found, texts) = split::findings(session, &own, found);
        diagnostics.extend(found);
        checked.split = texts;
    }

    /// Compares the config with the one that it claims to train the same as.
    fn check_claim(&self, checked: &Checked, diagnostics: &mut Vec<Diagnostic>) {
        let Self { session, request, kind, metadata, .. } = *self;
        if metadata.same_as.is_some()
            && !checked.is_unknown()
            && let Some(meaning) = crate::meaning(session, checked, request.text)
        {
            let claim = Claim { path: request.path, kind, target: &checked.target, metadata, meaning: &meaning };
            diagnostics.extend(claim::findings(session, &claim));
        }
    }
}

/// Why a text without signs of a config may be one all the same.
fn doubt(session: &Session, request: &Request<'_>, document: &Document, faults: &[Diagnostic]) -> Option<Doubt> {
    let Request { file, text, path, .. } = *request;
    let has_faults = !request.encoding.is_empty() || !faults.is_empty();
    // Other programs may read a newer TOML.
    if has_faults && (!request.encoding.is_empty() || !cfg_syntax::parse(file, text, Dialect::Toml11).1.is_empty()) {
        return Some(Doubt::NotToml);
    }
    let fits = !document.root.entries.is_empty() && guess_kind(session.history, &session.place(path), document, true).is_config();
    fits.then_some(Doubt::CommonKeys)
}

/// Checks a file that verifiers reads.
fn of_verifiers(
    session: &Session,
    request: &Request<'_>,
    kind: VerifiersFile,
    document: &Document,
    checked: &mut Checked,
) -> Vec<Diagnostic> {
    // An editor also has unsaved registries, so its own system is used.
    let nearby = request.project.and_then(|project| project.nearby.system());
    let system = nearby.unwrap_or(&**session.projects().system());
    let (found, of_verifiers) = verifiers::check(session, system, request.file, request.path, kind, document, false);
    checked.of_verifiers = Some(of_verifiers);
    found
}

/// The prime-rl that a file is for.
fn settle(session: &Session, request: &Request<'_>, family: &Family, metadata: &Metadata, document: &Document) -> Settled {
    let stated = request.target.clone().or_else(|| metadata.target.as_ref().map(|stated| stated.value.clone()));
    match family {
        // No prime-rl reads it.
        Family::Evaluation(_) => hosted::settle(session, stated, None),
        Family::OtherProgram(_) | Family::Unclear => Settled::of_no_config(session, stated),
        _ if stated.is_none() && metadata.is_target_refused => version::refused(session, Some(Path::new(request.path))),
        Family::Hosted(_) => hosted::settle(session, stated, document.root.value("source_ref").and_then(Value::as_str)),
        Family::Config(_) | Family::OneOf(_) => {
            let subject = version::Subject { path: Some(Path::new(request.path)), text: request.text, metadata: Some(metadata) };
            let settled = version::settle(session, stated, &subject, request.otherwise.clone());
            match request.held {
                Some(held) => settled.hold(held),
                None => settled,
            }
        }
    }
}

/// The findings of the registries around a config. Only training runs have versions.
fn registered(session: &Session, path: &str, text: &str, metadata: &Metadata, checked: &Checked) -> Vec<Diagnostic> {
    let is_beside_runs = checked.of_verifiers.is_some() || checked.kind.is_some_and(|kind| !kind.is_run());
    let Some(registries) = session.registries.as_ref().filter(|_| checked.is_config && !is_beside_runs) else {
        return Vec::new();
    };
    let fingerprint = || {
        let is_valid = checked.resolved.as_ref().is_some_and(|resolved| resolved.is_valid);
        (is_valid && !checked.is_unknown())
            .then(|| crate::meaning(session, checked, text).map(|meaning| Fingerprint::of_meaning(&meaning)))
            .flatten()
    };
    let fingerprint_of =
        |text: &str| crate::meaning::of_other_text(session, checked, text).map(|meaning| Fingerprint::of_meaning(&meaning));
    let left_out = |folder: &Path| cfg_project::outside_of_sparse_checkout(&**session.projects().system(), folder);
    let seen = Seen { path, text, metadata, fingerprint: &fingerprint, fingerprint_of: &fingerprint_of, left_out: &left_out };
    registries.findings(&seen)
}

/// What a file is: stated by the user or the file, or derived from its place and its keys. For hosted training, the keys decide the entrypoint.
fn family_of(session: &Session, request: &Request<'_>, metadata: &Metadata, document: &Document) -> Family {
    let own = |kind| of_own_classes(session, request, kind, document).filter(|_| metadata.target.is_none());
    match request.kind.or_else(|| metadata.kind.as_ref().map(|stated| stated.value)) {
        Some(kind) if kind.is_hosted() => Family::Hosted(hosted::kind(&document.root)),
        Some(kind) => Family::Config(kind),
        None => match guess_kind(session.history, &session.place(request.path), document, request.named) {
            Family::Config(Kind::Rl | Kind::Sft) if hosted::has_prime_train_comment(request.text, document) => {
                Family::Hosted(hosted::kind(&document.root))
            }
            Family::Config(Kind::Rl) if kind_of_place(request.path).is_some_and(|place| place != Kind::Rl) => {
                Family::Config(as_launched(session, request).unwrap_or(Kind::Rl))
            }
            Family::Config(kind) => of_another_trainer(session, request, metadata).unwrap_or_else(|| {
                Family::Config(in_doubt(session, request, kind, document).or_else(|| own(Some(kind))).unwrap_or(kind))
            }),
            Family::Hosted(kind) if !is_hosted_by_keys(session, request, document) => {
                as_launched(session, request).map_or(Family::Hosted(kind), Family::Config)
            }
            Family::Hosted(kind) => Family::Hosted(kind),
            open => split::declared_kind(request.project)
                .or_else(|| launched_kind(session, request, &open, document))
                .or_else(|| own(None).filter(|_| request.named && open == Family::Unclear))
                .map_or_else(|| among_others(session, request, document, open), Family::Config),
        },
    }
}

/// Whether the keys of a file show that it is for hosted training, and not only its name.
fn is_hosted_by_keys(session: &Session, request: &Request<'_>, document: &Document) -> bool {
    matches!(guess_kind(session.history, "", document, request.named), Family::Hosted(_))
}

/// What a file is that was found by a search and does not show alone that it is a config: if it is among configs, it is judged as if it was named.
fn among_others(session: &Session, request: &Request<'_>, document: &Document, open: Family) -> Family {
    if request.named || open.is_config() || document.root.entries.is_empty() {
        return open;
    }
    let as_named = guess_kind(session.history, &session.place(request.path), document, true);
    if as_named.is_config() && is_among_configs(session, request.path) { as_named } else { open }
}
