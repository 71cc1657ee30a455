//! The tools: read-only commands of `cfg`, with their descriptions for the model.

use serde_json::{Map, Value, json};

use crate::mcp::arguments::{Argument, Holds, call};

/// A command of `cfg` that can be called.
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: &'static str,
    title: &'static str,
    about: &'static str,
    command: &'static str,
    arguments: &'static [Argument],
}

/// The command line of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The words of the command line, without the program.
    pub(crate) words: Vec<String>,
    /// The command's standard input, if it reads any.
    pub(crate) input: Option<Vec<u8>>,
}

impl Tool {
    /// The entry in the answer to `tools/list`.
    pub(crate) fn describe(&self) -> Value {
        let offered = self.arguments.iter().filter(|argument| !matches!(argument.holds, Holds::Given(_)));
        let properties: Map<String, Value> = offered.map(|argument| (argument.name.to_owned(), argument.schema())).collect();
        let needed: Vec<&str> =
            self.arguments.iter().filter(|argument| argument.is_needed).map(|argument| argument.name).collect();
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": {
                "type": "object", "properties": properties, "required": needed, "additionalProperties": false,
            },
            "annotations": {
                "title": self.title, "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            },
        })
    }

    /// The command line for a call with these arguments.
    ///
    /// # Errors
    ///
    /// What is wrong with the arguments, as a sentence.
    pub(crate) fn call(&self, arguments: &Map<String, Value>) -> Result<Call, String> {
        call(self.command, self.arguments, arguments)
    }
}

const fn may(name: &'static str, holds: Holds, about: &'static str) -> Argument {
    Argument { name, about, holds, is_needed: false }
}

const fn must(name: &'static str, holds: Holds, about: &'static str) -> Argument {
    Argument { name, about, holds, is_needed: true }
}

const TARGET: Argument = may(
    "target",
    Holds::Option("--target"),
    "the prime-rl version: a release (0.8.0), a commit, a date (2026-01-06) or main; the default is what the file or its project states",
);
const KIND: Argument = may(
    "kind",
    Holds::Option("--kind"),
    "the entrypoint, if the configs do not show it: rl, trainer, orchestrator, inference, sft",
);
const GPU: Argument = may("gpu", Holds::Option("--gpu"), "the GPUs, such as 2x H100; the default is what the config states");
const LAUNCH: Argument = may(
    "command",
    Holds::Command,
    "a complete launch command instead of paths: [\"uv\", \"run\", \"rl\", \"@\", \"rl.toml\", \"--max-steps\", \"5\"]",
);
const FILES: Argument = may("paths", Holds::Words, "the files of the config; later files override earlier ones");
const TEXT: Argument = may("text", Holds::Input, "the text of an unsaved config, instead of paths");
const JSON: Argument = may("format", Holds::Choice("--format", &["json"]), "the output format");

/// The arguments of tools about a config on a machine.
const ON_A_MACHINE: &[Argument] = &[JSON, FILES, TEXT, TARGET, KIND, GPU];

