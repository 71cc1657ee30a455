//! Training runs, each with the version of a config that it ran: the member `runs` of `registry.json`.

use std::{borrow::Cow, collections::HashSet, fmt, str::FromStr};

use cfg_diag::markdown::text_cell;
use serde_json::Value as Json;

use crate::{
    Registry,
    json::{Node, Patch, to_json},
    registry::Entry,
};

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It has not ended yet.
    Running,
    /// It finished.
    Completed,
    /// It failed.
    Failed,
    /// A user stopped it.
    Abandoned,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Running, Self::Completed, Self::Failed, Self::Abandoned];

    /// Its name in `registry.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Status {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|status| status.name() == name).ok_or(())
    }
}

/// The facts about a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Its unique name: `2026-01-05-1`.
    pub id: String,
    /// Its members, by their names in `registry.json`, in the order of the log.
    pub members: Vec<(&'static str, String)>,
    /// Its `sha256` and its `fingerprint`, in the form of `registry.json`, as far as it has them: they identify the text that it ran.
    pub text: Vec<(&'static str, Json)>,
}

/// The members that identify the text of a run. The version is not enough, because two branches may each create a version of the same name.
const OF_TEXT: [&str; 2] = ["sha256", "fingerprint"];

/// The members that the log shows: the name in `registry.json`, and the title in the log.
pub const MEMBERS: &[(&str, &str)] = &[
    ("config", "Config"),
    ("status", "Status"),
    ("started", "Started"),
    ("ended", "Ended"),
    ("prime_rl", "prime-rl"),
    ("hardware", "Hardware"),
    ("pod", "Pod"),
    ("folder", "Folder"),
    ("wandb", "W&B"),
    ("steps", "Steps"),
    ("baseline", "Baseline"),
    ("reward", "Reward"),
    ("notes", "Notes"),
];

impl Run {
    /// The value of a member, if the run has it.
    pub fn get(&self, member: &str) -> Option<&str> {
        self.members.iter().find(|(name, _)| *name == member).map(|(_, value)| value.as_str())
    }

    /// Its state; `None` if the word is unknown.
    pub fn status(&self) -> Option<Status> {
        self.get("status")?.parse().ok()
    }
}

/// The runs of a registry, in the order in which they were registered. Invalid ones are skipped.
pub fn runs(registry: &Registry) -> Vec<Run> {
    let members = registry.root.get("runs").and_then(Node::members).unwrap_or_default();
    members.iter().filter_map(|member| read_run(&member.key, &member.value)).collect()
}

fn read_run(id: &str, node: &Node) -> Option<Run> {
    node.members()?;
    let text = |name: &str| match to_json(node.get(name)?) {
        Json::Null => None,
        Json::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    let members = MEMBERS.iter().filter_map(|(name, _)| Some((*name, text(name)?))).collect();
    let of_text = OF_TEXT.iter().filter_map(|name| Some((*name, to_json(node.get(name)?))));
    Some(Run { id: id.to_owned(), members, text: of_text.collect() })
}

/// The next free name of a run that begins on a day.
pub fn next_id(runs: &[Run], day: &str) -> String {
    let taken: HashSet<&str> = runs.iter().map(|run| &*run.id).collect();
    // There is one more name than there are runs, so one of them is free.
    (1..=runs.len() + 1).map(|count| format!("{day}-{count}")).find(|id| !taken.contains(&**id)).unwrap_or_default()
}

/// The text of the registry with members of a run set. A new run is added.
pub fn with_members(registry: &Registry, id: &str, members: &[(&str, Json)]) -> String {
    let mut patch = Patch::none();
    let run = patch.member("runs").member(id);
    for (name, value) in members {
        run.set(name, value.clone());
    }
    registry.patched(&patch)
}

/// The members that identify the text of a version, as far as the registry has them.
pub fn text_of(entry: &Entry) -> Vec<(&'static str, Json)> {
    let sha256 = entry.sha256.as_ref().map(|sha256| ("sha256", Json::from(&*sha256.value)));
    let fingerprint = entry.fingerprint.map(|fingerprint| ("fingerprint", fingerprint.to_json()));
    sha256.into_iter().chain(fingerprint).collect()
}

/// Other runs on the same pod that are still recorded as running: only one of them can be.
pub fn on_the_same_pod<'r>(runs: &'r [Run], id: &str, pod: &str) -> Vec<&'r Run> {
    let is_running = |run: &&Run| run.status() == Some(Status::Running) && run.get("pod") == Some(pod) && run.id != id;
    runs.iter().filter(is_running).collect()
}

