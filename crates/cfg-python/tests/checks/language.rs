//! Statements, conditions and builtin functions.

use cfg_meter::Meter;
use cfg_schema::Ruling;
use serde_json::json;

use super::{accepts, costs::ALLOWANCE, is_open, leaves, refuses, refuses_any, run};

#[test]
fn an_exception_has_its_message_and_the_values_read() {
    let more = "if self.a > self.small.size:\n    raise ValueError(f'{self.a} of {self.name!r}')";
    accepts(more, &json!({"a": 4}));
    refuses(more, &json!({"a": 5}), "ValueError: 5 of 'x'", "a small.size name");
    refuses("assert self.a < 2, 'too much'", &json!({"a": 2}), "AssertionError: too much", "a");
    refuses("at_most(self.a, name='a')", &json!({"a": 9}), "ValueError: a is 9, which is more than 8", "a");
    refuses("if self.a:\n    raise Own('own')", &json!({}), "ValueError: own", "a");
    refuses(
        "total = self.a + self.small.size\nif total > 4:\n    raise ValueError('no')",
        &json!({}),
        "ValueError: no",
        "a small.size",
    );
    refuses(
        "if self.b is None:\n    return self\nif self.a == 2:\n    raise ValueError",
        &json!({"a": 2, "b": 1}),
        "ValueError: ",
        "a b",
    );
    refuses("self.maybe.size", &json!({}), "AttributeError: 'NoneType' object has no attribute 'size'", "");
    refuses("if self.b > 1:\n    pass", &json!({}), "TypeError: '>' not supported between instances of 'NoneType' and 'int'", "");
    refuses("self.a // (self.a - 1)", &json!({}), "ZeroDivisionError: division by zero", "");
    refuses("{'x': 1}[self.name]", &json!({"name": "y"}), "KeyError: 'y'", "");
    refuses("del self.more['k']", &json!({}), "KeyError: 'k'", "");
    refuses("x = {self.names[1]: int('y')}", &json!({}), "IndexError: list index out of range", "");
    refuses("urlparse(self.name).port", &json!({"name": "//h:99999"}), "ValueError: Port out of range 0-65535", "");
}

/// A table that a check creates is validated like any other.
#[test]
fn a_table_created_by_a_check_is_validated() {
    leaves("self.even = Even(size=self.a)", &json!({"a": 6}), &json!({"a": 6, "even": {"size": 6, "half": 3}}));
    refuses("self.even = Even(size=self.a)", &json!({"a": 5}), "ValueError: 5 is odd", "");
    leaves(
        "try:\n    Even(size=self.a)\nexcept ValueError:\n    self.name = 'odd'",
        &json!({"a": 5}),
        &json!({"a": 5, "name": "odd"}),
    );
}

/// Before the validators of a created table run, its validators of the raw table process the given values, and the types of its
/// fields check them.
#[test]
fn values_of_a_table_created_by_a_check_are_validated() {
    leaves("self.folded = Folded(length=self.a)", &json!({"a": 3}), &json!({"a": 3, "folded": {"size": 3}}));
    leaves("self.even = Even(size=2, other=1)", &json!({}), &json!({"even": {"size": 2, "half": 1}}));
    let refused = "ValueError: 1 validation error for Folded: ";
    refuses("Folded(size=1, width=2)", &json!({}), &format!("{refused}`width` is not a field"), "");
    refuses("Folded()", &json!({}), &format!("{refused}`size` is missing"), "");
    refuses("Folded(length=self.name)", &json!({}), &format!("{refused}`size` is refused (int_parsing)"), "");
    accepts("try:\n    Folded()\nexcept ValueError:\n    pass", &json!({}));
    is_open("self.folded = Folded(size=1.5)", &json!({}), "how `Folded` converts its `size`");
    leaves("self.looked = Looked(size=9)", &json!({}), &json!({"looked": {"size": 4}}));
    refuses("Looked(size=10)", &json!({}), "ValueError: 5 is large", "");
    accepts("self.looked = Looked()", &json!({}));
}

