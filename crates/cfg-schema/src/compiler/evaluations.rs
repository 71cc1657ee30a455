//! The class of verifiers' typed evaluations in releases that no commit of prime-rl's main line has used, for projects that pin one of them and do not have
//! its sources. `cargo xtask history evaluation` writes them.

use crate::compiler::{Field, parse};

const EVALUATIONS: &str = include_str!("../../../../schemas/evaluation.schema");

/// How the section of a release begins.
const RELEASE: &str = "# release ";

/// How a line about the class begins, which is none of its fields.
const ABOUT: &str = "#> ";

/// The class of typed evaluations in a release.
#[derive(Clone, Debug)]
pub struct RecordedEvaluation {
    /// Its name.
    pub class: &'static str,
    /// Its fields, which hold at all points.
    pub fields: Vec<Field>,
    /// The names of its checks whose code is none that is known.
    pub checks: Vec<&'static str>,
    /// The paths of the parts that were not understood, each with the reason.
    pub open: Vec<(&'static str, &'static str)>,
}

/// The releases that are recorded.
pub fn recorded_evaluations() -> impl Iterator<Item = &'static str> {
    EVALUATIONS.lines().filter_map(|line| line.strip_prefix(RELEASE))
}

/// The class in a release of verifiers, such as `0.4.0`; `None` if it is not recorded.
pub fn recorded_evaluation(release: &str) -> Option<RecordedEvaluation> {
    let section = EVALUATIONS.split(RELEASE).skip(1).find(|section| section.lines().next() == Some(release))?;
    let (_, section) = section.split_once('\n')?;
    let about = |what: &'static str| {
        section.lines().filter_map(move |line| line.strip_prefix(ABOUT)?.strip_prefix(what)?.strip_prefix(' '))
    };
    let open = |line: &'static str| {
        let (path, why) = line.split_once(": ")?;
        Some((if path == "(root)" { "" } else { path }, why))
    };
    Some(RecordedEvaluation {
        class: about("class").next()?,
        fields: parse(section, &|sha| Err(format!("{sha} is no commit"))).ok()?,
        checks: about("check").collect(),
        open: about("open").filter_map(open).collect(),
    })
}

#[cfg(test)]
mod tests {
    use crate::Kind;

    use super::{recorded_evaluation, recorded_evaluations};

    #[test]
    fn each_recorded_release_can_be_compiled() {
        let mut releases = 0;
        for release in recorded_evaluations() {
            let recorded = recorded_evaluation(release).unwrap_or_else(|| panic!("{release} can't be read"));
            let history = crate::compiler::compile_program(Kind::Eval, &recorded.fields, &[]).expect("a history");
            for (path, why) in recorded.open {
                let node = crate::compiler::node_at(history.root(Kind::Eval), path);
                assert!(path.is_empty() || node.is_some(), "{release}: {path} ({why})");
            }
            releases += 1;
        }
        assert!(releases > 0 && recorded_evaluation("0.0.1").is_none());
    }
}
