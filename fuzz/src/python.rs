//! Writes Python that declares a config class with a check, as the bytes choose: forms that people write, with sizes at the limits.

use std::fmt::Write as _;

/// Numbers, most of them at a limit.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "-1",
    "7",
    "30",
    "60",
    "999",
    "9999",
    "60000",
    "2 ** 31",
    "10 ** 17",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
];

/// Expressions of `@`, which stands for another expression each time.
const FORMS: &[&str] = &[
    "@ + @",
    "@ - @",
    "@ * @",
    "@ / @",
    "@ // @",
    "@ % @",
    "@ ** @",
    "@ << @",
    "@ >> @",
    "@ | @",
    "@ & @",
    "@ ^ @",
    "@ == @",
    "@ < @",
    "@ in @",
    "@ is @",
    "not @",
    "-@",
    "~@",
    "(@ if @ else @)",
    "(@ and @)",
    "(@ or @)",
    "[@, @]",
    "(@, @)",
    "(@,)",
    "{@, @}",
    "{'a': @, 'b': @}",
    "{@: @}",
    "[*@, *@]",
    "{**@, **@}",
    "[x for x in @]",
    "[x for x in @ for y in @]",
    "{x: y for x in @ for y in @}",
    "{x for x in @ if @}",
    "(x for x in @)",
    "'a' * 60000",
    "'ab' * 999",
    "list(range(9999))",
    "list(range(9999)) * 6",
    "f'{@}{@}'",
    "f'{@!r:>999}'",
    "f'{@:.99f}'",
    "'%s%s' % (@, @)",
    "('%s' * 999) % @",
    "('{}' * 999).format(@, @)",
    "str(@)",
    "repr(@)",
    "int(@)",
    "float(@)",
    "bool(@)",
    "len(@)",
    "list(@)",
    "tuple(@)",
    "set(@)",
    "frozenset(@)",
    "dict(@)",
    "sorted(@)",
    "sorted(@, key=lambda x: @, reverse=@)",
    "reversed(@)",
    "min(@)",
    "max(@, @)",
    "sum(@)",
    "sum(@, @)",
    "abs(@)",
    "round(@, @)",
    "divmod(@, @)",
    "pow(@, @, @)",
    "range(@)",
    "range(@, @, @)",
    "enumerate(@, @)",
    "zip(@, @, @)",
    "map(lambda x: @, @)",
    "filter(lambda x: @, @)",
    "any(x for x in @)",
    "all(@)",
    "next(iter(@), @)",
    "hash(@)",
    "isinstance(@, (int, str))",
    "math.comb(@, @)",
    "math.factorial(@)",
    "math.gcd(@, @)",
    "math.lcm(@, @)",
    "math.prod(@)",
    "itertools.combinations(@, @)",
    "itertools.permutations(@, @)",
    "itertools.product(@, @)",
    "itertools.product(@, repeat=@)",
    "itertools.repeat(@, @)",
    "itertools.chain(@, @)",
    "itertools.accumulate(@)",
    "itertools.groupby(@)",
    "itertools.islice(@, @)",
    "itertools.batched(@, @)",
    "functools.reduce(lambda x, y: @, @)",
    "functools.partial(max, @)",
    "collections.Counter(@)",
    "collections.defaultdict(list, @)",
    "json.dumps(@)",
    "json.loads(@)",
    "copy.deepcopy(@)",
    "copy.copy(@)",
    "re.search(@, @)",
    "re.findall(@, @)",
    "re.sub(@, @, @)",
    "re.split(@, @)",
    "re.compile(@)",
    "fnmatch.fnmatch(@, @)",
    "Path(@)",
    "(Path('a') / @)",
    "@[@]",
    "@[@:@:@]",
    "@.join(@)",
    "@.split(@)",
    "@.replace(@, @)",
    "@.replace(@, @, @)",
    "@.strip(@)",
    "@.count(@)",
    "@.index(@)",
    "@.get(@, @)",
    "@.items()",
    "@.union(@)",
    "@.zfill(@)",
    "@.parts",
    "self.model_dump()",
    "self.model_copy(deep=True)",
    "list[@]",
    "f(@)",
];

/// Patterns.
const PATTERNS: [&str; 6] =
    ["'(a|a)*b'", "'((a{1,30}){1,30}){1,30}'", "'a.*b|a'", "'(' * 99 + 'a' + ')' * 99", "'[a-z]*' * 30", "'x{999}{999}'"];

/// Statements of `@`, which stands for an expression, and `$`, which stands for a block.
const STATEMENTS: [&str; 24] = [
    "x = @",
    "y = @",
    "x += @",
    "x = (x, x)",
    "x = [x, x]",
    "x = {'a': x, 'b': x}",
    "x = x + x",
    "x = f'{x}{x}'",
    "self.d = @",
    "self.xs = @",
    "self.d['k'] = @",
    "self.xs.append(@)",
    "x.append(@)",
    "x.update(@)",
    "x[@] = @",
    "del x[@]",
    "a, *b = @",
    "raise ValueError(@)",
    "assert @, @",
    "for i in @:$",
    "while @:$",
    "if @:$elif @:$else:$",
    "try:$except ValueError:$",
    "match @:\n    case [1, *rest]:$    case {'a': z}:$    case _:$",
];

