//! Effective values that are not written, shown beside the written ones.

use cfg_compose::Origin;
use cfg_diag::{Location, Order, Severity};
use cfg_plan::{Metadata, Plan};
use cfg_resolve::{ResolvedTable, ResolvedValue};
use cfg_rules::{declared::Declarations, schedule::Schedule};
use cfg_schema::Segment;

use crate::{Analysis, place::PathSegment, spot::Bodies};

/// A text beside a place of the config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The byte after which it is shown.
    pub offset: u32,
    /// The text.
    pub label: String,
    /// The reason.
    pub tooltip: String,
}

/// A text above the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// Its byte.
    pub offset: u32,
    /// The text.
    pub title: String,
    /// The document that it opens.
    pub shows: Option<Shows>,
}

/// The document that a lens opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The config as prime-rl resolves it.
    Compiled,
    /// The contents of each GPU.
    Memory,
    /// The beginning of each phase of a curriculum.
    Curriculum,
    /// The lineage of versions.
    Lineage,
}

/// Effective values that are not written: values that prime-rl itself sets or replaces, the contents of a GPU, the room for a prompt, the beginning
/// of the phases of a curriculum. In the order of the text.
pub fn hints(analysis: &Analysis) -> Vec<Hint> {
    let mut hints = assigned_values(analysis);
    of_memory(analysis, &mut hints);
    if let Some(plan) = analysis.plan() {
        of_prompt(analysis, plan, &mut hints);
        of_curriculum(analysis, plan, &mut hints);
    }
    hints.order_by_key(|hint| hint.offset);
    hints
}

fn assigned_values(analysis: &Analysis) -> Vec<Hint> {
    let bodies = Bodies::new(&analysis.document);
    let mut hints = Vec::new();
    for (index, header) in analysis.document.headers.iter().enumerate() {
        let path = bodies.path(index);
        let Some(ResolvedValue::Table(table)) = analysis.resolved_at(path).map(|resolved| &resolved.value) else { continue };
        for (name, shown, rule) in assigned(analysis, table, path) {
            hints.push(Hint {
                offset: header.span.end,
                label: format!("{name} = {shown}"),
                tooltip: format!("prime-rl sets this itself ({rule})"),
            });
        }
    }
    hints
}

/// What stands in a value for characters that prime-rl draws.
const RANDOM: &str = "????????";

/// The plain values of a table that one of prime-rl's checks assigned, and that differ from what is written.
fn assigned(analysis: &Analysis, table: &ResolvedTable, path: &[PathSegment]) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for field in &table.fields {
        let Some(rule) = rule(&field.resolved.origin) else { continue };
        let (Segment::Field(name), Some(shown)) = (field.node.segment(), crate::analysis::shown(&field.resolved.value)) else {
            continue;
        };
        let mut full = path.to_vec();
        full.push(PathSegment::Key(name.into()));
        let written = crate::place::value(&analysis.document.root, &full);
        let is_default =
            field.node.at(analysis.checked.target.point).and_then(cfg_schema::Interval::default_json) == Some(&shown);
        if shown.contains(RANDOM)
            || (written.is_none() && is_default)
            || written.is_some_and(|value| analysis.text[value.span.range()] == shown)
        {
            continue;
        }
        found.push((name.to_owned(), shown, rule.to_owned()));
    }
    found
}

const fn rule(origin: &Origin) -> Option<&'static str> {
    if let Origin::Check(derivation) = origin { Some(derivation.name) } else { None }
}

/// The contents of the GPUs of a process, at the first header of its table.
fn of_memory(analysis: &Analysis, hints: &mut Vec<Hint>) {
    let Some(memory) = analysis.memory() else { return };
    for (process, is_on) in
        [("trainer", (|gpu| gpu.trains) as fn(&cfg_memory::run::OnGpu) -> bool), ("inference", |gpu| gpu.serves)]
    {
        let is_of_process = |header: &&cfg_syntax::Header| header.keys.first().is_some_and(|key| &*key.text == process);
        if let (Some(header), Some(line)) = (analysis.document.headers.iter().find(is_of_process), memory.line_of(is_on)) {
            let tooltip = "peak memory of everything on the card, at most; `cfg memory` breaks it down".to_owned();
            hints.push(Hint { offset: header.span.end, label: line, tooltip });
        }
    }
}

