//! The state of a run, and its measures with their limits.

use super::{Bound, Html, Page, RunPart, facts, plan::axis};
use crate::{
    curves::{CurveReport, title, value},
    resume::size,
    watch::{WatchReport, duration},
};
use cfg_diag::Order as _;

/// The maximum number of points of a curve on the page.
const MAX_POINTS: usize = 600;

/// A longer curve is also drawn as means of this many steps.
const SMOOTHED: usize = 10;

/// The number of rows of the table.
const ROWS: usize = 20;

const WIDE: f64 = 1000.0;
const HIGH: f64 = 200.0;

pub(super) fn write(html: &mut Html, page: &Page<'_>) {
    let Some(run) = &page.run else { return };
    let report = &run.report;
    let mut about: Vec<(&'static str, String)> = run.registered.clone();
    let predicted = &report.predicted;
    let step = |seconds: f64| [Some(duration(seconds)), predicted.of_step()].into_iter().flatten().collect::<Vec<_>>().join("; ");
    about.extend(report.step_seconds.map(|seconds| ("a step", step(seconds))));
    about.extend(report.remaining_seconds.filter(|seconds| *seconds > 0.0).map(|seconds| ("to go", duration(seconds))));
    let measures = &report.measures;
    if let (Some(trainer), Some(orchestrator)) = (measures.trainer_step, measures.orchestrator_step)
        && trainer != orchestrator
    {
        about.push(("steps", format!("the trainer is at {trainer}, the orchestrator at {orchestrator}")));
    }
    if let Some(bytes) = report.disk.checkpoint_bytes {
        about.push(("a checkpoint", size(bytes)));
    }
    about.extend(report.attempt.filter(|attempt| *attempt > 1).map(|attempt| ("attempt", attempt.to_string())));
    let processes = report.processes.iter().map(|process| format!("{} {}", process.component, process.state));
    let processes = processes.collect::<Vec<_>>().join(", ");
    if !processes.is_empty() {
        about.push(("processes", processes));
    }
    about.extend(peak(page, report).map(|text| ("peak memory", text)));
    if let Some((tokens, estimated)) = measures.tokens_per_second.zip(predicted.tokens_per_second) {
        about.push(("throughput", format!("{tokens:.0} tokens/s; estimated {estimated:.0}")));
    }
    if let Some((rate, scheduled)) = measures.learning_rate.zip(predicted.learning_rate) {
        about.push(("learning rate", format!("{}; by the schedule {}", value(rate), value(scheduled))));
    }
    about.extend(report.last_line.as_ref().map(|time| ("last line", format!("{time}, by its own clock: the files are copies"))));
    facts(html, &about);
    if page.verdict.is_none() {
        html.raw("<p class=\"dim\">The folder has no config, so the page has no memory, steps or values: name the config after the folder.</p>\n");
    }
    for finding in &report.findings {
        let class = if finding.severity == "error" { "bad" } else { "warn" };
        html.raw("<div class=\"card\">\n<p><span class=\"chip ")
            .raw(class)
            .raw("\">")
            .text(finding.severity)
            .raw("</span> <code>");
        html.text(&finding.symptom).raw("</code></p>\n");
        html.element("<p>", &finding.cause, "</p>\n").element("<p class=\"small\">", &finding.repair, "</p>\n");
        for seen in &finding.seen {
            html.raw("<p class=\"small dim mono\">")
                .text(&seen.path)
                .raw(":")
                .shown(seen.line)
                .raw("</p>\n<pre>")
                .lines(&seen.text);
            html.raw("</pre>\n");
        }
        for place in &finding.places {
            html.raw("<p class=\"small\"><span class=\"mono\">")
                .text(&place.path)
                .raw(":")
                .shown(place.line)
                .raw("</span>: <code>");
            html.text(&place.text).raw("</code> <span class=\"dim\">").text(&place.message).raw("</span></p>\n");
        }
        html.raw("</div>\n");
    }
    let shown: Vec<&CurveReport> = run.curves.iter().filter(|curve| curve.points.len() > 1).collect();
    if shown.is_empty() {
        html.raw("<p class=\"dim\">Its logs tell no measures of two steps.</p>\n");
        return;
    }
    html.raw("<div class=\"curves\">\n");
    for curve in &shown {
        let schedule: &[(i64, f64)] = if curve.measure == "learning_rate" { &run.schedule } else { &[] };
        chart(html, curve, run.bounds.iter().find(|bound| bound.measure == &*curve.measure), schedule);
    }
    html.raw("</div>\n");
    numbers(html, run, &shown);
}

/// The trainer's peak memory as it logged it, beside that which `cfg memory` computes.
fn peak(page: &Page<'_>, report: &WatchReport) -> Option<String> {
    let logged = report.measures.peak_memory?;
    let memory = page.memory.as_ref().and_then(|memory| memory.as_ref().ok());
    let trainer = memory.and_then(|memory| memory.gpus.iter().find_map(|gpu| gpu.trainer.as_ref()));
    let Some(trainer) = trainer else { return Some(format!("{logged:.1} GiB")) };
    #[expect(clippy::cast_precision_loss, reason = "bytes of a GPU")]
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let (low, high) = (gib(trainer.peak_low_bytes), gib(trainer.peak_high_bytes));
    let off = match () {
        () if logged < low => format!("{:.1} GiB below", low - logged),
        () if logged > high => format!("{:.1} GiB above", logged - high),
        () => "within".to_owned(),
    };
    Some(format!("{logged:.1} GiB, {off} the computed {low:.1} to {high:.1} GiB"))
}

/// One measure over the steps, and what it should be by the config.
fn chart(html: &mut Html, curve: &CurveReport, bound: Option<&Bound>, schedule: &[(i64, f64)]) {
    let (Some((first, _)), Some((last, newest))) = (curve.points.first(), curve.points.last()) else { return };
    let (mut low, mut high) = ends(&curve.points);
    let span = high - low;
    // A limit that is far away would flatten the curve.
    let drawn = bound.filter(|bound| bound.at > span.mul_add(-2.0, low) && bound.at < span.mul_add(2.0, high));
    if let Some(bound) = drawn {
        (low, high) = (low.min(bound.at), high.max(bound.at));
    }
    if !schedule.is_empty() {
        let (bottom, top) = ends(schedule);
        (low, high) = (low.min(bottom), high.max(top));
    }
    // What is never negative has no negative axis.
    let is_positive = low >= 0.0;
    let pad = if high > low { (high - low) * 0.06 } else { high.abs() * 0.1 };
    let pad = if pad > 0.0 { pad } else { 1.0 };
    (low, high) = (if is_positive { (low - pad).max(0.0) } else { low - pad }, high + pad);
    #[expect(clippy::cast_precision_loss, reason = "a picture has no more than a thousand places")]
    let x = |step: i64| (step as f64 - *first as f64) / (*last as f64 - *first as f64).max(1.0) * WIDE;
    let y = |value: f64| (high - value) / (high - low) * HIGH;
    html.raw("<div class=\"card\"><figure>\n<figcaption><b>").text(&title(&curve.measure)).raw("</b> <span class=\"dim\">now ");
    html.text(&value(*newest));
    if let Some(bound) = bound {
        html.raw(if bound.is_least { ", wrong below " } else { ", wrong above " }).shown(bound.at);
    }
    if !schedule.is_empty() {
        html.raw("; dashed: the schedule of the config");
    }
    html.raw("</span></figcaption>\n<div class=\"plot\"><span class=\"small dim top\">").text(&value(high));
    html.raw("</span><span class=\"small dim bottom\">").text(&value(low)).raw("</span>");
    html.raw("<svg class=\"chart\" viewBox=\"0 0 1000 200\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"");
    html.text(&title(&curve.measure)).raw("\">");
    html.raw("<path class=\"rule\" d=\"M0 200H1000M0 100H1000M0 0H1000\"/>");
    if let Some(bound) = drawn {
        let at = y(bound.at);
        let (top, tall) = if bound.is_least { (at, HIGH - at) } else { (0.0, at) };
        html.raw("<rect class=\"out\" x=\"0\" width=\"1000\" y=\"").at(top).raw("\" height=\"").at(tall).raw("\"/>");
        html.raw("<path class=\"bound\" d=\"M0 ").at(at).raw("H1000\"/>");
    }
    let is_smooth = curve.points.len() > 3 * SMOOTHED;
    html.raw("<path class=\"").raw(if is_smooth { "raw" } else { "mean" }).raw("\" d=\"");
    path(html, thinned(&curve.points).into_iter().map(|(step, value)| (x(step), y(value))));
    html.raw("\"/>");
    if is_smooth {
        html.raw("<path class=\"mean\" d=\"");
        let means = means(&curve.points);
        let every = means.len().div_ceil(MAX_POINTS / 2).max(1);
        let end = means.last().copied();
        path(html, means.into_iter().step_by(every).chain(end).map(|(step, value)| (x(step), y(value))));
        html.raw("\"/>");
    }
    if !schedule.is_empty() {
        html.raw("<path class=\"schedule\" d=\"");
        path(html, thinned(schedule).into_iter().map(|(step, value)| (x(step), y(value))));
        html.raw("\"/>");
    }
    html.raw("</svg></div>\n");
    axis(html, *first, *last);
    let (bottom, top) = ends(&curve.points);
    html.raw("<p class=\"small dim\">between ")
        .text(&value(bottom))
        .raw(" and ")
        .text(&value(top))
        .raw("</p>\n</figure></div>\n");
}

fn path(html: &mut Html, points: impl Iterator<Item = (f64, f64)>) {
    for (number, (x, y)) in points.enumerate() {
        html.raw(if number == 0 { "M" } else { "L" }).at(x).raw(" ").at(y);
    }
}

/// The least and the greatest value.
fn ends(points: &[(i64, f64)]) -> (f64, f64) {
    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, value)| (low.min(*value), high.max(*value)))
}

