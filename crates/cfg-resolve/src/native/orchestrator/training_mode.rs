//! The source of the training signal: rewards, a teacher's probabilities, or a teacher's own rollouts. A teacher is given only if it is used.

use cfg_schema::Behaviour;

use crate::native::{Failure, ValidatorCtx};

/// Before eaf95997f: rollouts of a teacher require the loss that is made for them.
pub(super) fn distill(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let teacher = "teacher_rollout_model";
    match (cx.bool("use_sft_loss"), cx.has(teacher)) {
        (true, false) => {
            return Err(Failure::value(
                format!("`use_sft_loss` learns from a teacher's rollouts, but `{teacher}` is not set"),
                &["use_sft_loss", teacher],
            )
            .help(format!("add `[{teacher}]`, or remove `use_sft_loss`")));
        }
        (false, true) => {
            return Err(Failure::value(
                format!("`{teacher}` is set, but `use_sft_loss`, which learns from its rollouts, is off"),
                &[teacher, "use_sft_loss"],
            )
            .help("write `use_sft_loss = true`"));
        }
        _ => {}
    }
    match ["use_token_client", "use_renderer"].into_iter().find(|path| cx.has(teacher) && cx.bool(path)) {
        Some(path) => Err(Failure::value(
            format!("`{path}` is on, but the rollouts come from `{teacher}`, which returns no tokens"),
            &[path, teacher],
        )
        .help(format!("write `{path} = false`"))),
        None => Ok(()),
    }
}

/// A teacher must be given if the mode needs one, and only then.
pub(super) fn teacher(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let has_teacher = cx.has("teacher");
    let mode = cx.str("training_mode").map(String::from).unwrap_or_default();
    let needs = match &*mode {
        "opd" => true,
        "sft" => cx.point.lacks(Behaviour::SftWithoutTeacher),
        _ => false,
    };
    if mode == "rl" && has_teacher {
        return Err(Failure::value("`training_mode` \"rl\" does not use a `teacher`", &["teacher", "training_mode"])
            .help("remove the teacher, or write `training_mode = \"opd\"`"));
    }
    if needs && !has_teacher {
        return Err(Failure::value(format!("`training_mode` \"{mode}\" needs a `teacher`"), &["training_mode", "teacher"])
            .help("add `[teacher]` with the model to learn from"));
    }
    Ok(())
}

/// Turns the renderer off for rollouts of a teacher: they are text that prime-rl's renderer did not make.
pub(super) fn force_no_renderer(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let with_teacher = cx.point.lacks(Behaviour::SftWithoutTeacher) || cx.has("teacher");
    if cx.is("training_mode", "sft") && with_teacher {
        if cx.point.has(Behaviour::NullRenderer) {
            cx.from("training_mode").set_null("renderer");
        } else {
            cx.from("training_mode").set_bool("use_renderer", false);
        }
    }
    Ok(())
}
