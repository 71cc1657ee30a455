//! The settings, and the findings in invalid ones.

use std::{path::Path, sync::Arc};

use cfg_diag::{LineIndex, PositionEncoding, Severity, codes};
use cfg_project::{ExtraType, Projects, Settings, read_settings};
use cfg_system::{Admission, MemorySystem, OsSystem, System as _};
use tempfile::TempDir;

fn read(text: &str) -> (Settings, Vec<String>) {
    read_as(text, "/project/cfg.toml")
}

/// The settings, and each diagnostic as `line:column [text at the place] message (help)`.
fn read_as(text: &str, path: &str) -> (Settings, Vec<String>) {
    let (settings, diagnostics) = read_settings(&MemorySystem::default(), text, Path::new(path));
    let lines = LineIndex::new(text);
    let shown = diagnostics.iter().map(|diagnostic| {
        assert_eq!(diagnostic.code, &codes::INVALID_SETTINGS);
        let span = diagnostic.location.expect("it has a place").span;
        let start = lines.line_column(text, span.start, PositionEncoding::Utf32);
        let help = diagnostic.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{}:{} [{}] {}{help}", start.line + 1, start.column + 1, &text[span.range()], diagnostic.message)
    });
    (settings, shown.collect())
}

/// The target that is set, if it is valid.
fn name_of(settings: &Settings) -> Option<&str> {
    Some(settings.target.as_ref()?.value.as_ref()?.name.as_str())
}

#[test]
fn every_setting_is_read_with_its_place() {
    let text = r#"
target = "0.4.0"
gpu = "2x H100"
[lint]
select = ["ALL"]
ignore = ["PRL1", "unknown-key"]
[lint.per-file-ignores]
"old/**" = ["PRL101"]
[lint.severities]
wrong-type = "warning"
PRL106 = "off"
[[group]]
trainer = "train.toml"
orchestrator = "./sub/orch.toml"
inference = "/abs/infer.toml"
[[group]]
trainer = "a.toml"
inference = "b.toml"
[extend]
"trainer.my_key" = "int"
orchestrator.extra.mode = 'literal("a", "b")?'
[environments."org/name"]
turns = 3
[environments."org/name".args]
big = 99999999999999999999
"#;
    let (settings, wrong) = read(text);
    assert_eq!(wrong, [""; 0]);
    let target = settings.target.as_ref().expect("it is set");
    assert_eq!((name_of(&settings), target.place.line, &text[target.place.span.range()]), (Some("0.4.0"), 2, "\"0.4.0\""));
    assert_eq!(target.place.to_string(), "/project/cfg.toml:2");
    assert_eq!(settings.gpu.expect("it is set").value.to_string(), "2x H100");
    assert_eq!(settings.lint.ignore.expect("it is set").len(), 2);
    assert_eq!(settings.groups.len(), 2);
    let files: Vec<_> = settings.groups[0].value.files().collect();
    assert_eq!(files, ["/project/train.toml", "/project/sub/orch.toml", "/abs/infer.toml"].map(Path::new));
    assert_eq!(settings.extend["trainer.my_key"].value, ExtraType::Int);
    assert!(matches!(settings.extend["orchestrator.extra.mode"].value, ExtraType::Optional(_)));
    assert_eq!(settings.environments["org/name"]["turns"].value.as_integer(), Some(3));
    assert_eq!(settings.environments["org/name"]["args"].value["big"].as_str(), Some("99999999999999999999"));
}

#[test]
fn the_table_in_a_pyproject_is_read_in_every_spelling() {
    for text in [
        "[tool.cfg]\ntarget = \"0.4.0\"\n",
        "tool.cfg.target = \"0.4.0\"\n",
        "[tool]\ncfg = { target = \"0.4.0\" }\n",
        "[ tool . \"cfg\" ]\r\ntarget = \"0.4.0\"\r\n",
    ] {
        let (settings, wrong) = read_as(text, "/project/pyproject.toml");
        assert_eq!(wrong, [""; 0]);
        assert_eq!(name_of(&settings), Some("0.4.0"), "{text}");
    }
    let (_, wrong) = read_as("[tool.cfg.lint]\nselct = []\n", "/project/pyproject.toml");
    assert_eq!(wrong, ["2:1 [selct] `tool.cfg.lint` has no setting `selct` (did you mean `select`?)"]);
    assert_eq!(read_as("[tool]\ncfg = 1\n", "/pyproject.toml").1, ["2:7 [1] `tool.cfg` must be a table, not an integer"]);
    // The settings of other tools are ignored, valid or not.
    for text in ["[tool.ruff]\ntargt = 1\n", "[tool.setup-cfg]\nx = \n", "tool = 1\ncfg = 2\n"] {
        assert_eq!(read_as(text, "/project/pyproject.toml").1, [""; 0], "{text}");
    }
}