/// All tools.
pub(crate) const ALL: &[Tool] = &[
    Tool {
        name: "check",
        title: "Check configs",
        about: "Check prime-rl configs before a GPU is rented: what prime-rl rejects, and what fails later (memory, parallelism, \
            context, checkpoints, environments). Each finding has its place, `fixes` (edits by byte offset, safe or unsafe) and `next` (commands). \
            Checks files, folders, a launch command, or a text that is not saved.",
        command: "check",
        arguments: &[
            may(
                "format",
                Holds::Choice("--format", &["json", "concise"]),
                "json includes places, fixes and next; concise is one line per finding",
            ),
            may("paths", Holds::Words, "files or folders; the default, without text and command, is the first root"),
            may("text", Holds::Input, "the text of an unsaved config, instead of paths"),
            may(
                "path_of_text",
                Holds::Option("--stdin-filename"),
                "the path at which the text would be saved; it determines the kind and the project",
            ),
            TARGET,
            KIND,
            GPU,
            LAUNCH,
        ],
    },
    Tool {
        name: "fix",
        title: "Fix a text",
        about: "The text of a config after its fixes, with what was done (`fixed`, `changed`) and the findings that are left. Nothing is written to files: write the `text` of \
            the answer yourself. Without `unsafe`, only what certainly was meant is fixed.",
        command: "check",
        arguments: &[
            may("format", Holds::Choice("--format", &["json"]), "the output format"),
            may("fixes", Holds::Given("--fix"), "always on"),
            must("text", Holds::Input, "the text of the config"),
            may(
                "path_of_text",
                Holds::Option("--stdin-filename"),
                "the path of the text; it determines the kind and the project",
            ),
            may("unsafe", Holds::Flag("--unsafe-fixes"), "make also fixes that may change what the config means"),
            TARGET,
            KIND,
            GPU,
        ],
    },
    Tool {
        name: "explain",
        title: "Explain a finding",
        about: "What a code of a finding means, why it matters and what to do, with an example; without a code, the list of all codes.",
        command: "explain",
        arguments: &[JSON, may("code", Holds::Word, "a code or its name, such as PRL101 or unknown-key")],
    },
    Tool {
        name: "schema",
        title: "Look up keys",
        about: "The keys of prime-rl's configs: `show` lists the keys of a table with types, bounds and defaults, `history` when a key was added, moved or removed, \
            `diff` the changes between two versions.",
        command: "schema",
        arguments: &[
            may("what", Holds::Below(&["show", "history", "diff"]), "what to look up"),
            JSON,
            may("key", Holds::Word, "for show and history: a dotted key, such as trainer.model.lora"),
            may("from", Holds::Word, "for diff: the older version, such as 0.7.0"),
            may("to", Holds::Word, "for diff: the newer version"),
            TARGET,
            KIND,
        ],
    },
    Tool {
        name: "memory",
        title: "Does it fit?",
        about: "How much memory of each GPU and how much disk space a config needs, whether it fits, and which changes would make it fit.",
        command: "memory",
        arguments: ON_A_MACHINE,
    },
    Tool {
        name: "compile",
        title: "Resolve a config",
        about: "Every value that prime-rl would use for a config, including defaults; with `explain`, where the values at and below a key come from.",
        command: "compile",
        arguments: &[
            JSON,
            FILES,
            TEXT,
            may("explain", Holds::Option("--explain"), "a dotted key, such as trainer.optim"),
            TARGET,
            KIND,
            LAUNCH,
        ],
    },
    Tool {
        name: "diff",
        title: "Compare what configs mean",
        about: "The differences between two configs in the values that prime-rl would use, by training, resources and operations.",
        command: "diff",
        arguments: &[
            JSON,
            must("one", Holds::Word, "a file, a version in the registry (rl.toml:v2) or a file of a git revision (main:rl.toml)"),
            may("other", Holds::Word, "the config to compare with, in the same forms"),
            may(
                "to_target",
                Holds::Option("--to-target"),
                "the prime-rl version for `other`; without `other`, `one` is compared with itself at that version",
            ),
            TARGET,
            KIND,
        ],
    },
    Tool {
        name: "migrate",
        title: "Preview a migration",
        about: "Rewrites configs for another prime-rl version: the edits, the decisions left to the user, the changed defaults. Nothing is written to files.",
        command: "migrate",
        arguments: &[
            JSON,
            must("paths", Holds::Words, "the files to rewrite"),
            must("to", Holds::Option("--to"), "the prime-rl version to rewrite for: a release (0.8.0), a commit, a date or main"),
            may(
                "from",
                Holds::Option("--from"),
                "the prime-rl version that the configs are written for, if they and their project do not state it",
            ),
            may("keep_defaults", Holds::Flag("--keep-defaults"), "set keys to their old defaults where the default has changed"),
            KIND,
        ],
    },
    Tool {
        name: "diagnose",
        title: "Why did a run fail?",
        about: "Looks through logs of a run for errors and known symptoms, and says what happened, what to do, and which lines of the config \
            contributed.",
        command: "run diagnose",
        arguments: &[
            JSON,
            must("paths", Holds::Words, "log files or folders, such as outputs/logs"),
            may("against", Holds::Option("--against"), "the config file of the run"),
        ],
    },
    Tool {
        name: "plan",
        title: "What happens when?",
        about: "At which steps of a run checkpoints, evaluations, changes of the learning rate and the end are.",
        command: "plan",
        arguments: &[JSON, FILES, TEXT, TARGET, KIND],
    },
    Tool {
        name: "estimate",
        title: "How long, how much?",
        about: "The time of a step and of a run on each card, and its price if prices are stated.",
        command: "estimate",
        arguments: ON_A_MACHINE,
    },
    Tool {
        name: "models",
        title: "Look up a model",
        about: "A model's architecture, parsers and renderer, its known issues, and how many GPUs of each card a run needs.",
        command: "model",
        arguments: &[JSON, must("model", Holds::Word, "its name on the hub, such as Qwen/Qwen3-8B"), TARGET, GPU],
    },
    Tool {
        name: "env",
        title: "Look up an environment",
        about: "The arguments of an environment, and the keys of a taskset, harness or judge.",
        command: "env",
        arguments: &[JSON, must("id", Holds::Word, "its id, such as primeintellect/reverse-text"), TARGET],
    },
    Tool {
        name: "new",
        title: "Draft a config",
        about: "A config for a model, a machine and an environment that passes the check and fits, with a reason for each value. Nothing is written to files.",
        command: "new",
        arguments: &[
            JSON,
            must("model", Holds::Option("--model"), "its name on the hub, such as Qwen/Qwen3-8B"),
            may("env", Holds::Option("--env"), "the id of the environment, such as primeintellect/reverse-text"),
            TARGET,
            KIND,
            GPU,
        ],
    },
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ALL, Call};

    fn call(name: &str, arguments: &Value) -> Result<Call, String> {
        let tool = ALL.iter().find(|tool| tool.name == name).expect("a tool");
        tool.call(arguments.as_object().expect("an object"))
    }

    #[test]
    fn arguments_are_converted_to_command_line_words() {
        for (name, arguments, words) in [
            ("check", json!({}), "check --format=json"),
            ("check", json!({ "paths": ["a.toml", "b"], "target": "0.8.0" }), "check --format=json a.toml b --target=0.8.0"),
            (
                "check",
                json!({ "command": ["uv", "run", "rl", "--fix"], "format": "concise" }),
                "check --format=concise -- uv run rl --fix",
            ),
            ("schema", json!({ "what": "diff", "from": "0.7.0", "to": "0.8.0" }), "schema diff --format=json 0.7.0 0.8.0"),
            (
                "migrate",
                json!({ "paths": ["a"], "to": "main", "keep_defaults": true }),
                "migrate --format=json a --to=main --keep-defaults",
            ),
        ] {
            assert_eq!(call(name, &arguments).expect("it is understood").words.join(" "), words);
        }
        let text = call("plan", &json!({ "text": "a = 1" })).expect("it is understood");
        assert_eq!((text.words.join(" "), text.input.as_deref()), ("plan --format=json -".to_owned(), Some(&b"a = 1"[..])));
        let text = call("check", &json!({ "text": "a = 1", "path_of_text": "--fix" })).expect("it is understood");
        assert_eq!(text.words.join(" "), "check --format=json - --stdin-filename=--fix");
        assert_eq!(text.input.as_deref(), Some(&b"a = 1"[..]));
    }

    #[test]
    fn no_argument_value_is_read_as_an_option() {
        for (name, arguments) in [
            ("check", json!({ "paths": ["--fix"] })),
            ("check", json!({ "paths": "a.toml" })),
            ("check", json!({ "paths": [1] })),
            ("check", json!({ "fix": true })),
            ("check", json!({ "format": "sarif" })),
            ("check", json!({ "paths": ["a\0b"] })),
            ("explain", json!({ "code": "--help" })),
            ("migrate", json!({ "paths": ["a"], "to": "main", "keep_defaults": "yes" })),
            ("schema", json!({ "what": "import" })),
        ] {
            assert!(call(name, &arguments).is_err(), "{name} {arguments}");
        }
    }

    /// The descriptions of all tools are in the model's context all the time.
    #[test]
    fn the_list_of_tools_is_short() {
        let list: Vec<String> = ALL.iter().map(|tool| tool.describe().to_string()).collect();
        let tokens = list.concat().chars().count() / 4;
        assert!(tokens < 270 * ALL.len(), "{tokens}");
    }
}
