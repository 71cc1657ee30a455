//! The flags of launch commands in scripts, documentation pages and the comments of configs, whose keys were renamed.

use cfg_diag::{LineIndex, Order as _, PositionEncoding};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    path::{Path, PathBuf},
    sync::PoisonError,
};

use cfg_compose::{WrittenLaunch, commands_of_python, launches};
use cfg_migrate::{Migration, Request, depends_on_value, migrate};
use cfg_project::{has_lines_of_shell, is_script, launches_in_file, may_have_launches};
use cfg_schema::{Kind, Point, Target};
use cfg_system::{Role, SearchOptions};

use super::{Job, one::MigratedConfig, stated_by::StatedBy};

/// A text with launch commands, and its flags that are to be changed.
pub(super) struct Script {
    /// Its path.
    pub(super) name: String,
    /// Its bytes.
    pub(super) old: String,
    /// Its flags, in the order of the text.
    pub(super) flags: Vec<Flag>,
    /// Whether it is a config, whose new text has the flags already.
    pub(super) is_of_config: bool,
}

/// What to write instead of a flag, or what the user has to decide; `None` if it stays.
type NewFlag = Option<Result<String, String>>;

/// What becomes of flags.
#[derive(Default)]
pub(super) struct KnownFlags {
    /// By the entrypoint, the old and the new prime-rl, the flag and, if that matters, its value: scripts of a project pass the same ones.
    new: HashMap<(Kind, Point, Point, String, String), NewFlag>,
    /// Whether there are more than [`MAX_FLAGS`].
    pub(super) are_too_many: bool,
}

/// The flags that are migrated, each of which takes as long as a small config. Of a flag with different values only those count that decide what becomes of
/// it.
pub(super) const MAX_FLAGS: usize = 1_024;

/// A flag in a launch command.
pub(super) struct Flag {
    /// Its place in the text.
    range: Range<usize>,
    /// Its line, counted from 1.
    pub(super) line: usize,
    /// As it is written: `--ckpt.keep`.
    pub(super) old: String,
    /// What to write instead; `Err` with what the user has to decide.
    pub(super) new: Result<String, String>,
}

impl Script {
    /// The text with the new flags.
    pub(super) fn new_text(&self) -> String {
        rewritten(&self.old, &self.flags)
    }
}

/// A text with the new flags.
fn rewritten(text: &str, flags: &[Flag]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for flag in flags {
        let Ok(word) = &flag.new else { continue };
        new.push_str(&text[at..flag.range.start]);
        new.push_str(word);
        at = flag.range.end;
    }
    new + &text[at..]
}

