//! The config class of a program of a project, found in the code that loads it: `config = cli(Config)`, `Config(**parse_argv())`.

mod search;
mod toml;

use std::{path::PathBuf, sync::Arc};

use cfg_schema::{Kind, Point};
use cfg_system::System;

use self::search::Search;
use crate::{
    absent::{Base, Beside},
    checks,
    class::Class,
    homes::HOMES,
    names::Reader,
    of_field::Known,
    rows::{Declarations, Rows},
    sources::Sources,
    value::Value,
};

/// What a command starts: a module, and its function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The dotted name of the module.
    pub module: Box<str>,
    /// The function; `None` if the module itself is run.
    pub function: Option<Box<str>>,
}

/// The config of a program.
#[derive(Debug)]
pub enum ProgramConfig {
    /// That of an entrypoint of prime-rl.
    Known(Kind),
    /// A class of its own.
    Own(Box<ProgramClass>),
}

/// How a program gets the values of its config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loader {
    /// From files behind an `@` and from flags, by pydantic-config.
    Cli,
    /// The same by its older `parse_argv`, for which `@FILE` may be one word.
    Argv,
    /// From a file of TOML that it opens itself.
    File,
    /// By pydantic-settings from the file of this name, if it is a constant.
    Settings(Option<String>),
}

/// The config class of a program.
#[derive(Debug)]
pub struct ProgramClass {
    /// Its name.
    pub name: String,
    /// The place of its definition: `src/zeroband/config.py:12`.
    pub place: String,
    /// How the program gets its values.
    pub loader: Loader,
    /// The place of the call that loads it.
    pub loaded_at: String,
    /// The kind at which its fields and checks stand.
    pub kind: Kind,
    /// Its fields and checks.
    pub declared: Declarations,
}

/// Reads the config class of a program. `roots` are the folders in which Python would look for packages.
///
/// # Errors
/// Why the class is unknown, as a sentence without its end.
pub fn read_program(system: &dyn System, roots: Vec<PathBuf>, program: &Program, point: Point) -> Result<ProgramConfig, String> {
    let mut reader = reader(system, roots, point);
    let Loaded { value, loader, place } = loaded(&mut reader, program)?;
    let class = match value {
        Value::Class(class) => class,
        Value::External(name) => {
            return kind_of_class(&name).map(ProgramConfig::Known).ok_or_else(|| format!("the source of `{name}` is not here"));
        }
        other => return Err(no_class(&other)),
    };
    if let Some(kind) = kind_of_class(&dotted(&class)) {
        return Ok(ProgramConfig::Known(kind));
    }
    let mut rows = rows(reader, Kind::Script, point);
    // A fork's program may have a class that is nearly that of an entrypoint: rules and ported checks hold for it.
    if program.is_of_prime_rl()
        && let Some(kind) = rows.nearest(&class, |shared, fields, _| 2 * shared > fields)?
    {
        return Ok(ProgramConfig::Known(Kind::ALL[kind]));
    }
    rows.kind = Kind::Script.entrypoint() as usize;
    let mut own = declarations(rows, &class)?;
    (own.loader, own.loaded_at) = (loader, place);
    Ok(ProgramConfig::Own(Box::new(own)))
}

/// The dotted names of the classes that programs load, in their order: `prime_rl.configs.rl.RLConfig`. `roots` are the folders in which Python would
/// look for packages. Where a class is unknown, why, as a sentence without its end.
pub fn read_program_classes(
    system: &dyn System,
    roots: Vec<PathBuf>,
    programs: &[Program],
    point: Point,
) -> Vec<Result<String, String>> {
    let mut reader = reader(system, roots, point);
    let name = |value: Value| match value {
        Value::Class(class) => Ok(dotted(&class)),
        Value::External(name) => Ok(name.to_string()),
        other => Err(no_class(&other)),
    };
    programs.iter().map(|program| loaded(&mut reader, program).and_then(|loaded| name(loaded.value))).collect()
}

