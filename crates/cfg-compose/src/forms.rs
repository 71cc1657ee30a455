//! The forms in which files have commands: as a shell reads them, or in strings of Python, JSON, TOML and YAML.
//!
//! Whatever the form, the commands become texts that a shell could read, each of which knows where its bytes are in the file.

mod notebook;
mod powershell;
mod values;
mod written;
mod yaml;

use memchr::memchr;

use crate::{
    commands_of_python,
    launches::{WrittenLaunch, launches, may_have_launches, signs},
};

use self::written::Written;

/// How a file has its commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a shell reads them, line by line: scripts, recipes, pages.
    Shell,
    /// As PowerShell reads them.
    PowerShell,
    /// In calls and lists of Python.
    Python,
    /// In the cells of a Jupyter notebook.
    Notebook,
    /// In the strings of a JSON text, which may have comments: the scripts of a package, the tasks of an editor.
    Json,
    /// In the strings of the tables `tasks` and `scripts` of a TOML text.
    Toml,
    /// In the lines and the lists of a YAML text.
    Yaml,
}

/// The launches of a file.
#[derive(Clone, Debug, Default)]
pub struct FoundLaunches {
    /// The launches, with their places in the file.
    pub launches: Vec<WrittenLaunch>,
    /// The folders in which commands run, as far as the file names them apart from its commands.
    pub folders: Vec<String>,
    /// The number of `@` in what may be commands, each of which may be that of a launch.
    pub signs: usize,
}

/// The launches in the text of a file.
pub fn launches_of_form(form: Form, text: &str) -> FoundLaunches {
    if !may_have_launches(text) {
        return FoundLaunches { signs: if form == Form::Python { 0 } else { signs(text) }, ..FoundLaunches::default() };
    }
    match form {
        Form::Shell => FoundLaunches { launches: launches(text), folders: Vec::new(), signs: signs(text) },
        Form::PowerShell => {
            let commands = powershell::commands(text);
            FoundLaunches { launches: launches(&commands), folders: Vec::new(), signs: signs(text) }
        }
        // Most of the `@` of a source begin decorators.
        Form::Python => commands_of_python(text).map_or_else(FoundLaunches::default, |commands| FoundLaunches {
            launches: launches(&commands.text),
            folders: commands.folders,
            signs: signs(&commands.text),
        }),
        Form::Notebook => of_written(notebook::commands(text)),
        Form::Json => of_written(values::of_json(text)),
        Form::Toml => of_written(values::of_toml(text)),
        Form::Yaml => {
            let mut found = launches(text);
            let of_lists = of_written(yaml::commands(text)).launches;
            let new: Vec<_> = of_lists.into_iter().filter(|new| !found.iter().any(|known| known.is_like(new))).collect();
            // A line of a text whose lines are joined is no command of its own.
            found.retain(|known| !new.iter().any(|new| known.places.first() == new.places.first()));
            found.extend(new);
            FoundLaunches { launches: found, folders: Vec::new(), signs: signs(text) }
        }
    }
}

/// The launches of texts, each of which is read by a shell of its own.
fn of_written(texts: Vec<Written>) -> FoundLaunches {
    let mut found = FoundLaunches::default();
    for text in texts {
        found.signs += signs(text.text());
        found.launches.extend(text.launches());
    }
    found
}