/// What a check sets for programs that it starts does not affect other checks.
#[test]
fn side_effects_refuse_nothing() {
    for done in [
        "os.environ['X'] = '1'",
        "os.environ.setdefault('X', '1')",
        "os.makedirs('x', exist_ok=True)",
        "os.environ.pop('X', None)",
    ] {
        accepts(done, &json!({}));
    }
}

/// The machine is assumed to have eight GPUs, as in the ported checks.
#[test]
fn a_machine_has_eight_gpus() {
    let visible = "gpus = os.environ.get('CUDA_VISIBLE_DEVICES')\nif gpus is None or self.a not in [int(gpu) for gpu in gpus.split(',')]:\n    raise ValueError('no such GPU')";
    accepts(visible, &json!({"a": 7}));
    refuses_any(visible, &json!({"a": 8}));
}

#[test]
fn conditions_hold_as_in_python() {
    for (condition, given) in [
        ("0 < self.a <= 3", json!({"a": 3})),
        ("self.name in NAMES", json!({"name": "muon"})),
        ("self.name not in ('a', 'b')", json!({})),
        ("not self.names and self.maybe is None", json!({})),
        ("fnmatch.fnmatch(self.name, 'a*[0-9].?') and not fnmatch.fnmatch(self.name, 'a*[!0-9].b')", json!({"name": "a-7.b"})),
        (
            "TrainerConfig.model_fields['a'].default == 1 and isinstance(TrainerConfig.model_fields['small'].default, Small)",
            json!({}),
        ),
        ("isinstance(self.optim, Adam) and not isinstance(self.optim, (Muon, int))", json!({})),
        ("isinstance(self.a, int | str)", json!({})),
        ("self.small.double == 8 and self.small.grown(by=2) == 6", json!({})),
        ("-7 // 2 == -4 and -7 % 3 == 2 and 7 % -3 == -2 and 7 // -2 == -4", json!({})),
        ("any(one.size > 4 for one in self.many)", json!({"many": [{"size": 1}, {"size": 5}]})),
        ("all(len(name) == 1 for name in self.names)", json!({"names": ["a", "b"]})),
        ("[one.size for one in self.many if one.size] == [2]", json!({"many": [{"size": 0}, {"size": 2}]})),
        ("{name: len(name) for name in self.names} == {'ab': 2}", json!({"names": ["ab"]})),
        ("'a' in self.model_fields_set and 'b' not in self.model_fields_set", json!({"a": 3})),
        ("getattr(self, 'nothing', None) is None and hasattr(self, 'a')", json!({})),
        ("(b := self.b) is None or b > 2", json!({"b": 3})),
        ("max(self.a, 2) == 2 and sum([1, 2]) == 3 and math.ceil(self.a / 2) == 1", json!({})),
        ("self.name.startswith(('x', 'y')) and self.name.upper() == 'X'", json!({})),
        ("re.fullmatch(r'step_\\d+', self.name) is not None", json!({"name": "step_12"})),
        ("self.small.path.name == 'c' and self.small.path.parent == Path('a') / 'b'", json!({"small": {"path": "a/b/c"}})),
        ("self.names[-1] == 'c' and self.names[:2] == ['a', 'b']", json!({"names": ["a", "b", "c"]})),
        ("self.more.get('k', 0) == 2 and dict(self.more) == {'k': 2}", json!({"more": {"k": 2}})),
        ("type(self.small).__name__ == 'Small'", json!({})),
        ("sorted(set(self.names)) == ['a', 'b']", json!({"names": ["b", "a", "b"]})),
        ("self.small == Small() and self.small != Small(size=5)", json!({})),
        ("self.name in requests.KNOWN", json!({"name": "known"})),
        ("urlparse(self.name).port == 8000 and urlsplit(self.name)[1] == 'h:8000'", json!({"name": "http://h:8000/v1"})),
        ("urlparse(self.name).hostname is None and urlparse(self.name).scheme == 'h'", json!({"name": "h:8000"})),
        ("TrainerConfig.model_fields['small'].annotation is Small and self.model_fields['a'].annotation is int", json!({})),
        ("isinstance(Small, type) and not isinstance(self.model_fields['maybe'].annotation, type)", json!({})),
        ("issubclass(Small, BaseModel) and not issubclass(Small, Even) and issubclass(Even, (Small, Even))", json!({})),
        ("Folded.model_fields['size'].is_required() and not Small.model_fields['size'].is_required()", json!({})),
        ("int('1_0') == 10 and f'{self.a:,} {1e-6} {None}' == '1 1e-06 None'", json!({})),
        ("1.0 // 0.1 == 9.0 and 2 ** -1 == 0.5 and 5 & 4 ^ 1 == 5 and ~self.a == -2 and round(2.5) == 2", json!({})),
        ("float('inf') == math.inf and float('nan') != float('nan')", json!({})),
        ("2**53 + 1 != 2**53 and math.isclose(0.1 + 0.2, 0.3) and math.gcd(12, 18) == 6", json!({})),
        (
            "sorted(self.names, key=len, reverse=True) == ['ccc', 'aa', 'bb'] and max(self.names, key=len) == 'ccc'",
            json!({"names": ["aa", "ccc", "bb"]}),
        ),
        ("(1, 'b') > (1, 'a') and [1] < [1, 0] and {1} <= {1, 2} and {1, 2} - {1} == {2}", json!({})),
        ("[(x, y) for x, y in zip('ab', [1, 2])] == [('a', 1), ('b', 2)] and dict(zip('a', [1])) == {'a': 1}", json!({})),
        ("'a,b'.split(sep=',') == ['a', 'b'] and 'ab'.partition('b')[1] == 'b' and 'x1'.isalnum()", json!({})),
        ("'{} {x:02d}'.format('a', x=3) == 'a 03' and '%s-%d' % ('a', 2) == 'a-2' and f'{self.a:{3}d}' == '  1'", json!({})),
        (
            "re.match(r'(?P<l>[a-z]+)-(\\d+)', self.name)['l'] == 'ab' and re.findall('[ab]', self.name) == ['a', 'b']",
            json!({"name": "ab-1"}),
        ),
        ("re.fullmatch('AB', self.name, re.I) is not None and re.sub('b', 'c', self.name) == 'ac'", json!({"name": "ab"})),
        ("hasattr(self.more, 'items') and not hasattr(self.names, 'items')", json!({})),
        ("type(self.a) is int and self.__class__ is TrainerConfig and not callable(self.a)", json!({})),
        ("get_args(Kind) == ('p', 'q') and self.name in get_args(Kind)", json!({"name": "q"})),
        ("Counter(self.names)['a'] == 2 and Counter(self.names)['c'] == 0", json!({"names": ["a", "a"]})),
        ("list(itertools.chain(['a'], 'b')) == ['a', 'b'] and len(list(itertools.combinations('abc', 2))) == 3", json!({})),
        (
            "self.small.path.suffix == '.txt' and self.small.path.with_suffix('.md') == Path('a/b.md')",
            json!({"small": {"path": "a//b.txt"}}),
        ),
        ("Mode('slow') is Mode.SLOW and Mode.SLOW != 'slow' and Mode.SLOW.value == 'slow' and len(Mode) == 2", json!({})),
        (
            "Level.HIGH > 1 and Text.A == 'a' and isinstance(Text.A, str) and [m.name for m in Mode] == ['FAST', 'SLOW']",
            json!({}),
        ),
    ] {
        accepts(&format!("if not ({condition}):\n    raise ValueError"), &given);
        refuses_any(&format!("if {condition}:\n    raise ValueError"), &given);
    }
}

