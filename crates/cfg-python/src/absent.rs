//! The fields that the history has for packages whose sources are not available.

use std::{collections::BTreeSet, sync::Arc};

use cfg_schema::{
    History, Kind, Node, Point,
    compiler::{Seam, Type, recorded},
};

use crate::{
    ast::Name,
    class::Class,
    hash::HashMap,
    plugin,
    rows::{Declarations, Rows},
    shape::Shape,
    value::Unknown,
};

/// The base point of the built-in history, which complements the sources of a prime-rl: the code of its checks is known, and it has the
/// fields of packages whose sources are not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The point.
    pub point: Point,
    /// The packages for which the project states a commit or a version.
    pins: Vec<Pin>,
    /// The names of the checks whose code differs at the points that have the classes of these packages.
    changed: BTreeSet<&'static str>,
}

/// A package with its commit or version.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pin {
    /// The Python name of the package: `verifiers`.
    package: &'static str,
    /// The commit or version.
    name: String,
    /// The point that has the classes of this commit or version; `None` if there is none.
    point: Option<Point>,
}

/// Where the fields of packages without available sources are taken from.
#[derive(Clone)]
pub(crate) enum Base {
    /// The same kind of the built-in history.
    Point(Beside),
    /// The field that gets the class of a package, at a point.
    Field(Node, Point),
}

impl From<Point> for Beside {
    fn from(point: Point) -> Self {
        Self { point, pins: Vec::new(), changed: BTreeSet::new() }
    }
}

impl Beside {
    /// A point, with the commits or versions that a project states for packages. Packages are given by their Python names.
    pub fn with_pins(point: Point, pins: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let pin = |(package, name): (&'static str, String)| {
            let point = cfg_schema::compiler::point_with(package, &name, point);
            Pin { package, name, point }
        };
        let pins: Vec<Pin> = pins.into_iter().map(pin).collect();
        let others: BTreeSet<Point> = pins.iter().filter_map(|pin| pin.point).filter(|other| *other != point).collect();
        let changed = others.into_iter().flat_map(|other| cfg_schema::compiler::changed_checks(point, other)).collect();
        Self { point, pins, changed }
    }

    /// The commit or version that the project states for the package of a dotted name.
    fn pin(&self, name: &str) -> Option<&Pin> {
        self.pins.iter().find(|pin| name.split('.').next() == Some(pin.package))
    }

    /// The point that has the classes of these names in the versions that the project uses; `None` if there is none.
    fn point_of(&self, names: &[Name]) -> Option<Point> {
        let mut points = names.iter().map(|name| match self.pin(name) {
            None => Some(self.point),
            Some(pin) => pin.point,
        });
        let first = points.next().unwrap_or(Some(self.point))?;
        points.all(|other| other == Some(first)).then_some(first)
    }
}

impl Declarations {
    /// Leaves the tables open that have further fields in `other`, which reads the same sources with another version of a package that is not available:
    /// it is unknown which of the two is used.
    pub fn leave_open_beside(&mut self, other: &Self) {
        for (kind, others) in other.kinds.iter().enumerate().take(self.kinds.len()) {
            let fields = &self.kinds[kind];
            let at: HashMap<&str, usize> = fields.iter().enumerate().map(|(at, field)| (&*field.path, at)).collect();
            let above = |path: &str| {
                let ends = path.match_indices(['.', '[', '<']).map(|(end, _)| end);
                ends.rev().find_map(|end| at.get(&path[..end]).copied())
            };
            let missing = others.iter().filter(|field| !at.contains_key(&*field.path));
            let tables: BTreeSet<usize> = missing.filter_map(|field| above(&field.path)).collect();
            for table in tables {
                let path = self.kinds[kind][table].path.clone();
                let Some(why) = self.unknown_version(kind, &path) else { continue };
                for interval in &mut self.kinds[kind][table].intervals {
                    interval.ty.policy = Some("allow".to_owned());
                }
                self.unknown.insert(why.clone());
                self.open.entry((kind, path)).or_insert(why);
            }
        }
    }

    /// Why the fields of a table are unknown that are those of a package.
    fn unknown_version(&self, kind: usize, path: &str) -> Option<Unknown> {
        let is_above =
            |seam: &str| path.strip_prefix(seam).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '<']));
        let within = self.seams.iter().filter(|((of, seam), _)| *of == kind && is_above(seam));
        let (place, Seam { names, .. }) = within.max_by_key(|((_, seam), _)| seam.len())?;
        let name = names.first()?;
        let (path, line) = self.places.get(place).map(|(path, line)| (path.to_string(), *line)).unwrap_or_default();
        let why = format!("the source of `{name}` was not found, and it is unknown which version of it is used");
        Some(Unknown { path, line, why, absent: Some(name.as_str().into()) })
    }
}

