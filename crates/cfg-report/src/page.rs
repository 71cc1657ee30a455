//! A page of HTML about a config or a run that needs nothing else: no script, style or picture from elsewhere, and no network.
//!
//! Pictures are SVG without text, which scale with the page. All text is HTML, so that the page can be read on a phone and searched. The page's own
//! policy forbids a browser to load anything; it names the only script, which searches the values, by its hash.

mod config;
mod html;
mod memory;
mod plan;
mod run;
mod versions;

use std::io::{self, Write};

use cfg_diag::{Diagnostic, Severity};

use self::html::Html;
use crate::{
    Sources, Verdict, course::CourseReport, curves::CurveReport, memory::MemoryReport, runs::DifferenceReport, summary::count,
    watch::WatchReport,
};

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/search.js");

/// The first line of each page, by which a page is recognised.
pub const MARK: &str = "<!DOCTYPE html><!-- cfg report -->";

/// What a browser may do with the page: use this style and this script.
const POLICY: &str = "default-src 'none'; style-src 'sha256-SXHtd9r7Zs7Tlc8lmRG6sji1CMt2M9AWtOLwAADPgkM='; script-src 'sha256-FqW4BE2jY+Mly29F8vyPw6fVyQGum6xdD6Vrb6N2AjQ='; base-uri 'none'; form-action 'none'";

/// The content of a page. Empty or unknown parts have no section.
#[derive(Debug)]
pub struct Page<'a> {
    /// The subject of the page: a config, a version of one, or a run.
    pub title: String,
    /// The entrypoint of prime-rl that the config is for.
    pub kind: Option<&'static str>,
    /// The target of the config.
    pub target: Option<String>,
    /// prime-rl's verdict on the config; `None` if there is no config.
    pub verdict: Option<Verdict>,
    /// The metadata of the config: names and values.
    pub about: Vec<(&'static str, String)>,
    /// The findings in the config.
    pub findings: &'a [Diagnostic],
    /// The texts that the findings refer to.
    pub sources: &'a Sources<'a>,
    /// The memory of the GPUs and the disk, or why it is not known.
    pub memory: Option<Result<MemoryReport, String>>,
    /// The course of its steps.
    pub course: Option<CourseReport>,
    /// The run, if the page is about one.
    pub run: Option<RunPart>,
    /// The changes that led to the version, the newest first.
    pub changes: Vec<Change>,
    /// The ancestors and descendants of the config, the newest first.
    pub versions: Vec<Version>,
    /// All resolved values.
    pub values: Vec<Value>,
}

/// A run.
#[derive(Debug)]
pub struct RunPart {
    /// Its state.
    pub report: WatchReport,
    /// The curves of its measures.
    pub curves: Vec<CurveReport>,
    /// The limits of the measures.
    pub bounds: Vec<Bound>,
    /// The learning rate of its steps by the schedule of its config; empty if that is not known.
    pub schedule: Vec<(i64, f64)>,
    /// The entry of the run in the registry: names and values.
    pub registered: Vec<(&'static str, String)>,
}

/// The limit of a measure.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The measure.
    pub measure: &'static str,
    /// The limit.
    pub at: f64,
    /// Whether it is a lower limit; otherwise it is an upper one.
    pub is_least: bool,
}

/// A change from one version to another.
#[derive(Clone, Debug)]
pub struct Change {
    /// The older version.
    pub from: String,
    /// The newer version.
    pub to: String,
    /// When and why it was made, according to the registry.
    pub why: Option<String>,
    /// The differences; `None` if one of the two texts is not known.
    pub differences: Option<Vec<DifferenceReport>>,
}

/// A version in the lineage.
#[derive(Clone, Debug)]
pub struct Version {
    /// Its name.
    pub name: String,
    /// The day on which it was made.
    pub created: Option<String>,
    /// Its parent.
    pub parent: Option<String>,
    /// Why it was made.
    pub notes: Option<String>,
    /// Whether the page is about it.
    pub is_shown: bool,
}

/// A resolved value.
#[derive(Clone, Debug)]
pub struct Value {
    /// The key.
    pub key: String,
    /// The value in TOML.
    pub value: String,
    /// Its origin in words.
    pub origin: String,
    /// Whether the user did not write it.
    pub is_default: bool,
}

