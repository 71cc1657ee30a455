//! What a file is read as, which says how large it may be and where it may be.

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A config, or a file that a config names.
    Config,
    /// `cfg.toml`, and the file of `--config`.
    Settings,
    /// `pyproject.toml`, `requirements.txt`, `.gitmodules`, scripts, pages, patches: files of other tools that say which prime-rl a project uses, and what is changed in it.
    Project,
    /// `uv.lock`.
    LockFile,
    /// `registry.json`.
    Registry,
    /// The kept text of a registered version, in `.cfg/objects`.
    KeptText,
    /// The journal of a change of the registry, `.cfg/journal`.
    Journal,
    /// An imported entry of the schema history, in `.cfg/schemas`.
    SchemaEntry,
    /// The findings that `--baseline` names.
    Baseline,
    /// `.gitignore`, `.ignore` and `.git/info/exclude`.
    Ignores,
    /// What git keeps of the commit that is checked out: `HEAD`, `packed-refs` and the like.
    GitFile,
    /// A git hook.
    Hook,
    /// What says which distribution is installed: `METADATA`, `direct_url.json`.
    Distribution,
    /// A Python module in which prime-rl, or a package that it uses, declares its configs.
    Source,
    /// A model's `config.json`, or the index of its weights.
    Model,
    /// `.netrc`, for whether there is a key for a machine.
    Netrc,
    /// What a run has left: the configs that its launcher wrote, the notes of a checkpoint.
    RunFile,
}

/// Where a file may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In the repository around a path that the user named.
    Inside,
    /// There, or in a folder above it.
    Around,
    /// Anywhere, unless a link of a repository leads there. Nothing of such a file is quoted: only what was searched for in it is reported.
    Apart,
    /// Anywhere. Nothing of such a file is quoted: only what was searched for in it is reported, such as a version or a number.
    Anywhere,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

impl Role {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Config,
        Self::Settings,
        Self::Project,
        Self::LockFile,
        Self::Registry,
        Self::KeptText,
        Self::Journal,
        Self::SchemaEntry,
        Self::Baseline,
        Self::Ignores,
        Self::GitFile,
        Self::Hook,
        Self::Distribution,
        Self::Source,
        Self::Model,
        Self::Netrc,
        Self::RunFile,
    ];

    /// The most bytes that such a file may have.
    pub const fn limit(self) -> u64 {
        self.bounds().0
    }

    /// Where such a file may be.
    pub const fn scope(self) -> Scope {
        self.bounds().1
    }

    /// What it is called, in the documentation.
    pub const fn name(self) -> &'static str {
        self.bounds().2
    }

    const fn bounds(self) -> (u64, Scope, &'static str) {
        match self {
            Self::Config => (16 * MIB, Scope::Inside, "a config, and what it names in `toml_files` or `endpoints_path`"),
            Self::Settings => (MIB, Scope::Around, "`cfg.toml`"),
            Self::Project => (
                MIB,
                Scope::Around,
                "`pyproject.toml`, `.gitmodules`, `requirements*.txt`, scripts and pages that may name prime-rl, patches of it",
            ),
            Self::LockFile => (16 * MIB, Scope::Around, "`uv.lock`"),
            Self::Registry => (64 * MIB, Scope::Around, "`registry.json`"),
            Self::KeptText => (16 * MIB, Scope::Around, "a text in `.cfg/objects`"),
            // It holds a registry and configs, each as a JSON string.
            Self::Journal => (256 * MIB, Scope::Around, "`.cfg/journal`"),
            Self::SchemaEntry => (16 * MIB, Scope::Around, "an imported schema in `.cfg/schemas`"),
            Self::Baseline => (64 * MIB, Scope::Inside, "a baseline"),
            Self::Ignores => (MIB, Scope::Around, "`.gitignore`, `.ignore`, `.git/info/exclude`"),
            Self::GitFile => (16 * MIB, Scope::Apart, "`HEAD`, `packed-refs` and the like"),
            Self::Hook => (MIB, Scope::Apart, "a git hook"),
            Self::Netrc => (MIB, Scope::Anywhere, "`.netrc`"),
            Self::Distribution => {
                (MIB, Scope::Anywhere, "`METADATA`, `direct_url.json` of an installed distribution, `.pth` files beside it")
            }
            Self::Source => (
                4 * MIB,
                Scope::Apart,
                "a Python module with config classes of prime-rl, or of a package that it uses: keys, types and defaults of \
                 configs are shown",
            ),
            Self::Model => (8 * MIB, Scope::Anywhere, "a model's `config.json`, the index of its weights"),
            Self::RunFile => (16 * MIB, Scope::Anywhere, "what a run has left in its output folder"),
        }
    }
}

/// A number of bytes for people: `16 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    if bytes >= MIB { format!("{} MiB", bytes / MIB) } else { format!("{} KiB", bytes.div_ceil(KIB)) }
}

impl Scope {
    /// What it is called, in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inside => "in the repository",
            Self::Around => "in the repository, or in a folder above it",
            Self::Apart => "anywhere, unless a link of a repository leads there; nothing of it is quoted",
            Self::Anywhere => "anywhere; nothing of it is quoted",
        }
    }
}
