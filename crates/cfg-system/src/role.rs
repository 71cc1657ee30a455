//! The purpose for which a file is read; it determines its largest size and its allowed places.

/// The purpose for which a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A config, or a file that a config includes.
    Config,
    /// `cfg.toml`, and the file of `--settings`.
    Settings,
    /// `pyproject.toml`, `requirements.txt`, `.gitmodules`, scripts, pages, patches: files of other tools that show which prime-rl a project uses,
    /// and how it is changed.
    Project,
    /// `uv.lock`.
    LockFile,
    /// `registry.json`.
    Registry,
    /// The stored text of a registered version, in `.cfg/objects`.
    KeptText,
    /// The journal of a change of the registry, `.cfg/journal`.
    Journal,
    /// An imported entry of the schema history, in `.cfg/schemas`.
    SchemaEntry,
    /// The file of `--baseline`.
    Baseline,
    /// `.gitignore`, `.ignore` and `.git/info/exclude`.
    Ignores,
    /// Git's files about the checked-out commit: `HEAD`, `packed-refs` and similar ones.
    GitFile,
    /// A git hook.
    Hook,
    /// Files about an installed distribution: `METADATA`, `direct_url.json`.
    Distribution,
    /// A Python module in which prime-rl, or a package that it uses, declares its configs.
    Source,
    /// A model's `config.json`, or the index of its weights.
    Model,
    /// `.netrc`, or the config of a service, to check whether it has a key.
    Netrc,
    /// Files of a run: the configs that its launcher wrote, the progress file of a checkpoint.
    RunFile,
}

/// The allowed places of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In the repository around a path that the user named.
    Inside,
    /// There, or in a folder above it.
    Around,
    /// Anywhere, unless a link of a repository leads there. Nothing of such a file is quoted: only the searched value in it is reported.
    Apart,
    /// Anywhere. Nothing of such a file is quoted: only the searched value in it is reported, such as a version or a number.
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

    /// The largest size of such a file, in bytes.
    pub const fn limit(self) -> u64 {
        self.bounds().0
    }

    /// The allowed places of such a file.
    pub const fn scope(self) -> Scope {
        self.bounds().1
    }

    /// Its name in the documentation.
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
                "`pyproject.toml`, `.gitmodules`, `requirements*.txt`, `.venv/pyvenv.cfg`, scripts and pages that may name prime-rl, \
                 patches of it",
            ),
            Self::LockFile => (16 * MIB, Scope::Around, "`uv.lock`"),
            Self::Registry => (16 * MIB, Scope::Around, "`registry.json`"),
            Self::KeptText => (16 * MIB, Scope::Around, "a text in `.cfg/objects`"),
            // It contains a registry and configs, each as a JSON string.
            Self::Journal => (256 * MIB, Scope::Around, "`.cfg/journal`"),
            Self::SchemaEntry => (4 * MIB, Scope::Around, "an imported schema in `.cfg/schemas`"),
            Self::Baseline => (64 * MIB, Scope::Inside, "a baseline"),
            Self::Ignores => (MIB, Scope::Around, "`.gitignore`, `.ignore`, `.git/info/exclude`"),
            Self::GitFile => (16 * MIB, Scope::Apart, "`HEAD`, `packed-refs` and the like"),
            Self::Hook => (MIB, Scope::Apart, "a git hook"),
            Self::Netrc => (MIB, Scope::Anywhere, "`.netrc`, `.prime/config.json`"),
            Self::Distribution => {
                (MIB, Scope::Anywhere, "`METADATA`, `direct_url.json` of an installed distribution, `.pth` files next to it")
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

/// A size in messages: `16 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    if bytes >= MIB { format!("{} MiB", bytes / MIB) } else { format!("{} KiB", bytes.div_ceil(KIB)) }
}

impl Scope {
    /// Its name in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inside => "in the repository",
            Self::Around => "in the repository, or in a folder above it",
            Self::Apart => "anywhere, unless a link of a repository leads there; none of it is quoted",
            Self::Anywhere => "anywhere; none of it is quoted",
        }
    }
}
