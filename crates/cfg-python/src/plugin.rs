//! The classes that verifiers looks up by an id during validation: the class of a package, or of a default id if a config states none.

use std::sync::Arc;

use cfg_schema::Role;

use crate::{
    ast::{ExprKind, Name},
    class::Class,
    field::Field,
    module::Module,
    names::Reader,
    sources::is_known,
    value::{Unknown, Value},
};

/// The validators of verifiers that replace the declared class by the class of a harness.
const NARROWING: [&str; 2] = ["_resolve_plugins", "_resolve_harness"];

/// The ids of harnesses that are used if a config states none, newest first.
const UNNAMED: [&str; 2] = ["bash", "default"];

impl Reader<'_> {
    /// The class of a field to which the validators of its table narrow the declared class, if the config states no id. `None` if they do
    /// not.
    pub(crate) fn narrowed(&mut self, owner: &Arc<Class>, field: &Field, declared: &Arc<Class>) -> Option<Arc<Class>> {
        let is_narrowed =
            &*field.name == "harness" && self.validators(owner).iter().any(|validator| NARROWING.contains(&&*validator.name));
        if !is_narrowed {
            return None;
        }
        let given = match &field.default {
            Some(Value::Instance(_, given)) => given.iter().find(|(name, _)| &**name == "id").and_then(|(_, id)| id.as_str()),
            _ => None,
        };
        let ids: Vec<&str> = given.into_iter().chain(UNNAMED).collect();
        ids.into_iter().find_map(|id| {
            let module = self.module(&format!("verifiers.v1.harnesses.{id}.harness"))?;
            let classes = module.class_names();
            classes.iter().find_map(|name| match self.global(&module, name) {
                Some(Value::Class(class)) if !Arc::ptr_eq(&class, declared) && class.is_a(declared) => Some(class),
                _ => None,
            })
        })
    }
}

/// The names in verifiers by which the class of a package is found.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// The Python package that contains the packages installed with verifiers.
    group: &'static str,
    /// The base of the class that a package exports.
    class: &'static str,
    /// The base of the config of that class.
    config: &'static str,
}

impl Bound {
    pub(crate) const fn of(role: Role) -> Self {
        match role {
            Role::Taskset => Self { group: "verifiers.v1.tasksets", class: "Taskset", config: "TasksetConfig" },
            Role::Harness => Self { group: "verifiers.v1.harnesses", class: "Harness", config: "HarnessConfig" },
            Role::Judge => Self { group: "verifiers.v1.judges", class: "Judge", config: "JudgeConfig" },
            Role::Environment => Self { group: "verifiers.v1.envs", class: "Env", config: "EnvConfig" },
        }
    }
}

/// The class that a module exports for a role.
pub(crate) enum Exported {
    One(Arc<Class>),
    Nothing,
    /// It is unknown which class, or the exports are invalid: the reason.
    Unclear(String),
}

/// Whether the history has the fields of a base class of verifiers at a path of the field that gets the class.
pub(crate) fn is_recorded(base: &str, path: &str) -> bool {
    let known: &[&str] = match path {
        "" => &["TasksetConfig", "HarnessConfig", "JudgeConfig", "SingleAgentEnvConfig"],
        "task" => &["TaskConfig"],
        _ => &[],
    };
    of_verifiers(base).is_some_and(|name| known.contains(&name))
}

/// The last part of a dotted name in verifiers; `None` if the name is from another package.
fn of_verifiers(name: &str) -> Option<&str> {
    name.strip_prefix("verifiers.")?.rsplit('.').next()
}

