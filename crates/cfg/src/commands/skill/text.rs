//! The text of the skill. The descriptions of commands are from their help, the numbers of findings from the table of codes; the rest is written here.

use std::fmt::Write as _;

use cfg_diag::codes;
use cfg_schema::{History, Target};

use crate::args::Arguments;

/// The beginning of the file. Assistants read only the part between `---` until a task matches the description.
const HEAD: &str = "---
name: cfg
description: Check, repair, fit, migrate and version the TOML configs of prime-rl training runs (rl, trainer, orchestrator, inference, sft) with the `cfg` \
                    command. Use it whenever such a config is written or changed, before a run is started, when a run failed, and when prime-rl is upgraded.
---

# cfg: configs of prime-rl

`cfg` reports in milliseconds what prime-rl would reject, and what would fail hours later (GPU memory, context, parallelism, checkpoints, environments), for
the prime-rl version that the project uses. It needs no GPU, no network and no installed prime-rl. Do not guess keys, defaults or memory: run `cfg`.

## The loop

After each change of a config:

1. `cfg check rl.toml --format json` (`--format concise` is shorter: one line per finding).
2. `\"verdict\": \"ok\"` and no errors: done. Read the warnings; each says what goes wrong and when.
   `\"verdict\": \"depends\"` and no errors: prime-rl decides by something that the config leaves open. A finding says what: name the base config or the
   package, state the prime-rl or the entrypoint, or tell the user what remains open.
3. Otherwise fix the findings in their order. Those with `\"masked\": true` or in `folded` may disappear when an earlier one is fixed.
   - `fixes` has edits by byte offset, which have been tried on a copy. Apply a `safe` one, or apply all safe ones with `cfg check rl.toml --fix`.
   - An `unsafe` fix may change what the config means: apply it only if that is what the config was meant to say. To apply one, replace the bytes from
     `range.start.offset` to `range.end.offset` of each of its `edits` by `new_text`, the last one first, and check again; `cfg check rl.toml --fix
     --unsafe-fixes` applies all.
   - Without a fix, follow `next`: commands with their reasons. A command with `\"safe\": true` writes nothing, or only safe fixes.
   - `help` says what to write instead, `choices` lists it; `labels` and `related` have the other place of a contradiction.
4. Check again. If the same finding remains, run `cfg explain CODE`, then ask the user.

Never suppress a finding (`# cfg: ignore[...]`, `--exit-zero`, another `--target`) just to finish, and never edit `registry.json` or `.cfg/` by hand.
";

/// An example of each listed command, and a description; if that is empty, the first sentence of its help is used.
const COMMANDS: [(&str, &str); 15] = [
    ("check rl.toml --format json", "Findings, with fixes and next steps"),
    ("check . --format concise", "The findings in all configs of a folder, one line each"),
    ("check rl.toml --fix", "Apply all safe fixes; --diff shows them without writing"),
    ("explain unknown-key", ""),
    ("schema show orchestrator --kind rl", ""),
    ("schema history orchestrator.rollouts_per_example --kind rl", ""),
    ("memory rl.toml --gpu \"2x H100\" --format json", ""),
    ("plan rl.toml", ""),
    ("compile rl.toml --explain trainer.optim", "Where each value at and below a key comes from"),
    ("diff rl.toml:v1 rl.toml --format json", ""),
    ("migrate rl.toml --to main --format json", "The config rewritten for another prime-rl version; --write writes it"),
    ("new --model Qwen/Qwen3-8B --gpu \"2x H100\" --env reverse-text", ""),
    ("run launch rl.toml", ""),
    ("run preflight rl.toml --format json", ""),
    ("run diagnose outputs/logs --against rl.toml --format json", ""),
];

const BEHIND: &str = "
Exit codes: 0 no errors, 1 errors found (or a difference, for `diff`), 2 the command failed. With `--format json` every command prints a JSON document,
even if it fails. To check a text that is not saved: `cfg check - --stdin-filename rl.toml < text`. To check a complete launch command:
`cfg check -- uv run rl @ base.toml @ run.toml --max-steps 5`.

## The prime-rl version

";

const ABOUT_TARGETS: &str = "
Keys change many times a month. `cfg` uses the prime-rl version stated by `--target`, the file's metadata, `cfg.toml` or the project around the file
(checkout, submodule, `uv.lock`). If it says that it assumed a version, ask the user which one runs, and state it once: `target = \"RELEASE\"` in
`cfg.toml`. Never write a key from memory: `cfg schema show TABLE` lists the keys of the target.

## Metadata and versions

prime-rl rejects a `[config]` table, so the metadata of a config is a comment block at its top:

```toml
# /// config
# version = \"v3\"
# hardware = \"2x H100\"
# notes = \"longer context\"
# ///
```

If there is a `registry.json`, a changed config gets a new version: `cfg bump rl.toml -m \"why\"`. This writes the block and the registry; run it only if
the user wants to keep the change.

## Does it fit?

Use `cfg memory` instead of arithmetic: it says what each GPU holds, how accurate that is, and which changes would make it fit. Change one key, and run it again.

## A run failed

`cfg run diagnose` reads the logs and names the line of the config that caused the failure; `cfg run preflight` checks the machine before the next attempt;
`cfg run launch` prints the command that starts the run with this prime-rl version.

## Groups of codes

";

/// The complete text of the file.
pub(super) fn skill() -> String {
    let mut text = HEAD.to_owned() + "\n## Commands\n\n```sh\n";
    let help = Arguments::words();
    for (command, purpose) in COMMANDS {
        let words = command.split_whitespace().take(2);
        let mut below = &help;
        for word in words {
            below = below.find_subcommand(word).unwrap_or(below);
        }
        let about = below.get_about().map(ToString::to_string).filter(|_| purpose.is_empty());
        let about = about.as_deref().unwrap_or(purpose);
        let _ = writeln!(text, "cfg {command}  # {about}");
    }
    text.push_str("```\n");
    text.push_str(BEHIND);
    let history = History::built_in();
    let releases: Vec<String> = history.releases().map(|release| Target::from(release).name).collect();
    let _ = writeln!(text, "Known releases: {}, and every commit between them and main.", releases.join(", "));
    text.push_str(ABOUT_TARGETS);
    for (first, about) in GROUPS {
        let count = codes::ALL.iter().filter(|code| code.code.as_bytes()[3] == first as u8).count();
        let _ = writeln!(text, "- PRL{first}xx ({count}): {about}");
    }
    text
}

/// The subjects of codes, by first digit.
const GROUPS: [(char, &str); 9] = [
    ('0', "syntax and files"),
    ('1', "keys, types, values: the schema of the target"),
    ('2', "prime-rl's own checks between keys"),
    ('3', "what fails during the run: context, adapters, parallelism, components that do not match"),
    ('4', "memory of the GPUs, disk"),
    ('5', "environments and curricula"),
    ('6', "models"),
    ('7', "metadata, registry, lineage"),
    ('8', "checkpoints, launch, machine"),
];

#[cfg(test)]
mod tests {
    use cfg_diag::codes;

    use super::{GROUPS, skill};

    #[test]
    fn it_is_short_and_every_command_has_its_purpose() {
        let text = skill();
        assert!(text.lines().count() < 150, "{}", text.lines().count());
        assert!(text.lines().all(|line| line.len() < 400), "{text}");
        assert!(!text.contains("# \n"), "{text}");
    }

    #[test]
    fn every_code_is_in_a_group() {
        let of = |code: &str| GROUPS.iter().filter(|(first, _)| code.chars().nth(3) == Some(*first)).count();
        assert!(codes::ALL.iter().all(|code| of(code.code) == 1));
    }
}
