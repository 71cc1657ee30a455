//! Configs to start from, for an empty file: written as `cfg new` writes them, so that each is valid, fits its machine, and has no findings.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_check::Session;
use cfg_diag::{Order, Span};
use cfg_draft::{Goal, Method, Surroundings, Wish};
use cfg_memory::hardware::{self, Hardware};
use cfg_schema::{Behaviour, Kind, Schema, Target};

use crate::{Analysis, Item, ItemKind, completion::blank_at};

/// The skeletons of a session, which are drafted once for each file, target and machine, because each is checked and assessed.
#[derive(Debug, Default)]
pub struct Skeletons(Mutex<Vec<(Wanted, Arc<[Item]>)>>);

/// The most files, targets and machines of which skeletons are kept.
const MAX_KEPT: usize = 4;

/// What skeletons depend on, apart from the settings of a session.
#[derive(Debug, PartialEq)]
struct Wanted {
    path: String,
    target: Target,
    is_target_stated: bool,
    has_block: bool,
    machine: Option<Hardware>,
    kind: Option<Kind>,
}

impl Skeletons {
    /// The skeletons for these wishes; `draft` makes those that are not kept.
    fn of(&self, wanted: Wanted, draft: impl FnOnce() -> Vec<Item>) -> Arc<[Item]> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, items)) = kept().iter().find(|(other, _)| *other == wanted) {
            return Arc::clone(items);
        }
        let items: Arc<[Item]> = draft().into();
        let mut kept = kept();
        if kept.len() == MAX_KEPT {
            kept.remove(0);
        }
        kept.push((wanted, Arc::clone(&items)));
        items
    }
}

/// A config to start from.
struct Skeleton {
    /// Its purpose, and the machine if there are several for one purpose.
    label: &'static str,
    kind: Kind,
    model: &'static str,
    /// The machine, if neither the file nor the project states one.
    machine: &'static str,
    method: Option<Method>,
    /// Whether its environment shows images.
    images: bool,
    /// Whether it is offered only if no machine is stated.
    is_for_machine: bool,
}

impl Skeleton {
    const fn new(label: &'static str, kind: Kind, model: &'static str, machine: &'static str) -> Self {
        Self { label, kind, model, machine, method: None, images: false, is_for_machine: false }
    }

    const fn lora(label: &'static str, kind: Kind, model: &'static str, machine: &'static str) -> Self {
        Self { method: Some(Method::Lora), is_for_machine: true, ..Self::new(label, kind, model, machine) }
    }

    /// The environment, or the data set, with which prime-rl's own first example of its kind trains.
    fn source(&self, schema: Schema) -> Option<&'static str> {
        let has = |path: &str| schema.named(path).into_iter().any(|field| field.at(schema.point).is_some());
        match self.kind {
            Kind::Rl if !self.images => Some(ENVIRONMENT),
            Kind::Rl if !has("orchestrator.train.source[].env.taskset") => Some("primeintellect/color-codeword"),
            // Beside environments of the old kind, those of the new kind had names of their own.
            Kind::Rl if schema.point.lacks(Behaviour::NoLegacy) => Some("color-codeword-v1"),
            Kind::Rl => Some("color-codeword"),
            Kind::Orchestrator => Some(ENVIRONMENT),
            Kind::Sft => Some(DATA),
            _ => None,
        }
    }
}

const SMALL: &str = "Qwen/Qwen3-4B-Instruct-2507";

const IMAGES: &str = "rl with images, for a vision-language model";