impl Reader<'_> {
    /// The module in which verifiers looks up an id: for `owner/my-tasks@1.0` the module `my_tasks`, or the one of this name that is
    /// installed with verifiers.
    pub(crate) fn plugin_module(&mut self, bound: Bound, id: &str) -> Option<Arc<Module>> {
        let name = module_name(id);
        self.module(&format!("{}.{name}", bound.group)).or_else(|| self.module(&name))
    }

    /// The class that a module exports in `__all__` for a role: the one derived from the role's base class.
    pub(crate) fn exported(&mut self, module: &Arc<Module>, bound: Bound) -> Exported {
        let names = match self.global(module, "__all__") {
            Some(Value::List(names) | Value::Tuple(names)) => names,
            Some(Value::Unknown(unknown)) => return Exported::Unclear(unknown.to_string()),
            _ => return Exported::Nothing,
        };
        let mut found: Vec<Arc<Class>> = Vec::new();
        let mut unclear = None;
        for name in &names {
            let Value::Str(name) = name else {
                return Exported::Unclear(format!("{}: `__all__` has an item that is not a string", module.path));
            };
            match self.global(module, name) {
                Some(Value::Class(class)) if self.is_below(&class, bound.class) => found.push(class),
                Some(Value::Class(class)) => {
                    let absent = stranger(&class.absent_bases).map(|name| Unknown::absent(&class.module, class.def.line, name));
                    unclear = unclear.or(absent);
                }
                Some(Value::External(name)) => unclear = unclear.or(Some(Unknown::absent(module, 1, &name))),
                Some(Value::Unknown(unknown)) => return Exported::Unclear(unknown.to_string()),
                _ => {}
            }
        }
        match found.as_slice() {
            [] if let Some(unknown) = unclear => Exported::Unclear(unknown.to_string()),
            [] => Exported::Nothing,
            [one] => Exported::One(Arc::clone(one)),
            _ => Exported::Unclear(format!("{} exports more than one `{}`", module.path, bound.class)),
        }
    }

    /// Whether a class is derived from the class of verifiers with this name.
    fn is_below(&mut self, class: &Arc<Class>, name: &str) -> bool {
        // Type parameters of a base are ignored, so the bases are followed as they are written.
        let (mut open, mut seen) = (vec![Arc::clone(class)], Vec::new());
        while let Some(class) = open.pop() {
            if !self.pays(1 + seen.len()) {
                return false;
            }
            if seen.contains(&Arc::as_ptr(&class.def)) {
                continue;
            }
            seen.push(Arc::as_ptr(&class.def));
            for base in self.bases_of(&class) {
                if is_verifiers_own(&base, name) {
                    return true;
                }
                if let Value::Class(base) = base {
                    open.push(base);
                }
            }
        }
        false
    }

    /// The bases of a class as written, without their type parameters.
    fn bases_of(&mut self, class: &Arc<Class>) -> Vec<Value> {
        let def = Arc::clone(&class.def);
        let plain = def.bases.iter().map(|base| match &base.kind {
            ExprKind::Subscript(of, _) => &**of,
            _ => base,
        });
        plain.map(|base| self.eval(&class.module, base, &[])).collect()
    }

    /// The config class of an exported class: the first type parameter of a base that is derived from the base config of the role. `None` if
    /// there is none.
    pub(crate) fn config_of(&mut self, class: &Arc<Class>, bound: Bound) -> Result<Option<Arc<Class>>, Arc<Unknown>> {
        for class in class.line().collect::<Vec<_>>() {
            let def = Arc::clone(&class.def);
            for base in &def.bases {
                let ExprKind::Subscript(_, index) = &base.kind else { continue };
                let arguments = match &index.kind {
                    ExprKind::Tuple(all) => all.as_slice(),
                    _ => std::slice::from_ref(&**index),
                };
                for argument in arguments {
                    match self.annotation(&class.module, argument, &[]) {
                        Value::Class(config) if is_config(&config, bound) => return Ok(Some(config)),
                        Value::Class(other) => {
                            if let Some(name) = stranger(&other.absent_bases) {
                                return Err(Unknown::absent(&other.module, other.def.line, name));
                            }
                        }
                        Value::External(name) | Value::Generic(name, _) => {
                            if let Some(name) = stranger([&name]) {
                                return Err(Unknown::absent(&class.module, argument.line, name));
                            }
                        }
                        Value::Unknown(unknown) => return Err(unknown),
                        _ => {}
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Names in verifiers that are neither the base config of a role nor a base of one.
const PLAIN: [&str; 8] = ["Taskset", "Harness", "Judge", "Env", "Task", "TaskData", "State", "Trace"];

/// The first name that is not known, so that the class with this name may be a config of the role.
fn stranger<'n>(names: impl IntoIterator<Item = &'n Name>) -> Option<&'n Name> {
    let is_known = |name: &Name| {
        !name.contains('.') || is_known(name) || of_verifiers(name).is_some_and(|last| PLAIN.contains(&last) || is_base(last))
    };
    names.into_iter().find(|name| !is_known(name))
}

/// Whether a name in verifiers is that of a base config.
fn is_base(name: &str) -> bool {
    ["TasksetConfig", "HarnessConfig", "JudgeConfig", "EnvConfig", "SingleAgentEnvConfig", "TaskConfig"].contains(&name)
}

/// Whether a class is derived from the base config of a role.
fn is_config(class: &Arc<Class>, bound: Bound) -> bool {
    class.line().any(|class| is_base_config(&class, bound))
        || class.absent_bases.iter().filter_map(|base| of_verifiers(base)).any(|name| is_config_name(name, bound))
}

fn is_config_name(name: &str, bound: Bound) -> bool {
    name == bound.config || (bound.config == "EnvConfig" && name == "SingleAgentEnvConfig")
}

/// Whether a class is the base config of a role.
pub(crate) fn is_base_config(class: &Class, bound: Bound) -> bool {
    class.module.name.starts_with("verifiers.") && is_config_name(&class.name, bound)
}

/// The name of a package in an id: `my-tasks` in `owner/my-tasks@1.0`.
pub fn package_name(id: &str) -> &str {
    let name = id.rsplit('/').next().unwrap_or_default();
    name.split('@').next().unwrap_or_default()
}

/// The module in which verifiers looks up an id: `my_tasks` for `owner/my-tasks@1.0`.
pub fn module_name(id: &str) -> String {
    package_name(id).replace('-', "_").to_lowercase()
}

fn is_verifiers_own(base: &Value, wanted: &str) -> bool {
    match base {
        Value::Class(class) => &*class.name == wanted && class.module.name.starts_with("verifiers."),
        Value::External(name) | Value::Generic(name, _) => of_verifiers(name) == Some(wanted),
        _ => false,
    }
}
