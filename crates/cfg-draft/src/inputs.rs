//! The facts that a choice starts from: the model, and the keys of the target.

use std::sync::Arc;

use cfg_check::Request;
use cfg_plan::{
    Plan,
    budget::{Shape, shape},
};
use cfg_rules::catalogue;
use cfg_schema::{FieldType, Kind, Policy, TypeKind};
use toml_edit::Value;

use crate::{Refusal, Surroundings, Wish, judge::plan, settings};

/// The facts that a choice starts from.
#[derive(Clone)]
pub(crate) struct Inputs<'a> {
    pub(crate) around: Surroundings<'a>,
    pub(crate) wish: &'a Wish<'a>,
    pub(crate) shape: Shape,
    /// The settings that only some models need.
    pub(crate) needs: Vec<Need>,
    /// Whether the config states how long its prompts are, because a short sequence leaves less for them than most need.
    pub(crate) states_prompt: bool,
    /// The trainer of the run whose files are made one by one, if its config is beside the new one.
    pub(crate) trainer: Option<Arc<Plan>>,
}

/// A setting that only some models need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The model's own chat template, because prime-rl has no renderer for the model.
    Template,
    /// An older attention kernel, because the newer ones of the card need a class of prime-rl's own.
    CommonKernel,
    /// Training in bfloat16, because the model could see images.
    Bfloat16,
    /// A class of prime-rl's own, because no other one trains on images.
    OwnClass,
}

/// Values that belong together, under the keys of one target.
pub(crate) type Spelling<'s> = Vec<(&'s str, Value)>;

impl<'a> Inputs<'a> {
    pub(crate) fn of(around: Surroundings<'a>, wish: &'a Wish<'a>) -> Result<Self, Refusal> {
        let project = around.project;
        let shape = shape(wish.model, |name| project.shapes.get(name).cloned(), |name| project.local_shape(name));
        let shape = shape.map_err(Refusal::Model)?;
        Refusal::of_card(&wish.hardware.gpu)?;
        Refusal::of_length(wish)?;
        let needed = match wish.kind {
            Kind::Rl | Kind::Orchestrator => {
                Some("which environment is trained on? State it with --env: `--env reverse-text`, `--env org/name`")
            }
            Kind::Sft => Some("which data is trained on? State it with --data: `--data PrimeIntellect/Reverse-Text-SFT`"),
            _ => None,
        };
        if let Some(question) = needed.filter(|_| wish.source.is_none()) {
            return Err(Refusal::Unsaid(question));
        }
        let trainer = trainer_beside(around, wish).map(Arc::new);
        let inputs = Self { around, wish, shape, needs: Vec::new(), states_prompt: false, trainer };
        if wish.rolls_out() && inputs.spelled(settings::environment("", wish.images)).is_empty() {
            let why = format!("cfg does not know how configs of prime-rl {} name an environment", around.target.name);
            return Err(Refusal::NoneIsRight { why });
        }
        if wish.images && catalogue::family(wish.model).is_none_or(|family| family.parts.is_empty()) {
            let why = format!("cfg does not know the vision encoder of {}, or it has none", wish.model);
            return Err(Refusal::NoneIsRight { why });
        }
        Ok(inputs)
    }

    /// The trainer that is on the same GPU as the server of the new config.
    pub(crate) fn trainer_on_gpu(&self) -> Option<&Plan> {
        // On a machine with several GPUs, the user says which process has which.
        self.trainer.as_deref().filter(|_| self.wish.kind == Kind::Inference && self.wish.hardware.count == 1)
    }

    /// The length of the sequences that the trainer beside the new config takes, in tokens.
    pub(crate) fn length_beside(&self) -> Option<u64> {
        let trainer = self.trainer.as_ref()?.trainer.as_ref()?;
        u64::try_from(trainer.seq_len.get()?).ok()
    }

    /// The rank of the adapters that the trainer beside the new config makes; `None` if it makes none.
    pub(crate) fn rank_beside(&self) -> Option<i64> {
        self.trainer.as_ref()?.trainer.as_ref()?.model.lora.value()?.rank.get()
    }

