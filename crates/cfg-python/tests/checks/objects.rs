//! Objects: which are the same, what they share, and of what tables are made.

use serde_json::json;

use super::{accepts, is_open, leaves, refuses, refuses_any};

#[test]
fn a_dump_has_dicts_in_place_of_tables() {
    let given = json!({"small": {"size": 5}, "many": [{"size": 3}]});
    accepts("assert isinstance(self.model_dump()['small'], dict)", &given);
    accepts("assert self.model_dump()['small'] == {'size': 5, 'path': None}", &given);
    accepts("assert self.model_dump(exclude_none=True)['small'] == {'size': 5}", &given);
    accepts("assert self.model_dump(exclude_unset=True)['many'] == [{'size': 3}]", &given);
    accepts("assert self.model_dump()['optim'] == {'type': 'adam', 'lr': 1e-6}", &given);
    accepts("assert list(Outer().model_dump()) == ['small', 'all', 'size']", &given);
    accepts("dumped = self.model_dump()\ndumped['many'][0]['size'] += 1\nassert self.many[0].size == 3", &given);
    refuses("assert self.model_dump()['small']['size'] != 5", &given, "AssertionError: ", "");
    is_open("assert Outer(small=Wide()).model_dump()['small']['size'] == 4", &given, "what `model_dump` makes of a table");
}

#[test]
fn a_dump_leaves_out_what_pydantic_leaves_out() {
    let given = json!({"outer": {"names": [null], "small": {"size": 5}}});
    accepts("dumped = self.small.model_dump(mode='json')\nassert dumped['path'] == 'a/b'", &json!({"small": {"path": "a/b"}}));
    is_open("assert 'b' in self.model_dump(exclude_none=True)", &json!({"b": "?"}), "a value with an error");
    accepts("assert 'b' not in self.model_dump(exclude_unset=True, exclude_none=True)", &json!({}));
    accepts("dumped = Odd().model_dump()\nassert list(dumped) == ['size', 'shown'] and dumped['shown'] == 1", &given);
    is_open("assert Odd().model_dump()['size'] == 1", &given, "what `model_dump` makes of a table");
    accepts("dumped = Odd().model_dump(exclude_unset=True)\nassert dumped == {}", &given);
}

#[test]
fn a_table_is_made_of_the_dump_of_another() {
    let given = json!({"outer": {"small": {"size": 5}, "all": [{"size": 3}]}});
    let left = json!({"outer": {"small": {"size": 5}, "all": [{"size": 3}], "size": 2}});
    leaves("self.outer = Outer(**{**self.outer.model_dump(exclude_unset=True), 'size': 2})", &given, &left);
    // A dump of all fields is the same table only where all fields are given.
    let whole = json!({"outer": {"small": {"size": 5, "path": "a"}, "all": [{"size": 3, "path": "b"}], "size": 1}});
    leaves("self.outer = Outer(**self.outer.model_dump())", &whole, &whole);
    is_open("self.outer = Outer(**self.outer.model_dump())", &given, "how `Outer` converts its `small`");
}

/// Of a dump that may give another table, nothing is known.
#[test]
fn the_dump_of_another_table_is_not_the_same() {
    let given = json!({"outer": {"small": {"size": 5}, "all": [{"size": 3}]}});
    for changed in [
        "dumped = self.outer.model_dump(exclude_unset=True)\ndumped['small']['size'] = 6\nself.outer = Outer(**dumped)",
        "dumped = self.outer.model_dump(exclude_unset=True)\nself.outer.small.size = 6\nself.outer = Outer(**dumped)",
        "dumped = self.outer.model_dump(exclude_unset=True)\nself.outer.small.path = 'a'\nself.outer = Outer(**dumped)",
        "dumped = self.outer.model_dump(exclude_unset=True)\ndel dumped['small']['size']\nself.outer = Outer(**dumped)",
        "self.outer = Outer(size=1, small={'size': 5})",
    ] {
        is_open(changed, &given, "how `Outer` converts its `small`");
    }
    let item = "dumped = self.outer.model_dump(exclude_unset=True)\nself.outer.all[0].size = 4\ndel dumped['small']\nself.outer = Outer(**dumped)";
    is_open(item, &given, "how `Outer` converts its `all`");
    // With `exclude_none`, a given `None` is no longer given.
    let none = json!({"outer": {"small": {"size": 5, "path": null}}});
    is_open("self.outer = Outer(**self.outer.model_dump(exclude_none=True))", &none, "how `Outer` converts its `small`");
    // Its validator runs again, so the other field is no longer made of the first one.
    let even = json!({"holder": {"even": {"size": 6, "half": 3}}});
    is_open("self.holder = Holder(**self.holder.model_dump(exclude_unset=True))", &even, "how `Holder` converts its `even`");
    let odd = json!({"holder": {"odd": {"hidden": 2}}});
    is_open("self.holder = Holder(**self.holder.model_dump(exclude_unset=True))", &odd, "how `Holder` converts its `odd`");
    // The tag of a union decides which class it is, and is not given.
    let muon = json!({"holder": {"optim": {"lr": 2.0}}});
    is_open("self.holder = Holder(**self.holder.model_dump(exclude_unset=True))", &muon, "how `Holder` converts its `optim`");
}