/// Types of `@`, which stands for another one.
const TYPES: [&str; 12] = [
    "int",
    "str",
    "Any",
    "list[@]",
    "dict[str, @]",
    "@ | None",
    "Optional[@]",
    "Union[@, @]",
    "Annotated[@, Field(ge=1)]",
    "Literal['a', 'b']",
    "tuple[@, @]",
    "'@'",
];

/// What the bytes choose.
pub struct Choices<'b>(std::slice::Iter<'b, u8>);

impl<'b> Choices<'b> {
    /// The choices of these bytes. Beyond the last one, the first of several is chosen.
    pub fn of(bytes: &'b [u8]) -> Self {
        Self(bytes.iter())
    }

    fn number(&mut self, below: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % below
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.number(of.len())]
    }

    fn form(&mut self, form: &str, filled: &mut impl FnMut(&mut Self) -> String) -> String {
        let mut made = String::new();
        for (at, part) in form.split('@').enumerate() {
            if at > 0 {
                made.push_str(&filled(self));
            }
            made.push_str(part);
        }
        made
    }

    fn expr(&mut self, depth: usize) -> String {
        match self.number(if depth > 4 { 6 } else { 12 }) {
            0 | 1 => self.one(&NUMBERS).to_owned(),
            2 => {
                self.one(&["x", "y", "self.n", "self.d", "self.xs", "self.s", "C0", "C1", "C2", "C3", "None", "True"]).to_owned()
            }
            3 => self.one(&["'a'", "''", "[1]", "{}", "(1,)", "1.5", "'/a/b'"]).to_owned(),
            4 => self.one(&PATTERNS).to_owned(),
            5 => "x".to_owned(),
            _ => {
                let form = self.one(FORMS);
                format!("({})", self.form(form, &mut |choices| choices.expr(depth + 1)))
            }
        }
    }

    fn ty(&mut self, depth: usize) -> String {
        let form = if depth > 4 { "int" } else { self.one(&TYPES) };
        self.form(form, &mut |choices| match choices.number(4) {
            0 => "A0".to_owned(),
            1 => "T0".to_owned(),
            _ => choices.ty(depth + 1),
        })
    }

    fn block(&mut self, into: &mut String, indent: usize, depth: usize) {
        for _ in 0..=self.number(3) {
            let count = if depth > 2 { 19 } else { STATEMENTS.len() };
            let form = STATEMENTS[self.number(count)];
            for (at, part) in form.split('$').enumerate() {
                if at > 0 {
                    into.push('\n');
                    let last = form.split('$').nth(at - 1).and_then(|before| before.lines().last()).unwrap_or_default();
                    let inner = indent + 4 + (last.len() - last.trim_start().len());
                    self.block(into, inner, depth + 1);
                }
                for (number, line) in part.lines().enumerate() {
                    let line = self.form(line, &mut |choices| choices.expr(0));
                    if number > 0 || at == 0 || !line.is_empty() {
                        let _ = write!(into, "{}{}{line}", if number > 0 { "\n" } else { "" }, " ".repeat(indent));
                    }
                }
            }
            if !into.ends_with('\n') {
                into.push('\n');
            }
        }
    }

    /// A module that declares `TrainerConfig`.
    pub fn module(&mut self) -> String {
        let mut text = "import collections, copy, fnmatch, functools, itertools, json, math, re\nfrom pathlib import Path\nfrom typing import Annotated, \
                        Any, Literal, Optional, Union\nfrom pydantic import BaseModel, Field, field_validator, model_validator\n"
            .to_owned();
        for at in 0..4 {
            let _ = writeln!(text, "C{at} = {}", self.expr(1));
        }
        let times = self.number(60);
        let (value, ty) = (self.one(FORMS), self.one(&TYPES));
        let _ = writeln!(text, "D0 = {}\nT0 = int\nclass A0(BaseModel):\n    x: int = 1", self.expr(2));
        for at in 1..=times {
            let value = self.form(value, &mut |_| format!("D{}", at - 1));
            let ty = self.form(ty, &mut |_| format!("T{}", at - 1));
            let _ = writeln!(
                text,
                "D{at} = {value}\nT{at} = {ty}\nclass A{at}(BaseModel):\n    a: A{0}\n    b: A{0} | None = None",
                at - 1
            );
        }
        let _ = writeln!(text, "def f(x):\n    return {}", self.expr(1));
        let _ = writeln!(
            text,
            "class TrainerConfig(BaseModel):\n    n: int = 1\n    d: dict[str, Any] = {{}}\n    xs: list[Any] = []\n    s: str = 'a'"
        );
        let _ = writeln!(
            text,
            "    t: T{times} = None\n    v: Any = D{times}\n    w: A{times} | None = None\n    z: {} = {}",
            self.ty(0),
            self.expr(1)
        );
        let _ = writeln!(
            text,
            "    @model_validator(mode='after')\n    def check(self):\n        x = {}\n        y = {}",
            self.expr(1),
            self.expr(1)
        );
        self.block(&mut text, 8, 0);
        text.push_str("        return self\n");
        text
    }
}