fn reader(system: &dyn System, roots: Vec<PathBuf>, point: Point) -> Reader<'_> {
    let mut reader = Reader::new(Sources::new(system, roots));
    reader.known = Some(Arc::new(Known::at(point)));
    reader
}

fn dotted(class: &Class) -> String {
    format!("{}.{}", class.module.name, class.name)
}

/// Why what a program loads is no class.
fn no_class(value: &Value) -> String {
    match value {
        Value::Unknown(unknown) => unknown.to_string(),
        _ => "what it loads is no class".to_owned(),
    }
}

/// What is said of a program in which no loader is found.
pub const NO_LOADER: &str = "loads no config by pydantic-config, pydantic-settings or a reader of TOML";

impl Program {
    /// Whether it is a module of prime-rl, or of a fork.
    pub fn is_of_prime_rl(&self) -> bool {
        self.module.split('.').next() == Some("prime_rl")
    }
}

/// What a program loads.
struct Loaded {
    value: Value,
    loader: Loader,
    /// The place of the call.
    place: String,
}

fn loaded(reader: &mut Reader<'_>, program: &Program) -> Result<Loaded, String> {
    let Some(module) = reader.module(&program.module) else {
        return Err(reader.unreadable(&program.module).unwrap_or_else(|| format!("there is no module `{}`", program.module)));
    };
    let mut search = Search::new(reader);
    let found = search.program(&module, program.function.as_deref())?;
    let (why, how) = (search.why, search.how);
    let found = found.map(|value| {
        let (loader, place) = how.unwrap_or((Loader::Cli, module.path.to_string()));
        Loaded { value, loader, place }
    });
    found.ok_or_else(|| {
        why.unwrap_or_else(|| {
            let what = program.function.as_ref().map_or("it".to_owned(), |function| format!("`{function}`"));
            format!("{}: {what} {NO_LOADER}", module.path)
        })
    })
}

/// The kind whose config class has this dotted name, at some commit of prime-rl.
pub fn kind_of_class(name: &str) -> Option<Kind> {
    let (module, name) = name.rsplit_once('.')?;
    let is_it = |(_, modules, names): &&crate::homes::Home| modules.contains(&module) && names.contains(&name);
    HOMES.iter().find(is_it).and_then(|(kind, ..)| kind.parse().ok())
}

/// Reads the config class of verifiers' evaluations. `roots` are the folders in which Python would look for verifiers.
///
/// # Errors
/// Why the class is unknown, as a sentence without its end.
pub fn read_evaluation(system: &dyn System, roots: Vec<PathBuf>, point: Point) -> Result<ProgramClass, String> {
    let mut reader = Reader::new(Sources::new(system, roots));
    reader.known = Some(Arc::new(Known::at(point)));
    let mut rows = rows(reader, Kind::Eval, point);
    let class = rows.home(&HOMES[Kind::Eval as usize])?;
    declarations(rows, &class)
}

/// Rows for the class of one kind.
fn rows(reader: Reader<'_>, kind: Kind, point: Point) -> Rows<'_> {
    let mut rows = Rows::new(reader, Some(Base::Point(Beside::with_pins(point, Vec::new()))));
    rows.kind = kind.entrypoint() as usize;
    rows
}

fn declarations(mut rows: Rows<'_>, class: &Arc<Class>) -> Result<ProgramClass, String> {
    let kind = if rows.kind == Kind::Eval as usize { Kind::Eval } else { Kind::Script };
    rows.root(class);
    if let Some(known) = rows.reader.known.clone() {
        rows.found.code = checks::link(&mut rows.reader, &rows.found.classes, &known);
    }
    if let Some(why) = rows.reader.spent() {
        return Err(why.to_string());
    }
    let place = format!("{}:{}", class.module.path, class.def.line);
    let loaded_at = place.clone();
    Ok(ProgramClass { name: class.name.to_string(), place, loader: Loader::Cli, loaded_at, kind, declared: rows.found })
}
