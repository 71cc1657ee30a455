//! Checks whose code asks for more work or memory than there is: the result is open, whatever is asked for, and nothing of it is done.

use cfg_meter::{Allowance, Meter};
use cfg_schema::Ruling;
use serde_json::json;

use crate::run;

/// A part of what a config may cost, so that tests end soon without optimisation, too.
pub(crate) const ALLOWANCE: Allowance = Allowance { free: 1_000_000 + Allowance::RESERVE, most: 1_000_000 + Allowance::RESERVE };

/// The ruling of a check with this body.
fn ruling(body: &str) -> Ruling {
    let _meter = Meter::begin(ALLOWANCE);
    run(body, &json!({ "more": { "a": 1 }, "names": ["a"] })).0
}

/// Asserts that the bodies take too much.
#[track_caller]
fn take_too_much(bodies: &[&str]) {
    for body in bodies {
        match ruling(body) {
            Ruling::Open(open) => {
                assert_eq!(open.why, "the checks take too much work or memory to evaluate", "{body}");
                assert!(open.place.contains("trainer.py:"), "{}: {body}", open.place);
            }
            other => panic!("{other:?}: {body}"),
        }
    }
}

/// Asserts that what is too large becomes unknown where it is made, and the rest of the body is evaluated.
#[track_caller]
fn are_unknown_values(bodies: &[&str]) {
    for body in bodies {
        let ended = ruling(&format!("{body}\nraise ValueError('it ends')"));
        assert!(matches!(&ended, Ruling::Refuses(raised) if raised.message == "it ends"), "{ended:?}: {body}");
    }
}

#[test]
fn strings_that_grow_end_at_their_longest() {
    are_unknown_values(&[
        "s = 'a' * 1000\nfor i in range(6):\n    s = s.join(s)",
        "s = ('%s' * 30000) % (('a' * 65000,) * 30000)",
        "s = 'a'\nfor i in range(60):\n    s = s + s",
        "s = 'a'\nfor i in range(60):\n    s = f'{s}{s}{s}'",
        "s = 'ab'\nfor i in range(60):\n    s = s.replace('a', s)",
        "s = 'a' * 60000\nt = s.replace('a', s, 60000)",
        "s = re.sub('a', 'bb' * 20000, 'a' * 300)",
        "p = Path('a')\nfor i in range(60):\n    p = p / p",
        "p = Path('a')\nfor i in range(20):\n    p = p.with_name('b' * 60000) / 'c'",
        "x = [1]\nfor i in range(60):\n    x = x + x",
        "x = [1]\nfor i in range(60):\n    x += x + [1] if len(x) < 9 else [1]",
    ]);
    // Each argument is gone through once.
    take_too_much(&["s = ('{}' * 30000).format(*(('a' * 60000,) * 30000))"]);
}

#[test]
fn numbers_at_their_limits_end_at_once() {
    are_unknown_values(&[
        "x = math.comb(60, 9223372036854775807)",
        "x = math.factorial(2 ** 62)",
        "x = math.lcm(-9223372036854775807 - 1, 1)",
        "x = math.gcd(-9223372036854775807 - 1, 0)",
        "x = range(0, -9223372036854775807 - 1, -1)",
        "x = range(-2 ** 62, 2 ** 62)",
        "x = range(0, -9223372036854775807 - 1, -9223372036854775807 - 1)",
        "x = list(range(9223372036854775800, 9223372036854775807))",
        "x = 2 ** (2 ** 62)\ny = pow(3, 2 ** 62, 7)",
        "x = -9223372036854775807 - 1\ny = (-x, abs(x), x // -1, x % -1, x - 1, x * -1, ~x, x >> 70)",
        "x = list(enumerate([1, 2, 3], 9223372036854775806))",
        "x = [1][::-9223372036854775807 - 1]",
    ]);
}

#[test]
fn choices_end_at_their_most() {
    are_unknown_values(&[
        "x = list(itertools.combinations([1], 10 ** 17))",
        "x = list(itertools.permutations([1], 10 ** 17))",
        "x = list(itertools.permutations(range(60), 30))",
        "x = list(itertools.product(range(99), repeat=7))",
        "x = list(itertools.repeat('a', 10 ** 17))",
    ]);
    take_too_much(&["x = list(itertools.product(*([[1]] * 60000)))"]);
}

#[test]
fn shared_values_are_not_written_out() {
    are_unknown_values(&[
        "x = (0,)\nfor i in range(60):\n    x = (x, x)",
        "x = (0,)\nfor i in range(16):\n    x = (x, x)\ny = f'{x}'",
        "g = list[int]\nfor i in range(9999):\n    g = list[g]",
        "import functools\ng = functools.partial(max, 1)\nfor i in range(999):\n    g = functools.partial(g, 1)",
        "e = ValueError('a')\nfor i in range(200):\n    e = ValueError(e, e)",
        "x = [0]\nfor i in range(60):\n    x = [x, x]\ny = (str(x), repr(x), f'{x}')",
    ]);
    take_too_much(&[
        "x = [0]\ny = [0]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nx == y",
        "x = [0]\ny = [0]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nx < y",
        "x = {}\ny = {}\nfor i in range(60):\n    x = {'a': x, 'b': x}\n    y = {'a': y, 'b': y}\nx == y",
        "x = {'a': 1}\nfor i in range(60):\n    x = {'a': x, 'b': x}\nself.more = x",
    ]);
    // A default is marked as a constant once, however often it is shared.
    are_unknown_values(&["x = [0]\nfor i in range(60):\n    x = [x, x]\ndef f(a=x):\n    return a\nf()"]);
}

