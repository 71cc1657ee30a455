//! The config class of an entrypoint, found in the code that starts it: `config = cli(EvalConfig)`.

use std::{collections::BTreeSet, sync::Arc};

use cfg_schema::Kind;

use crate::{
    ast::{Expr, ExprKind, Name, Stmt, StmtKind},
    class::Class,
    homes::{HOMES, ORDER},
    module::{Bound, Module},
    names::Reader,
    rows::Rows,
    value::Value,
};

/// The functions of prime-rl that load a config from the arguments of a command.
const LOADERS: [&str; 2] = ["cli", "parse_argv"];

impl Reader<'_> {
    /// The class that prime-rl's module for an entrypoint loads; `None` if prime-rl has no such module.
    ///
    /// # Errors
    /// If the module exists but its class is unknown: the reason, as a sentence.
    pub(crate) fn entrypoint(&mut self, name: &str) -> Option<Result<Arc<Class>, String>> {
        let module = self.module(&format!("prime_rl.entrypoints.{}", name.replace('-', "_")))?;
        Some(self.loaded_by(&module, "main"))
    }

    /// The class that a function of a module loads.
    ///
    /// # Errors
    /// If there is no such function, or its class is unknown: the reason, as a sentence.
    fn loaded_by(&mut self, module: &Arc<Module>, function: &str) -> Result<Arc<Class>, String> {
        let Some(Bound::Function(main)) = module.bound(function) else {
            return Err(format!("{}: there is no function `{function}`", module.path));
        };
        let mut loaded = Vec::new();
        main.body.iter().for_each(|stmt| statement(stmt, &mut loaded));
        loaded.dedup();
        let [class] = loaded.as_slice() else {
            return Err(format!("{}: `{function}` loads {} configs", module.path, loaded.len()));
        };
        match self.global(module, class) {
            Some(Value::Class(class)) => Ok(class),
            Some(Value::Unknown(unknown)) => Err(unknown.to_string()),
            _ => Err(format!("{}: the class `{class}` is unknown", module.path)),
        }
    }

    /// The class that a script loads.
    ///
    /// # Errors
    /// If it is unknown: the reason, as a sentence.
    pub(crate) fn loaded_by_script(&mut self, script: &Script) -> Result<Arc<Class>, String> {
        let module = self.module(&script.module).ok_or_else(|| format!("there is no module `{}`", script.module))?;
        self.loaded_by(&module, &script.function)
    }
}

/// A script that a project installs: an entry of `[project.scripts]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Script {
    /// Its name.
    pub name: Box<str>,
    /// The module of its function.
    pub module: Box<str>,
    /// Its function.
    pub function: Box<str>,
}

impl Rows<'_> {
    /// The class that a script loads, and the kind of a run whose class it resembles the most.
    pub(crate) fn of_script(&mut self, script: &Script) -> Result<(usize, Arc<Class>), String> {
        let class = self.reader.loaded_by_script(script)?;
        let kind = self.nearest(&class, |shared, fields, own| 2 * shared > fields.min(own))?;
        let kind = kind.ok_or_else(|| format!("the class `{}` resembles that of no entrypoint of prime-rl", class.def.name))?;
        Ok((kind, class))
    }

    /// The kind of a run whose class another class resembles the most; `None` if it resembles none. `is_like` is asked for classes that it is not derived
    /// from, with the number of fields that they share, and of all fields of each.
    ///
    /// # Errors
    /// If it is the class of a kind: the reason, as a sentence.
    pub(crate) fn nearest(
        &mut self,
        class: &Arc<Class>,
        is_like: impl Fn(usize, usize, usize) -> bool,
    ) -> Result<Option<usize>, String> {
        let own: BTreeSet<Name> = self.reader.fields(class).iter().map(|field| Arc::clone(&field.name)).collect();
        let mut nearest: Option<(usize, (bool, usize))> = None;
        for kind in ORDER.into_iter().filter(|kind| Kind::ALL[*kind].is_run()) {
            self.kind = kind;
            let Ok(home) = self.home(&HOMES[kind]) else { continue };
            if Arc::ptr_eq(&home.def, &class.def) {
                return Err(format!("`{}` is the class of `{}`", class.def.name, HOMES[kind].0));
            }
            let fields = self.reader.fields(&home);
            let shared = fields.iter().filter(|field| own.contains(&field.name)).count();
            let is_base = class.bases.iter().any(|base| Arc::ptr_eq(&base.def, &home.def));
            let is_near = is_base || is_like(shared, fields.len(), own.len());
            if is_near && nearest.is_none_or(|(_, most)| (is_base, shared) > most) {
                nearest = Some((kind, (is_base, shared)));
            }
        }
        Ok(nearest.map(|(kind, _)| kind))
    }
}

/// Adds the names of the classes that a statement loads.
fn statement(stmt: &Stmt, loaded: &mut Vec<Name>) {
    match &stmt.kind {
        // What a loop loads is not the config of the run.
        StmtKind::For { .. } | StmtKind::While { .. } => {}
        StmtKind::Expression(value) | StmtKind::Return(Some(value)) => expression(value, loaded),
        StmtKind::Assign { value, .. } => expression(value, loaded),
        _ => stmt.each_block(&mut |body| body.iter().for_each(|stmt| statement(stmt, loaded))),
    }
}

fn expression(expr: &Expr, loaded: &mut Vec<Name>) {
    if let ExprKind::Call(call) = &expr.kind
        && let ExprKind::Name(function) | ExprKind::Attribute(_, function) = &call.function.kind
        && LOADERS.contains(&&**function)
        && let Some(ExprKind::Name(class)) = call.arguments.first().map(|argument| &argument.kind)
    {
        loaded.push(Arc::clone(class));
    }
    expr.parts().into_iter().for_each(|part| expression(part, loaded));
}