/// The tokens that the longest answer leaves for the prompt.
fn of_prompt(analysis: &Analysis, plan: &Plan, hints: &mut Vec<Hint>) {
    let Some(orchestrator) = &plan.orchestrator else { return };
    let Some(answer) = orchestrator.sampling.max_tokens.fact() else { return };
    let context = plan.inference.as_ref().and_then(|inference| inference.max_model_len.get());
    let Some(room) = orchestrator.seq_len.get().into_iter().chain(context).min() else { return };
    if let Some(offset) = line_end(analysis, answer.origin.location()) {
        let left = room.saturating_sub(answer.value);
        let label =
            if left > 0 { format!("leaves {left} tokens for the prompt") } else { "leaves nothing for the prompt".to_owned() };
        hints.push(Hint { offset, label, tooltip: format!("of {room} for prompt and answer together") });
    }
}

/// The training steps at which the phases of a curriculum begin.
fn of_curriculum(analysis: &Analysis, plan: &Plan, hints: &mut Vec<Hint>) {
    let declarations = Declarations::of(plan, &analysis.project);
    for (index, environment) in plan.environments.iter().enumerate() {
        let Some(schedule) = Schedule::of(plan, environment, declarations.get(index)) else { continue };
        for phase in &schedule.phases {
            let (Some(begins), Some(offset)) = (phase.begins, line_end(analysis, phase.location)) else { continue };
            let steps = if begins.earliest == begins.latest {
                format!("starts at step {}", begins.latest)
            } else {
                format!("starts at step {} to {}", begins.earliest, begins.latest)
            };
            let is_late = schedule.max_steps.is_some_and(|last| begins.earliest >= last);
            let label = if is_late { format!("{steps}: never, because the run ends before") } else { steps };
            hints.push(Hint {
                offset,
                label,
                tooltip: "in training steps; `cfg plan --curriculum` draws the whole schedule".to_owned(),
            });
        }
    }
}

/// The end of the line of a location in this text, without a comment.
fn line_end(analysis: &Analysis, location: Option<Location>) -> Option<u32> {
    location.and_then(|location| analysis.own(location)).map(|span| span.end)
}

/// The longest title of a lens, in characters. Editors cut a longer one.
const LONGEST_TITLE: usize = 60;

/// The facts about the file in one line: its kind, its target and its findings; then, as far as there is room, the memory of its fullest GPU, and
/// `version`, its state in its registry. `None` for a file of unknown kind.
pub fn lens(analysis: &Analysis, version: Option<String>) -> Option<Lens> {
    let kind = analysis.checked.kind?;
    let (target, found) = (analysis.target_in_words(), findings(analysis));
    let short = target.split([',', '(']).next().unwrap_or_default().trim_end();
    let mut title = format!("{kind}, {short}: {found}");
    if target.contains("assumed") {
        let assumed = format!("{kind}, {short} (assumed): {found}");
        title = if assumed.chars().count() <= LONGEST_TITLE { assumed } else { title };
    }
    let memory = analysis.memory();
    for part in memory.and_then(crate::Memory::fullest).into_iter().chain(version) {
        let longer = format!("{title}; {part}");
        title = if longer.chars().count() <= LONGEST_TITLE { longer } else { title };
    }
    if title.chars().count() > LONGEST_TITLE {
        title = title.chars().take(LONGEST_TITLE - 1).chain(['…']).collect();
    }
    let shows = if memory.is_some() { Some(Shows::Memory) } else { is_accepted(analysis).then_some(Shows::Compiled) };
    Some(Lens { offset: 0, title, shows })
}

/// The documents about a file that can be shown.
pub fn shown_of(analysis: &Analysis) -> Vec<Shows> {
    let has_curriculum = |plan: &Plan| plan.environments.iter().any(|environment| environment.arg("curriculum_phases").is_some());
    let shows = [
        (Shows::Compiled, is_accepted(analysis)),
        (Shows::Memory, analysis.memory().is_some()),
        (Shows::Curriculum, analysis.plan().is_some_and(has_curriculum)),
    ];
    shows.into_iter().filter_map(|(shows, is_there)| is_there.then_some(shows)).collect()
}

