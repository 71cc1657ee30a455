//! A table where a list of tables is needed: `[orchestrator.env]` instead of `[[orchestrator.env]]`.

use cfg_compose::{Node, Table};
use cfg_diag::{Applicability, Edit, Fix, Location, Span};
use cfg_schema::without_indices;

use crate::walk::Walker;

/// How a table is written.
enum Form {
    /// `[a.b]`, with this name in the brackets.
    Header(String),
    /// `b = { ... }`
    Inline,
    /// `b.c = 1`, or `[a.b.c]` alone.
    Implied,
}

impl Walker<'_> {
    /// Completes the error of a table where a list of tables is needed, if the table is one of its items: how to write a list of this one table.
    pub(crate) fn single_item(&mut self, raw: &Node, list: Option<cfg_schema::Node>) {
        let (Some(item), Some(table)) = (list.and_then(cfg_schema::Node::item), raw.value.as_table()) else { return };
        let point = self.schema.point;
        let classes: Vec<cfg_schema::Node> = std::iter::once(item).chain(item.variants(point)).chain(item.classes()).collect();
        let has_field = |key: &str| classes.iter().any(|class| class.field_for_key(key, point).is_some());
        // A table of named tables has none; one with an `id` names what it is about as others do.
        if !table.entries().iter().any(|entry| has_field(&entry.key)) {
            let key = self.path.key();
            let list = without_indices(&key);
            let alone = self.as_items(&key, &list, &raw.value).map(|proposal| (proposal, "even of one"));
            let tagged = || Some((self.as_tagged_items(&key, &list, table)?, "one for each type"));
            let named = || Some((self.as_named_items(&key, &list, table)?, "one for each name"));
            let proposal = alone.or_else(tagged).or_else(named).filter(|_| list == key);
            if let (Some((proposal, which)), Some(diagnostic)) = (proposal, self.diagnostics.last_mut()) {
                diagnostic.help = Some(format!("{}: it is a list of tables, {which}", proposal.title));
                diagnostic.proposals.push(proposal);
            }
            return;
        }
        let is_whole = table.entries().iter().all(|entry| has_field(&entry.key));
        let (key, name) = (self.path.key(), self.path.last_key().into_owned());
        let place = raw.origin.place();
        let form = place.map_or(Form::Implied, |place| form(place, table, &key, &name));
        let written = match form {
            Form::Header(ref header) => format!("`[[{header}]]`"),
            Form::Inline => format!("`{name} = [{{ ... }}]`"),
            Form::Implied => format!("`[[{key}]]`"),
        };
        let is_bracketed = !matches!(form, Form::Implied);
        let Some(diagnostic) = self.diagnostics.last_mut() else { return };
        diagnostic.help = Some(format!("write {written}: it is a list of tables, even of one"));
        if let Some(Location { file, span }) = place.filter(|_| !is_bracketed && !key.contains('[')) {
            // The header of a table below it begins with a bracket and the tables around it; before that, the item gets a header of its own.
            let around = key.len() - name.len();
            if let Some(start) = span.start.checked_sub(around as u32 + 1) {
                let header = Edit { location: Location::new(file, Span::empty(start)), new_text: format!("[[{key}]]\n") };
                diagnostic.help = Some(format!("write {written} above it: it is a list of tables, even of one"));
                let title = format!("write {written} above it");
                diagnostic.fix = Some(Fix::new(title, Applicability::Unsafe, vec![header]));
            }
        }
        let Some(Location { file, span }) = place.filter(|_| is_bracketed) else { return };
        // Both the header of a table and an inline table become a list in brackets.
        let bracket = |at: u32, text: &str| Edit { location: Location::new(file, Span::empty(at)), new_text: text.to_owned() };
        let applicability = if is_whole { Applicability::Safe } else { Applicability::Unsafe };
        let edits = vec![bracket(span.start, "["), bracket(span.end, "]")];
        diagnostic.fix = Some(Fix::new(format!("write {written}"), applicability, edits));
    }
}

