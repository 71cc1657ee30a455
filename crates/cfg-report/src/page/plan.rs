//! The events by step, and the token budget of a rollout.

use cfg_diag::capitalized;

use super::{
    Html, Page,
    memory::{colour, legend},
};
use crate::{
    course::{CUT, CourseReport, RolloutReport, grouped},
    curriculum::EnvironmentReport,
};

/// The width of a picture.
const WIDE: f64 = 1000.0;

pub(super) fn write(html: &mut Html, page: &Page<'_>) {
    let Some(course) = &page.course else { return };
    html.raw("<dl class=\"facts long\">\n");
    for (name, words) in course.sentences().into_iter().filter(|(name, _)| *name != CUT) {
        html.element("<div><dt>", name, "</dt>").element("<dd>", &words, "</dd></div>\n");
    }
    html.raw("</dl>\n");
    timeline(html, course);
    sockets(html, course);
    if let Some(rollout) = &course.rollout {
        budget(html, rollout);
    }
}

fn timeline(html: &mut Html, course: &CourseReport) {
    let (marks, last) = (course.marks(), course.max_steps.unwrap_or_default());
    if marks.is_empty() {
        return;
    }
    html.raw("<div class=\"card\">\n<h3>What happens at which step</h3>\n<div class=\"steps\">\n");
    for (name, at) in &marks {
        html.raw("<span>").text(name).raw("</span>");
        html.raw("<svg class=\"rail\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"")
            .text(name);
        html.raw("\"><path class=\"rule\" d=\"M0 5H1000\"/><path class=\"tick\" d=\"");
        for step in at {
            html.raw("M").at(x(*step, last)).raw(" 1V9");
        }
        html.raw("\"/></svg>\n");
    }
    html.raw("<span></span>");
    axis(html, 0, last);
    html.raw("</div>\n</div>\n");
}

/// The ports on which processes listen.
fn sockets(html: &mut Html, course: &CourseReport) {
    for (node, sockets) in course.sockets_by_node() {
        html.element("<div class=\"card\">\n<h3>Ports on ", node, "</h3>\n<table class=\"stack\">\n");
        html.raw("<thead><tr><th>port</th><th>address</th><th>for</th><th>key</th></tr></thead>\n<tbody>\n");
        for socket in sockets {
            html.element("<tr><td>", &socket.port.to_string(), "</td>").element("<td>", socket.address(), "</td>");
            html.element("<td>", &socket.owner, "</td>").element("<td>", socket.moved_by(), "</td></tr>\n");
        }
        html.raw("</tbody>\n</table>\n</div>\n");
    }
}

/// The axis of steps below a picture.
pub(super) fn axis(html: &mut Html, first: i64, last: i64) {
    html.raw("<div class=\"axis\">");
    let span = last.saturating_sub(first);
    for quarter in 0..=4 {
        html.raw("<span>").text(&grouped(first + span / 4 * quarter + span % 4 * quarter / 4)).raw("</span>");
    }
    html.raw("</div>\n");
}

#[expect(clippy::cast_precision_loss, reason = "a picture has no more than a thousand places")]
fn x(step: i64, last: i64) -> f64 {
    (step as f64 / last.max(1) as f64).clamp(0.0, 1.0) * WIDE
}

/// The tokens of one rollout as a bar.
fn budget(html: &mut Html, rollout: &RolloutReport) {
    let room = rollout.tokens.into_iter().chain(rollout.context).min();
    let Some(room) = room.filter(|room| *room > 0) else { return };
    let rest = if rollout.prompt.is_some() { "tools and further turns" } else { "the prompt, tools and further turns" };
    let all = [("prompt", rollout.prompt), ("one answer", rollout.answer), (rest, rollout.left.filter(|left| *left > 0))];
    let known: Vec<(&str, i64)> = all.into_iter().filter_map(|(name, tokens)| Some((name, tokens?))).collect();
    html.raw("<div class=\"card\">\n<h3>The tokens of a rollout: ").text(&grouped(room)).raw("</h3>\n");
    html.raw("<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"tokens of a rollout\">");
    let mut from: i64 = 0;
    for (number, (_, tokens)) in known.iter().enumerate() {
        let to = from.saturating_add(*tokens);
        html.raw("<rect class=\"").raw(colour(number)).raw("\" x=\"").at(x(from, room)).raw("\" y=\"0\" height=\"10\" width=\"");
        html.at(x(to, room) - x(from, room)).raw("\"/>");
        from = to;
    }
    html.raw("</svg>\n");
    legend(html, &known.iter().map(|(name, tokens)| ((*name).to_owned(), grouped(*tokens))).collect::<Vec<_>>());
    for sentence in &rollout.cut {
        html.element("<p class=\"small\">", &format!("{}.", capitalized(sentence)), "</p>\n");
    }
    html.raw("</div>\n");
}

pub(super) fn curriculum(html: &mut Html, page: &Page<'_>) {
    for environment in page.course.iter().flat_map(|course| &course.curriculum) {
        phases(html, environment);
    }
}

fn phases(html: &mut Html, environment: &EnvironmentReport) {
    let remark = match (environment.effect, environment.enabled) {
        (Some("ignored"), _) => ": the environment does nothing with it",
        (_, false) => ": not switched on",
        _ => "",
    };
    let (names, last) = (environment.names(), environment.last_step());
    html.raw("<div class=\"card\">\n<h3>").text(environment.id.as_deref().unwrap_or("environment")).raw(", <code>");
    html.text(&environment.key).raw("</code>").text(remark).raw("</h3>\n<div class=\"steps\">\n<span>as written</span>");
    begin(html, "phases as written");
    for phase in &environment.phases {
        if let (Some(from), Some(until)) = (phase.from_step, phase.until_step) {
            band(html, &names, &phase.shares, x(from, last), x(until, last), true);
        }
    }
    html.raw("</svg>\n<span>in training</span>");
    begin(html, "phases in training");
    for (number, phase) in environment.phases.iter().enumerate() {
        let Some(extents) = environment.extents(number) else { continue };
        band(html, &names, &phase.shares, x(extents.possible.0, last), x(extents.possible.1, last), false);
        band(html, &names, &phase.shares, x(extents.sure.0, last), x(extents.sure.1, last), true);
    }
    html.raw("</svg>\n<span></span>");
    axis(html, 0, last);
    html.raw("</div>\n");
    legend(html, &names.iter().map(|name| ((*name).to_owned(), String::new())).collect::<Vec<_>>());
    html.raw("</div>\n");
}

fn begin(html: &mut Html, what: &'static str) {
    html.raw("<svg class=\"band\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"")
        .raw(what)
        .raw("\">");
}

/// The shares of a phase, one above the other.
fn band(html: &mut Html, names: &[&str], shares: &std::collections::BTreeMap<String, f64>, left: f64, right: f64, is_sure: bool) {
    if right <= left {
        return;
    }
    let mut below = 100.0;
    for (number, name) in names.iter().enumerate() {
        let high = shares.get(*name).copied().unwrap_or(0.0) * 100.0;
        if high > 0.0 {
            below -= high;
            html.raw("<rect class=\"").raw(colour(number)).raw(if is_sure { "" } else { " maybe" }).raw("\" x=\"").at(left);
            html.raw("\" y=\"").at(below).raw("\" width=\"").at(right - left).raw("\" height=\"").at(high).raw("\"/>");
        }
    }
    html.raw("<path class=\"edge\" d=\"M").at(left).raw(" 0V100\"/>");
}