    /// The settings that a model of this family may need, in the order in which they are tried.
    pub(crate) fn possible_needs(&self) -> Vec<Need> {
        let sees_images = catalogue::family(self.wish.model).is_some_and(|family| !family.parts.is_empty());
        let of_images: &[Need] = match (sees_images, self.wish.images) {
            (false, _) => &[],
            (true, false) => &[Need::Bfloat16],
            (true, true) => &[Need::OwnClass],
        };
        [&[Need::Template, Need::CommonKernel], of_images].concat()
    }

    /// Whether the model needs a setting that others don't.
    pub(crate) fn has_need(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Whether the target can train adapters.
    pub(crate) fn has_lora(&self) -> bool {
        !self.spelled(settings::lora()).is_empty()
    }

    /// Whether the target can put the trainer and vLLM on the same GPU.
    pub(crate) fn can_share(&self) -> bool {
        ["trainer_gpu_ids", "inference_gpu_ids"].into_iter().all(|key| self.has(key, |_| true))
    }

    /// Whether configs of this kind have a key at this target, with a type for which `is_right` is true. A table that passes on unknown keys
    /// has every key.
    fn has(&self, path: &str, is_right: impl Fn(FieldType) -> bool) -> bool {
        let types = self.types(path);
        if !types.is_empty() {
            return types.into_iter().any(is_right);
        }
        let table = path.rsplit_once('.').map_or_else(Vec::new, |(table, _)| self.types(table));
        table.into_iter().any(|ty| ty.kind() == TypeKind::Table(Policy::Allow))
    }

    /// The types of a key at this target; empty if configs of this kind don't have it.
    fn types(&self, path: &str) -> Vec<FieldType> {
        let Surroundings { target, .. } = self.around;
        let found = target.schema(self.wish.kind).named(path).into_iter();
        found.filter_map(|field| field.at(target.point)).map(cfg_schema::Interval::field_type).collect()
    }

    /// A key of an `rl` config as this kind writes it; `None` if it belongs to another component.
    fn own(&self, path: &str) -> Option<String> {
        let component = match self.wish.kind {
            Kind::Rl => return (!path.starts_with("data.")).then(|| path.to_owned()),
            Kind::Sft | Kind::Trainer => "trainer",
            Kind::Orchestrator => "orchestrator",
            _ => "inference",
        };
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match first {
            "trainer" | "orchestrator" | "inference" => (first == component).then(|| rest.to_owned()),
            "data" => (self.wish.kind == Kind::Sft).then(|| path.to_owned()),
            _ => Some(path.to_owned()),
        }
    }

    /// The first spelling whose keys, as far as they belong to this kind, all exist at the target.
    pub(crate) fn spelled(&self, spellings: Vec<Spelling<'_>>) -> Vec<(String, Value)> {
        let own = |spelling: Spelling<'_>| -> Option<Vec<(String, Value)>> {
            let own: Vec<_> = spelling.into_iter().filter_map(|(path, value)| Some((self.own(path)?, value))).collect();
            (!own.is_empty() && own.iter().all(|(path, value)| self.has(path, |ty| takes(ty, value)))).then_some(own)
        };
        spellings.into_iter().find_map(own).unwrap_or_default()
    }
}

/// The plan of the only trainer's config beside the new one that is for the same model and prime-rl.
fn trainer_beside(around: Surroundings<'_>, wish: &Wish<'_>) -> Option<Plan> {
    if !matches!(wish.kind, Kind::Orchestrator | Kind::Inference) {
        return None;
    }
    let trainer = |(path, text): (std::path::PathBuf, String)| {
        let checked = cfg_check::check(around.session, Request::new(&path.to_string_lossy(), &text));
        let is_meant = checked.kind == Some(Kind::Trainer) && checked.target.point == around.target.point;
        let plan = plan(&checked).filter(|_| is_meant)?;
        plan.trainer.as_ref().is_some_and(|trainer| trainer.model.name.is(wish.model)).then_some(plan)
    };
    let mut trainers = around.project.nearby.siblings().into_iter().filter_map(trainer);
    trainers.next().filter(|_| trainers.next().is_none())
}

/// Whether a type accepts a value: for a word that not every target has, such as `auto`, the type decides.
fn takes(ty: FieldType, value: &Value) -> bool {
    let Some(word) = value.as_str() else { return true };
    match ty.kind() {
        TypeKind::Literal => ty.literals().any(|literal| literal == word),
        TypeKind::Union => ty.members().any(|member| takes(member, value)),
        TypeKind::Str | TypeKind::Path | TypeKind::Any => true,
        _ => false,
    }
}
