//! The one table of codes. Every diagnostic, wherever it arises, refers to its entry here; its page, its explanation on the
//! command line and its link all come from the entry. A code is never reused and never renamed.

use crate::Severity;

/// What is known of a kind of finding before any is found.
#[derive(Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The stable code: `PRL101`.
    pub code: &'static str,
    /// The problem in kebab case: `unknown-key`.
    pub name: &'static str,
    /// How bad it usually is.
    pub severity: Severity,
    /// One line for lists.
    pub summary: &'static str,
    /// The whole documentation, in Markdown; the same text is the page under `docs/rules/`.
    pub page: &'static str,
}

/// A reference to an entry of the table.
pub type Code = &'static CodeInfo;

macro_rules! codes {
    ($($ident:ident = $code:literal $name:literal $severity:ident $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub static $ident: CodeInfo = CodeInfo {
                code: $code,
                name: $name,
                severity: Severity::$severity,
                summary: $summary,
                page: include_str!(concat!("../../../docs/rules/", $name, ".md")),
            };
        )*

        /// Every entry, in the order of the codes.
        pub static ALL: &[Code] = &[$(&$ident),*];
    };
}

codes! {
    INVALID_TOML = "PRL001" "invalid-toml" Error "A line that is not TOML";
    DUPLICATE_KEY = "PRL002" "duplicate-key" Error "A key or table that is defined twice";
    KEY_CONFLICT = "PRL003" "key-conflict" Error "A key used as a table and as a value";
    UNSUPPORTED_TOML = "PRL004" "unsupported-toml" Error "TOML that the target's loader does not read";
    INVALID_ENCODING = "PRL005" "invalid-encoding" Error "Bytes that are no UTF-8 text";
    NESTED_TOO_DEEP = "PRL006" "nested-too-deep" Error "Values nested deeper than the loader reads";
    UNREADABLE_FILE = "PRL007" "unreadable-file" Error "A file that can't be read";
    NOT_A_CONFIG = "PRL010" "not-a-config" Warning "A TOML file that is no prime-rl config";
    UNKNOWN_KIND = "PRL011" "unknown-kind" Error "A config whose entrypoint can't be told";
    UNKNOWN_TARGET = "PRL012" "unknown-target" Error "A target that names no known point of prime-rl's history";
    OTHER_TARGET_FITS = "PRL013" "other-target-fits" Error "A config written for another prime-rl than the assumed one";
    INVALID_SETTINGS = "PRL014" "invalid-settings" Error "A setting of the project that can't be used";
    INVALID_METADATA = "PRL015" "invalid-metadata" Warning "A metadata entry that can't be used";
    TARGET_BEYOND_HISTORY = "PRL016" "target-beyond-history" Info "A target later than the known history";
    UNUSED_SUPPRESSION = "PRL017" "unused-suppression" Warning "A comment that ignores what is not found";
    UNKNOWN_KEY = "PRL101" "unknown-key" Error "A key that the target does not know";
    IGNORED_KEY = "PRL102" "ignored-key" Warning "A key that the target drops without a word";
    MISSING_KEY = "PRL103" "missing-key" Error "A required key that is not there";
    WRONG_TYPE = "PRL104" "wrong-type" Error "A value of a type that can't stand there";
    UNPARSABLE_VALUE = "PRL105" "unparsable-value" Error "A value that does not read as the type it must have";
    OUT_OF_RANGE = "PRL106" "out-of-range" Error "A value outside its bounds";
    INVALID_CHOICE = "PRL107" "invalid-choice" Error "A value that is none of the allowed ones";
    UNKNOWN_VARIANT = "PRL108" "unknown-variant" Error "A discriminator that names no variant";
    MISSING_VARIANT = "PRL109" "missing-variant" Error "A table that does not say which variant it is";
    REMOVED_KEY = "PRL110" "removed-key" Error "A key that the target no longer has";
    FUTURE_KEY = "PRL111" "future-key" Error "A key that the target does not have yet";
    MISPLACED_KEY = "PRL112" "misplaced-key" Error "A key that belongs to another table";
    PLUGIN_DECIDES = "PRL113" "plugin-decides" Info "A key that only an installed package can know";
    SHARED_CONFLICT = "PRL201" "shared-conflict" Error "A shared key and a component's key that disagree";
    CONTRADICTION = "PRL202" "contradiction" Error "Values that prime-rl does not accept together";
    LOADING_CRASHES = "PRL203" "loading-crashes" Error "A config whose loading ends in an uncaught exception";
    REJECTED_BY_SUBPROCESS = "PRL204" "rejected-by-subprocess" Error "Values that rl accepts and a process that it starts refuses";
    LOST_NULL = "PRL205" "lost-null" Warning "A null that does not reach the process it is meant for";
    CONTEXT_OVERFLOW = "PRL301" "context-overflow" Error "Answers that leave no room for a prompt in the context";
    NO_MEMORY_TO_LOAD = "PRL401" "no-memory-to-load" Error "Weights of the trainer that a GPU can't hold";
    NO_MEMORY_TO_START = "PRL402" "no-memory-to-start" Error "A share of the GPU for vLLM that is not free when it starts";
    NO_KV_CACHE = "PRL403" "no-kv-cache" Error "No room for a KV cache in what vLLM takes";
    KV_CACHE_TOO_SMALL = "PRL404" "kv-cache-too-small" Error "A KV cache smaller than one sequence";
    OUT_OF_MEMORY = "PRL405" "out-of-memory" Error "A peak beyond the memory of the GPU";
    MISSING_CHECKPOINTING = "PRL406" "missing-checkpointing" Error "A peak that only activation checkpointing brings below the GPU's memory";
    TIGHT_MEMORY = "PRL407" "tight-memory" Warning "A peak that may exceed the memory of the GPU";
    SHARED_GPU_DEFAULT = "PRL408" "shared-gpu-default" Warning "Nine tenths of a GPU for vLLM that the trainer shares";
    KV_CACHE_CROWDED = "PRL409" "kv-cache-crowded" Warning "More rollouts under way than the KV cache holds";
    DISK_FULL = "PRL410" "disk-full" Error "Checkpoints for which the disk has no room";
}

impl CodeInfo {
    /// Where its page lies, from the root of this repository.
    pub fn url(&self) -> String {
        format!("docs/rules/{}.md", self.name)
    }
}

/// Finds an entry by its code or its name.
pub fn find(code_or_name: &str) -> Option<Code> {
    ALL.iter().copied().find(|info| info.code.eq_ignore_ascii_case(code_or_name) || info.name == code_or_name)
}

/// Whether `selector` means `code`: a code (`PRL101`), a name (`unknown-key`), the beginning of codes (`PRL1`), or `ALL`.
pub fn selects(selector: &str, code: Code) -> bool {
    selector == code.name
        || selector.eq_ignore_ascii_case("ALL")
        || code
            .code
            .get(..selector.len())
            .is_some_and(|beginning| selector.len() >= "PRL".len() && beginning.eq_ignore_ascii_case(selector))
}