#[test]
fn a_pattern_has_bounds() {
    let said = |pattern: &str| {
        let (settings, wrong) = read(&format!("[lint.per-file-ignores]\n'{pattern}' = [\"ALL\"]\n"));
        assert_eq!(settings.lint.per_file_ignores.len() + wrong.len(), 1, "{pattern}");
        wrong.first().map(|message| message[message.find("] ").map_or(0, |end| end + 2)..].to_owned())
    };
    let nested = |depth: usize| format!("{}x{}", "{".repeat(depth), "}".repeat(depth));
    let help = "(write several patterns, each with its own codes)";
    assert_eq!(said(&nested(16)), None);
    let deep = |depth| Some(format!("the `{{}}` of a file pattern may be nested 16 deep; these are {depth} deep {help}"));
    assert_eq!(said(&nested(17)), deep(17));
    assert_eq!(said(&nested(260)), deep(260));
    assert_eq!(said(&"*".repeat(1024)), None);
    assert_eq!(said(&"?".repeat(1024)), None);
    assert_eq!(said(&"*".repeat(1025)), Some(format!("a file pattern may have 1024 bytes, and this one has 1025 {help}")));
    // Several patterns, and braces that are literal characters, are valid.
    for pattern in ["{a,b}", "\\{a", "[{]", "[!{]", "[]{]"] {
        assert_eq!(said(&pattern.repeat(20)), None, "{pattern}");
    }
}

#[test]
fn invalid_settings_are_reported_at_their_place() {
    let text = r#"targt = "0.4.0"
gpu = 4090
lint.select = "ALL"
lint.ignore = ["unknwon-key", 7, "PRL101"]
lint.per-file-ignores."a{" = []
lint.severities.PRL101 = "fatal"
lint.severities.nothing-like-it = "off"
lint.severities.wrong-type = "warn"
group = [{ trainer = "a" }, { trainr = "a", inference = "b" }, { trainer = 1, inference = "" }, 3]
extend."a..b" = "int"
extend.a = "integer"
extend.b = "list[str"
extend.c = 1
environments.e = 1
"#;
    let (settings, wrong) = read(text);
    assert_eq!(
        wrong,
        [
            "1:1 [targt] unknown setting `targt` (did you mean `target`?)",
            "2:7 [4090] `gpu` must be a string, not an integer (put it in quotes: `\"4090\"`)",
            "3:15 [\"ALL\"] `lint.select` must be an array of codes or names, not a string (put it in brackets: `[\"ALL\"]`)",
            "4:16 [\"unknwon-key\"] unknown rule `unknwon-key` (did you mean `unknown-key`?)",
            "4:31 [7] `lint.ignore` must be a string, not an integer (put it in quotes: `\"7\"`)",
            "5:23 [\"a{\"] `a{` is not a valid file pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?) (write a path or a glob, such as `configs/**/*.toml`)",
            "6:26 [\"fatal\"] unknown severity `fatal` (expected one of: `error`, `warning`, `info`, `off`)",
            "7:17 [nothing-like-it] unknown rule `nothing-like-it` (write a code (`PRL101`), a name (`unknown-key`), a code \
             prefix (`PRL1`) or `ALL`)",
            "8:30 [\"warn\"] unknown severity `warn` (did you mean `warning`?)",
            "9:10 [{ trainer = \"a\" }] a group needs at least two files (name at least two of `trainer`, `orchestrator` and \
             `inference`)",
            "9:31 [trainr] `group` has no setting `trainr` (did you mean `trainer`?)",
            "9:76 [1] `group.trainer` must be a string, not an integer (put it in quotes: `\"1\"`)",
            "9:91 [\"\"] `group.inference` is not a path (write the path of a config, relative to this file)",
            "9:97 [3] `group` must be a table, not an integer",
            "10:8 [\"a..b\"] `a..b` is not a key path (write keys joined by dots, such as \"trainer.my_key\")",
            "11:12 [\"integer\"] `integer` is not a type (did you mean `int`?)",
            "12:12 [\"list[str\"] `list[str` is not a type (write for example `int`, `str?`, `list[float]` or `literal(\"a\", \"b\")`)",
            "13:12 [1] `extend.c` must be a string, not an integer (put it in quotes: `\"1\"`)",
            "14:18 [1] `environments.e` must be a table, not an integer",
        ]
    );
    // The valid entries next to it are used.
    assert_eq!(settings.lint.ignore.expect("one is usable").len(), 1);
    assert!(settings.gpu.is_none() && settings.groups.is_empty());
}

