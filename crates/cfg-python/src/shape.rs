//! Converts Python types to those of the schema history.

use std::sync::Arc;

use cfg_schema::compiler::Type;

use crate::{
    ast::{Expr, ExprKind, Function, Name, StmtKind},
    class::Class,
    field::Field,
    names::Reader,
    sources::is_known,
    value::{Called, Unknown, Value, double},
};

/// A type, with the classes in it.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    pub(crate) ty: Type,
    /// The class, if it is a single table.
    pub(crate) table: Option<Arc<Class>>,
    /// The classes of a tagged union, each with its tag.
    pub(crate) variants: Vec<(Name, Arc<Class>)>,
    /// The key that contains the tag.
    pub(crate) tag_key: String,
    /// The classes in an untagged union.
    pub(crate) classes: Vec<Arc<Class>>,
    pub(crate) item: Option<Box<Shape>>,
    pub(crate) value: Option<Box<Shape>>,
    /// The parts that are not understood.
    pub(crate) unknown: Vec<Arc<Unknown>>,
}

/// The names of the limits, in the order of the history.
const BOUNDS: [&str; 6] = ["ge", "gt", "le", "lt", "min_length", "finite"];

impl Shape {
    pub(crate) fn plain(base: &str) -> Self {
        Self { ty: Type { base: base.to_owned(), ..Type::default() }, ..Self::default() }
    }

    fn bounded(base: &str, bound: &str, limit: f64) -> Self {
        let mut shape = Self::plain(base);
        shape.ty.bounds.push((bound.to_owned(), limit));
        shape
    }

    /// Any value, because a part of the type is not understood.
    pub(crate) fn open(unknown: Arc<Unknown>) -> Self {
        Self { unknown: vec![unknown], ..Self::plain("any") }
    }

    fn literal(values: Vec<String>) -> Self {
        let mut shape = Self::plain("literal");
        shape.ty.literals = values;
        shape
    }

    /// Whether it contains classes.
    pub(crate) fn has_parts(&self) -> bool {
        self.table.is_some()
            || !self.variants.is_empty()
            || !self.classes.is_empty()
            || self.item.as_ref().is_some_and(|item| item.has_parts())
            || self.value.as_ref().is_some_and(|value| value.has_parts())
    }

    /// Moves the parts that are not understood from an inner type to this one.
    pub(crate) fn take_unknown(&mut self, inner: &mut Self) {
        self.unknown.append(&mut inner.unknown);
    }
}