/// At most [`MAX_POINTS`] points, which preserve the peaks: the least and the greatest of each part.
fn thinned(points: &[(i64, f64)]) -> Vec<(i64, f64)> {
    if points.len() <= MAX_POINTS {
        return points.to_vec();
    }
    let mut kept = Vec::with_capacity(MAX_POINTS);
    for part in points.chunks(points.len().div_ceil(MAX_POINTS / 2)) {
        let least = part.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let most = part.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let mut both: Vec<_> = least.into_iter().chain(most).copied().collect();
        both.order_by_key(|(step, _)| *step);
        both.dedup();
        kept.extend(both);
    }
    kept
}

/// The means of the last [`SMOOTHED`] values at each point.
fn means(points: &[(i64, f64)]) -> Vec<(i64, f64)> {
    let mean = |end: usize| {
        let some = &points[(end + 1).saturating_sub(SMOOTHED)..=end];
        #[expect(clippy::cast_precision_loss, reason = "ten")]
        let mean = some.iter().map(|(_, value)| value).sum::<f64>() / some.len() as f64;
        (points[end].0, mean)
    };
    (0..points.len()).map(mean).collect()
}

/// The measures in numbers, at some steps.
fn numbers(html: &mut Html, run: &RunPart, shown: &[&CurveReport]) {
    let mut steps: Vec<i64> = run.curves.iter().flat_map(|curve| curve.points.iter().map(|(step, _)| *step)).collect();
    steps.sort_unstable();
    steps.dedup();
    let every = steps.len().div_ceil(ROWS).max(1);
    html.raw("<details><summary>The same in numbers</summary>\n<div class=\"wide\"><table>\n<thead><tr><th>step</th>");
    for curve in shown {
        html.raw("<th class=\"number\">").text(&title(&curve.measure)).raw("</th>");
    }
    html.raw("</tr></thead>\n<tbody>\n");
    let end = steps.last().copied();
    let mut rows: Vec<i64> = steps.iter().copied().step_by(every).chain(end).collect();
    rows.dedup();
    for step in rows {
        html.raw("<tr><td>").shown(step).raw("</td>");
        for curve in shown {
            let at = curve.points.binary_search_by_key(&step, |(step, _)| *step).ok();
            html.raw("<td class=\"number\">").text(&at.map_or_else(String::new, |at| value(curve.points[at].1))).raw("</td>");
        }
        html.raw("</tr>\n");
    }
    html.raw("</tbody>\n</table></div>\n</details>\n");
}

#[cfg(test)]
mod tests {
    use super::{MAX_POINTS, means, thinned};

    #[test]
    fn a_reduced_curve_has_its_extremes() {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let points: Vec<(i64, f64)> = (0..5000).map(|step| (step, if step == 2345 { 9.0 } else { step as f64 / 1e4 })).collect();
        let some = thinned(&points);
        assert!(some.len() <= MAX_POINTS + 2 && some.contains(&(2345, 9.0)), "{}", some.len());
        assert!(some.is_sorted_by_key(|(step, _)| *step));
        assert_eq!(thinned(&points[..10]), points[..10]);
        assert_eq!(means(&[(0, 1.0), (1, 2.0)]), [(0, 1.0), (1, 1.5)]);
    }
}
