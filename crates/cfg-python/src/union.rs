//! Unions, with and without a tag.

use std::sync::Arc;

use crate::{
    ast::Name,
    class::Class,
    names::Reader,
    shape::{Shape, unknown},
    value::Value,
};

impl Reader<'_> {
    pub(crate) fn union(&mut self, members: &[Value], discriminator: Option<Value>, place: &(Arc<Class>, u32)) -> Shape {
        let mut flat: Vec<Value> = Vec::new();
        let mut is_nullable = false;
        flatten(members, &mut flat, &mut is_nullable);
        let mut shape = match flat.as_slice() {
            [only] => self.shape(only, &[], discriminator, place),
            _ => self.several(&flat, discriminator, place),
        };
        shape.ty.nullable |= is_nullable && shape.ty.base != "any";
        shape
    }

    fn several(&mut self, members: &[Value], discriminator: Option<Value>, place: &(Arc<Class>, u32)) -> Shape {
        let mut shapes: Vec<Shape> = members.iter().map(|member| self.shape(member, &[], None, place)).collect();
        let mut shape = Shape::plain("union");
        for inner in &mut shapes {
            shape.take_unknown(inner);
        }
        // If a member accepts any value, so does the union.
        if let Some(first) = shape.unknown.first()
            && shapes.iter().any(|inner| inner.ty.base == "any")
        {
            return Shape::open(Arc::clone(first));
        }
        shape.ty.members = shapes.iter().map(|inner| inner.ty.clone()).collect();
        let tables: Vec<Arc<Class>> = shapes.iter().filter_map(|inner| inner.table.clone()).collect();
        let has_inner = shapes.iter().any(|inner| !inner.variants.is_empty());
        match discriminator {
            Some(Value::Str(key)) => {
                for class in &tables {
                    let Some(tags) = self.tags(class, &key) else {
                        return Shape::open(unknown(place, format!("the tag `{key}` of `{}`", class.name)));
                    };
                    shape.variants.extend(tags.into_iter().map(|tag| (tag, Arc::clone(class))));
                }
                if has_inner {
                    let inner: Vec<(Name, Arc<Class>)> = shapes.iter().flat_map(|inner| inner.variants.clone()).collect();
                    let mut all = tables;
                    all.extend(inner.iter().map(|(_, class)| Arc::clone(class)));
                    shape.variants.extend(inner);
                    shape.ty.members = all.iter().map(|class| self.table(class).ty).collect();
                } else if tables.len() < members.len() {
                    return Shape::open(unknown(place, "a tagged union of values that are not tables".to_owned()));
                }
                shape.ty.discriminator = Some(key.to_string());
                shape.tag_key = key.to_string();
                shape
            }
            Some(function) => match self.type_or_default(&function, place) {
                Some(name) => {
                    for member in members {
                        let (class, tag) = match member {
                            Value::Generic(outer, inner) if &**outer == "typing.Annotated" => {
                                (inner.first(), inner.iter().find_map(tag))
                            }
                            member => (Some(member), None),
                        };
                        let Some(Value::Class(class)) = class else {
                            return Shape::open(unknown(place, "a union whose variant a function selects".to_owned()));
                        };
                        shape.variants.push((tag.unwrap_or_else(|| Arc::clone(&class.name)), Arc::clone(class)));
                    }
                    shape.ty.discriminator = Some(format!("fn:{name}"));
                    "type".clone_into(&mut shape.tag_key);
                    shape
                }
                None => Shape::open(unknown(place, "the function that selects the variant of a union".to_owned())),
            },
            None if has_inner => Shape::open(unknown(place, "a union that contains a tagged union".to_owned())),
            None => {
                shape.classes = tables;
                for inner in shapes {
                    shape.item = shape.item.or(inner.item);
                    shape.value = shape.value.or(inner.value);
                }
                shape
            }
        }
    }

    /// The possible values of the tag of a class.
    fn tags(&mut self, class: &Arc<Class>, key: &str) -> Option<Vec<Name>> {
        let fields = self.fields(class);
        let field = fields.iter().find(|field| &*field.name == key)?;
        match &field.annotation {
            Value::Generic(name, members) if &**name == "typing.Literal" => {
                members.iter().map(|member| member.as_str().map(Into::into)).collect()
            }
            Value::Class(class) if class.is_enum => Some(
                self.members(class, &(Arc::clone(class), field.line)).ty.literals.iter().map(|tag| tag.as_str().into()).collect(),
            ),
            _ => None,
        }
    }

    /// The name of a function that selects the variant, if it uses the key `type`, or `default` without that key.
    fn type_or_default(&mut self, function: &Value, place: &(Arc<Class>, u32)) -> Option<Name> {
        let Value::Function(_, definition) = function else { return None };
        let name = Arc::clone(&definition.name);
        let mut asked = |entries: Vec<(Value, Value)>| {
            self.call(&place.0.module, place.1, function.clone(), vec![Value::Dict(entries.into())], Vec::new())
        };
        let without = asked(Vec::new());
        let with = asked(vec![(Value::str("type"), Value::str("\u{1}"))]);
        (without.as_str() == Some("default") && with.as_str() == Some("\u{1}")).then_some(name)
    }
}

fn flatten(members: &[Value], flat: &mut Vec<Value>, is_nullable: &mut bool) {
    for member in members {
        match member {
            Value::None => *is_nullable = true,
            Value::Union(inner) => flatten(inner, flat, is_nullable),
            Value::Generic(name, inner) if &**name == "typing.Union" => flatten(inner, flat, is_nullable),
            Value::Generic(name, inner) if &**name == "typing.Optional" => {
                *is_nullable = true;
                flatten(inner, flat, is_nullable);
            }
            other => flat.push(other.clone()),
        }
    }
}

fn tag(value: &Value) -> Option<Name> {
    match value {
        Value::Call(call) if call.last() == "Tag" => call.arguments.first()?.as_str().map(Into::into),
        _ => None,
    }
}