impl Reader<'_> {
    /// The type of a field.
    pub(crate) fn field_shape(&mut self, owner: &Arc<Class>, field: &Field) -> Shape {
        let place = (Arc::clone(&field.home), field.line);
        let metadata = self.known_metadata(owner, field);
        let mut shape = self.shape(&field.annotation, &metadata, field.discriminator.clone(), &place);
        // A table whose default is an instance of a derived class has that class: prime-rl's validators ensure it unless the
        // config selects another.
        if let (Some(own), Some(Value::Instance(narrower, _))) = (&shape.table, &field.default)
            && !Arc::ptr_eq(own, narrower)
            && narrower.is_a(own)
        {
            let narrowed = self.table(&Arc::clone(narrower));
            shape = Shape { ty: Type { nullable: shape.ty.nullable, ..narrowed.ty }, ..narrowed };
        }
        if let Some(own) = shape.table.clone()
            && let Some(narrower) = self.narrowed(owner, field, &own)
        {
            let narrowed = self.table(&narrower);
            shape = Shape { ty: Type { nullable: shape.ty.nullable, ..narrowed.ty }, ..narrowed };
        }
        shape
    }

    pub(crate) fn shape(
        &mut self,
        annotation: &Value,
        metadata: &[Value],
        discriminator: Option<Value>,
        place: &(Arc<Class>, u32),
    ) -> Shape {
        if let Err(unknown) = self.pays_for(&place.0.module, place.1) {
            return Shape::open(unknown);
        }
        if let Value::Generic(outer, members) = annotation
            && let Some((inner, more)) = members.split_first()
        {
            match &**outer {
                "typing.Annotated" => {
                    self.pays(more.len() + metadata.len());
                    let metadata: Vec<Value> = more.iter().chain(metadata).cloned().collect();
                    return self.shape(inner, &metadata, discriminator, place);
                }
                "pydantic.SerializeAsAny" => return self.shape(inner, metadata, discriminator, place),
                _ => {}
            }
        }
        let mut discriminator = discriminator;
        let mut bounds: Vec<(String, f64)> = Vec::new();
        let mut functions: Vec<String> = Vec::new();
        let mut trouble = None;
        let mut bound = |name: &str, value: &Value, trouble: &mut Option<String>| {
            let limit = match value {
                Value::Int(limit) => double(*limit),
                Value::Float(limit) => *limit,
                Value::None => return,
                _ => {
                    *trouble = Some(format!("the bound `{name}`"));
                    return;
                }
            };
            // A limit is given several times with different values, which all apply.
            if bounds.iter().any(|(other, earlier)| other == name && earlier.to_bits() != limit.to_bits()) {
                *trouble = Some(format!("the bound `{name}`, which is given twice"));
            }
            bounds.retain(|(other, _)| other != name);
            bounds.push((name.to_owned(), limit));
        };
        for item in metadata {
            let Value::Call(call) = item else {
                match item {
                    // A string is a description, and has no effect.
                    Value::Str(_) => {}
                    Value::Unknown(unknown) => return Shape::open(Arc::clone(unknown)),
                    _ => trouble = Some("metadata of `Annotated`".to_owned()),
                }
                continue;
            };
            match call.last() {
                "Field" => {
                    for (word, value) in &call.keywords {
                        match &**word {
                            "ge" | "gt" | "le" | "lt" | "min_length" => bound(word, value, &mut trouble),
                            "allow_inf_nan" if value.truth() == Some(false) => bound("finite", &Value::Int(0), &mut trouble),
                            "discriminator" => discriminator = Some(value.clone()),
                            _ => {}
                        }
                    }
                }
                "Ge" | "Gt" | "Le" | "Lt" | "MinLen" => {
                    let name = if call.last() == "MinLen" { "min_length".to_owned() } else { call.last().to_lowercase() };
                    if let Some(value) = call.arguments.first() {
                        bound(&name, value, &mut trouble);
                    }
                }
                "AllowInfNan" => bound("finite", &Value::Int(0), &mut trouble),
                "Discriminator" => discriminator = call.arguments.first().cloned(),
                "AfterValidator" | "BeforeValidator" => match (self.unknown_attached(item), function_name(call)) {
                    (None, Some(name)) => functions.push(format!("{}:{name}", call.last())),
                    (Some(why), _) => trouble = Some(why),
                    (None, None) => trouble = Some(format!("the function that `{}` calls", call.last())),
                },
                "Tag" | "PlainSerializer" | "WrapSerializer" | "WithJsonSchema" => {}
                other => trouble = Some(format!("`{other}` of a type")),
            }
        }
        let mut shape = self.plain_shape(annotation, discriminator, place);
        for (name, limit) in bounds {
            shape.ty.bounds.retain(|(other, _)| *other != name);
            shape.ty.bounds.push((name, limit));
        }
        shape.ty.bounds.sort_by_key(|(name, _)| BOUNDS.iter().position(|bound| bound == name));
        shape.ty.functions.extend(functions);
        match trouble {
            Some(why) => Shape::open(unknown(place, why)),
            None => shape,
        }
    }

    fn plain_shape(&mut self, annotation: &Value, discriminator: Option<Value>, place: &(Arc<Class>, u32)) -> Shape {
        match annotation {
            Value::External(name) => match &**name {
                "builtins.int" => Shape::plain("int"),
                "builtins.float" => Shape::plain("float"),
                "builtins.bool" => Shape::plain("bool"),
                "builtins.str" => Shape::plain("str"),
                "builtins.dict" => Shape::plain("dict"),
                "builtins.list" => list(Shape::plain("any")),
                "pathlib.Path" => Shape::plain("path"),
                "typing.Any" | "builtins.object" => Shape::plain("any"),
                "pydantic.FiniteFloat" => Shape::bounded("float", "finite", 0.0),
                "pydantic.PositiveInt" => Shape::bounded("int", "gt", 0.0),
                "pydantic.NonNegativeInt" => Shape::bounded("int", "ge", 0.0),
                "pydantic.PositiveFloat" => Shape::bounded("float", "gt", 0.0),
                "pydantic.NonNegativeFloat" => Shape::bounded("float", "ge", 0.0),
                other if !is_known(other) => Shape::open(Unknown::absent(&place.0.module, place.1, name)),
                other => Shape::open(unknown(place, format!("the type `{}`", other.trim_start_matches("builtins.")))),
            },
            Value::Generic(name, members) => match (&**name, &**members) {
                ("typing.Literal", members) => literal(self, members, place),
                ("typing.Optional", [inner]) => self.union(&[inner.clone(), Value::None], discriminator, place),
                ("typing.Union", members) => self.union(members, discriminator, place),
                ("builtins.list", [item]) => {
                    let item = self.shape(item, &[], None, place);
                    list(item)
                }
                ("builtins.dict", [key, value]) => {
                    let mut key = self.shape(key, &[], None, place);
                    // The types of keys are not checked.
                    if key.unknown.is_empty() && key.ty != Shape::plain("str").ty && key.ty.base != "any" {
                        return Shape::open(unknown(place, "keys that are not plain strings".to_owned()));
                    }
                    let mut value = self.shape(value, &[], None, place);
                    let mut shape = Shape::plain("dict");
                    shape.take_unknown(&mut key);
                    shape.take_unknown(&mut value);
                    shape.ty.members = vec![key.ty, value.ty.clone()];
                    shape.value = Some(Box::new(value));
                    shape
                }
                (other, _) => Shape::open(unknown(place, format!("the type `{}`", other.trim_start_matches("builtins.")))),
            },
            Value::Union(members) => self.union(members, discriminator, place),
            Value::None => {
                let mut shape = literal(self, &[Value::None], place);
                shape.ty.nullable = true;
                shape
            }
            Value::Class(class) if class.is_enum => self.members(class, place),
            Value::Class(class) if class.is_model => self.table(class),
            Value::Class(class) => Shape::open(unknown(place, format!("the type `{}`, which is not a config class", class.name))),
            Value::Call(call) if call.last() == "TypeVar" => match call.keyword("bound") {
                Some(bound) => self.shape(&bound.clone(), &[], discriminator, place),
                None => Shape::plain("any"),
            },
            Value::Call(call) if call.last() == "NewType" && call.arguments.len() == 2 => {
                self.shape(&call.arguments[1].clone(), &[], discriminator, place)
            }
            Value::Unknown(unknown) => Shape::open(Arc::clone(unknown)),
            _ => Shape::open(unknown(place, "a type".to_owned())),
        }
    }

    /// The type of a table with this class; any value, if it is unknown what the class accepts.
    pub(crate) fn table(&mut self, class: &Arc<Class>) -> Shape {
        if let Some(unknown) = self.opaque(class) {
            return Shape::open(unknown);
        }
        let mut shape = Shape::plain("table");
        shape.ty.policy = Some(self.policy(class).to_owned());
        shape.unknown.extend(class.partial.clone());
        shape.table = Some(Arc::clone(class));
        shape
    }

    /// The policy of a class for keys without a field.
    pub(crate) fn policy(&mut self, class: &Arc<Class>) -> &'static str {
        if class.partial.is_some() {
            return "allow";
        }
        match self.setting(class, "extra") {
            Some(Value::Str(policy)) => match &*policy {
                "forbid" => "forbid",
                "ignore" => "ignore",
                _ => "allow",
            },
            Some(_) => "allow",
            None if class.is_settings => "forbid",
            None => "ignore",
        }
    }

    /// The type of an enumeration: its values.
    pub(crate) fn members(&mut self, class: &Arc<Class>, place: &(Arc<Class>, u32)) -> Shape {
        let line: Vec<Arc<Class>> = class.line().collect();
        let has_own_way = |function: &Arc<Function>| {
            function.name.starts_with('_')
                && !matches!(&*function.name, "__str__" | "__repr__" | "__eq__" | "__hash__" | "__format__")
        };
        if let Some(own) = line.iter().flat_map(|class| class.functions()).find(|function| has_own_way(function)) {
            return Shape::open(unknown(place, format!("an enumeration that defines `{}`", own.name)));
        }
        let def = Arc::clone(&class.def);
        let mut values = Vec::new();
        for stmt in &def.body {
            // `_ignore_ = [...]`
            if matches!(&stmt.kind, StmtKind::Assign { targets, .. } if targets.iter().any(is_reserved)) {
                return Shape::open(unknown(place, "an enumeration with settings".to_owned()));
            }
            if let StmtKind::Assign { targets, value } = &stmt.kind
                && matches!(targets.as_slice(), [target] if matches!(&target.kind, ExprKind::Name(name) if !name.starts_with('_')))
            {
                values.push(self.eval(&class.module, value, &[]));
            }
        }
        literal(self, &values, place)
    }
}

