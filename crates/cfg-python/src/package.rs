//! The config class that a package provides for an environment, a taskset, a harness or a judge, looked up as verifiers does.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use cfg_schema::{Node, OwnCheck, Point, Role, Unread};
use cfg_system::System;

use crate::{
    absent::Base,
    ast::{ExprKind, Name, StmtKind},
    class::Class,
    field::Validator,
    names::Reader,
    plugin::{Bound, Exported, is_base_config},
    reads::fields_read,
    rows::Rows,
    sources::Sources,
    value::Unknown,
};

/// The config class of a package.
#[derive(Debug)]
pub enum Packaged {
    /// A class of its own.
    Own(PackageDeclarations),
    /// The base class of its role.
    Declared,
}

/// The declarations of a package's config class.
#[derive(Debug)]
pub struct PackageDeclarations {
    /// The name of the class.
    pub name: String,
    /// The place of its definition: `environments/my_tasks/config.py:12`.
    pub place: String,
    /// Its fields, by their paths relative to the class.
    pub fields: Vec<cfg_schema::compiler::Field>,
    /// The docstrings of fields, by path.
    pub docs: BTreeMap<String, String>,
    /// The checks that it does not inherit from verifiers.
    pub checks: Vec<OwnCheck>,
    /// The fields that it declares itself, or that a class between it and the base class of its role declares.
    pub own: Vec<OwnField>,
}

/// A field that a config class declares itself.
#[derive(Debug)]
pub struct OwnField {
    /// Its name.
    pub name: String,
    /// Its annotation, if that is a single name: `str`.
    pub annotation: Option<String>,
}

/// Reads the config class for `id`. `roots` are the folders in which Python would look for packages. If verifiers is not in them, inherited fields
/// are taken from the field `declared`, at a point of the built-in history.
///
/// # Errors
/// Why the class is unknown.
pub fn read_package(
    system: &dyn System,
    roots: Vec<PathBuf>,
    role: Role,
    id: &str,
    declared: Node,
    point: Point,
) -> Result<Packaged, Unread> {
    let mut reader = Reader::new(Sources::new(system, roots));
    let bound = Bound::of(role);
    let module = reader.plugin_module(bound, id).ok_or(Unread::Absent)?;
    match reader.exported(&module, bound) {
        Exported::One(class) => declarations(reader, &class, bound, declared, point),
        Exported::Nothing if let Some(why) = reader.spent() => Err(Unread::Unclear(why.to_string())),
        Exported::Nothing => Err(Unread::Unclear(format!("{} exports no {} in `__all__`", module.path, role.in_words()))),
        Exported::Unclear(why) => Err(Unread::Unclear(why)),
    }
}

/// Reads the config class of the environment that the package of a taskset provides; `None` if it provides none.
///
/// # Errors
/// Why the class is unknown.
pub fn read_environment(
    system: &dyn System,
    roots: Vec<PathBuf>,
    taskset: &str,
    declared: Node,
    point: Point,
) -> Result<Option<Packaged>, Unread> {
    let mut reader = Reader::new(Sources::new(system, roots));
    let module = reader.plugin_module(Bound::of(Role::Taskset), taskset).ok_or(Unread::Absent)?;
    let bound = Bound::of(Role::Environment);
    match reader.exported(&module, bound) {
        Exported::One(class) => declarations(reader, &class, bound, declared, point).map(Some),
        Exported::Nothing if let Some(why) = reader.spent() => Err(Unread::Unclear(why.to_string())),
        Exported::Nothing => Ok(None),
        Exported::Unclear(why) => Err(Unread::Unclear(why)),
    }
}

fn declarations(
    mut reader: Reader<'_>,
    class: &Arc<Class>,
    bound: Bound,
    declared: Node,
    point: Point,
) -> Result<Packaged, Unread> {
    let unclear = |unknown: Arc<Unknown>| Unread::Unclear(unknown.to_string());
    let config = reader.config_of(class, bound).map_err(unclear)?;
    if let Some(why) = reader.spent() {
        return Err(Unread::Unclear(why.to_string()));
    }
    let Some(config) = config else { return Ok(Packaged::Declared) };
    let mut rows = Rows::new(reader, Some(Base::Field(declared, point)));
    rows.is_whole(&config).map_err(unclear)?;
    rows.root(&config);
    let checks = rows.reader.own_checks(&config);
    if let Some(why) = rows.reader.spent() {
        return Err(Unread::Unclear(why.to_string()));
    }
    let own = own_fields(&config, bound);
    let found = rows.found;
    Ok(Packaged::Own(PackageDeclarations {
        name: config.name.to_string(),
        place: format!("{}:{}", config.module.path, config.def.line),
        fields: found.kinds.into_iter().next().unwrap_or_default(),
        docs: found.docs.into_iter().map(|((_, path), sentence)| (path, sentence)).collect(),
        checks,
        own,
    }))
}

/// The fields that a config class adds to the base class of its role, or declares differently.
fn own_fields(config: &Arc<Class>, bound: Bound) -> Vec<OwnField> {
    let mut own: Vec<OwnField> = Vec::new();
    for class in config.line().take_while(|class| !is_base_config(class, bound)) {
        for stmt in &class.def.body {
            if let StmtKind::Annotated { target, annotation, .. } = &stmt.kind
                && let ExprKind::Name(name) = &target.kind
                && !own.iter().any(|known| *known.name == **name)
            {
                let annotation = if let ExprKind::Name(word) = &annotation.kind { Some(word.to_string()) } else { None };
                own.push(OwnField { name: name.to_string(), annotation });
            }
        }
    }
    own
}

impl Reader<'_> {
    /// The checks of a class that it does not inherit from verifiers. The checks of verifiers are known.
    fn own_checks(&mut self, class: &Arc<Class>) -> Vec<OwnCheck> {
        let names: Vec<Name> = self.fields(class).iter().map(|field| Arc::clone(&field.name)).collect();
        let validators = self.validators(class);
        let own = validators.iter().filter(|validator| !is_of_verifiers(&validator.home.module.name));
        own.map(|validator| OwnCheck {
            name: validator.name.to_string(),
            place: format!("{}:{}", validator.home.module.path, validator.line),
            reads: read_by(validator, &names),
        })
        .collect()
    }
}

/// Whether a module is part of verifiers itself, or of the package with the base class of all its configs. The packages that are installed with
/// verifiers do not count.
fn is_of_verifiers(module: &str) -> bool {
    if module.split('.').next() == Some("pydantic_config") {
        return true;
    }
    let inner = module.strip_prefix("verifiers.v1.");
    inner.is_some_and(|inner| !["harnesses.", "tasksets.", "judges.", "envs."].iter().any(|group| inner.starts_with(group)))
}

fn read_by(validator: &Validator, names: &[Name]) -> Option<Vec<String>> {
    match &validator.fields {
        Some(fields) if fields.iter().any(|field| &**field == "*") => None,
        Some(fields) => Some(fields.iter().map(ToString::to_string).collect()),
        None if &*validator.mode != "after" => None,
        None => fields_read(validator.home.function(&validator.name)?, names),
    }
}