/// In the order in which they are offered. Of those with one label, the first that is valid for the target is offered.
const SKELETONS: [Skeleton; 15] = [
    Skeleton::new("rl: trainer, orchestrator and inference in one file", Kind::Rl, SMALL, "2x H100"),
    Skeleton::lora("rl with LoRA on 2x H100", Kind::Rl, "Qwen/Qwen3-8B", "2x H100"),
    Skeleton::lora("rl with LoRA on 8x H100", Kind::Rl, "Qwen/Qwen3-14B", "8x H100"),
    Skeleton::lora("rl with LoRA on 8x H200", Kind::Rl, "Qwen/Qwen3-14B", "8x H200"),
    Skeleton::lora("rl with LoRA on 2x RTX 5090", Kind::Rl, "Qwen/Qwen3-1.7B", "2x RTX 5090"),
    Skeleton::lora("rl with LoRA on 2x RTX 4090", Kind::Rl, "Qwen/Qwen3-0.6B", "2x RTX 4090"),
    Skeleton { images: true, ..Skeleton::new(IMAGES, Kind::Rl, "Qwen/Qwen3-VL-4B-Instruct", "2x H100") },
    Skeleton { images: true, ..Skeleton::new(IMAGES, Kind::Rl, "Qwen/Qwen3.5-4B", "2x H100") },
    Skeleton::new("sft: supervised fine-tuning", Kind::Sft, SMALL, "1x H100"),
    Skeleton::lora("sft with LoRA on 8x H100", Kind::Sft, "Qwen/Qwen3-14B", "8x H100"),
    Skeleton::lora("sft with LoRA on 1x RTX 4090", Kind::Sft, "Qwen/Qwen3-0.6B", "1x RTX 4090"),
    Skeleton::new("trainer: the trainer alone", Kind::Trainer, SMALL, "1x H100"),
    Skeleton::new("orchestrator: the orchestrator alone", Kind::Orchestrator, SMALL, "1x H100"),
    Skeleton::new("inference: the vLLM server alone", Kind::Inference, SMALL, "1x H100"),
    Skeleton {
        is_for_machine: true,
        ..Skeleton::new("inference: the vLLM server on 8x H100", Kind::Inference, "Qwen/Qwen3-32B", "8x H100")
    },
];

/// The environment, and the data set, of prime-rl's own first example.
const ENVIRONMENT: &str = "reverse-text";
const DATA: &str = "PrimeIntellect/Reverse-Text-SFT";

/// Whole configs for an empty file, for its target and machine; empty if the file has keys. Those for the kind of the file come first. `kept` belongs
/// to the session.
pub fn skeletons(session: &Session, analysis: &Analysis, offset: u32, kept: &Skeletons) -> Vec<Item> {
    let Some(span) = blank_at(analysis, offset) else { return Vec::new() };
    let wanted = Wanted {
        path: analysis.path.clone(),
        target: analysis.checked.target.clone(),
        is_target_stated: analysis.checked.is_stated(),
        has_block: analysis.metadata.is_some(),
        machine: analysis.project.machine(&analysis.stated).and_then(|(machine, _)| machine.ok()),
        kind: analysis.checked.kind,
    };
    let line = analysis.text[..span.start as usize].trim_end_matches([' ', '\t']).len() as u32;
    let span = Span::new(line, span.end);
    let items = kept.of(wanted, || drafted(session, analysis));
    items.iter().map(|item| Item { span, ..item.clone() }).collect()
}

fn drafted(session: &Session, analysis: &Analysis) -> Vec<Item> {
    let stated = analysis.project.machine(&analysis.stated).and_then(|(machine, _)| machine.ok());
    let other_kind = |kind| analysis.checked.kind.is_some_and(|known| known != kind);
    let mut items = Vec::new();
    for (skeleton, order) in SKELETONS.iter().zip(1..) {
        let is_offered = items.iter().any(|item: &Item| item.label == skeleton.label);
        if is_offered || stated.is_some() && skeleton.is_for_machine {
            continue;
        }
        let Some(text) = text(session, analysis, skeleton, stated.as_ref()) else { continue };
        items.push(Item {
            detail: format!("a config for {}", skeleton.kind),
            stops: stops(&text, skeleton, skeleton.source(analysis.checked.target.schema(skeleton.kind))),
            rank: u8::from(other_kind(skeleton.kind)),
            uses: u16::MAX - order,
            ..Item::new(ItemKind::Skeleton, skeleton.label, Span::default(), text)
        });
    }
    items
}

/// The text of a skeleton; `None` if no such config is valid for the target and fits.
fn text(session: &Session, analysis: &Analysis, skeleton: &Skeleton, stated: Option<&Hardware>) -> Option<String> {
    let hardware = match stated {
        Some(hardware) => hardware.clone(),
        None => hardware::parse(skeleton.machine, &analysis.project.gpus).ok()?,
    };
    let target = &analysis.checked.target;
    let around = Surroundings {
        session,
        project: &analysis.project,
        path: &analysis.path,
        target,
        stated: (!analysis.checked.is_stated()).then_some(&*target.name),
    };
    let wish = Wish {
        kind: skeleton.kind,
        model: skeleton.model,
        hardware,
        source: skeleton.source(target.schema(skeleton.kind)),
        images: skeleton.images,
        goal: Goal::default(),
        method: skeleton.method,
        seq_len: None,
    };
    let text = cfg_draft::draft(around, &wish).ok()?.text;
    // The file has a block already.
    if analysis.metadata.is_some() {
        return text.split_once("# ///\n\n").map(|(_, body)| body.to_owned());
    }
    Some(text)
}