/// The form of a table, by the places of its parts.
fn form(Location { file, span }: Location, table: &Table, key: &str, name: &str) -> Form {
    let is_within = |place: Location| place.file == file && span.start < place.span.start && place.span.end < span.end;
    if table.entries().iter().filter_map(|entry| entry.key_origin.place()).any(is_within) {
        return Form::Inline;
    }
    let length = span.range().len();
    if length <= name.len() + 1 {
        return Form::Implied;
    }
    // prime-rl may have moved the table into another one.
    let steps: Vec<&str> = key.split('.').collect();
    let without = (0..steps.len()).map(|index| [&steps[..index], &steps[index + 1..]].concat().join("."));
    let header = std::iter::once(key.to_owned()).chain(without).find(|header| header.len() + 2 == length);
    Form::Header(header.unwrap_or_else(|| key.to_owned()))
}

#[cfg(test)]
mod tests {
    use cfg_diag::{Applicability, KeyChange, codes};
    use cfg_schema::Kind;

    use crate::testing::found_in;

    /// What the help says to write, and the text after the fix, if it is safe.
    fn written(target: &str, kind: Kind, text: &str) -> (Option<String>, Option<String>) {
        let found = found_in(kind, target, text);
        let found = found.into_iter().find(|found| found.code == &codes::WRONG_TYPE).expect("a wrong type");
        let fixed = found.fix.filter(|fix| fix.applicability == Applicability::Safe).map(|fix| {
            let mut fixed = text.to_owned();
            for edit in fix.edits.iter().rev() {
                fixed.replace_range(edit.location.span.range(), &edit.new_text);
            }
            fixed
        });
        (found.help.and_then(|help| help.split('`').nth(1).map(str::to_owned)), fixed)
    }

    #[test]
    fn one_table_becomes_a_list() {
        let is = |target, kind, text: &str, help: &str, fixed: Option<&str>| {
            assert_eq!(written(target, kind, text), (Some(help.to_owned()), fixed.map(str::to_owned)), "{text}");
        };
        let (header, inline) = ("[orchestrator.env]\nid = \"a\"\n", "[orchestrator]\nenv = { id = \"a\" }\n");
        is("0.4.0", Kind::Rl, header, "[[orchestrator.env]]", Some("[[orchestrator.env]]\nid = \"a\"\n"));
        is("0.4.0", Kind::Rl, inline, "env = [{ ... }]", Some("[orchestrator]\nenv = [{ id = \"a\" }]\n"));
        // The loader of that version moves it into another table.
        is("0.6.0", Kind::Rl, header, "[[orchestrator.env]]", Some("[[orchestrator.env]]\nid = \"a\"\n"));
        is(
            "0.8.0",
            Kind::Orchestrator,
            "[train.source]\nratio = 1.0\n",
            "[[train.source]]",
            Some("[[train.source]]\nratio = 1.0\n"),
        );
        is("0.8.0", Kind::Orchestrator, "[train.source.env]\nid = \"a\"\n", "[[train.source]]", None);
        is("0.4.0", Kind::Rl, "[orchestrator.env]\nid = \"a\"\nmore = 1\n", "[[orchestrator.env]]", None);
    }

    /// The list that is written in place of the first table that should be one, at a target.
    fn listed(target: &str, text: &str) -> Option<String> {
        let found = found_in(Kind::Rl, target, text);
        let found = found.into_iter().find(|found| found.code == &codes::WRONG_TYPE)?;
        match found.proposals.into_iter().next()?.changes.as_slice() {
            [KeyChange::Remove { .. }, KeyChange::Set { value, .. }] => Some(value.clone()),
            _ => None,
        }
    }

    #[test]
    fn a_table_of_named_tables_is_a_list_of_them() {
        let list = |text: &str| listed("0.4.0", text);
        let named = "[orchestrator.env.first]\nid = \"a\"\n[orchestrator.env.second]\nargs = { n = 1 }\n";
        let written = "[{ id = \"a\", name = \"first\" }, { id = \"second\", args = { n = 1 } }]";
        assert_eq!(list(named).as_deref(), Some(written));
        assert_eq!(list("[orchestrator.env]\nfirst = 1\n"), None);
    }

    #[test]
    fn a_table_of_types_is_a_list_of_items() {
        let list = |text: &str| listed("0.8.0", text);
        let filters = "[orchestrator.post_batch_filters]\n";
        let typed = format!("{filters}zero_advantage = true\ngibberish = false\nrepetition = {{ window = 5 }}\n");
        let written = "[{ type = \"zero_advantage\" }, { type = \"repetition\", window = 5 }]";
        assert_eq!(list(&typed).as_deref(), Some(written));
        assert_eq!(list(&format!("{filters}zero_advantage = true\nother = true\n")), None);
    }
}