/// What the lens has no room for, one fact a line: the kind, the target and the findings; the contents of the GPUs; the arithmetic of the run.
pub(crate) fn facts(analysis: &Analysis) -> Vec<String> {
    let Some(kind) = analysis.checked.kind else { return Vec::new() };
    let mut facts = vec![format!("{kind} config, resolved for {}: {}", analysis.target_in_words(), findings(analysis))];
    facts.extend(analysis.memory().map(crate::Memory::lines).unwrap_or_default());
    facts.extend(analysis.plan().filter(|_| is_accepted(analysis)).and_then(|plan| {
        let target = analysis.checked.target.name.clone();
        crate::course(plan, &analysis.project, &Metadata::default(), None, target).in_short()
    }));
    facts
}

fn is_accepted(analysis: &Analysis) -> bool {
    analysis.checked.is_accepted() && analysis.checked.resolved.is_some()
}

/// The number of errors and warnings, in words.
fn findings(analysis: &Analysis) -> String {
    let diagnostics = &analysis.checked.diagnostics;
    let count = |severity| diagnostics.iter().filter(|found| !found.is_echo && found.severity == severity).count();
    let plural = |count: usize, word: &str| if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") };
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => "no problems".to_owned(),
        (0, warnings) => plural(warnings, "warning"),
        (errors, 0) => plural(errors, "error"),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}

#[cfg(test)]
mod tests {
    use super::{facts, hints, lens};
    use crate::testing::analysis;

    const TEXT: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H100\"\n# ///\nmax_steps = 10\nseq_len = 4096\n[model]\nname = \"Qwen/Qwen3-8B\"\n\
        [trainer]\n[trainer.model.lora]\nrank = 16\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[orchestrator.train.sampling]\nmax_completion_tokens = 1024\n[inference]\n";

    #[test]
    fn facts_and_hints_show_the_memory_of_the_gpus() {
        let analysis = analysis(TEXT);
        let memory = analysis.memory().expect("model and card are known");
        let shown = facts(&analysis);
        assert!(shown[0].starts_with("rl config, resolved for prime-rl 0.8.0"), "{shown:?}");
        let held = memory.computed.assessment.gpus[0].judgement.held.1;
        assert!(shown[1].starts_with(&format!("GPU 0: {:.1} of ", held.as_gib())), "{shown:?}");
        let course = "a step: 64 rollouts = 8 problems x 8, 64 in flight at a time; 10 steps: 80 problems, 640 rollouts";
        assert!(shown.iter().any(|fact| fact == course), "{shown:?}");
        let hints: Vec<String> = hints(&analysis).into_iter().map(|hint| hint.label).collect();
        assert!(hints.iter().any(|hint| hint == "leaves 3072 tokens for the prompt"), "{hints:?}");
        assert!(hints.iter().any(|hint| hint.starts_with("GPU 1: ")), "{hints:?}");
    }

    #[test]
    fn a_lens_is_short() {
        let analysis = analysis(TEXT);
        let title = |version: &str| lens(&analysis, Some(version.to_owned())).expect("its kind is known").title;
        assert!(title("v3").starts_with("rl, prime-rl 0.8.0: ") && title("v3").ends_with(" GiB; v3"), "{}", title("v3"));
        let long = title("v3 from configs/of/another/folder/qwen3-8b-2xh100.toml:v12, 2 changes since");
        assert!(long.ends_with(" GiB") && long.chars().count() <= 60, "{long}");
    }

    #[test]
    fn a_value_that_prime_rl_makes_up_is_no_hint() {
        let text = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\nmax_steps = 10\n[model]\nname = \"x\"\n[wandb]\n[trainer]\n[orchestrator]\n[inference]\n";
        assert!(hints(&analysis(text)).iter().all(|hint| !hint.label.contains('?')));
    }

    #[test]
    fn a_refused_config_has_no_figures() {
        let analysis = analysis(&TEXT.replace("rank = 16", "rank = \"x\""));
        assert!(analysis.memory().is_none());
        assert_eq!(facts(&analysis).len(), 1);
        assert_eq!(lens(&analysis, None).map(|lens| lens.shows), Some(None));
    }
}
