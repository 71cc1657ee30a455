//! The types in a `.schema` file and their parser: `union[int(ge 512), literal("auto")]? by type through after:check`.

/// A type in textual form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Type {
    /// Its first word.
    pub base: String,
    /// Whether null is allowed.
    pub nullable: bool,
    /// The policy for extra keys of a table: `forbid`, `ignore` or `allow`.
    pub policy: Option<String>,
    /// The strings of a literal.
    pub literals: Vec<String>,
    /// The types of which it consists.
    pub members: Vec<Type>,
    /// The limits by name: `("ge", 512.0)`. `finite` has no number, and is stored with 0.0.
    pub bounds: Vec<(String, f64)>,
    /// The key that selects the variant of a tagged union, or `fn:NAME`.
    pub discriminator: Option<String>,
    /// The functions of prime-rl that are attached to the type.
    pub functions: Vec<String>,
}

/// The maximum nesting of types. No schema needs more, and a hostile schema must not exhaust the stack.
const DEEPEST: usize = 32;

/// Parses one type at the start of `text`; returns it with the rest of the line.
pub(crate) fn parse(text: &str) -> Result<(Type, &str), String> {
    parse_at(text, 0)
}

fn parse_at(text: &str, depth: usize) -> Result<(Type, &str), String> {
    if depth > DEEPEST {
        return Err(format!("a type may be nested {DEEPEST} levels deep"));
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (base, mut rest) = text.split_at(end);
    let mut parsed = Type { base: base.to_owned(), ..Type::default() };
    match base {
        "int" | "float" | "bool" | "str" | "path" | "any" | "list" | "dict" | "union" => {}
        "literal" => {
            let (values, after) = json_list(rest)?;
            parsed.literals = values;
            rest = after;
        }
        "table" | "root" | "variant" => {
            let inner = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let (policy, after) = inner.ok_or("the policy of a table must follow in parentheses")?;
            parsed.policy = Some(policy.to_owned());
            rest = after;
        }
        other => return Err(format!("`{other}` is not a type")),
    }
    if let Some(mut inner) = rest.strip_prefix('[') {
        loop {
            let (member, after) = parse_at(inner, depth + 1)?;
            parsed.members.push(member);
            if let Some(after) = after.strip_prefix(", ") {
                inner = after;
            } else {
                rest = after.strip_prefix(']').ok_or("a `]` is missing")?;
                break;
            }
        }
    }
    if let Some(inner) = rest.strip_prefix('(') {
        let (bounds, after) = inner.split_once(')').ok_or("a `)` is missing")?;
        for bound in bounds.split(", ") {
            if bound == "finite" {
                parsed.bounds.push((bound.to_owned(), 0.0));
                continue;
            }
            let (name, limit) = bound.split_once(' ').ok_or("a bound is a name and a number, or `finite`")?;
            parsed.bounds.push((name.to_owned(), limit.parse().map_err(|_| format!("`{limit}` is not a number"))?));
        }
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('?') {
        parsed.nullable = true;
        rest = after;
    }
    if let Some(after) = rest.strip_prefix(" by ") {
        let end = after.find([' ', ',', ']']).unwrap_or(after.len());
        parsed.discriminator = Some(after[..end].to_owned());
        rest = &after[end..];
    }
    while let Some(after) =
        rest.strip_prefix(" through ").or_else(|| rest.strip_prefix(", ").filter(|_| !parsed.functions.is_empty()))
    {
        let end = after.find([' ', ',', ']']).unwrap_or(after.len());
        parsed.functions.push(after[..end].to_owned());
        rest = &after[end..];
    }
    Ok((parsed, rest))
}

/// Parses `("a", "b")`: JSON strings in parentheses.
fn json_list(text: &str) -> Result<(Vec<String>, &str), String> {
    let mut rest = text.strip_prefix('(').ok_or("the values of a literal must be in parentheses")?;
    let mut values = Vec::new();
    loop {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let value = stream.next().ok_or("a value is missing")?.map_err(|error| error.to_string())?;
        rest = &rest[stream.byte_offset()..];
        values.push(value);
        if let Some(after) = rest.strip_prefix(", ") {
            rest = after;
        } else {
            return Ok((values, rest.strip_prefix(')').ok_or("a `)` is missing")?));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_nested_type_is_read_to_its_end() {
        let (union, rest) =
            parse(r#"union[int(ge 1), literal("a, b", "c)")]? by type through after:f = 1"#).expect("it is well formed");
        assert_eq!(rest, " = 1");
        assert_eq!(union.members[0].bounds, [("ge".to_owned(), 1.0)]);
        assert_eq!(union.members[1].literals, ["a, b", "c)"]);
        assert!(union.nullable);
        assert_eq!(union.discriminator.as_deref(), Some("type"));
        assert_eq!(union.functions, ["after:f"]);
    }

    #[test]
    fn a_bound_without_a_limit_is_read() {
        let (float, rest) = parse("float(ge 0, finite)?").expect("it is well formed");
        assert_eq!(float.bounds, [("ge".to_owned(), 0.0), ("finite".to_owned(), 0.0)]);
        assert_eq!(rest, "");
        assert!(parse("float(ge)").is_err());
    }

    #[test]
    fn a_type_of_too_many_levels_is_refused() {
        for open in ["list[", "union[", "dict[str, "] {
            assert!(parse(&open.repeat(100_000)).is_err_and(|why| why.contains("nested")), "{open}");
        }
    }

    #[test]
    fn a_type_that_is_not_one_is_refused() {
        assert!(parse("number").is_err());
        assert!(parse("list[int").is_err());
        assert!(parse("table").is_err());
    }
}
