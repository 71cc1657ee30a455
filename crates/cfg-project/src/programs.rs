//! The programs that the project around a config installs. Other trainers have entrypoints with the same names as prime-rl.

use std::path::Path;

use cfg_schema::Kind;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{Projects, target::mentions_prime_rl};

impl Projects {
    /// Whether the project around a config is a trainer other than prime-rl: it installs programs with the names of prime-rl's from its own
    /// modules, and does not mention prime-rl.
    pub fn is_another_trainer(&self, file: &Path) -> bool {
        let folder = self.folder_of(file);
        let nearest = folder.ancestors_in_repository().find(|folder| folder.pyproject().is_some());
        nearest.is_some_and(|folder| *folder.has_own_programs.get_or_init(|| folder.pyproject().is_some_and(has_own_programs)))
    }
}

fn has_own_programs(pyproject: &str) -> bool {
    if !pyproject.contains("scripts") || mentions_prime_rl(pyproject) {
        return false;
    }
    let (root, _) = DeTable::parse_recoverable(pyproject);
    let below = |value: &Spanned<DeValue<'_>>| value.get_ref().as_table().is_some_and(has_names);
    let project = root.get_ref().get("project").and_then(|project| project.get_ref().as_table());
    project.and_then(|project| project.get("scripts")).is_some_and(below)
}

fn has_names(scripts: &DeTable<'_>) -> bool {
    // A single program of such a name may be a helper for prime-rl.
    Kind::RUNS.iter().filter(|kind| scripts.contains_key(kind.name())).count() > 1
}

#[cfg(test)]
mod tests {
    use super::has_own_programs;

    #[test]
    fn a_trainer_of_its_own_has_programs_of_these_names() {
        let with = |scripts: &str| format!("[project]\nname = 'small-rl'\n[project.scripts]\n{scripts}");
        let own = with("sft = 'small_rl.sft:main'\nrl = 'small_rl.rl:main'\n");
        assert!(has_own_programs(&own));
        assert!(!has_own_programs(&with("rl = 'small_rl.rl:main'\n")), "a helper");
        assert!(!has_own_programs(&with("sft = 'prime_rl.sft:main'\nrl = 'prime_rl.rl:main'\n")), "a renamed fork");
        assert!(!has_own_programs(&format!("{own}[tool.uv.sources]\nprime-rl = {{ path = 'deps' }}\n")), "programs around it");
        assert!(!has_own_programs("[project]\nname = 'x'\nscripts = 8\n"));
    }
}
