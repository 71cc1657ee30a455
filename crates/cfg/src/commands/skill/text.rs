//! The text of the skill. The descriptions of commands are those of their help, and the descriptions of findings are from the
//! table of codes; the rest of the text is here.

use std::fmt::Write as _;

use cfg_diag::codes;
use cfg_schema::{History, Target};

use crate::args::Arguments;

/// The beginning of the file: assistants read only this until a task matches it.
const HEAD: &str = "---
name: cfg
description: Check, repair, fit, migrate and version the TOML configs of prime-rl training runs (rl, trainer, orchestrator, inference, sft) with the `cfg` \
                    command. Use it whenever such a config is written or changed, before a run is started, when a run failed, and when prime-rl is upgraded.
---

# cfg: configs of prime-rl

`cfg` says in milliseconds what prime-rl will refuse, and what fails hours later (GPU memory, context, parallelism, checkpoints, environments), for the
prime-rl that the project uses. It needs no GPU, no network and no installed prime-rl. Do not guess keys, defaults or memory: ask it.

## The loop

After each change of a config:

1. `cfg check rl.toml --format json` (`--format concise` is a line for each finding, and shorter).
2. `\"verdict\": \"ok\"` and no errors: done. Warnings are worth reading; each says what goes wrong and when.
3. Else take the findings in their order. Those with `\"masked\": true` or in `folded` may go by themselves.
   - `fixes` has edits by byte offset, each of which was tried. Make one that is `safe`, or let `cfg check rl.toml --fix` make all that are.
   - An `unsafe` one may change what the config means: make it only where it is what the user wants.
   - Where there is none, follow `next`: commands with their reason; those with `\"safe\": true` write nothing, or only what is certain.
   - `help` says what to write instead, `related` where the other end of a contradiction is.
4. Check again. The same finding twice: `cfg explain CODE`, then ask the user.

Never silence a finding (`# cfg: ignore[...]`, `--exit-zero`, another `--target`) to get done, and never edit `registry.json` or `.cfg/` by hand.
";

/// The commands in the text, each with an example, and with a description if its help is not sufficient.
const COMMANDS: [(&str, &str); 15] = [
    ("check rl.toml --format json", "What is wrong, with fixes and what to do next"),
    ("check . --format concise", "The same of all configs of a folder, a line for each finding"),
    ("check rl.toml --fix", "Make the fixes that are certain; --diff shows them"),
    ("explain unknown-key", ""),
    ("schema show orchestrator --kind rl", ""),
    ("schema history orchestrator.rollouts_per_example --kind rl", ""),
    ("memory rl.toml --gpu \"2x H100\" --format json", ""),
    ("plan rl.toml", ""),
    ("compile rl.toml --explain trainer.optim", "Where each value at and below a key comes from"),
    ("diff rl.toml:v1 rl.toml --format json", ""),
    ("migrate rl.toml --to main --format json", "What the config would be for another prime-rl; --write rewrites it"),
    ("new --model Qwen/Qwen3-8B --gpu \"2x H100\" --env reverse-text", ""),
    ("launch rl.toml", ""),
    ("preflight rl.toml --format json", ""),
    ("diagnose outputs/logs --against rl.toml --format json", ""),
];

const BEHIND: &str = "
Exit codes: 0 nothing wrong, 1 errors found (or a difference, for `diff`), 2 it could not do its work. Every command prints a JSON document under
`--format json`, also when it fails. A text that is not saved: `cfg check - --stdin-filename rl.toml < text`. A whole launch:
`cfg check -- uv run rl @ base.toml @ run.toml --max-steps 5`.

## Which prime-rl

";

const ABOUT_TARGETS: &str = "
Keys move many times a month. cfg takes the prime-rl that `--target`, the file's metadata, `cfg.toml` or the project around the file (checkout, submodule,
`uv.lock`) states. If it says that it assumed one, ask the user which one runs, and write it down once: `target = \"RELEASE\"` in `cfg.toml`. Never
take a key from memory: `cfg schema show TABLE` has those of the target.

## Metadata and versions

prime-rl refuses a `[config]` table, so what a config says of itself is a comment block on top:

```toml
# /// config
# version = \"v3\"
# hardware = \"2x H100\"
# notes = \"longer context\"
# ///
```

Where there is a `registry.json`, a changed config gets a new version: `cfg bump rl.toml -m \"why\"`. It writes the block and the registry; run it only when
the user wants the change kept.

## Does it fit?

`cfg memory` has the answer, not arithmetic: it says what each GPU holds, how far that may be off, and what would make it fit. Change one thing, and ask again.

## A run failed

`cfg diagnose` reads the logs and names the line of the config to blame; `cfg preflight` checks the machine before the next try; `cfg launch` prints the command
that this prime-rl wants.

## What the codes are about

";

/// The complete text.
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
    let _ = writeln!(text, "Releases that are known: {}, every commit between them, and main.", releases.join(", "));
    text.push_str(ABOUT_TARGETS);
    for (first, about) in GROUPS {
        let count = codes::ALL.iter().filter(|code| code.code.as_bytes()[3] == first as u8).count();
        let _ = writeln!(text, "- PRL{first}xx ({count}): {about}");
    }
    text
}

/// The subject of the codes with each first digit.
const GROUPS: [(char, &str); 9] = [
    ('0', "syntax and files"),
    ('1', "keys, types, values: the schema of the target"),
    ('2', "prime-rl's own checks between keys"),
    ('3', "what fails while it runs: context, adapters, parallelism, parts of a run that don't fit each other"),
    ('4', "memory of the GPUs, disk"),
    ('5', "environments and curricula"),
    ('6', "models"),
    ('7', "metadata, registry, lineage"),
    ('8', "checkpoints, launch, the machine"),
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
