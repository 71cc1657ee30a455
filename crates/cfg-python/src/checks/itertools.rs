//! Functions of `itertools`.

use super::{
    builtins::Call,
    heap,
    object::Object,
    operators::LONGEST,
    run::{Outcome, Run},
};
use crate::ast::Operator;

/// The modelled functions.
const KNOWN: [&str; 12] = [
    "accumulate",
    "batched",
    "chain",
    "chain.from_iterable",
    "combinations",
    "groupby",
    "islice",
    "pairwise",
    "permutations",
    "product",
    "repeat",
    "starmap",
];

impl Run<'_> {
    /// `None` if the function is not modelled.
    pub(super) fn of_itertools(&mut self, call: &mut Call<'_>, objects: &[Object]) -> Outcome<Option<Object>> {
        let name = call.name.trim_start_matches("itertools.");
        let number = |object: Option<&Object>| object.and_then(Object::as_int).and_then(|number| usize::try_from(number).ok());
        if let ("repeat", [object, count]) = (name, objects) {
            let count = number(Some(count)).filter(|count| *count < LONGEST && heap::spend(*count));
            return Ok(count.map(|count| Object::iterator(vec![object.clone(); count])));
        }
        if !KNOWN.contains(&name) {
            return Ok(None);
        }
        let over: &[Object] = match name {
            "chain" | "product" => objects,
            "starmap" => objects.get(1..).unwrap_or_default(),
            _ => objects.get(..1).unwrap_or_default(),
        };
        let mut all = match self.all_items(call, over)? {
            Ok(all) => all,
            Err(why) => return Ok(Some(Object::Unknown(why))),
        };
        if name == "chain.from_iterable" {
            all = match self.all_items(call, &all.concat())? {
                Ok(all) => all,
                Err(why) => return Ok(Some(Object::Unknown(why))),
            };
        }
        let first = all.first().cloned().unwrap_or_default();
        let items = match (name, objects) {
            ("chain" | "chain.from_iterable", _) => Some(all.concat()),
            ("product", _) => {
                let times = call.named("repeat").map_or(Some(1), |times| number(Some(times)).filter(|times| *times < 8));
                times.and_then(|times| product(&vec![all; times].concat()))
            }
            ("combinations", [_, size]) => number(Some(size)).and_then(|size| chosen(&first, size, false)),
            ("permutations", [_]) => chosen(&first, first.len(), true),
            ("permutations", [_, size]) => number(Some(size)).and_then(|size| chosen(&first, size, true)),
            ("pairwise", [_]) => Some(first.windows(2).map(|pair| Object::tuple(pair.to_vec())).collect()),
            ("islice", [_, bounds @ ..]) => {
                let bounds: Vec<Option<usize>> = bounds.iter().map(|bound| number(Some(bound))).collect();
                match bounds.as_slice() {
                    [Some(to)] => Some(first.into_iter().take(*to).collect()),
                    [Some(from), Some(to)] => Some(first.into_iter().take(*to).skip(*from).collect()),
                    _ => None,
                }
            }
            ("batched", [_, size]) => {
                let size = number(Some(size)).filter(|size| *size > 0);
                size.map(|size| first.chunks(size).map(|chunk| Object::tuple(chunk.to_vec())).collect())
            }
            ("accumulate", [_]) if call.named.is_empty() => {
                let mut sums: Vec<Object> = Vec::new();
                for item in first {
                    heap::spend(4);
                    let sum = match sums.last() {
                        Some(last) => self.binary(call.frame, call.line, Operator::Add, &last.clone(), &item)?,
                        None => item,
                    };
                    sums.push(sum);
                }
                Some(sums)
            }
            ("starmap", [function, _]) => {
                let mut made = Vec::new();
                for item in first {
                    match self.iterated(call.frame, call.line, &item)? {
                        Ok(arguments) => made.push(self.calls(call, function, arguments)?),
                        Err(why) => return Ok(Some(Object::Unknown(why))),
                    }
                }
                Some(made)
            }
            ("groupby", [_] | [_, _]) => return self.grouped(call, objects.get(1), &first),
            _ => None,
        };
        Ok(items.map(Object::iterator))
    }

    fn grouped(&mut self, call: &mut Call<'_>, key: Option<&Object>, items: &[Object]) -> Outcome<Option<Object>> {
        let key = key.or_else(|| call.named("key")).filter(|key| !matches!(key, Object::None)).cloned();
        let mut groups: Vec<(Object, Vec<Object>)> = Vec::new();
        for item in items {
            let value = match &key {
                Some(key) => self.calls(call, key, vec![item.clone()])?,
                None => item.clone(),
            };
            match groups.last_mut().map(|(own, group)| (own.equals(&value), group)) {
                Some((None, _)) => return Ok(None),
                Some((Some(true), group)) => group.push(item.clone()),
                _ => groups.push((value, vec![item.clone()])),
            }
        }
        let group = |(key, group)| Object::tuple(vec![key, Object::iterator(group)]);
        Ok(Some(Object::iterator(groups.into_iter().map(group).collect())))
    }
}

/// The product of lists; `None` if it is too long.
fn product(all: &[Vec<Object>]) -> Option<Vec<Object>> {
    let mut rows: Vec<Vec<Object>> = vec![Vec::new()];
    for items in all {
        let length = all.len() * 2 + 4;
        if rows.len().saturating_mul(items.len()) > 10_000 || !heap::spend(rows.len() * items.len() * length) {
            return None;
        }
        let row = |row: &Vec<Object>| {
            items.iter().map(|item| [row.as_slice(), std::slice::from_ref(item)].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(row).collect();
    }
    Some(rows.into_iter().map(Object::tuple).collect())
}

/// The choices of some of the items, in all orders or only in theirs; `None` if there are too many.
fn chosen(items: &[Object], size: usize, in_all_orders: bool) -> Option<Vec<Object>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    // There is no choice of more items than there are.
    for at in 0..size.min(items.len() + 1) {
        if rows.len().saturating_mul(items.len()) > 100_000 || !heap::spend(rows.len() * items.len() * (at + 4)) {
            return None;
        }
        let more = |row: &Vec<usize>| {
            let is_next = |at: &usize| if in_all_orders { !row.contains(at) } else { row.last().is_none_or(|last| at > last) };
            (0..items.len()).filter(is_next).map(|at| [row.as_slice(), &[at]].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(more).collect();
    }
    Some(rows.into_iter().map(|row| Object::tuple(row.into_iter().map(|at| items[at].clone()).collect())).collect())
}
