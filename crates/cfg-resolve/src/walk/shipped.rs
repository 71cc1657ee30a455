//! The classes of the verifiers package, which is always installed. The classes of other packages are not known here.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use cfg_schema::{
    Node, PackageClass, Point, Role,
    compiler::{comes_whole, own_checks, shipped, shipped_environment_of, with_own},
};

/// A class of the verifiers package.
#[derive(Clone, Debug)]
pub(crate) enum Shipped {
    /// Exactly the fields of the declared class of its role.
    Declared,
    /// Fields or checks of its own.
    Own(PackageClass),
}

/// The classes that have been built so far.
static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);

/// The key is the recorded class, the field for which it is used, and the point.
type Made = HashMap<(Node, Node, Point), PackageClass>;

/// The class named `id` in this point's verifiers package, if the package accepts it without further keys. `declared` is the field that the class is
/// used for.
pub(crate) fn class(role: Role, id: &str, declared: Node, point: Point) -> Option<Shipped> {
    let module = module(id);
    let own = shipped(role, &module, point).filter(|_| comes_whole(role, &module))?;
    Some(made(own, declared, point, |field| role == Role::Harness && is_of_default(field, id)))
}

/// Whether the verifiers package of this point has a class named `id`.
pub(crate) fn has(role: Role, id: &str, point: Point) -> bool {
    let module = module(id);
    comes_whole(role, &module) && shipped(role, &module, point).is_some()
}

/// The class of the environment that comes with a taskset of the verifiers package.
pub(crate) fn environment_of(taskset: &str, declared: Node, point: Point) -> Option<Shipped> {
    if !has(Role::Taskset, taskset, point) {
        return None;
    }
    let own = shipped_environment_of(&module(taskset), point);
    Some(own.map_or(Shipped::Declared, |own| made(own, declared, point, |_| false)))
}

/// Whether the environment of a taskset of verifiers' repository has no keys of its own.
pub(crate) fn has_plain_environment(taskset: &str, point: Point) -> bool {
    let module = module(taskset);
    shipped(Role::Taskset, &module, point).is_some() && shipped_environment_of(&module, point).is_none()
}

/// Whether the class of a table is one of the verifiers package.
pub(crate) fn is_class(node: Node) -> bool {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.values().any(|class| class.node == node)
}

fn module(id: &str) -> String {
    id.replace('-', "_").to_lowercase()
}

/// The fields of the declared class of a role combined with the own fields of a recorded class, without the declared ones that it `lacks`.
fn made(own: Node, declared: Node, point: Point, lacks: impl Fn(&str) -> bool) -> Shipped {
    let checks: Arc<[_]> = own_checks(own, point, "verifiers").into();
    let is_known = |field: Node| {
        let name = field.field_name().unwrap_or_default();
        matches!(name, "edit" | "search") && declared.field(name).is_some_and(|known| known.at(point).is_some())
    };
    if checks.is_empty() && own.fields(point).all(|(field, _)| is_known(field)) {
        return Shipped::Declared;
    }
    let mut classes = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(class) = classes.get(&(own, declared, point)) {
        return Shipped::Own(class.clone());
    }
    match with_own(declared, point, own, point, lacks) {
        Ok(node) => {
            let name = own.field_name().unwrap_or_default().to_owned();
            let class = PackageClass { name, place: String::new(), node, checks };
            classes.insert((own, declared, point), class.clone());
            Shipped::Own(class)
        }
        // Does not happen: both classes are from the history, whose fields can be combined.
        Err(_) => Shipped::Declared,
    }
}

/// Whether `field` is only a key of the default harness, and `id` names another harness.
pub(crate) fn is_of_default(field: &str, id: &str) -> bool {
    matches!(field, "edit" | "search") && !["", "default", "bash"].iter().any(|name| id.eq_ignore_ascii_case(name))
}