#[test]
fn an_unknown_target_is_refused_with_the_nearest() {
    for (text, message, help) in [
        ("0.4.9", "unknown prime-rl version 0.4.9", "did you mean `0.4.0`?"),
        ("yesterday", "invalid target `yesterday`", ""),
        ("ffffffffff", "no known commit of prime-rl's main branch", ""),
        ("2020-01-01", "is before the known history", ""),
    ] {
        let (settings, wrong) = read(&format!("target = \"{text}\"\n"));
        assert!(settings.target.is_some_and(|target| target.value.is_none()), "it is not known, whatever is further up");
        assert!(wrong[0].starts_with(&format!("1:10 [\"{text}\"] ")) && wrong[0].contains(message), "{wrong:?}");
        assert!(wrong[0].contains(help), "{wrong:?}");
    }
    assert_eq!(read("target = 0.4\n").1, ["1:10 [0.4] `target` must be a string, not a float (put it in quotes: `\"0.4\"`)"]);
}

#[test]
fn a_broken_file_is_reported_once_and_sets_nothing() {
    for text in
        ["target = 0.4.0\ngpu = \n[", "[lint\nselect = []\n", "a = 1\na = 2\n", "\u{0}", "target = \"0.4.0", "gpu = 2x H100\n"]
    {
        let (settings, wrong) = read(text);
        assert_eq!(wrong.len(), 1, "{text}: {wrong:?}");
        assert!(wrong[0].contains("the file is not TOML: "), "{wrong:?}");
        assert_eq!(settings.target.map(|target| target.value), text.starts_with("target").then_some(None), "{text}");
    }
    assert!(read("target = 0.4.0\n").1[0].ends_with("(put the value in quotes: `target = \"0.4.0\"`)"));
    assert!(read("gpu = 2x H100\n").1[0].ends_with("(put the value in quotes: `gpu = \"2x H100\"`)"));
    assert_eq!(read("").1, [""; 0]);
    assert_eq!(read("\u{feff}gpu = \"H100\"\r\n").1, [""; 0]);
}

#[test]
fn a_config_under_the_name_of_the_settings_is_one_problem() {
    let wrong = read("max_steps = 3\n[trainer.model]\nname = \"m\"\n[orchestrator]\nbatch_size = 1\n").1;
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].starts_with("1:1 [max_steps] the file has no settings"), "{wrong:?}");
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

fn projects(folder: &Path, explicit: Option<&str>) -> Projects {
    let system = OsSystem::within(folder, &[]);
    system.admit(folder, Admission::Named);
    Projects::new(Arc::new(system), explicit.map(Path::new))
}