#[test]
fn assigned_values_are_in_the_config() {
    leaves("self.a = self.small.size + 1", &json!({}), &json!({"a": 5}));
    leaves("self.small.size *= 3", &json!({"small": {}}), &json!({"small": {"size": 12}}));
    leaves(
        "for one in self.many:\n    one.size = self.a",
        &json!({"many": [{}, {}]}),
        &json!({"many": [{"size": 1}, {"size": 1}]}),
    );
    leaves(
        "if self.maybe is None:\n    self.maybe = Small(size=2)\nself.maybe.size += 1",
        &json!({}),
        &json!({"maybe": {"size": 3}}),
    );
    leaves("small = Small()\nself.maybe = small\nsmall.size = 9", &json!({}), &json!({"maybe": {"size": 9}}));
    leaves("self.more['k'] = 3\nself.more.setdefault('k', 4)", &json!({"more": {}}), &json!({"more": {"k": 3}}));
    leaves("del self.more['k']", &json!({"more": {"k": 3, "l": 4}}), &json!({"more": {"l": 4}}));
    leaves("self.names.append('b')", &json!({"names": ["a"]}), &json!({"names": ["a", "b"]}));
    leaves("self.names = [name.upper() for name in self.names]", &json!({"names": ["a"]}), &json!({"names": ["A"]}));
    leaves(
        "self.maybe = self.small.model_copy()",
        &json!({"small": {"size": 7}}),
        &json!({"small": {"size": 7}, "maybe": {"size": 7}}),
    );
    leaves(
        "self.maybe = Small(**self.small.model_dump(exclude_unset=True))",
        &json!({"small": {"size": 7}}),
        &json!({"small": {"size": 7}, "maybe": {"size": 7}}),
    );
    leaves("setattr(self, 'b', 2)", &json!({}), &json!({"b": 2}));
    leaves("self.name = f'{self.name}-{uuid.uuid4().hex[:4]}'", &json!({}), &json!({"name": "x-0000"}));
    leaves("try:\n    self.b = int(self.name)\nexcept ValueError:\n    self.b = 0", &json!({}), &json!({"b": 0}));
    leaves("os.environ['X'] = self.name\nwarnings.warn('so', stacklevel=2)", &json!({}), &json!({}));
    leaves("from prime_rl.helpers import is_even\nself.b = 2 if is_even(self.a) else 3", &json!({}), &json!({"b": 3}));
}