/// What a user will want to replace: the machine, the steps, the model, and the environment or the data.
fn stops(text: &str, skeleton: &Skeleton, source: Option<&str>) -> Vec<Range<usize>> {
    let between = |before: &str, end: fn(char) -> bool| {
        let start = text.find(before)? + before.len();
        Some(start..start + text[start..].find(end)?)
    };
    let quoted = |value: &str| {
        let start = text.find(&format!("\"{value}\""))? + 1;
        Some(start..start + value.len())
    };
    let stops = [
        between("# hardware = \"", |c| c == '"'),
        between("\nmax_steps = ", |c| !c.is_ascii_digit()),
        quoted(skeleton.model),
        source.and_then(quoted),
    ];
    let mut stops: Vec<_> = stops.into_iter().flatten().collect();
    stops.order_by_key(|stop| stop.start);
    stops
}

#[cfg(test)]
mod tests {
    use cfg_check::Session;
    use cfg_diag::Severity;

    use super::{SKELETONS, Skeletons, skeletons};
    use crate::{Item, complete, testing::analysis};

    fn offered(text: &str) -> Vec<Item> {
        skeletons(&Session::default(), &analysis(text), text.len() as u32, &Skeletons::default())
    }

    #[test]
    fn each_skeleton_is_accepted_without_findings_at_each_release() {
        for release in ["0.4.0", "0.6.0", "0.8.0", "559b44772"] {
            for kind in ["rl", "sft", "trainer", "orchestrator", "inference"] {
                let head = format!("# /// config\n# prime_rl = \"{release}\"\n# kind = \"{kind}\"\n# ///\n");
                let items = offered(&head);
                let labels: Vec<&str> = items.iter().map(|item| &*item.label).collect();
                for skeleton in &SKELETONS {
                    assert!(labels.contains(&skeleton.label), "{release}: {} is offered: {labels:?}", skeleton.label);
                }
                for item in items.iter().filter(|item| item.detail.ends_with(&format!(" {kind}"))) {
                    let text = format!("{head}{}", item.insert);
                    let analysis = analysis(&text);
                    let checked = &analysis.checked;
                    let found: Vec<_> = checked.diagnostics.iter().filter(|found| found.severity != Severity::Info).collect();
                    assert!(checked.is_accepted() && found.is_empty(), "{release}, {}: {found:?}\n{text}", item.label);
                    assert_eq!(item.rank, 0, "{}", item.label);
                    assert!(!item.stops.is_empty() && item.stops.iter().all(|stop| !stop.is_empty()), "{item:?}");
                }
            }
        }
    }

    #[test]
    fn an_rl_config_comes_first_with_an_environment_and_places_to_fill() {
        let items = offered("");
        assert!(items.iter().max_by_key(|item| (2 - item.rank, item.uses)).is_some_and(|item| item.label.starts_with("rl: ")));
        for item in items.iter().filter(|item| item.detail.ends_with(" rl")) {
            let filled: Vec<&str> = item.stops.iter().map(|stop| &item.insert[stop.clone()]).collect();
            assert_eq!(filled.len(), 4, "{filled:?}");
            let is_filled = |source| filled.contains(&source);
            assert!(is_filled("reverse-text") || is_filled("color-codeword-v1"), "{filled:?}");
            assert!(filled[0].contains('x'), "{filled:?}");
            assert!(item.insert.contains("# prime_rl = "), "{}", item.insert);
        }
    }

    #[test]
    fn skeletons_are_drafted_once_for_a_target_and_a_machine() {
        let (session, kept) = (Session::default(), Skeletons::default());
        let offered = |text: &str| skeletons(&session, &analysis(text), text.len() as u32, &kept);
        let drafted = || kept.0.lock().expect("no thread failed").len();
        let first = offered("");
        assert_eq!((first.is_empty(), drafted()), (false, 1));
        let below = offered("\n\n");
        assert_eq!((below.len(), drafted()), (first.len(), 1));
        assert_eq!((below[0].span.start, &below[0].insert), (2, &first[0].insert));
        let for_machine = offered("# /// config\n# hardware = \"1x H100\"\n# ///\n");
        assert_eq!((for_machine.len() < first.len(), drafted()), (true, 2));
    }

    #[test]
    fn a_file_with_keys_is_offered_none() {
        assert!(offered("max_steps = 1\n").is_empty());
        let analysis = analysis("");
        assert!(complete(&analysis, 0).iter().all(|item| item.rank >= 2), "keys come after the skeletons");
    }
}
