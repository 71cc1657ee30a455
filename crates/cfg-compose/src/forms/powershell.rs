//! Commands of PowerShell, as a shell would write them: each byte stays at its place.

/// The commands that change the folder.
const GO: [&str; 5] = ["set-location", "push-location", "chdir", "sl", "cd"];

/// A script as a text that a shell could read.
pub(super) fn commands(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    for line in script.split_inclusive('\n') {
        let content = line.trim_end();
        let rest = &line[content.len()..];
        let start = content.len() - content.trim_start().len();
        let (before, inside) = content.split_at(start);
        text.push_str(before);
        let inside = inside.replace('\\', "/").replace(" --% ", "     ");
        let first = inside.split_whitespace().next().unwrap_or_default();
        let is_variable = first.starts_with('$') && inside[first.len()..].trim_start().starts_with('=');
        let mut inside = if is_variable {
            assignment(&inside, first.len())
        } else if GO.iter().any(|go| first.eq_ignore_ascii_case(go)) {
            format!("cd{}{}", " ".repeat(first.len() - 2), &inside[first.len()..])
        } else {
            inside
        };
        // What continues a line.
        if inside.ends_with('`') {
            inside.replace_range(inside.len() - 1.., "\\");
        }
        text.push_str(&inside);
        text.push_str(rest);
    }
    text
}

/// `$name = "value"` as `name="value"`, with blanks around it.
fn assignment(line: &str, name: usize) -> String {
    let value = line[name..].trim_start().trim_start_matches('=').trim_start();
    let written = format!("{}={value}", &line[1..name]);
    format!("{}{written}", " ".repeat(line.len() - written.len()))
}