impl Job<'_> {
    /// The scripts and pages in folders whose launch commands have flags that are to be changed.
    pub(super) fn scripts(&self, all_paths: &[PathBuf], all: &[MigratedConfig]) -> Vec<Script> {
        let folders: Vec<&Path> = all_paths.iter().map(PathBuf::as_path).filter(|path| self.is_folder(path)).collect();
        if folders.is_empty() || all.is_empty() {
            return Vec::new();
        }
        let wanted = |path: &Path| may_have_launches(path) || is_script(path);
        let found = self.cx.system.search(&folders, SearchOptions::default(), &wanted);
        let is_own = |path: &PathBuf| self.session.projects().left_out(path, all_paths).is_none();
        let mut paths: Vec<_> = found.into_iter().flatten().filter(is_own).collect();
        paths.sort();
        let stated = StatedBy::new(&*self.cx.system, all);
        let script = |path: &PathBuf| {
            let old = self.cx.system.text(path, Role::Project)?;
            let mut flags = self.flags(path, &old, &stated);
            if let Some(commands) = is_python(path).then(|| commands_of_python(&old)).flatten() {
                let mut of_commands = self.flags(path, &commands.text, &stated);
                of_commands.iter_mut().for_each(|flag| flag.line = old[..flag.range.start].matches('\n').count() + 1);
                flags.append(&mut of_commands);
                flags.order_by_key(|flag| flag.range.start);
                flags.dedup_by_key(|flag| flag.range.start);
            }
            let name = path.strip_prefix(".").unwrap_or(path).to_string_lossy().into_owned();
            (!flags.is_empty()).then_some(Script { name, old, flags, is_of_config: false })
        };
        paths.iter().filter_map(script).collect()
    }

    /// The comments of configs whose launch commands have flags that are to be changed; their new texts get these.
    pub(super) fn usage_lines(&self, all: &mut [MigratedConfig]) -> Vec<Script> {
        let stated = StatedBy::new(&*self.cx.system, all);
        let flags = |config: &MigratedConfig| {
            let old = &config.migration.text;
            let mut flags = self.flags(Path::new(&config.name), old, &stated);
            // A text in a value is data.
            let line = |flag: &Flag| cfg_diag::line_start(old, flag.range.start);
            flags.retain(|flag| old[line(flag)..].trim_start().starts_with('#'));
            flags
        };
        let found: Vec<(usize, Vec<Flag>)> = all.iter().map(flags).enumerate().filter(|(_, flags)| !flags.is_empty()).collect();
        let script = |(at, flags): (usize, Vec<Flag>)| {
            let old = all[at].migration.text.clone();
            if flags.iter().any(|flag| flag.new.is_ok()) {
                all[at].commented = Some(rewritten(&old, &flags));
            }
            Script { name: all[at].name.clone(), old, flags, is_of_config: true }
        };
        found.into_iter().map(script).collect()
    }

    /// Whether a path is that of a folder.
    pub(super) fn is_folder(&self, path: &Path) -> bool {
        self.cx.system.status(path).is_ok_and(|status| status.kind == cfg_system::Kind::Folder)
    }

    /// The flags in the text of a file that are to be changed, in its order.
    fn flags(&self, path: &Path, text: &str, stated: &StatedBy<'_>) -> Vec<Flag> {
        let mut flags = Vec::new();
        if !text.contains("--") || !text.contains('@') || !text.contains(".toml") {
            return flags;
        }
        // Those of the whole text have the values of its variables.
        let of_text = if is_python(path) { launches(text) } else { launches_in_file(path, text) };
        let of_command = |range: &Range<usize>| {
            let is_in = |launch: &&WrittenLaunch| launch.places.iter().any(|place| range.contains(&(place.start as usize)));
            of_text.iter().find(is_in).cloned().or_else(|| launches(&text[range.clone()]).into_iter().next())
        };
        let has_lines = is_python(path) || has_lines_of_shell(path);
        let (mut start, mut line, mut first) = (0, 1, 1);
        let mut end = 0;
        for part in text.split_inclusive('\n') {
            end += part.len();
            line += 1;
            if !has_lines {
                break;
            }
            if !part.trim_end().ends_with('\\') || end == text.len() {
                let command = &text[start..end];
                let launch = if command.contains("--") { of_command(&(start..end)) } else { None };
                if let Some(launch) = launch
                    && let Some((from, to)) = stated.of(&launch, path)
                {
                    for (range, word) in words_of(command, launch.kind) {
                        if let Some(new) = self.flag(&word, &command[range.end..], launch.kind, from, to) {
                            let line = first + command[..range.start].matches('\n').count();
                            flags.push(Flag { range: start + range.start..start + range.end, line, old: word, new });
                        }
                    }
                }
                (start, first) = (end, line);
            }
        }
        // Those that a command has by way of a variable, or in a string, stand where that is.
        let known: HashSet<usize> = flags.iter().map(|flag| flag.range.start).collect();
        let lines = LineIndex::new(text);
        for launch in &of_text {
            let Some((from, to)) = stated.of(launch, path) else { continue };
            for (at, (word, place)) in launch.words.iter().zip(&launch.places).enumerate() {
                let (flag, value) = word.split_once('=').map_or((&**word, None), |(flag, value)| (flag, Some(value)));
                let range = place.start as usize..place.start as usize + flag.len();
                let is_written = flag.starts_with("--") && text.get(range.clone()) == Some(flag);
                if !is_written || known.contains(&range.start) {
                    continue;
                }
                let rest = value.or(launch.words.get(at + 1).map(String::as_str)).unwrap_or_default();
                if let Some(new) = self.flag(flag, rest, launch.kind, from, to) {
                    let line = lines.line_column(text, place.start, PositionEncoding::Utf8).line as usize + 1;
                    flags.push(Flag { range, line, old: flag.to_owned(), new });
                }
            }
        }
        flags.order_by_key(|flag| flag.range.start);
        flags.dedup_by_key(|flag| flag.range.start);
        flags
    }

    /// The words of a launch with the names that its flags have for the new prime-rl.
    pub(super) fn renamed(&self, launch: &WrittenLaunch, from: &Target, to: &Target) -> Vec<String> {
        let words = launch.words.iter().enumerate().map(|(at, word)| {
            let (flag, value) = word.split_once('=').map_or((&**word, None), |(flag, value)| (flag, Some(value)));
            let next = launch.words.get(at + 1).map_or("", String::as_str);
            let new = if flag.starts_with("--") { self.flag(flag, value.unwrap_or(next), launch.kind, from, to) } else { None };
            match (new, value) {
                (Some(Ok(new)), Some(value)) => format!("{new}={value}"),
                (Some(Ok(new)), None) => new,
                _ => word.clone(),
            }
        });
        words.collect()
    }

    /// What to write instead of a flag; `None` if it stays. `rest` is the command after it.
    fn flag(&self, word: &str, rest: &str, kind: Kind, from: &Target, to: &Target) -> NewFlag {
        let (key, value) = (key_of(word), value_of(rest));
        let matters = depends_on_value(self.session.history, kind, &key, (from.point, to.point));
        let of = (kind, from.point, to.point, word.to_owned(), if matters { value.clone() } else { String::new() });
        let known = || self.flags.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut known = known();
            if let Some(new) = known.new.get(&of) {
                return new.clone();
            }
            if known.new.len() >= MAX_FLAGS {
                known.are_too_many = true;
                return None;
            }
        }
        let new = self.new_flag(word, &key, &value, kind, from, to);
        known().new.insert(of, new.clone());
        new
    }

    /// What to write instead of a flag with a value in TOML.
    fn new_flag(&self, word: &str, key: &str, value: &str, kind: Kind, from: &Target, to: &Target) -> NewFlag {
        let is_key = |part: &str| part.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
        if !key.split('.').all(is_key) {
            return None;
        }
        let text = format!("{key} = {value}\n");
        let request = Request {
            path: "flags.toml",
            text: &text,
            kind: Some(kind),
            from: Some(from.clone()),
            to: to.clone(),
            makes_all: false,
            keeps_defaults: false,
            is_part: true,
        };
        let migration = migrate(self.session, &request).ok()?;
        if let Some(decision) = migration.decisions.first() {
            let note = decision.entry.note().unwrap_or("its key is gone");
            return Some(Err(note.to_owned()));
        }
        let [done] = migration.done.as_slice() else {
            if migration.done.is_empty() {
                return newly_refused(&migration, key).map(Err);
            }
            return Some(Err(format!("it became {}", one_line_of(&migration.text))));
        };
        match (&done.new, &done.value) {
            _ if done.old != key => None,
            (None, _) => Some(Err("its key was removed, and nothing replaces it: take it out".to_owned())),
            (Some(new), Some(value)) => Some(Err(format!("write `--{new} {value}`"))),
            (Some(new), None) => {
                let is_dashed = word.trim_start_matches("--").contains('-') || !word.contains('_');
                let new = if is_dashed { new.replace('_', "-") } else { new.clone() };
                Some(Ok(format!("--{new}")))
            }
        }
    }
}

