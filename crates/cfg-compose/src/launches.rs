//! The launch commands in a text: comments of a config (`# Usage: uv run rl @ base.toml @ this.toml`), scripts, pages.

use std::path::Path;

use cfg_diag::{FileId, Span};
use cfg_schema::Kind;
use memchr::{memchr, memchr_iter, memchr2_iter, memmem};

use crate::{
    Launch, Starter, Word,
    script::Script,
    started::{Evidence, Found},
};

/// A command in a text that starts prime-rl with configs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLaunch {
    /// The entrypoint.
    pub kind: Kind,
    /// The arguments that the loader reads; without values that only a shell knows, and without their flags.
    pub words: Vec<String>,
    /// The place of each of them in the text.
    pub places: Vec<Span>,
    /// What was left out because only a shell knows it: a flag whose value that is, or else the word itself (`"$@"`).
    pub unknown: Vec<String>,
    /// What starts the entrypoint.
    pub starter: Starter,
    /// The folders in which its files may be, because the command changes to them; the one that is most likely first.
    pub folders: Vec<String>,
    /// Whether it is in a comment of the text.
    pub is_comment: bool,
    /// The pattern in the names of its files, which stands for each file that it matches: `configs/*.toml`.
    pub pattern: Option<String>,
}

/// The commands `uv run rl @ FILE...` of a text, and those of the other entrypoints, whatever wraps them. A command with an unknown file name is
/// skipped.
pub fn launches(text: &str) -> Vec<WrittenLaunch> {
    if may_have_launches(text) { Script::read(text).into_iter().filter_map(launch).collect() } else { Vec::new() }
}

/// Those of the lines of a text that are comments.
pub fn launches_in_comments(text: &str) -> Vec<WrittenLaunch> {
    if may_have_launches(text) { Script::read_comments(text).into_iter().filter_map(launch).collect() } else { Vec::new() }
}

/// Whether a text may have launches: most texts have none.
pub(crate) fn may_have_launches(text: &str) -> bool {
    memchr(b'@', text.as_bytes()).is_some() && memmem::find(text.as_bytes(), b".toml").is_some()
}

/// The number of `@` in a text, each of which may be that of a launch.
pub fn signs(text: &str) -> usize {
    memchr_iter(b'@', text.as_bytes()).count()
}

/// Those of the comments of a text that may belong to a launch, each as a line: those with an `@`, and what a backslash continues.
pub fn lines_of_launches(text: &str, comments: &[Span]) -> String {
    let mut kept = String::new();
    // The first comment that was not yet looked at.
    let mut next = 0;
    for sign in memchr2_iter(b'@', b'\\', text.as_bytes()) {
        let index = comments.partition_point(|comment| comment.end as usize <= sign);
        if index < next || comments.get(index).is_none_or(|comment| sign < comment.start as usize) {
            continue;
        }
        next = index;
        let mut is_continued = false;
        while let Some(comment) = comments.get(next) {
            let line = &text[comment.range()];
            let continues = line.trim_end().ends_with('\\');
            if is_continued || continues || line.contains('@') {
                kept.push_str(line);
                kept.push('\n');
            }
            next += 1;
            is_continued = continues;
            if !continues {
                break;
            }
        }
    }
    kept
}

impl WrittenLaunch {
    /// The files that it names, in their order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter().enumerate();
        words.filter_map(|(index, word)| match word.strip_prefix('@') {
            Some("") => self.words.get(index + 1).map(String::as_str),
            file => file,
        })
    }

    /// The table for which each of these files is passed, as its flag names it: `trainer` for `--trainer @ FILE`; `None` for the whole config.
    pub fn tables(&self) -> impl Iterator<Item = Option<&str>> {
        let signs = self.words.iter().enumerate().filter(|(_, word)| word.starts_with('@'));
        signs.map(|(at, _)| at.checked_sub(1).and_then(|before| self.words[before].strip_prefix("--")))
    }

    /// Whether it starts a run with a config for each of its components: `--trainer @ FILE --orchestrator @ FILE`.
    pub fn is_of_components(&self) -> bool {
        self.kind == Kind::Rl && self.tables().all(|table| table.is_some())
    }

    /// The same with other names for its files.
    #[must_use]
    pub fn with_files(&self, name: impl Fn(&str) -> String) -> Self {
        let is_behind_sign = |index: usize| index > 0 && self.words[index - 1] == "@";
        let renamed = self.words.iter().enumerate().map(|(index, word)| match word.strip_prefix('@') {
            Some(file) if !file.is_empty() => format!("@{}", name(file)),
            None if is_behind_sign(index) => name(word),
            _ => word.clone(),
        });
        Self { words: renamed.collect(), ..self.clone() }
    }

    /// The same for one of the files that its pattern matches.
    #[must_use]
    pub fn for_match(&self, path: &str) -> Self {
        let pattern = self.pattern.as_deref().unwrap_or_default();
        Self { pattern: None, ..self.with_files(|file| file.replace(pattern, path)) }
    }

    /// Whether it is the same command, wherever it is written.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.words == other.words && self.starter == other.starter && self.folders == other.folders
    }

    /// Whether it passes a flag, or one below it: `ckpt` is passed by `--ckpt` and by `--ckpt.interval 5`.
    pub fn passes(&self, key: &str) -> bool {
        self.words.iter().filter_map(|word| word.strip_prefix("--")).any(|flag| {
            let rest = flag.replace('-', "_");
            rest.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '=']))
        })
    }
}

