//! Schemas that are mistakes: no config can violate them, none can meet them, or a part of them is never used.

use cfg_dialect::Declared;

/// The line and the message of the error in a schema with these fields below its root.
fn fault(fields: &str) -> (Option<usize>, String) {
    let text = format!("(root)\n  ..  root(forbid)\n\n{fields}");
    match Declared::read(&text) {
        Ok(_) => panic!("it is read: {fields}"),
        Err(fault) => (fault.line, fault.message),
    }
}

#[test]
fn impossible_or_trivial_constraints_are_refused() {
    for (fields, message) in [
        // Bounds.
        ("a\n  ..  int(gte 1)\n", "unknown bound `gte`: `int` has ge, gt, le, lt"),
        ("a\n  ..  str(ge 1)\n", "unknown bound `ge`: `str` has min_length"),
        ("a\n  ..  bool(ge 1)\n", "`bool` has no bounds"),
        ("a\n  ..  int(ge 5, le 3)\n", "no number is within these bounds"),
        ("a\n  ..  float(gt 1, lt 1)\n", "no number is within these bounds"),
        ("a\n  ..  int(gt 1, lt 2)\n", "no number is within these bounds"),
        ("a\n  ..  float(ge nan)\n", "the bound `ge` must be a finite number"),
        ("a\n  ..  float(lt inf)\n", "the bound `lt` must be a finite number"),
        ("a\n  ..  float(ge 1, ge 2)\n", "two bounds `ge`"),
        ("a\n  ..  str(min_length -1)\n", "`min_length` must be a whole number of at least 0, not -1"),
        ("a\n  ..  list[str](min_length 1.5)\n", "`min_length` must be a whole number of at least 0, not 1.5"),
        // Types.
        ("a\n", "`a` has no type: write it below, after `..`"),
        ("a\n  ..  list\n", "write the type of the items: `list[T]`"),
        ("a\n  ..  dict[str]\n", "write the types of the keys and the values: `dict[K, V]`"),
        ("a\n  ..  int[str]\n", "`int` takes no types in brackets"),
        ("a\n  ..  table(strict)\n", "unknown policy `strict`: write `forbid`, `allow` or `ignore`"),
        ("a\n  ..  list[union[table(allow)] by name]\n", "`by name` needs a variant such as `<name=a>`"),
        ("a\n  ..  str through after:f\n", "a dialect has no functions: remove `through`"),
        ("a\n  ..  root(forbid)\n", "write `table(forbid)`, `table(allow)` or `table(ignore)` here"),
        // Attributes and defaults.
        ("a\n  ..  int = 1  ; required\n", "a required key must not have a default"),
        ("a\n  ..  int = \"x\"\n", "the default `\"x\"` is not of this type"),
        ("a\n  ..  int(ge 1) = 0\n", "the default `0` is not of this type"),
        ("a\n  ..  literal(\"x\", \"y\") = \"z\"\n", "the default `\"z\"` is not of this type"),
        ("a\n  ..  int = null\n", "the default `null` is not of this type"),
        ("a\n  ..  int  ; hidden\n", "unknown attribute `hidden`: expected `required` or `alias a|b`"),
        ("a\n  ..  int\n\nb\n  ..  int  ; alias b|a\n", "two fields have the key `a`"),
        // Places.
        ("a.b\n  ..  int\n", "`a.b` needs a field `a` with its own type"),
        ("a\n  ..  str\n\na.b\n  ..  int\n", "`a` is not a table, and has no `a.b`"),
        ("a\n  ..  int\n\na[]\n  ..  int\n", "`a` is not a list, and has no `a[]`"),
        ("a\n  ..  table(allow)\n\na.*\n  ..  int\n", "`a` is not a dict, and has no `a.*`"),
        // Checks.
        ("a\n  ..  int\n    pattern: x\n", "`pattern` applies only to strings, but the type is `int`"),
        ("a\n  ..  str\n    sum: w 1\n", "`sum` applies only to lists, dicts and tables, but the type is `str`"),
        ("a\n  ..  list[float]\n    sum: w nan\n", "the sum of `w` must be a finite number"),
        ("a\n  ..  str\n    lines: distinct\n", "`lines: distinct` applies only to files: add `file: project` or `file: beside`"),
        (
            "a\n  ..  str\n    longest: 3\n    says: x\n    longest: 4\n",
            "duplicate `longest`: of the checks, only `sum` can be used several times",
        ),
    ] {
        let (line, found) = fault(fields);
        assert_eq!(found, message, "{fields}");
        assert!(line.is_some_and(|line| line > 3 && line <= 3 + fields.lines().count()), "{fields}: {line:?}");
    }
}

#[test]
fn valid_schemas_are_read() {
    for fields in [
        "a\n  ..  float(gt 0, lt 1) = 1e-5\n",
        "a\n  ..  int(ge 1, le 1) = 1\n",
        "a\n  ..  union[int(ge 1), literal(\"auto\")]? = null\n    pattern: a.*\n",
        "a\n  ..  list[str](min_length 1) = [\"x\"]\n    listed: a.txt\n",
        "a\n  ..  dict[str, table(forbid)]\n    sum: * 1\n    sum: w 2\n\na.*\n  ..  table(forbid)\n\na.*.b\n  ..  int\n",
        "a\n  ..  dict[str, table(forbid)]\n\na.*.b\n  ..  int\n",
        "a\n  ..  list[union[table(allow), table(allow)] by name]\n\na[]<name=x.y>\n  ..  variant(allow)\n\na[]<name=x.y>.name\n  ..  str\n",
        "a\n  ..  int  ; required; alias b|c\n\nd\n  ..  table(forbid)?\n\ne\n  ..  table(forbid)\n  fields of dialect:d\n\nd.x\n  ..  int\n",
    ] {
        let text = format!("(root)\n  ..  root(forbid)\n\n{fields}");
        assert!(Declared::read(&text).is_ok(), "{fields}: {:?}", Declared::read(&text).map(|_| ()));
    }
}
