//! Paths: the text of a path is as Python's `pathlib` writes it.

use std::{rc::Rc, sync::Arc};

use super::{
    builtins::Call,
    object::{DEEPEST, Object},
    run::{Outcome, Run},
};
use crate::ast::{Name, Operator};

impl Run<'_> {
    /// The result of a method of a path.
    pub(super) fn call_path_method(&self, call: &mut Call<'_>, of: &Object, text: &Name) -> Outcome<Object> {
        Ok(match (call.name, call.objects) {
            ("as_posix" | "__str__", []) => Object::Str(Arc::clone(text)),
            ("joinpath", [part]) => self.binary(call.frame, call.line, Operator::Divide, of, part)?,
            // The result is a path as well; where it is on the machine does not matter.
            ("resolve" | "absolute" | "expanduser", _) => of.clone(),
            ("is_absolute", []) => Object::Bool(text.starts_with('/')),
            ("relative_to", [other]) if let Some(other) = path_text(other) => match within(text, other) {
                Some(rest) => Object::path(rest),
                None => {
                    return Err(self.raised(
                        call.frame,
                        call.line,
                        "ValueError",
                        format!("'{text}' is not in the subpath of '{other}'"),
                    ));
                }
            },
            ("is_relative_to", [other]) if let Some(other) = path_text(other) => Object::Bool(within(text, other).is_some()),
            ("with_name" | "with_suffix" | "with_stem", [Object::Str(part)]) => match renamed(text, call.name, part) {
                Some(path) => Object::path(path),
                None => self.unknown(call.frame, call.line, format!("a call of `.{}`", call.name)),
            },
            ("match" | "full_match" | "with_segments" | "is_reserved", _) => {
                self.unknown(call.frame, call.line, format!("a call of `.{}`", call.name))
            }
            (method, _) => {
                let why = format!("the result of `Path(\"{text}\").{method}` on the machine");
                self.machine(call.frame, call.line, why)
            }
        })
    }
}

/// The text of a path, or of a string as a path.
fn path_text(object: &Object) -> Option<&str> {
    match object {
        Object::Path(text) | Object::Str(text) => Some(text),
        _ => None,
    }
}

/// What is left of a path below another one; `None` if it is not below it.
fn within(path: &str, above: &str) -> Option<String> {
    let (path, above) = (parts_of(path), parts_of(above));
    let rest = path.strip_prefix(above.as_slice())?;
    Some(if rest.is_empty() { ".".to_owned() } else { rest.join("/") })
}

/// A path with another name, suffix or stem; `None` if that is refused, or not modelled.
fn renamed(path: &str, how: &str, part: &str) -> Option<String> {
    let name = parts_of(path).last().copied().filter(|name| *name != "/" && *name != "..")?;
    let dot = name.rfind('.').filter(|&dot| dot > 0 && dot + 1 < name.len()).unwrap_or(name.len());
    let name = match how {
        "with_name" => part.to_owned(),
        "with_stem" => format!("{part}{}", &name[dot..]),
        _ if part.is_empty() || (part.starts_with('.') && part.len() > 1) => format!("{}{part}", &name[..dot]),
        _ => return None,
    };
    if name.is_empty() || name.contains('/') || name == "." {
        return None;
    }
    Some(match parent_of(path) {
        "." => name,
        "/" => format!("/{name}"),
        parent => format!("{parent}/{name}"),
    })
}

/// An attribute of a path.
pub(super) fn of_path(of: &Object, text: &Name, name: &Name) -> Object {
    let last = match &**text {
        "." => "",
        text => text.rsplit('/').next().unwrap_or_default(),
    };
    let dot = last.rfind('.').filter(|&dot| dot > 0 && dot + 1 < last.len());
    match &**name {
        "name" => Object::str(last),
        "stem" => Object::str(&last[..dot.unwrap_or(last.len())]),
        "suffix" => Object::str(&last[dot.unwrap_or(last.len())..]),
        "suffixes" => match last.trim_start_matches('.') {
            name if name.ends_with('.') => Object::list(Vec::new()),
            name => Object::list(name.split('.').skip(1).map(|part| Object::str(format!(".{part}"))).collect()),
        },
        "parent" => Object::Path(parent_of(text).into()),
        "parents" => {
            let all = std::iter::successors(Some(&**text), |path| Some(parent_of(path)).filter(|above| above != path));
            Object::tuple(all.skip(1).take(DEEPEST).map(|path| Object::Path(path.into())).collect())
        }
        "parts" => Object::tuple(parts_of(text).into_iter().map(Object::str).collect()),
        "anchor" | "root" => Object::str(if text.starts_with('/') { "/" } else { "" }),
        "drive" => Object::str(""),
        _ => Object::Method(Rc::new(of.clone()), Arc::clone(name)),
    }
}

/// The path above a path.
fn parent_of(text: &str) -> &str {
    match text.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => ".",
    }
}

/// The parts of a path.
fn parts_of(text: &str) -> Vec<&str> {
    let root = text.starts_with('/').then_some("/");
    root.into_iter().chain(text.split('/').filter(|part| !part.is_empty() && *part != ".")).collect()
}