/// A command as a launch, if it names its entrypoint and its files.
fn launch(found: Found) -> Option<WrittenLaunch> {
    if found.evidence == Evidence::Possible {
        return None;
    }
    let read: Vec<Word> = found.words.iter().map(|word| word.without_punctuation().word(FileId(0))).collect();
    let Launch { kind, arguments, starter, .. } = Launch::read(&read);
    let mut unknown = found.unknown;
    let known = without_shell_values(until_prose(&read[arguments]), &mut unknown);
    let mut words: Vec<String> = Vec::new();
    for word in &known {
        let is_behind_sign = words.last().is_some_and(|last| last == "@");
        let text = &*word.text;
        words.push(match text.strip_prefix('@') {
            Some(file) if !is_behind_sign && !file.is_empty() => format!("@{}", below_folder(file)),
            _ if is_behind_sign => below_folder(text).to_owned(),
            _ => text.to_owned(),
        });
    }
    let places = known.iter().map(|word| word.location.span).collect();
    let (folders, is_comment) = (found.folders, found.is_comment);
    let pattern = found.pattern.filter(|pattern| words.iter().any(|word| word.contains(pattern.as_str())));
    let launch = WrittenLaunch { kind: kind?, words, places, unknown, starter, folders, is_comment, pattern };
    let is_matched = |file: &str| {
        launch.pattern.as_ref().is_some_and(|pattern| file.strip_suffix(pattern.as_str()).is_some_and(|start| !is_open(start)))
    };
    let is_known = |file: &str| {
        (!is_open(file) || is_matched(file)) && Path::new(file).extension().is_some_and(|extension| extension == "toml")
    };
    let is_whole = launch.files().next().is_some() && launch.files().all(is_known);
    is_whole.then_some(launch)
}

/// The arguments up to a word behind a file that is none: there, a sentence goes on.
fn until_prose(words: &[Word]) -> &[Word] {
    let is_sign = |at: usize| &*words[at].text == "@";
    let is_behind_file =
        |at: usize| at > 0 && (words[at - 1].text.starts_with('@') && !is_sign(at - 1) || at > 1 && is_sign(at - 2));
    let end = (0..words.len()).find(|&at| is_behind_file(at) && !words[at].text.starts_with(['@', '-', '$']));
    &words[..end.unwrap_or(words.len())]
}

/// The arguments without those that only a shell knows, which are added to the `unknown` ones.
fn without_shell_values<'w>(words: &'w [Word], unknown: &mut Vec<String>) -> Vec<&'w Word> {
    let mut known: Vec<&Word> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let text = &*word.text;
        let is_file = index > 0 && &*words[index - 1].text == "@" || text.starts_with('@');
        let is_flag = |flag: &&Word| flag.text.starts_with("--") && !flag.text.contains('=');
        if is_file || !is_open(text) && !text.is_empty() {
            known.push(word);
        } else if known.last().is_some_and(is_flag) && !text.starts_with("--") {
            unknown.extend(known.pop().map(|flag| flag.text.to_string()));
        } else if !text.is_empty() {
            unknown.push(text.split('=').next().unwrap_or_default().to_owned());
        }
    }
    known
}

/// A path without a folder at its beginning that only a shell knows: `$ROOT/a.toml`, `"$(dirname "$0")"/a.toml`. Where it is shows whether the file is there.
pub(crate) fn below_folder(path: &str) -> &str {
    let end = match path.as_bytes() {
        [b'$', b'{', ..] => path.find('}').map(|at| at + 1),
        [b'$', b'(', ..] => path.rfind(')').map(|at| at + 1),
        [b'$', ..] => path.find('/'),
        _ => None,
    };
    let below = end.and_then(|end| path[end..].strip_prefix('/'));
    below.filter(|below| !is_open(below)).unwrap_or(path)
}

