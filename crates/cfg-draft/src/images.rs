//! The settings of a model that sees images.

use cfg_rules::catalogue;
use cfg_schema::Kind;

use crate::{inputs::Need, settings::Settings};

/// What a model with image input needs, for the components that train it or make its samples.
pub(crate) fn parts(settings: &mut Settings<'_>) {
    let Some([vision, language]) = catalogue::family(settings.inputs.wish.model).map(|family| family.parts) else { return };
    let spelling = |vision_key, language_key| vec![(vision_key, (*vision).into()), (language_key, (*language).into())];
    if settings.inputs.wish.trains() || settings.inputs.wish.rolls_out() {
        settings.add(
            vec![
                spelling("model.vlm.vision_encoder_attr", "model.vlm.language_model_attr"),
                spelling(
                    "orchestrator.student.model.vlm.vision_encoder_attr",
                    "orchestrator.student.model.vlm.language_model_attr",
                ),
            ],
            "the model sees images; its vision encoder stays frozen",
        );
    }
    let why = "one sample for each turn: vLLM counts the images of earlier turns differently";
    settings.set("orchestrator.trajectory_strategy", "branching", why);
}

/// The implementation and the precision that a model with image input needs.
pub(crate) fn precision(settings: &mut Settings<'_>) {
    if settings.inputs.has_need(Need::OwnClass) {
        settings.set("trainer.model.impl", "custom", "only prime-rl's own class of the model trains on images");
    }
    if settings.inputs.wish.images || settings.inputs.has_need(Need::Bfloat16) {
        let keys = ["trainer.model.optimization_dtype", "trainer.model.reduce_dtype"];
        let values = keys.into_iter().map(|key| (key, "bfloat16".into())).collect();
        settings.add(vec![values], "as vLLM serves a model that sees images");
    }
    if settings.inputs.wish.images && settings.inputs.wish.kind == Kind::Sft {
        settings.set("data.micro_batch_size", 1, "samples with images are not batched");
    }
}