#[test]
fn the_nearest_file_wins_key_by_key() {
    let folder = folder(&[
        (
            "cfg.toml",
            "target = \"0.2.0\"\ngpu = \"H100\"\n[lint]\nselect = [\"ALL\"]\nignore = [\"PRL1\"]\n[lint.severities]\nPRL101 = \"info\"\nPRL104 = \"info\"\n[environments.e]\na = 1\nb = 1\n[extend]\nx = \"int\"\n",
        ),
        ("sub/pyproject.toml", "[tool.cfg]\ntarget = \"0.3.0\"\ngpu = \"H200\"\n[tool.cfg.environments.e]\na = 2\n"),
        ("sub/cfg.toml", "target = \"0.4.0\"\n[lint]\nignore = []\nseverities.PRL101 = \"warning\"\n[extend]\nx = \"str\"\n"),
        ("sub/deep/cfg.toml", "disk = \"much\"\n"),
        ("sub/other/cfg.toml", "target = \"never\"\n"),
    ]);
    let projects = projects(folder.path(), None);
    let merged = projects.settings(Path::new("sub/deep/./rl.toml"));
    let names: Vec<_> = merged.files.iter().map(|file| file.strip_prefix(folder.path()).expect("below")).collect();
    assert_eq!(names, ["sub/deep/cfg.toml", "sub/cfg.toml", "sub/pyproject.toml", "cfg.toml"].map(Path::new));
    let settings = &merged.settings;
    assert_eq!(name_of(settings), Some("0.4.0"));
    // An invalid setting is not replaced by one in an outer folder.
    assert_eq!(name_of(&projects.settings(Path::new("sub/other/rl.toml")).settings), None);
    assert_eq!(settings.gpu.as_ref().expect("set").value.name, "H200");
    assert_eq!(settings.extend["x"].value, ExtraType::Str);
    let environment = &settings.environments["e"];
    assert_eq!([&environment["a"], &environment["b"]].map(|value| value.value.as_integer()), [Some(2), Some(1)]);
    let file = folder.path().join("sub/rl.toml");
    let severity = |code| settings.lint.severity(code, Severity::Error, &file);
    assert_eq!(severity(&codes::UNKNOWN_KEY), Some(Severity::Warning));
    assert_eq!(severity(&codes::WRONG_TYPE), Some(Severity::Info));
    let wrong = projects.diagnostics();
    assert_eq!(wrong.len(), 2);
    assert_eq!((&*wrong[0].path, wrong[0].diagnostics.len()), (folder.path().join("sub/deep/cfg.toml").as_path(), 1));
    assert_eq!(wrong[0].numbered(cfg_diag::FileId(7))[0].location.expect("a place").file, cfg_diag::FileId(7));
    let target = projects.target(Path::new("sub/deep/rl.toml")).expect("it is set");
    let source = &target.as_ref().as_ref().expect("it is usable").source;
    assert_eq!(source.describe(folder.path()), "sub/cfg.toml:1");
}

#[test]
fn an_explicit_file_replaces_the_search() {
    let folder = folder(&[("cfg.toml", "gpu = \"H100\"\n"), ("other.toml", "target = \"0.4.0\"\n")]);
    let explicit = projects(folder.path(), Some("other.toml"));
    let settings = explicit.settings(Path::new("rl.toml"));
    assert!(settings.settings.gpu.is_none());
    assert_eq!(explicit.target(Path::new("rl.toml")).expect("set").as_ref().as_ref().expect("usable").target.name, "0.4.0");
    let missing = projects(folder.path(), Some("missing.toml"));
    assert!(missing.settings(Path::new("rl.toml")).files.is_empty());
    assert_eq!(missing.diagnostics()[0].diagnostics[0].code, &codes::UNREADABLE_FILE);
}

#[test]
fn files_of_other_forms_do_not_stop_anything() {
    let folder = folder(&[("a/cfg.toml/x", ""), ("a/pyproject.toml/x", ""), ("b/x", "")]);
    std::fs::write(folder.path().join("b/cfg.toml"), b"gpu = \"\xff\"\n").expect("a file");
    std::fs::write(folder.path().join("b/pyproject.toml"), b"[tool.cfg]\n\xff\n").expect("a file");
    let projects = projects(folder.path(), None);
    assert!(projects.settings(Path::new("a/rl.toml")).files.is_empty());
    assert!(projects.settings(Path::new("b/rl.toml")).settings.gpu.is_none());
    let wrong = projects.diagnostics();
    assert_eq!(wrong.len(), 1);
    assert_eq!(&wrong[0].text[wrong[0].diagnostics[0].location.expect("a place").span.range()], "\u{fffd}");
    // A file in no folder, and one that does not exist.
    projects.settings(Path::new("/"));
    projects.settings(Path::new(""));
    projects.settings(Path::new("no/such/../folder/rl.toml"));
}