/// Whether a word is known only when the command runs, or is a placeholder.
fn is_open(word: &str) -> bool {
    word.contains(['$', '<', '>', '{', '*', '…']) || word.contains("...")
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use cfg_diag::FileId;
    use cfg_syntax::Dialect;

    use super::{launches, lines_of_launches};

    fn words(text: &str) -> Vec<String> {
        launches(text).into_iter().map(|launch| format!("{} {}", launch.kind.name(), launch.words.join(" "))).collect()
    }

    #[test]
    fn launch_commands_are_found_in_scripts_and_comments() {
        for (text, wanted) in [
            ("# Usage: uv run rl @ a/rl.toml @ a/slurm.toml\nmax_steps = 5\n", "rl @ a/rl.toml @ a/slurm.toml"),
            (
                "FOO=1 srun uv run --no-sync rl @ a.toml \\\n  --ckpt.interval 5 \\\n  --output-dir \"$OUT\" \"$@\" &\n",
                "rl @ a.toml --ckpt.interval 5",
            ),
            ("CMD [\"uv\", \"run\"]\nRun `uv run sft @ sft.toml --ckpt` first.\n", "sft @ sft.toml --ckpt"),
            ("      run: uv run rl @a.toml 2>&1 | tee log\n", "rl @a.toml"),
            ("#   uv run eval @ a.toml --model x\n", "eval @ a.toml --model x"),
            (
                "uv run rl --trainer @ t.toml --orchestrator @ o.toml; echo done\n",
                "rl --trainer @ t.toml --orchestrator @ o.toml",
            ),
        ] {
            assert_eq!(words(text), [wanted], "{text}");
        }
    }

    #[test]
    fn a_wrapped_command_is_a_launch() {
        for (text, wanted) in [
            ("# ./guard.sh rl 20G uv run rl @ a.toml @ b.toml\n", "rl @ a.toml @ b.toml"),
            ("sbatch -N 2 --wrap \"cd x && uv run rl @ a.toml\"\n", "rl @ a.toml"),
            ("tmux send-keys -t rl 'uv run rl @ a.toml' Enter\n", "rl @ a.toml"),
            ("# Start it with `rl @ a.toml @ this.toml`, on one node.\n", "rl @ a.toml @ this.toml"),
            ("# Don't run it alone: uv run rl @ a.toml @ b.toml.\n", "rl @ a.toml @ b.toml"),
            ("# It's an overlay: uv run rl @ a.toml, which doesn't need more\n", "rl @ a.toml"),
            ("python -m prime_rl.entrypoints.sft @ a.toml > log 2>&1 &\n", "sft @ a.toml"),
            ("subprocess.run([\"uv\", \"run\", \"rl\", \"@\", \"a.toml\"])\n", "rl @ a.toml"),
            ("CMD [\"uv\",\"run\",\"rl\",\"@\",\"a.toml\"]\n", "rl @ a.toml"),
            ("    - command: ['rl','@','a.toml','--max-steps','5']\n", "rl @ a.toml --max-steps 5"),
            ("CONFIG=a.toml; uv run rl @ $CONFIG\n", "rl @ a.toml"),
            ("(uv run rl @ a.toml | tee log)\n", "rl @ a.toml"),
        ] {
            assert_eq!(words(text), [wanted], "{text}");
        }
        let two = words("Run `uv run inference @ a.toml` and `uv run rl @ b.toml`.");
        assert_eq!(two, ["inference @ a.toml", "rl @ b.toml"]);
        let folders = &launches("(cd x/y && uv run --directory z rl @ ../a.toml)")[0].folders;
        assert_eq!(folders, &["x/y/z", "x/y"]);
    }

    #[test]
    fn a_sentence_is_not_a_launch() {
        for text in [
            "# the eval @ a.toml score of rl @ 0.5\n",
            "# mail me @ a.toml\n",
            "# rl.toml and sft.toml @ HEAD\n",
            "# rl --config a.toml @ home\n",
        ] {
            assert!(
                words(text).len() <= 1 && words(text).iter().all(|launch| launch == "eval @ a.toml"),
                "{text}: {:?}",
                words(text)
            );
        }
    }

    #[test]
    fn a_command_with_unknown_files_is_not_a_launch() {
        for text in ["uv run rl @ $CONFIG\n", "uv run rl @ …\n", "uv run rl @ path/to/<name>.toml", "uv run rl --help @"] {
            assert!(words(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn comments_of_launches_are_found() {
        for (text, kept) in [
            ("# a @\n# b\nx = '@' # c @\n", "# a @\n# c @\n"),
            ("# a \\\n# b \\ \n# c\n# d\n", "# a \\\n# b \\ \n# c\n"),
            ("# \\a\n# b\n# \\c@\\d@\n# \\", "# \\c@\\d@\n# \\\n"),
            ("x = '\\' # a\n# @ \\\n", "# @ \\\n"),
        ] {
            let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
            assert_eq!(lines_of_launches(text, &document.comments), kept, "{text}");
        }
    }

    #[test]
    fn flags_and_files_are_separated() {
        let launch = &launches("uv run rl @ a.toml @b.toml --ckpt.interval 5 --max-steps 3")[0];
        assert_eq!(launch.kind, Kind::Rl);
        assert_eq!(launch.files().collect::<Vec<_>>(), ["a.toml", "b.toml"]);
        assert!(launch.passes("ckpt") && launch.passes("ckpt.interval") && launch.passes("max_steps") && !launch.passes("ck"));
        assert_eq!(launch.with_files(|file| format!("x/{file}")).words[..3], ["@", "x/a.toml", "@x/b.toml"]);
    }

    #[test]
    fn variables_and_folders_of_a_script_are_known_below() {
        for (text, wanted) in [
            (
                "#!/bin/bash\nCONFIG=configs/a.toml\nexport B=\"b.toml\"\nuv run rl @ $CONFIG @ ${B} \"$@\"\n",
                "rl @ configs/a.toml @ b.toml",
            ),
            ("BASE=${1:-c/a.toml}\nuv run rl @ \"$BASE\" --max-steps ${STEPS:-5}\n", "rl @ c/a.toml --max-steps 5"),
            ("CONFIG ?= c/a.toml\ntrain:\n\tuv run rl @ $(CONFIG) @ b.toml\n", "rl @ c/a.toml @ b.toml"),
            ("config := \"c/a.toml\"\ntrain:\n    uv run rl @ {{config}} @ {{ config }}\n", "rl @ c/a.toml @ c/a.toml"),
            (
                "DIR=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\nuv run rl @ $DIR/c/a.toml @ \"${ROOT}\"/b.toml\n",
                "rl @ c/a.toml @ b.toml",
            ),
            ("uv run rl @ \"$(git rev-parse --show-toplevel)/c/a.toml\"\n", "rl @ c/a.toml"),
            ("env:\n  CONFIG: c/a.toml\nsteps:\n  - run: uv run rl @ ${{ env.CONFIG }}\n", "rl @ c/a.toml"),
        ] {
            assert_eq!(words(text), [wanted], "{text}");
        }
        let several = words("for c in a b; do\n  uv run rl @ base.toml @ c/$c.toml\ndone\n");
        assert_eq!(several, ["rl @ base.toml @ c/a.toml", "rl @ base.toml @ c/b.toml"]);
        assert_eq!(launches("cd x\nuv run rl @ a.toml\n")[0].folders, ["x"]);
        let commented = launches("# uv run rl @ a.toml \\\n#   @ b.toml\nuv run rl @ a.toml\n");
        assert_eq!(commented.iter().map(|launch| launch.is_comment).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn the_words_of_a_launch_have_their_places_in_the_text() {
        let text = "#!/bin/bash\n# x\n  uv run rl @ a.toml \\\n    --max-steps 5 \\\n    --output-dir \"$OUT\" \"$@\"\n";
        let launch = &launches(text)[0];
        let placed: Vec<&str> = launch.places.iter().map(|place| &text[place.range()]).collect();
        assert_eq!(placed, launch.words);
        assert_eq!(launch.unknown, ["--output-dir", "$@"]);
    }

    /// What a script can contain costs little: each of these would take minutes without bounds.
    #[test]
    fn awkward_scripts_are_read_in_bounded_steps() {
        let doubled = format!("A=aaaaaaaa; {}uv run rl @ rl.toml --x $A\n", "A=$A$A; ".repeat(30));
        let unclosed = format!("uv run rl @ rl.toml {}\n", "$(".repeat(150_000));
        let nested = format!("{}x @ rl.toml\n", "nohup ".repeat(40_000));
        for text in [doubled, unclosed, nested] {
            assert!(launches(&text).iter().flat_map(|launch| &launch.words).all(|word| word.len() <= 4096));
        }
    }
}