#[test]
fn what_goes_through_containers_is_charged() {
    let long = "x = list(range(9999)) * 6\n";
    for body in [
        "for i in range(9999):\n    x.index(9998)",
        "for i in range(9999):\n    x.count(1)",
        "for i in range(9999):\n    10000 in x",
        "for i in range(9999):\n    max(x)",
        "for i in range(9999):\n    y = x[1:]",
        "for i in range(9999):\n    list(zip(x, x, x))",
        "while x:\n    x.pop(0)",
        "sorted(x, key=lambda y: -y)",
        "set(range(9999))",
        "{y: 1 for y in x}",
        "Counter(x)",
        "dict.fromkeys(x)",
        "[y for y in x if all(z for z in x)]",
    ] {
        take_too_much(&[&format!("{long}{body}")]);
    }
    take_too_much(&[
        "d = {}\nfor i in range(9999):\n    d[i] = d",
        "d = {i: 1 for i in range(500)}\nfor i in range(9999):\n    d = {**d, i: 2}",
        "for i in range(9999):\n    self.more['k' + str(i)] = i",
        "any(x < y for x in range(9999) for y in range(9999) if x < 0)",
        "i = 0\nwhile i < 10 ** 15:\n    i += 1\n    x = [0] * 99",
    ]);
}

#[test]
fn sorting_takes_as_long_as_sorting_does() {
    let body = "x = sorted([5, 1, 4] * 600)\ny = sorted([5, 1, 4] * 600, reverse=True)\nassert x[0] == 1 and y[0] == 5 and x == y[::-1]\n\
                z = sorted([(1, 'b'), (0, 'c'), (1, 'a')], key=lambda pair: pair[0])\nassert z == [(0, 'c'), (1, 'b'), (1, 'a')]\n\
                z = sorted([(1, 'b'), (0, 'c'), (1, 'a')], key=lambda pair: pair[0], reverse=True)\nassert z == [(1, 'b'), (1, 'a'), (0, 'c')]";
    are_unknown_values(&[body]);
}

#[test]
fn texts_are_searched_for_their_length() {
    let long = "x = 'a' * 60000\n";
    for body in [
        "for i in range(9999):\n    x[:30000] + 'b' in x",
        "y = 'b' * 60000 + 'a'\nfor i in range(99):\n    x.strip(y)",
        "for i in range(9999):\n    x.title()",
        "for i in range(999):\n    for y in x:\n        pass",
        "for i in range(9999):\n    int('1' * 60000)",
        "for i in range(9999):\n    urlparse('http://' + x)",
        "for i in range(999):\n    re.split('a', x)",
        "for i in range(50):\n    x.replace('a', '')",
        "for i in range(50):\n    x.find('b')",
    ] {
        take_too_much(&[&format!("{long}{body}")]);
    }
}

#[test]
fn patterns_are_charged_by_their_states_and_the_text() {
    take_too_much(&[
        "for i in range(9999):\n    re.search('((a{1,30}){1,30}){1,30}' + str(i), 'a' * 60000)",
        "for i in range(9999):\n    re.match('[a-z]*' * 30 + str(i), 'a' * 60000)",
        "for i in range(999):\n    re.search('(a|a)*b', 'a' * 60000)",
        "re.findall('a.*b|a', 'a' * 60000)",
    ]);
    are_unknown_values(&[
        "re.search('(?:(?:(?:x{999}){999}){999})', 'x')",
        "re.search('(' * 5000 + 'a' + ')' * 5000, 'a')",
        "fnmatch.fnmatch('a', '[' * 3000)",
        // One pattern is compiled once.
        "for i in range(300):\n    assert re.search('^a+$', 'aaa')",
    ]);
}

#[test]
fn branches_in_a_row_need_no_stack() {
    let many = |one: &dyn Fn(usize) -> String| (2..5000).map(one).collect::<Vec<_>>().concat();
    let elif = many(&|number| format!("elif self.a == {number}:\n    pass\n"));
    let case = many(&|number| format!("    case {number}:\n        pass\n"));
    let unknown = many(&|number| format!("elif requests.x == {number}:\n    pass\n"));
    let unknown_case = many(&|number| format!("    case {number}:\n        pass\n"));
    let except = many(&|number| format!("except E{number}:\n    pass\n"));
    let with: Vec<String> = (0..5000).map(|number| format!("open({number})")).collect();
    let or = vec!["requests.x"; 120].join(" or ");
    let targets = (0..120).map(|number| format!("x{number} = ")).collect::<Vec<_>>().concat();
    for body in [
        format!("if self.a == 0:\n    pass\n{elif}"),
        format!("match self.a:\n{case}"),
        format!("if requests.x == 0:\n    pass\n{unknown}"),
        format!("match requests.x:\n{unknown_case}"),
        format!("try:\n    requests.x()\n{except}"),
        format!("with {}:\n    pass", with.join(", ")),
        format!("x = {or}"),
        format!("{targets}1"),
    ] {
        let start = body.get(..60).unwrap_or(&body);
        assert!(!matches!(ruling(&body), Ruling::Refuses(_)), "{start}");
    }
}

#[test]
fn a_message_is_cut_off() {
    let Ruling::Refuses(raised) = ruling("raise ValueError('a' * 60000)") else { panic!("it refuses") };
    assert!(raised.message.len() < 2100 && raised.message.ends_with('…'), "{}", raised.message.len());
}
