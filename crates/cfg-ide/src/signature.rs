//! The arguments of an environment, while they are written.

use cfg_rules::declared::{DeclaredArg, in_words};

use crate::{
    Analysis, arguments,
    context::{Context, context},
    place::PathSegment,
};

/// The arguments that can be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// All of them in a line.
    pub label: String,
    /// Each argument, as it is in the label, and what is known of it.
    pub parameters: Vec<(String, String)>,
    /// The index of the one at the cursor.
    pub active: Option<u32>,
}

/// The arguments of the environment in whose `args` a byte offset is.
pub fn signature(analysis: &Analysis, offset: u32) -> Option<Signature> {
    let (table, name) = match context(&analysis.document, &analysis.text, offset)? {
        Context::Key { path, span, .. } => (path, analysis.text[span.range()].to_owned()),
        Context::Value { mut path, .. } => match path.pop()? {
            PathSegment::Key(key) => (path, key.into()),
            PathSegment::Index(_) => match path.pop()? {
                PathSegment::Key(key) => (path, key.into()),
                PathSegment::Index(_) => return None,
            },
        },
        _ => return None,
    };
    let declared = arguments::declared(analysis, &table)?;
    let parameters: Vec<(String, String)> = declared.args.iter().map(parameter).collect();
    let active = declared.args.iter().position(|arg| arg.name == name).map(|index| index as u32);
    let shown: Vec<&str> = parameters.iter().map(|(shown, _)| shown.as_str()).collect();
    let label = format!("args({})", shown.join(", "));
    (!parameters.is_empty()).then_some(Signature { label, parameters, active })
}

fn parameter(arg: &DeclaredArg) -> (String, String) {
    let shown = match &arg.default {
        Some(default) => format!("{} = {default}", arg.name),
        None => arg.name.clone(),
    };
    let mut about = arg.type_.as_ref().map_or_else(|| "any value".to_owned(), in_words);
    if arg.required {
        about.push_str("; required");
    }
    if let Some(why) = &arg.ignored {
        about.push_str(&format!("; no effect: {why}"));
    }
    (shown, about)
}

#[cfg(test)]
mod tests {
    use super::{Signature, signature};
    use crate::testing::with_cursor;

    fn at(text: &str) -> Option<Signature> {
        let begin = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\n\
                     id = \"seconds-0/beautiful-soup-env\"\n";
        let (analysis, offset) = with_cursor(&format!("{begin}{text}"));
        signature(&analysis, offset)
    }

    #[test]
    fn the_arguments_are_shown_with_the_one_at_the_cursor() {
        for text in ["[orchestrator.env.args]\nsplit = \"^\"\n", "args = { split = ^ }\n", "[orchestrator.env.args]\nsplit^\n"] {
            let found = at(text).unwrap_or_else(|| panic!("{text}"));
            let active = found.active.and_then(|active| found.parameters.get(active as usize)).expect("it is declared");
            assert!(active.0.starts_with("split") && found.label.contains(&active.0), "{found:?}");
        }
        assert_eq!(at("[orchestrator.env.args]\n^\n").map(|found| found.active), Some(None));
        assert_eq!(at("name = \"^\"\n"), None);
    }
}
