//! The members of the metadata.

/// The members that users write, each with its meaning.
pub const MEMBERS: &[(&str, &str)] = &[
    ("version", "the version of this config: v3, or 1.2.0"),
    ("created", "the day this version was made: 2026-01-05"),
    ("env_version", "the environment version it is for"),
    ("based_on", "the config and version it was made from: path.toml:v2"),
    ("prime_rl", "the prime-rl it is for: a release, a commit or a date"),
    ("hardware", "the GPUs it is for: 2x H100"),
    ("disk", "the free disk for the run: 500 GB"),
    ("input_tokens", "the number of tokens in the longest prompt"),
    ("notes", "why this version was made"),
    ("kind", "the entrypoint it is for"),
    ("same_as", "a config that trains the same: path.toml:v2"),
    ("except", "the keys in which it may differ from that config"),
    ("name", "a name for it"),
];

/// The names of all members, as a list for a message.
pub(super) fn names() -> String {
    MEMBERS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The member with this written name. The settings call the hardware `gpu`, so a config may use `gpu` too.
pub fn member_of(written: &str) -> &str {
    if written == "gpu" { "hardware" } else { written }
}

/// Whether there is a member with this name.
pub(super) fn is_member(name: &str) -> bool {
    MEMBERS.iter().any(|(known, _)| *known == member_of(name))
}