/// Why the new prime-rl refuses a key that the old one has, and that no move carries over alone.
fn newly_refused(migration: &Migration, key: &str) -> Option<String> {
    let refusal = |checked: &cfg_check::Checked| {
        let is_unknown =
            |found: &cfg_diag::Diagnostic| found.native.as_ref().is_some_and(|native| native.kind == "extra_forbidden");
        let is_it = |found: &&cfg_diag::Diagnostic| found.key.as_deref() == Some(key) && is_unknown(found);
        checked.diagnostics.iter().find(is_it).cloned()
    };
    let refused = refusal(&migration.after).filter(|_| refusal(&migration.before).is_none())?;
    Some(refused.help.unwrap_or(refused.message))
}

/// The key that a flag sets.
fn key_of(flag: &str) -> String {
    flag.trim_start_matches("--").replace('-', "_")
}

fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}

fn one_line_of(text: &str) -> String {
    text.lines().filter(|line| !line.is_empty()).map(|line| format!("`{line}`")).collect::<Vec<_>>().join(", ")
}

/// The flags of a launch command that follow the name of its entrypoint, with their places.
fn words_of(command: &str, kind: Kind) -> Vec<(Range<usize>, String)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let bytes = command.as_bytes();
    let name = kind.name();
    // The name of a script, or the last part of that of a module.
    let begins = |at: usize| at == 0 || !is_word(bytes[at - 1]) || bytes[at - 1] == b'.';
    let ends = |end: usize| bytes.get(end).is_none_or(|byte| !is_word(*byte));
    let entry = command.match_indices(name).find(|(at, _)| begins(*at) && ends(at + name.len()));
    let Some((begin, _)) = entry else { return Vec::new() };
    let mut words = Vec::new();
    for (at, _) in command[begin..].match_indices("--").map(|(at, found)| (begin + at, found)) {
        let end = (at + 2..command.len()).find(|&end| !is_word(bytes[end])).unwrap_or(command.len());
        let is_start = at == 0 || !is_word(bytes[at - 1]);
        if is_start && end > at + 2 && bytes[at + 2] != b'-' {
            let word = command[at..end].trim_end_matches('.');
            words.push((at..at + word.len(), word.to_owned()));
        }
    }
    words
}

