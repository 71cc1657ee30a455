//! The findings in the config, and its resolved values.

use cfg_diag::{Order, Severity};

use super::{Html, Page};
use crate::paint::severity_word;

/// Quoted lines are cut at this width.
const WIDEST: usize = 400;

pub(super) fn findings(html: &mut Html, page: &Page<'_>) {
    if page.findings.is_empty() {
        let what = if page.run.is_some() { "the config" } else { "it" };
        html.raw("<p class=\"good\">Nothing is wrong with ").raw(what).raw(", as far as is known.</p>\n");
        return;
    }
    let mut all: Vec<_> = page.findings.iter().collect();
    all.order_by_key(|found| match found.severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info => 2,
    });
    for found in all {
        let class = match found.severity {
            Severity::Error => "bad",
            Severity::Warning => "warn",
            Severity::Info => "note",
        };
        html.raw("<div class=\"card\">\n<p><span class=\"chip ").raw(class).raw("\">").raw(severity_word(found.severity));
        html.raw("</span> <code>").text(found.code.code).raw(" ").text(found.code.name).raw("</code></p>\n");
        html.element("<p>", &found.message, "</p>\n");
        if let Some((path, at)) = found.location.and_then(|location| page.sources.place(location)) {
            html.raw("<p class=\"small dim mono\">").text(path).raw(":").shown(at.line).raw(":").shown(at.column).raw("</p>\n");
        }
        let source = found.location.and_then(|location| Some((page.sources.get(location.file)?, location)));
        if let Some((source, location)) = source {
            let line: String = source.line_around(location.span.start).chars().take(WIDEST).collect();
            if !line.trim().is_empty() {
                html.element("<pre>", &line, "</pre>\n");
            }
        }
        if let Some(help) = &found.help {
            html.raw("<p class=\"small\">").text(help).raw("</p>\n");
        }
        if !found.folded.is_empty() {
            html.raw("<p class=\"small dim\">").shown(found.folded.len()).raw(" more follow from it.</p>\n");
        }
        html.raw("</div>\n");
    }
}

pub(super) fn values(html: &mut Html, page: &Page<'_>) {
    html.raw("<div class=\"search\" id=\"search\" hidden>\n<input type=\"search\" id=\"words\" placeholder=\"Search keys, values and origins\" aria-label=\"Search keys, values and origins\">\n");
    html.raw("<label><input type=\"checkbox\" id=\"written\"> without defaults</label>\n<span class=\"small dim\" id=\"count\"></span>\n</div>\n");
    html.raw(
        "<table class=\"stack\" id=\"table\">\n<thead><tr><th>key</th><th>value</th><th>origin</th></tr></thead>\n<tbody>\n",
    );
    for value in &page.values {
        html.raw(if value.is_default { "<tr class=\"default\"><td><code>" } else { "<tr><td><code>" });
        html.text(&value.key).raw("</code></td><td><code>").text(&value.value).raw("</code></td><td class=\"dim\">");
        html.text(&value.origin).raw("</td></tr>\n");
    }
    html.raw("</tbody>\n</table>\n");
}
