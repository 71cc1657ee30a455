//! `cfg log`: the versions of one config or of all, their parents, and where the files are.

mod followed;
mod states;

use cfg_diag::Order as _;
use std::{
    collections::{HashMap, HashSet},
    io::{self, Write as _},
    path::Path,
};

use cfg_registry::{
    Registry,
    lineage::{self, Lineage, Parent},
    place,
    registry::{Entry, VersionPlace},
};
use cfg_report::listed::LineageEntry;
use cfg_system::Role;
use serde_json::Value as Json;

use super::{
    config::Reader,
    open::{Opened, open_silently, open_sound},
};
use crate::{
    CommandResult, Outcome,
    args::{Format, Log},
    commands::Listing,
    context::Context,
};

pub(crate) fn run(cx: &Context, log: &Log) -> CommandResult {
    let is_drawn = log.graph || matches!(cx.common.format, Format::Mermaid | Format::Dot | Format::Svg);
    let listing = Listing::of(cx);
    let near = log.path.as_deref().unwrap_or(Path::new("."));
    let opened = open_sound(cx, near)?;
    let Some(reader) = Reader::new(&cx.on(opened.system())) else { return Ok(Outcome::Failed) };
    let only = match &log.path {
        Some(path) if !cx.system.is_folder(path) => match config_of(&opened, path) {
            Some(config) => Some(config),
            None => {
                cx.complain(&format!("{} is not registered", path.display()));
                return Ok(Outcome::Failed);
            }
        },
        _ => None,
    };
    let registry = &opened.registry;
    let lineage = Lineage::new(registry, &stated_by_headers(&reader, &opened));
    let states = states::of(&opened);
    let state = |place: VersionPlace| states.get(&place).copied();
    let mut out = io::BufWriter::new(cx.out());
    if is_drawn {
        let related = only.map(|config| related(registry, &lineage, config));
        let keep = |place: VersionPlace| related.as_ref().is_none_or(|related| related.contains(&place));
        match (cx.common.format, listing) {
            (Format::Mermaid, _) => out.write_all(lineage::mermaid(registry, &lineage, &keep).as_bytes())?,
            (Format::Dot, _) => out.write_all(lineage::dot(registry, &lineage, &keep).as_bytes())?,
            (Format::Svg, _) => out.write_all(lineage::svg(registry, &lineage, &keep).as_bytes())?,
            (_, Listing::Text) => {
                for line in lineage::text(registry, &lineage, &keep, &state).lines() {
                    writeln!(out, "{}", cfg_diag::one_line(line))?;
                }
                cx.note(
                    "* starts a lineage, + is based on the version above it or on the version after `on`, : states no parent",
                );
            }
            _ => listing.write(&mut out, &entries(registry, &lineage, &keep))?,
        }
    } else {
        let listed = match only.filter(|_| log.follow) {
            Some(config) => followed::of(registry, &lineage, config),
            None => newest_first(registry).into_iter().filter(|place| only.is_none_or(|config| place.config == config)).collect(),
        };
        if listing == Listing::Text {
            listed.iter().try_for_each(|place| write(&mut out, registry, &lineage, *place, state(*place)))?;
        }
        let listed: HashSet<VersionPlace> = listed.into_iter().collect();
        listing.write(&mut out, &entries(registry, &lineage, &|place| listed.contains(&place)))?;
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

/// The lineage of a config with all ancestors and descendants, as a drawing and a list. The error is the reason why there is none.
pub(crate) fn document(cx: &Context, path: &Path) -> Result<String, String> {
    let opened = open_silently(cx, path)?;
    let reader = Reader::new(&cx.on(opened.system())).ok_or("the target of `cfg lsp` is unknown")?;
    let config = config_of(&opened, path).ok_or_else(|| format!("{} is not registered", cx.system.shown(path)))?;
    let registry = &opened.registry;
    let lineage = Lineage::new(registry, &stated_by_headers(&reader, &opened));
    let related = related(registry, &lineage, config);
    let keep = |place: VersionPlace| related.contains(&place);
    let states = states::of(&opened);
    let state = |place: VersionPlace| states.get(&place).copied();
    let mut text: String =
        lineage::text(registry, &lineage, &keep, &state).lines().map(|line| cfg_diag::one_line(line) + "\n").collect();
    text.push('\n');
    let mut list = Vec::new();
    for place in newest_first(registry).into_iter().filter(|place| place.config == config) {
        write(&mut list, registry, &lineage, place, state(place)).map_err(|error| error.to_string())?;
    }
    Ok(text + &String::from_utf8_lossy(&list))
}

/// The config with this path: the path of its file, or its path in the registry.
fn config_of(opened: &Opened, path: &Path) -> Option<usize> {
    let key = place::key(&opened.base, &opened.system().plain(path));
    key.and_then(|key| opened.registry.index_of(&key)).or_else(|| opened.registry.index_of(&path.to_string_lossy()))
}

/// The parents that configs state for their current versions, if the registry states none.
pub(in crate::commands) fn stated_by_headers(reader: &Reader, opened: &Opened) -> HashMap<VersionPlace, String> {
    let registry = &opened.registry;
    let mut stated = HashMap::new();
    for (config, of) in registry.configs.iter().enumerate() {
        let current = of.current.as_ref().and_then(|current| of.index_of(&current.value));
        let Some(entry) = current.filter(|&entry| of.versions[entry].based_on.is_none()) else { continue };
        let path = opened.file(&of.path.value);
        let Some(text) = opened.system().text(&path, Role::Config) else { continue };
        let metadata = reader.head(&path, &text).metadata;
        let is_own = metadata.version.as_ref().is_some_and(|version| version.value == of.versions[entry].label.value);
        if let Some(based_on) = metadata.based_on.filter(|_| is_own) {
            stated.insert(VersionPlace { config, entry }, based_on.value.into());
        }
    }
    stated
}

/// The versions of a config with all their ancestors and descendants.
pub(in crate::commands) fn related(registry: &Registry, lineage: &Lineage, config: usize) -> HashSet<VersionPlace> {
    let parent_of = |place: VersionPlace| match lineage.parent(place) {
        Parent::Stated(parent) | Parent::Implied(parent) => Some(*parent),
        _ => None,
    };
    let own: Vec<VersionPlace> = registry.places().filter(|place| place.config == config).collect();
    let mut children: HashMap<VersionPlace, Vec<VersionPlace>> = HashMap::new();
    for place in registry.places() {
        if let Some(parent) = parent_of(place) {
            children.entry(parent).or_default().push(place);
        }
    }
    let mut related = HashSet::new();
    for place in &own {
        let mut at = Some(*place);
        while let Some(place) = at.filter(|place| related.insert(*place)) {
            at = parent_of(place);
        }
    }
    let mut below = own;
    let mut seen = HashSet::new();
    while let Some(place) = below.pop() {
        if seen.insert(place) {
            below.extend(children.get(&place).into_iter().flatten());
        }
    }
    related.extend(seen);
    related
}

/// All versions, grouped by config, the newest first.
pub(in crate::commands) fn newest_first(registry: &Registry) -> Vec<VersionPlace> {
    let mut places: Vec<VersionPlace> = registry.places().collect();
    places.order_by(|one, other| {
        let key = |place: &VersionPlace| (registry.entry(*place).version.clone(), place.entry);
        one.config.cmp(&other.config).then_with(|| key(other).cmp(&key(one)))
    });
    places
}

fn entries(registry: &Registry, lineage: &Lineage, keep: &dyn Fn(VersionPlace) -> bool) -> Vec<LineageEntry> {
    match lineage::json(registry, lineage, keep).get_mut("versions").map(Json::take) {
        Some(Json::Array(entries)) => entries.into_iter().map(LineageEntry).collect(),
        _ => Vec::new(),
    }
}

fn write(
    out: &mut impl io::Write,
    registry: &Registry,
    lineage: &Lineage,
    place: VersionPlace,
    state: Option<&str>,
) -> io::Result<()> {
    let entry: &Entry = registry.entry(place);
    let created = entry.created.as_ref().map_or(String::new(), |created| format!("  {}", created.value));
    let head = format!("{}{created}{}", registry.name(place), state.map_or(String::new(), |state| format!("  ({state})")));
    writeln!(out, "{}", cfg_diag::one_line(&head))?;
    for line in entry.notes.as_ref().map_or("", |notes| &notes.value).lines() {
        let mark = if cfg_diag::is_command(line) { "| " } else { "" };
        writeln!(out, "    {mark}{}", cfg_diag::one_line(line))?;
    }
    let mut about = Vec::new();
    match lineage.parent(place) {
        Parent::Stated(parent) => about.push(format!("based on {}", registry.name(*parent))),
        Parent::Unknown(_) => about.extend(entry.based_on.as_ref().map(|text| format!("based on {} (unknown)", text.value))),
        Parent::None | Parent::Implied(_) => {}
    }
    about.extend(entry.stated_version.as_ref().map(|text| format!("registered as {} on another branch", text.value)));
    about.extend(entry.prime_rl.as_ref().map(|target| format!("prime-rl {}", target.value)));
    about.extend(entry.env_version.as_ref().map(|version| format!("environment {}", version.value)));
    about.extend(entry.sha256.as_ref().map(|sha256| format!("sha256 {}", &sha256.value[..12])));
    if !about.is_empty() {
        writeln!(out, "    {}", cfg_diag::one_line(&about.join(", ")))?;
    }
    writeln!(out)
}
