use super::commands_of_python;
use crate::launches;

/// The launches of a script: the words of each, whose places must be those in the script.
fn words(script: &str) -> Vec<String> {
    let Some(commands) = commands_of_python(script) else { return Vec::new() };
    assert_eq!(commands.text.len(), script.len());
    let found = launches(&commands.text);
    for launch in &found {
        for (word, place) in launch.words.iter().zip(&launch.places) {
            assert!(script[place.range()].contains(&**word), "{word} in {script}");
        }
    }
    found.iter().map(|launch| launch.words.join(" ")).collect()
}

#[test]
fn a_formatted_string_has_the_files_of_variables() {
    for (script, wanted) in [
        ("cfg = \"c/a.toml\"\nos.system(f\"uv run rl @ {cfg} --max-steps 3\")\n", &["@ c/a.toml --max-steps 3"][..]),
        ("cfg = 'c/a.toml'\nif x:\n    subprocess.run(f'uv run rl @ {cfg}', shell=True)\n", &["@ c/a.toml"]),
        ("cfg = name + \".toml\"\nos.system(f\"uv run rl @ {cfg}\")\n", &[]),
        ("cfg = \"c/a.toml\"\nos.system(f\"uv run rl @ {cfg}.toml\")\n", &[]),
        ("cfg = \"c/a.toml\"\nos.system(\"uv run rl @ {cfg}\")\n", &[]),
    ] {
        let text = commands_of_python(script).map(|commands| commands.text).unwrap_or_default();
        let found: Vec<String> = launches(&text).iter().map(|launch| launch.words.join(" ")).collect();
        assert_eq!(found, wanted, "{script}");
    }
}

#[test]
fn a_script_whose_signs_begin_no_word_of_a_command_is_not_read() {
    for script in ["@dataclass\nclass A: path = 'a.toml'\n", "mail = 'me@x.org, a.toml'\n    @task(1)\n", "x = '\"$@\" a.toml'"] {
        assert!(commands_of_python(script).is_none(), "{script}");
    }
    for script in
        ["run('rl \\n@ a.toml')", "run(\"\"\"rl \\\n@a.toml\"\"\")", "run(\"\"\"rl \\\n  @ a.toml\"\"\")", "x = '=@a.toml'"]
    {
        assert!(commands_of_python(script).is_some(), "{script}");
    }
}

#[test]
fn commands_are_lists_and_strings_that_are_run() {
    for script in [
        "subprocess.run([\"uv\", \"run\", \"rl\", \"@\", \"c/a.toml\"], check=True)",
        "subprocess.run([\n    'uv', 'run',\n    'rl',  # the trainer\n    '@', 'c/a.toml',\n])",
        "subprocess.run((\"uv\", \"run\", \"rl\", \"@\", \"c/a.toml\"))",
        "args = [\"rl\", \"@\", r\"c/a.toml\"]",
        "os.system(\"uv run rl @ c/a.toml\")",
        "subprocess.run('cd x && uv run rl @ c/a.toml', shell=True)",
        "subprocess.check_call(args=\"uv run rl @ c/a.toml\", shell=True)",
        "cmd = \"uv run rl @ c/a.toml\"\nos.system(cmd)",
        "cmd: str = \"uv run rl @ c/a.toml\".split()",
        "launch_command = (\n    \"uv run rl \"\n    \"@ c/a.toml\"\n)",
        "subprocess.run(shlex.split(\"uv run rl @ c/a.toml\"))",
        "os.system(\"\"\"\nset -e\nuv run rl \\\n  @ c/a.toml\n\"\"\")",
        "os.system(\"set -e\\nuv run rl @ c/a.toml\")",
        "é = 'é'; cmd = 'uv run rl @ c/a.toml'",
    ] {
        assert_eq!(words(script), ["@ c/a.toml"], "{script}");
    }
}

#[test]
fn values_that_the_script_computes_are_left_out() {
    let script = "subprocess.run([\"uv\", \"run\", \"rl\", \"@\", \"c/a.toml\", \"--max-steps\", str(steps), *extra])";
    assert_eq!(words(script), ["@ c/a.toml"]);
    for script in [
        "subprocess.run([\"uv\", \"run\", \"rl\", \"@\", config])",
        "subprocess.run([\"uv\", \"run\", \"rl\", \"@\", f\"c/{name}.toml\"])",
        "os.system(f\"uv run rl @ {folder}/a.toml\")",
        "os.system(\"uv run rl @ %s\" % \"a.toml\")",
    ] {
        assert!(words(script).is_empty(), "{script}: {:?}", words(script));
    }
}

#[test]
fn sentences_and_comments_are_no_commands() {
    for script in [
        "\"\"\"Usage: uv run rl @ c/a.toml\"\"\"\nimport os",
        "# os.system(\"uv run rl @ c/a.toml\")",
        "print(\"uv run rl @ c/a.toml\")",
        "parser.add_argument(\"config\", help=\"as in uv run rl @ c/a.toml\")",
        "raise ValueError(\"start it by uv run rl @ c/a.toml\")",
        "subprocess.run(command, env={\"NOTE\": \"uv run rl @ c/a.toml\"})",
        "emails = [\"me@x.toml\", \"b\"]",
    ] {
        assert!(words(script).is_empty(), "{script}: {:?}", words(script));
    }
}

#[test]
fn folders_of_commands_are_named() {
    let script = "subprocess.run([\"rl\", \"@\", \"a.toml\"], cwd=\"experiments/one\")";
    assert_eq!(commands_of_python(script).expect("commands").folders, ["experiments/one"]);
}

#[test]
fn any_text_is_read_in_one_pass() {
    for script in ["@.toml('", "@.toml[[[[", "@.toml)))]]", "@.toml\"\"\"\\", "@.toml='", "é@.toml'é\\"] {
        assert_eq!(commands_of_python(script).expect("commands").text.len(), script.len(), "{script}");
    }
    let deep = format!("{}\"@\", \"a.toml\"{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(commands_of_python(&deep).expect("commands").text.len(), deep.len());
}