/// The value of a flag as TOML: what follows it, or `true`.
fn value_of(rest: &str) -> String {
    let rest = rest.trim_start_matches(['\\', '\n', '\r', ' ', '\t', '=', '"', '\'', ',']);
    let word: String = rest.chars().take_while(|next| !next.is_whitespace() && !matches!(next, '"' | '\'' | '`' | ',')).collect();
    let is_number =
        |word: &str| word.parse::<f64>().is_ok() && word.bytes().all(|byte| !byte.is_ascii_alphabetic() || byte == b'e');
    match &*word {
        "" => "true".to_owned(),
        flag if flag.starts_with("--") || flag.starts_with('@') => "true".to_owned(),
        "true" | "True" => "true".to_owned(),
        "false" | "False" => "false".to_owned(),
        number if is_number(number) => number.to_owned(),
        // What only the shell knows may be anything.
        text => format!("\"{}\"", text.replace(['\\', '"'], "")),
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::Kind;

    use super::{value_of, words_of};

    #[test]
    fn flags_behind_the_entrypoint_are_found() {
        let of = |command: &str| words_of(command, Kind::Rl).into_iter().map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(
            of("uv run --no-sync rl @ a.toml --ckpt.keep 2 \\\n  --max-steps=5 \"--x_y\""),
            ["--ckpt.keep", "--max-steps", "--x_y"]
        );
        assert_eq!(of("python -m prime_rl.entrypoints.rl @ a.toml --a.b 1."), ["--a.b"]);
        assert!(of("uv run url --x 1").is_empty());
    }

    #[test]
    fn values_are_written_as_toml() {
        for (rest, value) in
            [(" 5 --x", "5"), ("=1e-6", "1e-6"), (" --y", "true"), ("", "true"), (" $KEEP\n", "\"$KEEP\""), (" True", "true")]
        {
            assert_eq!(value_of(rest), value, "{rest}");
        }
    }
}