/// The log as a Markdown table, the newest run first; columns that no run uses are omitted.
pub fn markdown(runs: &[&Run]) -> String {
    let columns: Vec<(&str, &str)> =
        MEMBERS.iter().copied().filter(|(name, _)| runs.iter().any(|run| run.get(name).is_some())).collect();
    let row = |cells: Vec<Cow<'_, str>>| format!("| {} |\n", cells.join(" | "));
    let titles = std::iter::once("Run").chain(columns.iter().map(|(_, title)| *title));
    let mut page = "# Runs\n\n".to_owned();
    page += &row(titles.map(Cow::Borrowed).collect());
    page += &row(vec![Cow::Borrowed("---"); columns.len() + 1]);
    for run in runs.iter().rev() {
        let cells = columns.iter().map(|(name, _)| text_cell(run.get(name).unwrap_or_default()));
        page += &row(std::iter::once(text_cell(&run.id)).chain(cells).collect());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::{Run, markdown, next_id, on_the_same_pod, runs, with_members};
    use crate::Registry;

    const TEXT: &str = "{\n  \"configs\": {},\n  \"runs\": {\n    \"2026-01-05-1\": { \"config\": \"a.toml:v1\", \"status\": \"running\", \"pod\": \"p1\", \"mine\": [1] },\n    \"x\": 3\n  }\n}\n";

    fn read(text: &str) -> Vec<Run> {
        runs(&Registry::read(text).0)
    }

    #[test]
    fn adding_or_changing_a_run_keeps_the_rest() {
        let registry = Registry::read(TEXT).0;
        let before = runs(&registry);
        assert_eq!(before.iter().map(|run| &*run.id).collect::<Vec<_>>(), ["2026-01-05-1"]);
        assert_eq!(next_id(&before, "2026-01-05"), "2026-01-05-2");
        assert_eq!(next_id(&before, "2026-01-06"), "2026-01-06-1");
        let members = [("config", "a.toml:v2".into()), ("status", "running".into())];
        let added = with_members(&registry, "2026-01-05-2", &members);
        assert!(added.contains("\"mine\": [1]") && added.contains("\"x\": 3"), "{added}");
        assert_eq!(read(&added)[1].get("config"), Some("a.toml:v2"));
        let ended = with_members(&Registry::read(&added).0, "2026-01-05-1", &[("status", "completed".into())]);
        assert_eq!(read(&ended)[0].get("status"), Some("completed"));
        assert_eq!(read(&ended)[0].get("pod"), Some("p1"));
        assert_eq!(read("{ \"configs\": {} }"), []);
        assert_eq!(read("no JSON"), []);
    }

    #[test]
    fn one_pod_runs_one_run() {
        let runs = read(TEXT);
        assert_eq!(on_the_same_pod(&runs, "new", "p1").len(), 1);
        assert!(on_the_same_pod(&runs, "2026-01-05-1", "p1").is_empty());
        assert!(on_the_same_pod(&runs, "new", "p2").is_empty());
    }

    #[test]
    fn the_log_is_a_table() {
        let run = |id: &str, notes: &str| Run {
            id: id.to_owned(),
            members: vec![("status", "completed".to_owned()), ("notes", notes.to_owned())],
            text: Vec::new(),
        };
        let (one, other) = (run("a", "x | y\nz"), run("b", ""));
        let page = markdown(&[&one, &other]);
        assert_eq!(
            page,
            "# Runs\n\n| Run | Status | Notes |\n| --- | --- | --- |\n| b | completed |  |\n| a | completed | x \\| y z |\n"
        );
    }
}