impl Rows<'_> {
    /// The field of the history for a field whose type uses classes of packages that are not available, and its point. `None` if the history has no
    /// such field.
    pub(crate) fn seam(&mut self, shape: &Shape, path: &str) -> Option<(Node, Point)> {
        let names: BTreeSet<Name> = shape.unknown.iter().filter_map(|unknown| unknown.absent.clone()).collect();
        if names.is_empty() {
            return None;
        }
        if let Some(class) = shape.table.clone().filter(|class| class.partial.is_some()) {
            return self.recorded_base(&class, path);
        }
        let names: Vec<Name> = names.into_iter().collect();
        let seam = Seam { names: names.iter().map(ToString::to_string).collect(), own: Vec::new() };
        let found = self.recorded_at(path, &names, &seam);
        self.found.seams.insert((self.kind, path.to_owned()), seam);
        found
    }

    /// The node of the history at a path that has classes of these names, and its point.
    fn recorded_at(&self, path: &str, names: &[Name], seam: &Seam) -> Option<(Node, Point)> {
        match self.base.as_ref()? {
            Base::Field(node, point) => {
                let node = cfg_schema::compiler::node_at(*node, path)?;
                node.at(*point).map(|_| (node, *point))
            }
            Base::Point(beside) => {
                let point = beside.point_of(names)?;
                let node = cfg_schema::compiler::node_at(History::built_in().root(Kind::ALL[self.kind]), path)?;
                node.at(point)?;
                let holds = point == beside.point || cfg_schema::compiler::is_used_alike(seam, self.kind, path, point);
                holds.then_some((node, point))
            }
        }
    }

    /// The node of the history for a class at its path, and its point, if a base of the class is not available.
    pub(crate) fn recorded_base(&mut self, class: &Arc<Class>, path: &str) -> Option<(Node, Point)> {
        class.partial.as_ref()?.absent.as_ref()?;
        // The recorded class is from verifiers, so it can't replace a base from another package.
        if let Some(Base::Field(..)) = self.base
            && !class.absent_bases.iter().all(|base| plugin::is_recorded(base, path))
        {
            return None;
        }
        let own = self.reader.fields(class).iter().map(|field| field.name.to_string()).collect();
        let seam = Seam { names: class.absent_bases.iter().map(ToString::to_string).collect(), own };
        let found =
            self.recorded_at(path, &class.absent_bases, &seam).filter(|(node, point)| !self.has_other_checks(*node, *point));
        self.found.seams.insert((self.kind, path.to_owned()), seam);
        found
    }

    /// Whether a recorded class has a check whose code differs from the known code.
    fn has_other_checks(&self, node: Node, point: Point) -> bool {
        let Some(Base::Point(beside)) = self.base.as_ref().filter(|_| node.intervals().next().is_some()) else { return false };
        if point == beside.point || beside.changed.is_empty() {
            return false;
        }
        let Some(interval) = node.at(point) else { return false };
        let functions = interval.field_type().functions().map(|name| name.rsplit(':').next().unwrap_or(name));
        let checks = interval.validators().map(|(_, name)| name.split('(').next().unwrap_or(name));
        checks.chain(functions).any(|name| beside.changed.contains(name))
    }

    /// Uses the recorded fields at a path and below it. Where a check has unknown code, any value is accepted.
    pub(crate) fn take(&mut self, node: Node, point: Point, path: &str, absent: &Unknown) {
        let mut open: Vec<String> = Vec::new();
        let is_below =
            |path: &str, above: &String| path.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with(['.', '[', '<']));
        let mut fields = Vec::new();
        for (node, mut field) in recorded(node, point, path) {
            if open.iter().any(|above| is_below(&field.path, above)) {
                continue;
            }
            if self.has_other_checks(node, point) {
                let interval = &mut field.intervals[0];
                interval.validators.clear();
                match interval.ty.base.as_str() {
                    "table" | "variant" => interval.ty.policy = Some("allow".to_owned()),
                    _ => interval.ty = Type { base: "any".to_owned(), ..Type::default() },
                }
                let key = field.path.rsplit('.').next().unwrap_or_default();
                let why = format!("the check of `{key}` is unknown in this version of its package");
                let unknown = Unknown { why, ..absent.clone() };
                self.found.unknown.insert(unknown.clone());
                self.found.open.insert((self.kind, field.path.clone()), unknown);
                open.push(field.path.clone());
            }
            fields.push(field);
        }
        self.found.kinds[self.kind].extend(fields);
    }

    /// Succeeds if all fields and checks of a class are known, including those that are recorded for its base.
    pub(crate) fn is_whole(&mut self, class: &Arc<Class>) -> Result<(), Arc<Unknown>> {
        if let Some(unknown) = self.reader.opaque(class) {
            return Err(unknown);
        }
        match &class.partial {
            Some(unknown) if self.recorded_base(class, "").is_none() => Err(Arc::clone(unknown)),
            _ => Ok(()),
        }
    }

    /// Records that a table may have further keys, because a base of its class is unknown.
    pub(crate) fn leave_open(&mut self, class: &Arc<Class>, path: &str) {
        if let Some(unknown) = &class.partial
            && self.recorded_base(class, path).is_none()
        {
            let with_stated_version = self.with_stated_version(unknown);
            self.found.unknown.insert(with_stated_version.clone());
            self.found.open.insert((self.kind, path.to_owned()), with_stated_version);
        }
    }

    /// Adds to a reason the stated version of the package, if that is why the class is unknown.
    pub(crate) fn with_stated_version(&self, unknown: &Unknown) -> Unknown {
        let (Some(Base::Point(beside)), Some(absent)) = (&self.base, &unknown.absent) else { return unknown.clone() };
        let Some(Pin { package, name, point }) = beside.pin(absent) else { return unknown.clone() };
        let shown = name.get(..9).filter(|_| name.len() == 40).unwrap_or(name);
        let why = match point {
            Some(point) if *point == beside.point => return unknown.clone(),
            Some(_) => format!("{}, and no known prime-rl version uses it in this way with {package} {shown}", unknown.why),
            None => format!("{}, and the version of {package} that this prime-rl uses, {shown}, is unknown", unknown.why),
        };
        Unknown { why, ..unknown.clone() }
    }
}