#[test]
fn findings_are_controlled_from_wide_to_narrow() {
    let (settings, wrong) = read(
        "[lint]\nselect = [\"PRL1\", \"invalid-toml\"]\nignore = [\"PRL10\", \"removed-key\"]\n[lint.per-file-ignores]\n\"old/*.toml\" = [\"future-key\"]\n\"x.toml\" = [\"misplaced-key\"]\n[lint.severities]\nALL = \"info\"\nfuture-key = \"warning\"\nPRL001 = \"off\"\n",
    );
    assert_eq!(wrong, [""; 0]);
    let severity = |code, file: &str| settings.lint.severity(code, Severity::Error, Path::new(file));
    assert_eq!(severity(&codes::INVALID_TOML, "/project/a.toml"), None, "off");
    assert_eq!(severity(&codes::DUPLICATE_KEY, "/project/a.toml"), None, "not selected");
    assert_eq!(severity(&codes::UNKNOWN_KEY, "/project/a.toml"), None, "ignored by a longer beginning");
    assert_eq!(severity(&codes::REMOVED_KEY, "/project/a.toml"), None, "ignored by name");
    assert_eq!(severity(&codes::FUTURE_KEY, "/project/a.toml"), Some(Severity::Warning));
    assert_eq!(severity(&codes::FUTURE_KEY, "/project/old/a.toml"), None);
    assert_eq!(severity(&codes::FUTURE_KEY, "/project/old/deep/a.toml"), Some(Severity::Warning));
    assert_eq!(severity(&codes::MISPLACED_KEY, "/project/deep/x.toml"), None);
    assert_eq!(severity(&codes::MISPLACED_KEY, "/elsewhere/x.toml"), Some(Severity::Info));
    // A list that contains only unknown names selects everything.
    let (settings, wrong) = read("lint.select = [\"unknwon-key\"]");
    assert_eq!((wrong.len(), settings.lint.select), (1, None));
    assert_eq!(read("lint.select = []").0.lint.severity(&codes::UNKNOWN_KEY, Severity::Error, Path::new("x")), None);
    let (settings, _) = read("");
    assert_eq!(settings.lint.severity(&codes::UNKNOWN_KEY, Severity::Error, Path::new("x")), Some(Severity::Error));
}

#[test]
fn the_page_shows_the_reported_messages() {
    let blocks: Vec<&str> =
        codes::INVALID_SETTINGS.page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let marked = block.lines().enumerate().filter(|(_, line)| line.ends_with("# error: [invalid-settings]"));
        let marked: Vec<String> = marked.map(|(at, _)| (at + 1).to_string()).collect();
        let reported: Vec<String> = read(block).1.iter().filter_map(|shown| Some(shown.split_once(':')?.0.to_owned())).collect();
        assert_eq!(reported, marked);
    }
}

#[test]
fn deep_nesting_is_handled() {
    for count in [50, 1_000, 100_000] {
        let dotted = vec!["a"; count].join(".");
        for text in [
            format!("extend.{dotted} = \"int\"\n"),
            format!("[extend.{dotted}]\nb = 1\n"),
            format!("environments.e.{dotted} = 1\n"),
            format!("[environments.e.{dotted}]\n"),
            format!("environments.e.a = {}{}\n", "[".repeat(count), "]".repeat(count)),
            format!("environments.e.a = {}1{}\n", "{ a = ".repeat(count), " }".repeat(count)),
            format!("group = {}\n", "[".repeat(count)),
        ] {
            read(&text);
        }
    }
}

#[test]
fn own_gpus_are_read_in_every_form() {
    let forms = [
        "[gpus.\"RTX 6000 Ada\"]\nmemory = \"48 GiB\"\n",
        "[[gpus]]\nname = \"RTX 6000 Ada\"\nmemory = \"48 GiB\"\n",
        "[gpus]\n\"RTX 6000 Ada\" = \"48 GiB\"\n",
        "[gpus]\n\"RTX 6000 Ada\" = { memory = \"49152 MiB\" }\n",
    ];
    for text in forms {
        let (settings, wrong) = read(text);
        assert_eq!(wrong, [""; 0], "{text}");
        let [gpu] = &settings.cards()[..] else { panic!("{text}") };
        assert_eq!((&*gpu.name, gpu.size_gb, gpu.total.as_gib()), ("RTX 6000 Ada", 48, 48.0));
        assert!(gpu.source.starts_with("/project/cfg.toml:"), "{}", gpu.source);
    }
    let (settings, wrong) = read("gpu = \"2x Zeta\"\ndisk = \"1.5 TB\"\n[gpus.Zeta]\nmemory = \"60 GB\"\n");
    assert_eq!(wrong, [""; 0]);
    assert_eq!(settings.disk.expect("it is set").value.rounded(), 1_500_000_000_000);
}