pub(crate) fn unknown(place: &(Arc<Class>, u32), why: String) -> Arc<Unknown> {
    Arc::new(Unknown { path: place.0.module.path.to_string(), line: place.1, why, absent: None })
}

/// Whether a name in the body of an enumeration is a setting.
fn is_reserved(target: &Expr) -> bool {
    matches!(&target.kind, ExprKind::Name(name) if name.starts_with('_') && name.ends_with('_') && !name.starts_with("__"))
}

/// The units for a value of a literal, beside those for its text: types are copied to each field, written and read again.
const OF_A_LITERAL: usize = 8;

/// A literal with these values. Each field has its own copy.
fn literal(reader: &Reader<'_>, members: &[Value], place: &(Arc<Class>, u32)) -> Shape {
    let mut values = Vec::new();
    let mut is_nullable = false;
    let mut open: Vec<&Value> = members.iter().rev().collect();
    while let Some(member) = open.pop() {
        let size = OF_A_LITERAL + if let Value::Str(text) = member { text.len() } else { 0 };
        if !reader.pays(size) {
            return Shape::open(unknown(place, "a literal with too many values".to_owned()));
        }
        match member {
            Value::Str(text) => values.push(text.to_string()),
            Value::None => is_nullable = true,
            Value::Generic(name, inner) if &**name == "typing.Literal" => open.extend(inner.iter().rev()),
            Value::Unknown(unknown) => return Shape::open(Arc::clone(unknown)),
            _ => return Shape::open(unknown(place, "a literal that is not a string".to_owned())),
        }
    }
    let mut shape = Shape::literal(values);
    shape.ty.nullable = is_nullable;
    shape
}

fn function_name(call: &Called) -> Option<String> {
    match call.arguments.first()? {
        Value::Function(_, function) => Some(function.name.to_string()),
        Value::External(name) => name.rsplit('.').next().map(str::to_owned),
        _ => None,
    }
}

/// An array whose items have this type.
fn list(mut item: Shape) -> Shape {
    let mut shape = Shape::plain("list");
    shape.take_unknown(&mut item);
    shape.ty.members = vec![item.ty.clone()];
    shape.item = Some(Box::new(item));
    shape
}