/// Whether a text can be a part of a launch.
fn has_sign(text: &str) -> bool {
    memchr(b'@', text.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::{Form, launches_of_form};

    /// The launches as words; each word is at its place in the text.
    fn found(form: Form, text: &str) -> Vec<String> {
        let launches = launches_of_form(form, text).launches.into_iter().map(|launch| {
            for (word, place) in launch.words.iter().zip(&launch.places) {
                let written = &text[place.range()];
                let is_there =
                    written.contains(word.as_str()) || written.contains('$') || written.contains('{') || written.contains('\\');
                assert!(is_there, "{word} at {written}");
            }
            let folders = if launch.folders.is_empty() { String::new() } else { format!(" in {}", launch.folders.join(",")) };
            format!("{} {}{folders}", launch.kind.name(), launch.words.join(" "))
        });
        launches.collect()
    }

    const BOTH: &str = "rl @ c/a.toml @ c/b.toml";

    #[test]
    fn scripts_of_a_package_and_tasks_of_an_editor_have_launches() {
        for (text, expected) in [
            ("{\"scripts\": {\"train\": \"uv run rl @ c/a.toml @ c/b.toml\"}}", BOTH),
            (
                "{\"scripts\": {\"a\": \"cd x && uv run rl @ a.toml --wandb.name \\\"my run\\\"\"}}",
                "rl @ a.toml --wandb.name my run in x",
            ),
            (
                "// Comment: https://x\n{\"configurations\": [{\"module\": \"prime_rl.entrypoints.rl\", /* x */ \"args\": [\"@\", \"c/a.toml\", \"@\", \"c/b.toml\",],}]}",
                BOTH,
            ),
            ("{\"tasks\": [{\"command\": \"uv\", \"args\": [\"run\", \"rl\", \"@\", \"c/a.toml\", \"@\", \"c/b.toml\"]}]}", BOTH),
            ("{\"tasks\": [{\"command\": \"uv run rl @ a.toml\", \"cwd\": \"x\"}]}", "rl @ a.toml in x"),
            ("{\"a\": \"uv run rl \\u0040 c/\\u0061.toml @ c/b.toml\"}", BOTH),
        ] {
            assert_eq!(found(Form::Json, text), [expected], "{text}");
        }
        for none in ["{\"a\": \"@ x.toml\"", "[\"@\", \"x.toml\"]", "\"x @ a.toml\"", "{\"@\": \"x.toml\"}"] {
            assert!(found(Form::Json, none).is_empty(), "{none}");
        }
    }

    #[test]
    fn tasks_of_a_python_project_have_launches() {
        for (text, expected) in [
            ("[tool.poe.tasks]\ntrain = \"uv run rl @ c/a.toml @ c/b.toml\"\n", BOTH),
            ("[tool.poe.tasks.train]\ncmd = \"rl @ c/a.toml @ c/b.toml\"\nhelp = \"x\"\n", BOTH),
            (
                "[tool.poe.tasks]\nt.shell = \"\"\"\ncd c\nuv run rl @ a.toml \\\\\n  @ b.toml\"\"\"\n",
                "rl @ a.toml @ b.toml in c",
            ),
            ("[tool.poe.tasks]\nt = { cmd = \"rl @ a.toml\", cwd = \"x\" }\n", "rl @ a.toml in x"),
            ("[tool.taskipy.tasks]\nt = { cmd = 'uv run rl @ c/a.toml @ c/b.toml', help = \"x\" }\n", BOTH),
            ("[tool.pdm.scripts]\nt = {composite = [\"lint\", \"uv run rl @ c/a.toml @ c/b.toml\"]}\n", BOTH),
            ("[tool.pdm.scripts]\nt = {cmd = [\"uv\", \"run\", \"rl\", \"@\", \"c/a.toml\", \"@\", \"c/b.toml\"]}\n", BOTH),
            ("[tool.hatch.envs.default.scripts]\nt = [\"uv run rl @ c/a.toml @ c/b.toml\"]\n", BOTH),
            ("[tasks.train]\nrun = \"uv run rl @ c/a.toml @ c/b.toml\"\n", BOTH),
        ] {
            assert_eq!(found(Form::Toml, text), [expected], "{text}");
        }
        assert!(found(Form::Toml, "[tool.other]\nx = \"rl @ a.toml\"\n").is_empty());
    }

    #[test]
    fn lists_of_yaml_are_commands() {
        for (text, expected) in [
            ("command: [\"uv\", \"run\", \"rl\"]\nargs:\n- \"@\"\n- c/a.toml\n- '@'\n- \"c/b.toml\"\n", BOTH),
            (
                "- args:\n    - \"@\"  # the base\n    - c/a.toml\n    # more\n    - \"@\"\n    - c/b.toml\n  command:\n    - uv\n    - run\n    - rl\n",
                BOTH,
            ),
            ("command:\n  - uv\n  - run\n  - rl\n  - \"@\"\n  - c/a.toml\n  - \"@\"\n  - c/b.toml\nother: 1\n", BOTH),
            ("command: uv run rl\nargs: [\n  \"@\", c/a.toml,\n  \"@\", c/b.toml ]\n", BOTH),
            ("run: >-\n  uv run rl\n  @ c/a.toml\n  @ c/b.toml\nx: 1\n", BOTH),
            ("run: |\n  uv run rl @ c/a.toml \\\n    @ c/b.toml\n", BOTH),
        ] {
            assert_eq!(found(Form::Yaml, text), [expected], "{text}");
        }
        let two =
            "- name: a\n  command: [rl]\n  args: [\"@\", \"a.toml\"]\n- name: b\n  command: [sft]\n  args: [\"@\", \"b.toml\"]\n";
        assert_eq!(found(Form::Yaml, two), ["rl @ a.toml", "sft @ b.toml"]);
        assert!(found(Form::Yaml, "args:\n- \"@\"\n- a.toml\n").is_empty());
    }

    #[test]
    fn cells_of_a_notebook_have_launches() {
        let notebook =
            |source: &str| format!("{{\"cells\": [{{\"cell_type\": \"markdown\", \"source\": [\"rl @ x.toml\"]}}, {source}]}}");
        for (source, expected) in [
            ("{\"cell_type\": \"code\", \"source\": [\"!uv run rl @ c/a.toml \\\\\\n\", \"   @ c/b.toml\\n\", \"x = 1\"]}", BOTH),
            ("{\"cell_type\": \"code\", \"source\": \"A = 'c/a.toml'\\n! uv run rl @ {A} @ c/b.toml\"}", BOTH),
            ("{\"cell_type\": \"code\", \"source\": [\"%%bash\\n\", \"cd c\\n\", \"uv run rl @ a.toml\"]}", "rl @ a.toml in c"),
            ("{\"cell_type\": \"code\", \"source\": [\"%cd c\\n\", \"!rl @ a.toml\"]}", "rl @ a.toml in c"),
            ("{\"cell_type\": \"code\", \"source\": [\"import os\\n\", \"os.system('rl @ c/a.toml @ c/b.toml')\"]}", BOTH),
            (
                "{\"cell_type\": \"code\", \"source\": [\"run([\\\"rl\\\",\\n\", \" \\\"@\\\", \\\"c/a.toml\\\", \\\"@\\\", \\\"c/b.toml\\\"])\"]}",
                BOTH,
            ),
        ] {
            assert_eq!(found(Form::Notebook, &notebook(source)), [expected], "{source}");
        }
    }

    #[test]
    fn powershell_has_its_own_words() {
        for (text, expected) in [
            ("$a = \"c\\a.toml\"\r\nuv run rl `\r\n  '@' $a `\r\n  '@' c\\b.toml\r\n", BOTH),
            ("Set-Location x\nuv run rl --% @ a.toml\n", "rl @ a.toml in x"),
            ("& uv run rl \"@\" \"$PSScriptRoot/c/a.toml\" '@' c/b.toml # x\n", BOTH),
        ] {
            assert_eq!(found(Form::PowerShell, text), [expected], "{text}");
        }
    }
}