/// Writes the page.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_page(out: &mut impl Write, page: &Page<'_>) -> io::Result<()> {
    let mut html = Html::default();
    html.raw(MARK)
        .raw("\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"");
    html.raw(POLICY).raw("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    html.element("<title>", &page.title, "</title>\n").raw("<style>").raw(STYLE).raw("</style>\n</head>\n<body>\n");
    head(&mut html, page);
    for (id, title, write) in sections(page) {
        html.raw("<section id=\"").raw(id).raw("\">\n").element("<h2>", title, "</h2>\n");
        write(&mut html, page);
        html.raw("</section>\n");
    }
    html.raw("<footer>Written by cfg ").raw(env!("CARGO_PKG_VERSION"));
    html.raw(". The page needs nothing from elsewhere: it can be sent, kept and printed as it is.</footer>\n<script>");
    html.raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    out.write_all(html.into_text().as_bytes())
}

type Section = (&'static str, &'static str, fn(&mut Html, &Page<'_>));

/// The sections with content, each with its anchor and its title.
fn sections(page: &Page<'_>) -> Vec<Section> {
    let all: [(bool, Section); 8] = [
        (page.run.is_some(), ("run", "The run", run::write)),
        (page.verdict.is_some(), ("findings", "Findings", config::findings)),
        (page.memory.is_some(), ("memory", "Memory", memory::write)),
        (page.course.is_some(), ("steps", "Steps", plan::write)),
        (
            page.course.as_ref().is_some_and(|course| !course.curriculum.is_empty()),
            ("curriculum", "Curriculum", plan::curriculum),
        ),
        (!page.changes.is_empty(), ("changes", "What changed, and why", versions::changes)),
        (!page.versions.is_empty(), ("lineage", "Lineage", versions::lineage)),
        (!page.values.is_empty(), ("values", "Values, and where they come from", config::values)),
    ];
    all.into_iter().filter_map(|(is, section)| is.then_some(section)).collect()
}

fn head(html: &mut Html, page: &Page<'_>) {
    html.raw("<header>\n").element("<h1>", &page.title, "</h1>\n");
    let of =
        [page.kind.map(|kind| format!("a config for {kind}")), page.target.as_ref().map(|target| format!("prime-rl {target}"))];
    let of: Vec<String> = of.into_iter().flatten().collect();
    if !of.is_empty() {
        html.element("<p class=\"dim\">", &of.join(", "), "</p>\n");
    }
    facts(html, &page.about);
    tiles(html, page);
    html.raw("<nav aria-label=\"Sections\">");
    for (id, title, _) in sections(page) {
        html.raw("<a href=\"#").raw(id).raw("\">").text(title).raw("</a>\n");
    }
    html.raw("</nav>\n</header>\n");
}

/// A longer fact has a line of its own.
const SHORT: usize = 32;

/// Names and values.
fn facts(html: &mut Html, facts: &[(&'static str, String)]) {
    if facts.is_empty() {
        return;
    }
    html.raw("<dl class=\"facts\">\n");
    for (name, value) in facts {
        html.raw(if value.chars().count() > SHORT { "<div class=\"whole\">" } else { "<div>" });
        html.element("<dt>", name, "</dt>").element("<dd>", value, "</dd></div>\n");
    }
    html.raw("</dl>\n");
}

/// The most important results, in a few words each.
fn tiles(html: &mut Html, page: &Page<'_>) {
    let mut tiles: Vec<(&str, &'static str, String)> = Vec::new();
    if let Some(run) = &page.run {
        let state = run.report.state;
        tiles.push(("the run", if state.is_wrong() { "bad" } else { "good" }, state.as_str().to_owned()));
        // The findings in the config, below, are others.
        if let Some((first, more)) = run.report.findings.split_first() {
            let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            let class = if first.severity == "error" { "bad" } else { "warn" };
            tiles.push(("its logs", class, format!("{}{more}", first.symptom)));
        }
        if let Some(step) = run.report.step {
            let of = run.report.max_steps.map_or_else(String::new, |steps| format!(" of {steps}"));
            tiles.push(("step", "", format!("{step}{of}")));
        }
        if let Some(reward) = run.report.measures.reward {
            tiles.push(("reward", "", crate::curves::value(reward)));
        }
    }
    if let Some(verdict) = page.verdict {
        let of = |severity: Severity| page.findings.iter().filter(|found| found.severity == severity).count();
        let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
        let (class, words) = match (verdict, errors, warnings) {
            (_, 1.., _) => ("bad", count(errors, "error")),
            (_, 0, 1..) => ("warn", count(warnings, "warning")),
            (Verdict::Depends, ..) => ("warn", "not decided".to_owned()),
            _ => ("good", "none".to_owned()),
        };
        tiles.push((if page.run.is_some() { "findings in the config" } else { "findings" }, class, words));
    }
    if let Some(Ok(memory)) = &page.memory {
        let worst = ["out-of-memory", "start-up-failure", "tight", "fits"].into_iter();
        let worst = worst.into_iter().find(|verdict| memory.gpus.iter().any(|gpu| gpu.verdict == *verdict));
        if let Some(verdict) = worst {
            let on = memory
                .hardware
                .as_ref()
                .map_or_else(String::new, |hardware| format!(" on {}x {}", hardware.count, hardware.name));
            tiles.push(("memory", memory::class(verdict), format!("{}{on}", verdict.replace('-', " "))));
        }
    }
    if let Some(steps) = page.course.as_ref().and_then(|course| course.max_steps).filter(|_| page.run.is_none()) {
        tiles.push(("steps", "", crate::course::grouped(steps)));
    }
    if tiles.is_empty() {
        return;
    }
    html.raw("<div class=\"tiles\">\n");
    for (name, class, words) in tiles {
        html.raw("<div class=\"tile\"><span class=\"small dim\">").text(name).raw("</span><b class=\"").raw(class).raw("\">");
        html.text(&words).raw("</b></div>\n");
    }
    html.raw("</div>\n");
}

#[cfg(test)]
mod tests {
    use super::{POLICY, SCRIPT, STYLE};

    /// A browser ignores a style or a script that the policy does not name.
    #[test]
    fn the_policy_names_the_style_and_the_script() {
        for text in [STYLE, SCRIPT] {
            let hash = base64(&<sha2::Sha256 as sha2::Digest>::digest(text));
            assert!(POLICY.contains(&format!("'sha256-{hash}'")), "write {hash}");
            assert!(
                !text.contains("</") && !text.contains("://") && !text.contains("url("),
                "nothing ends it, and nothing is loaded"
            );
        }
    }

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digit = |bits: u32| char::from(DIGITS[(bits & 63) as usize]);
        let of = |three: &[u8]| {
            let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
            let all = [digit(bits >> 18), digit(bits >> 12), digit(bits >> 6), digit(bits)];
            all.into_iter().take(three.len() + 1).chain(std::iter::repeat_n('=', 3 - three.len())).collect::<String>()
        };
        bytes.chunks(3).map(of).collect()
    }
}