#[test]
fn an_early_return_ends_a_check() {
    let body = "if self.name == 'x':\n    return self\nraise ValueError('no')";
    accepts(body, &json!({}));
    refuses(body, &json!({"name": "y"}), "ValueError: no", "name");
    accepts(
        "for name in self.names:\n    if name == 'a':\n        break\nelse:\n    raise ValueError",
        &json!({"names": ["b", "a"]}),
    );
    refuses_any(
        "for name in self.names:\n    if name == 'a':\n        break\nelse:\n    raise ValueError",
        &json!({"names": ["b"]}),
    );
    refuses_any("count = 0\nwhile count < 3:\n    count += 1\nif count == 3:\n    raise ValueError", &json!({}));
}

#[test]
fn unsupported_code_makes_a_check_unknown() {
    let given = json!({});
    is_open("if requests.get(self.name):\n    raise ValueError", &given, "a call of `requests.get`");
    for asks in ["os.environ.get('X')", "os.getenv('X', '1')", "os.environ['X'] == '1'", "'X' in os.environ"] {
        is_open(&format!("if {asks}:\n    raise ValueError"), &given, "the environment variable `X`");
    }
    is_open("requests.post(self)", &given, "a call of `requests.post`");
    let ordered = "from collections import OrderedDict\nd = OrderedDict(a=1, b=2)\nd.move_to_end('a')\nif list(d) == ['b', 'a']:\n    raise ValueError";
    is_open(ordered, &given, "");
    is_open("if urlparse('http://[::1]').port:\n    raise ValueError", &given, "urlparse");
    is_open("if requests.get(self.name):\n    return self\nraise ValueError", &given, "requests.get");
    is_open("if requests.get(self.name):\n    self.a = 2\nif self.a == 2:\n    raise ValueError", &given, "requests.get");
    is_open("while True:\n    pass", &given, "too long or nested");
    is_open("self.check()", &given, "too long or nested");
    is_open(
        "text = 'x'\nfor _ in range(64):\n    text = text + text\nif text == 'y':\n    raise ValueError",
        &given,
        "an operator",
    );
    // Results that do not depend on the unknown value are known.
    accepts("if requests.get(self.name) and self.a > 1:\n    raise ValueError", &given);
    accepts("value = requests.get(self.name)\nself.b = 1", &given);
    refuses_any("if requests.get(self.name) or self.a:\n    raise ValueError", &given);
    refuses_any("if requests.get(self.name):\n    raise ValueError('a')\nelse:\n    raise ValueError('b')", &given);
    accepts("try:\n    import flash_attn\nexcept ImportError:\n    pass", &given);
    is_open("try:\n    import flash_attn\nexcept ImportError:\n    raise ValueError", &given, "installed");
}