/// A name refers to an object, which may be in several fields, and may leave the config.
#[test]
fn objects_are_shared_as_in_python() {
    leaves(
        "self.maybe = self.small\nself.maybe.size = 9",
        &json!({"small": {}}),
        &json!({"small": {"size": 9}, "maybe": {"size": 9}}),
    );
    leaves(
        "self.maybe = self.small\nself.small.size = 9",
        &json!({"small": {}}),
        &json!({"small": {"size": 9}, "maybe": {"size": 9}}),
    );
    leaves("old = self.names\nself.names = []\nold.append('x')", &json!({"names": ["a"]}), &json!({"names": []}));
    leaves("also = self.names\nalso += ['x']", &json!({"names": ["a"]}), &json!({"names": ["a", "x"]}));
    leaves("also = self.more\nalso |= {'x': 1}", &json!({"more": {}}), &json!({"more": {"x": 1}}));
    accepts("also = self.names\nself.names.append('x')\nassert also[-1] == 'x' and also is self.names", &json!({"names": []}));
    accepts("x = {'a'}\ny = x\ny |= {'b'}\nassert len(x) == 2", &json!({}));
    accepts("self.maybe = self.small\nassert self.maybe is self.small and self.small is not Small()", &json!({}));
    leaves(
        "kept = [one for one in self.many if one.size > 2]\nself.many = kept\nkept[0].size = 7",
        &json!({"many": [{"size": 1}, {"size": 3}]}),
        &json!({"many": [{"size": 7}]}),
    );
    is_open("old = self.small\nself.small = Small()\nself.b = old.size", &json!({}), "no longer in the config");
}

#[test]
fn copies_share_what_pydantic_shares() {
    let given = json!({"outer": {"small": {"size": 5}}});
    leaves(
        "copy = self.outer.model_copy()\ncopy.size = 7\ncopy.small.size = 9",
        &given,
        &json!({"outer": {"small": {"size": 9}}}),
    );
    leaves("copy = self.outer.model_copy(deep=True)\ncopy.small.size = 9", &given, &given);
    leaves(
        "self.maybe = self.small.model_copy(update={'size': 3})\nself.maybe.size += 1",
        &json!({"small": {"size": 7}}),
        &json!({"small": {"size": 7}, "maybe": {"size": 4}}),
    );
    accepts("copy = self.small.model_copy()\nassert copy == self.small and copy is not self.small", &json!({}));
    accepts("copy = self.small.model_copy()\ncopy.size = 9\nassert 'size' not in self.small.model_fields_set", &json!({}));
    leaves(
        "import copy\nmore = copy.copy(self.more)\nmore['x'] = 1\nsmall = copy.deepcopy(self.small)\nsmall.size = 1",
        &json!({"more": {}}),
        &json!({"more": {}}),
    );
    // pydantic creates the lists of a table anew, but not the tables in them.
    accepts("names = [Small()]\nmade = Outer(all=names)\nnames.append(Small())\nassert len(made.all) == 1", &json!({}));
    accepts("first = Small()\nmade = Outer(all=[first])\nfirst.size = 8\nassert made.all[0].size == 8", &json!({}));
    accepts("made = Outer()\nmade.small.size = 8\nassert made.small.size == 8 and Outer().small.size == 4", &json!({}));
}

#[test]
fn iterators_yield_their_items_once() {
    for once in [
        "(x for x in 'ab')",
        "map(str, 'ab')",
        "zip('ab')",
        "reversed('ab')",
        "iter('ab')",
        "enumerate('ab')",
        "filter(None, 'ab')",
    ] {
        accepts(&format!("once = {once}\nassert once and len(list(once)) == 2 and not list(once)"), &json!({}));
    }
    accepts(
        "def numbers(n):\n    for i in range(n):\n        yield i\n    yield from 'a'\nassert list(numbers(2)) == [0, 1, 'a']",
        &json!({}),
    );
    accepts("assert next((int(x) for x in ['1', 'x']), None) == 1", &json!({}));
    refuses("zip([1], [1, 2], strict=True)", &json!({}), "ValueError: zip() argument is shorter or longer", "");
    refuses(
        "for key in self.more:\n    self.more.pop(key)",
        &json!({"more": {"a": 1}}),
        "RuntimeError: dictionary changed size during iteration",
        "",
    );
    refuses("for one in self.b:\n    pass", &json!({}), "TypeError: 'NoneType' object is not iterable", "");
}