#[test]
fn wrong_gpus_are_reported_at_their_place() {
    let of_memory = "write an amount with its unit, such as \"48 GiB\" or \"500 GB\"";
    let cases = [
        (
            "[gpus.Zeta]\nmemory = 48\n",
            "2:10 [48] `gpus.Zeta.memory` must be a string, not an integer (put it in quotes: `\"48\"`)",
        ),
        ("[gpus.Zeta]\nmemory = \"48\"\n", &format!("2:10 [\"48\"] `48` is not an amount of memory ({of_memory})")),
        (
            "[gpus.Zeta]\nmemory = \"48 TiB\"\n",
            "2:10 [\"48 TiB\"] not a plausible amount of GPU memory (write for example \"48 GiB\")",
        ),
        ("[gpus.Zeta]\nmemry = \"48 GiB\"\n", "2:1 [memry] `gpus.Zeta` has no setting `memry` (did you mean `memory`?)"),
        (
            "gpus.\"2x Zeta\" = \"48 GiB\"\n",
            "1:6 [\"2x Zeta\"] `2x Zeta` is not a GPU name (write only the kind, such as \"RTX 6000 Ada\"; set the number with \
             `gpu`)",
        ),
        (
            "gpus = \"48 GiB\"\n",
            "1:8 [\"48 GiB\"] `gpus` must have a table for each GPU (write `[gpus.\"RTX 6000 Ada\"]` with `memory = \"48 GiB\"` \
             below it)",
        ),
        ("gpus.a = \"8 GiB\"\ngpus.A = \"9 GiB\"\n", "2:6 [A] duplicate GPU `A` (the first one is used)"),
        ("disk = 500\n", "1:8 [500] `disk` must be a string, not an integer (put it in quotes: `\"500\"`)"),
        (
            "gpu = \"H1000\"\n",
            "1:7 [\"H1000\"] unknown card `H1000` (did you mean `H100`? otherwise set it with `[gpus.\"H1000\"]` and \
             `memory = \"48 GiB\"` below it)",
        ),
        (
            "gpu = \"2x A100\"\n",
            "1:7 [\"2x A100\"] unknown GPU `A100` (`A100` comes in several sizes: write `A100-80` or `A100-40`)",
        ),
    ];
    for (text, expected) in cases {
        let (settings, wrong) = read(text);
        assert_eq!(wrong.first().map(String::as_str), Some(expected), "{text}");
        assert!(settings.gpus.len() < 2 && settings.disk.is_none());
    }
    let (_, wrong) = read("[[gpus]]\nmemory = \"48 GiB\"\n[[gpus]]\nname = \"Zeta\"\n");
    assert_eq!(wrong.len(), 2, "{wrong:?}");
}

#[test]
fn own_gpus_are_inherited_one_by_one() {
    let root = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("cfg.toml", "[gpus]\nZeta = \"60 GiB\"\nEta = \"40 GiB\"\n");
    write("in/cfg.toml", "gpu = \"Zeta\"\n[gpus]\nETA = \"41 GiB\"\n");
    let projects = projects(root.path(), None);
    let cards = projects.settings(Path::new("in/rl.toml")).settings.cards();
    let sizes: Vec<(&str, f64)> = cards.iter().map(|gpu| (&*gpu.name, gpu.total.as_gib())).collect();
    assert_eq!(sizes, [("ETA", 41.0), ("Zeta", 60.0)], "{sizes:?}");
    assert!(projects.diagnostics().is_empty(), "`gpu` names a card of the outer settings");
}

#[test]
fn a_setting_in_the_wrong_table_is_told_where_it_belongs() {
    for (text, help) in [
        ("extend-ignore = []\n", "it belongs to `[lint]`: write `extend-ignore` below that, or `lint.extend-ignore` here"),
        ("[per-file-ignores]\n", "it belongs to `[lint]`: write `per-file-ignores` below that, or `lint.per-file-ignores` here"),
        ("[lint]\nexclude = []\n", "`exclude` belongs to no table: write it above the first `[...]`"),
        ("extend-exclude = []\n", "write `exclude`: it adds to that of the folders above"),
        ("extent = {}\n", "did you mean `extend`?"),
    ] {
        let (_, wrong) = read(text);
        assert!(wrong.len() == 1 && wrong[0].ends_with(&format!("({help})")), "{text}: {wrong:?}");
    }
}
