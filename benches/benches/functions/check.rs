//! From text to findings: each step by itself for one config of every kind and version, and all of them together.

use cfg_benches::{SAMPLES, Sample};
use cfg_check::{Checked, Request, Session};
use cfg_compose::Tree;
use cfg_diag::FileId;
use cfg_plan::{Metadata, Plan};
use cfg_resolve::{Names, View};
use cfg_rules::{Context, Memory, Project, Texts, declared::Declarations};
use cfg_schema::{History, Kind, Target};
use cfg_syntax::{Dialect, Document};
use divan::{Bencher, black_box, counter::BytesCount};

const FILE: FileId = FileId(0);

fn whole(session: &Session, path: &str, text: &str) -> Checked {
    let request = Request { file: FILE, ..Request::new(path, text) };
    cfg_check::check(session, request)
}

fn document(text: &str) -> Document {
    cfg_syntax::parse(FILE, text, Dialect::Toml10).0
}

/// Everything that happens to a file between reading it and printing what was found.
#[divan::bench(args = SAMPLES)]
fn check(bencher: Bencher<'_, '_>, sample: Sample) {
    let (session, text) = (Session::default(), sample.text());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| whole(&session, sample.path, black_box(&text)));
}

#[divan::bench]
fn check_2003_lines(bencher: Bencher<'_, '_>) {
    let (session, text) = (Session::default(), cfg_benches::long());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| whole(&session, "rl.toml", black_box(&text)));
}

#[divan::bench]
fn check_2003_lines_broken(bencher: Bencher<'_, '_>) {
    let (session, text) = (Session::default(), cfg_benches::broken());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| whole(&session, "rl.toml", black_box(&text)));
}

#[divan::bench]
fn check_2003_lines_faulty(bencher: Bencher<'_, '_>) {
    let (session, text) = (Session::default(), cfg_benches::faulty());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| whole(&session, "rl.toml", black_box(&text)));
}

#[divan::bench(args = SAMPLES)]
fn metadata(bencher: Bencher<'_, '_>, sample: Sample) {
    let text = sample.text();
    let document = document(&text);
    bencher.bench_local(|| Metadata::read(History::built_in(), FILE, black_box(&text), &document));
}

#[divan::bench(args = SAMPLES)]
fn guess_kind(bencher: Bencher<'_, '_>, sample: Sample) {
    let document = document(&sample.text());
    bencher.bench_local(|| cfg_check::guess_kind(History::built_in(), black_box("some.toml"), &document, true));
}

#[divan::bench(args = SAMPLES)]
fn tree(bencher: Bencher<'_, '_>, sample: Sample) {
    let document = document(&sample.text());
    bencher.with_inputs(|| document.clone()).bench_local_values(|document| Tree::from_document(FILE, document));
}

#[divan::bench(args = SAMPLES)]
fn resolve(bencher: Bencher<'_, '_>, sample: Sample) {
    let text = sample.text();
    let checked = whole(&Session::default(), sample.path, &text);
    let schema = History::built_in().schema(checked.kind.unwrap_or(Kind::Rl), checked.target.point);
    let names = Names::new(schema);
    let tree = Tree::from_document(FILE, document(&text));
    bencher.with_inputs(|| tree.clone()).bench_local_values(|tree| cfg_resolve::resolve(schema, &names, tree));
}

#[divan::bench(args = SAMPLES)]
fn plan(bencher: Bencher<'_, '_>, sample: Sample) {
    let checked = whole(&Session::default(), sample.path, &sample.text());
    let schema = History::built_in().schema(checked.kind.unwrap_or(Kind::Rl), checked.target.point);
    let Some(resolved) = checked.resolved else { return };
    bencher.bench_local(|| Plan::new(schema, black_box(&resolved)));
}

/// All rules, for a plan that is there.
#[divan::bench(args = SAMPLES)]
fn rules(bencher: Bencher<'_, '_>, sample: Sample) {
    let checked = whole(&Session::default(), sample.path, &sample.text());
    let target = checked.target;
    let kind = checked.kind.unwrap_or(Kind::Rl);
    let schema = History::built_in().schema(kind, target.point);
    let Some(resolved) = checked.resolved else { return };
    let (plan, view) = (Plan::new(schema, &resolved), View::new(schema, &resolved));
    let (metadata, project) = (Metadata::default(), Project::default());
    bencher.bench_local(|| {
        // The shared results of rules are part of their cost.
        let (environments, memory, texts) = (Declarations::of(&plan, &project), Memory::default(), Texts::default());
        let (environments, memory, texts) = (&environments, &memory, &texts);
        let target = &target;
        let sockets = std::cell::OnceCell::new();
        let context = Context {
            plan: &plan,
            view: &view,
            metadata: &metadata,
            kind,
            target,
            project: &project,
            environments,
            memory,
            texts,
            sockets: &sockets,
            is_launch: false,
        };
        cfg_rules::run(black_box(&context))
    });
}

/// An unknown key makes the index of all keys, once for each schema.
#[divan::bench(args = ["0.3.0", "0.4.0", "0.8.0"])]
fn resolve_first_unknown_key(bencher: Bencher<'_, '_>, target: &str) {
    let history = History::built_in();
    let point = Target::parse(history, target).map_or(history.newest(), |target| target.point);
    let schema = history.schema(Kind::Rl, point);
    let tree = Tree::from_document(FILE, document("[orchestrator]\nseqlen = 4096\n"));
    bencher
        .with_inputs(|| (Names::new(schema), tree.clone()))
        .bench_local_values(|(names, tree)| cfg_resolve::resolve(schema, &names, tree));
}

/// No target is stated and the newest release knows few of the keys: the whole history is asked.
#[divan::bench]
fn check_for_another_target(bencher: Bencher<'_, '_>) {
    let text = SAMPLES[1].text().replacen("# prime_rl =", "# notes =", 1);
    let session = Session::default();
    bencher.bench_local(|| whole(&session, "rl.toml", black_box(&text)));
}