#[test]
fn what_python_cannot_hash_is_no_key() {
    for body in [
        "self.names in self.more",
        "self.names in {'a': 1}",
        "self.names in {'a', 'b'}",
        "self.names in {'a': 1}.keys()",
        "('a', self.names) in {'a': 1}",
        "{'a': 1}.get(self.names, 0)",
        "{'a': 1}.pop(self.names, None)",
        "{'a': 1}.setdefault(self.names, 2)",
        "{'a': 1}[self.names]",
        "x = {}\nx[self.names] = 1",
        "x = {}\ndel x[self.names]",
        "{self.names: 1}",
        "{one: 1 for one in [self.names]}",
        "dict([(self.names, 1)])",
        "{self.names}",
        "{one for one in [self.names]}",
        "set([self.names])",
        "x = set()\nx.add(self.names)",
        "hash(self.names)",
        "hash(('a', [self.names]))",
    ] {
        refuses(body, &json!({"names": ["a", "b"]}), "TypeError: unhashable type: 'list'", "");
    }
    refuses("hash(self.more)", &json!({}), "TypeError: unhashable type: 'dict'", "");
    for body in
        ["self.names in ('a', 'b')", "self.names in {'a': ['b']}.values()", "self.names in [self.names]", "x = hash((1, 'a'))"]
    {
        accepts(body, &json!({"names": ["a", "b"]}));
    }
}

#[test]
fn a_match_takes_the_first_pattern_that_fits() {
    let body = "match self.a:\n    case 1 | 2:\n        self.name = 'low'\n    case n if n > 5:\n        raise ValueError(f'{n}')\n    case _:\n        self.b = 0";
    leaves(body, &json!({"a": 2}), &json!({"a": 2, "name": "low"}));
    leaves(body, &json!({"a": 4}), &json!({"a": 4, "b": 0}));
    refuses(body, &json!({"a": 6}), "ValueError: 6", "a");
    let classes =
        "match self.optim:\n    case Adam(lr=rate) if rate > 1:\n        raise ValueError\n    case Muon():\n        self.b = 2";
    accepts(classes, &json!({"optim": {"lr": 0.5}}));
    refuses_any(classes, &json!({"optim": {"lr": 2.0}}));
    let items = "match self.names:\n    case []:\n        self.b = 0\n    case [first, *rest]:\n        self.b = len(rest)\n        self.name = first";
    leaves(items, &json!({"names": ["x", "y"]}), &json!({"names": ["x", "y"], "b": 1, "name": "x"}));
    let entries = "match self.more:\n    case {'k': k, **rest}:\n        self.b = k + len(rest)\n    case None | str():\n        raise ValueError";
    leaves(entries, &json!({"more": {"k": 1, "l": 2}}), &json!({"more": {"k": 1, "l": 2}, "b": 2}));
    accepts(entries, &json!({}));
    is_open("match requests.get(self.name):\n    case 1:\n        raise ValueError", &json!({}), "requests.get");
}

/// A loop or a block that may not run may still decide about what follows.
#[test]
fn what_may_not_run_is_open() {
    let given = json!({});
    is_open(
        "for x in self.names:\n    if requests.get(x):\n        break\nelse:\n    raise ValueError",
        &json!({"names": ["a"]}),
        "requests.get",
    );
    is_open(
        "seen = 0\nfor x in requests.get(self.name):\n    seen += 1\n    if seen > 1:\n        raise ValueError",
        &given,
        "requests.get",
    );
    is_open(
        "for x in requests.get(self.name):\n    pass\nelse:\n    if self.a:\n        raise ValueError",
        &given,
        "requests.get",
    );
    is_open("if len({requests.get(self.name), 1}) == 2:\n    raise ValueError", &given, "requests.get");
    is_open("with requests.Session():\n    raise ValueError", &given, "context manager");
    accepts("import contextlib\nwith contextlib.suppress(ValueError):\n    int('x')", &given);
    refuses_any("import contextlib\nwith contextlib.suppress(KeyError):\n    int('x')", &given);
    is_open("NAMES.add('x')", &given, "a constant that a check changes");
    is_open("def f(x, all=[]):\n    all.append(x)\nf(1)", &given, "a constant that a check changes");
}