#[test]
fn a_check_of_an_invalid_value_is_unknown() {
    let given = json!({"name": "?"});
    match run("if self.name == 'y':\n    raise ValueError", &given).0 {
        Ruling::Open(open) => assert_eq!(open.reason, cfg_schema::Reason::Fault),
        other => panic!("{other:?}"),
    }
    accepts("if self.name == 'y' and self.a > 1:\n    raise ValueError", &given);
}

/// Code with any nesting, recursion and number of loops ends, on the stack of an ordinary thread.
#[test]
fn code_of_any_shape_ends() {
    let given = json!({});
    let nested =
        |open: &str, inner: &str, close: &str, times: usize| format!("{}{inner}{}", open.repeat(times), close.repeat(times));
    for body in [
        format!("if {}:\n    pass", nested("not ", "self.a", "", 450)),
        format!("x = {}", nested("[", "self.a", "]", 450)),
        format!("x = {}", nested("len(str(", "self.a", "))", 110)),
        format!("def f(x):\n    return x\ny = {}", nested("f(", "self.a", ")", 220)),
        format!("def f(x):\n    return {}\nf(1)", nested("f(", "x", ")", 200)),
        format!("def f(x):\n    return f({})\nf(1)", nested("-", "x", "", 400)),
        format!("x = lambda y: {}\nx(1)", nested("(lambda z: z + ", "y", ")(1)", 60)),
        "x = []\nfor _ in range(10000):\n    x = [x]\nif x == 1:\n    pass".to_owned(),
        "x = []\nfor _ in range(10000):\n    x = x + x + [1]".to_owned(),
        "x = {}\nfor i in range(10000):\n    x[str(i)] = x".to_owned(),
        "x = []\nx.append(x)\nif x == [1]:\n    pass\ny = f'{x}'".to_owned(),
        "x = {}\nx['x'] = x\nself.more = x".to_owned(),
        "x = []\nx.append(x)\ny = Outer(all=[])\ny.all = x\ny.model_dump()".to_owned(),
        "x = []\nfor _ in range(10000):\n    x = [x]\ny = Outer(all=[])\ny.all = x\ny.model_dump()".to_owned(),
        "x = [1]\nfor _ in range(40):\n    x = [x, x]\ny = Outer(all=[])\ny.all = x\ny.model_dump()".to_owned(),
        "y = Outer(all=[])\ny.small = y\ny.model_dump()\nOuter(**y.model_dump())".to_owned(),
        "y = Outer(all=[])\nfor _ in range(10000):\n    y.all = y.model_dump()['all']".to_owned(),
    ] {
        let _meter = Meter::begin(ALLOWANCE);
        run(&body, &given);
    }
}
