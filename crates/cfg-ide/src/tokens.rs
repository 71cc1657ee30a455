//! Classifies the words of a document by what prime-rl knows.

use cfg_diag::{Order, Span};
use cfg_schema::{Node, Schema, TypeKind};
use cfg_syntax::{Table, TableStyle, Value, ValueKind};

use crate::{
    Analysis,
    place::{self, PathSegment},
    spot::Bodies,
};

/// The type of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A table that the target has.
    Table,
    /// A key that the target has.
    Key,
    /// A key or table that the target does not have.
    Unknown,
    /// A key of a table with free keys.
    Free,
    /// One of a few fixed words.
    Choice,
}

/// A word with its meaning. Strings, numbers and comments are left to the editor's own grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its place.
    pub span: Span,
    /// Its type.
    pub kind: TokenKind,
}

/// All tokens, in the order of the text.
pub fn tokens(analysis: &Analysis) -> Vec<Token> {
    if analysis.is_of_other_program() {
        return Vec::new();
    }
    let schema = analysis.schema();
    let root = &analysis.document.root;
    let bodies = Bodies::new(&analysis.document);
    let mut tokens = Vec::new();
    for (index, header) in analysis.document.headers.iter().enumerate() {
        for (part, key) in header.keys.iter().enumerate() {
            let path = bodies.path_of_part(&analysis.document, index, part);
            let kind = match kind_of(schema, root, &path) {
                TokenKind::Key => TokenKind::Table,
                other => other,
            };
            tokens.push(Token { span: key.span, kind });
        }
    }
    let mut path = Vec::new();
    table(schema, root, root, &[schema.root()], &mut path, &mut tokens);
    tokens.order_by_key(|token| token.span);
    tokens.dedup_by_key(|token| token.span);
    tokens
}

fn kind_of(schema: Schema, root: &Table, path: &[PathSegment]) -> TokenKind {
    if !place::fields(schema, root, path).is_empty() {
        return TokenKind::Key;
    }
    let above = path.iter().rposition(|step| matches!(step, PathSegment::Key(_))).unwrap_or(0);
    if is_free(schema, root, &path[..above]) { TokenKind::Free } else { TokenKind::Unknown }
}

/// Whether a table has free keys.
fn is_free(schema: Schema, root: &Table, path: &[PathSegment]) -> bool {
    (0..=path.len()).any(|end| {
        let types = place::types(schema, root, &path[..end]);
        end > 0 && types.iter().any(|ty| matches!(ty.kind(), TypeKind::Dict | TypeKind::Any))
    })
}

/// The keys of a table's body and below.
fn table(schema: Schema, root: &Table, of: &Table, owners: &[Node], path: &mut Vec<PathSegment>, tokens: &mut Vec<Token>) {
    for entry in &of.entries {
        path.push(PathSegment::Key(entry.key.text.clone()));
        let known = owners.iter().find_map(|owner| owner.field_for_key(&entry.key.text, schema.point));
        let by_header = matches!(&entry.value.kind, ValueKind::Table(inner) if matches!(inner.style, TableStyle::Header | TableStyle::Implicit))
            || entry.value.is_array_of_tables();
        if !by_header {
            let kind = match known {
                Some(_) => TokenKind::Key,
                None => kind_of(schema, root, path),
            };
            tokens.push(Token { span: entry.key.span, kind });
        }
        if let (Some((_, interval)), ValueKind::String(text)) = (known, &entry.value.kind)
            && interval.field_type().literals().any(|literal| literal == &**text)
        {
            tokens.push(Token { span: entry.value.span, kind: TokenKind::Choice });
        }
        value(schema, root, &entry.value, path, tokens);
        path.pop();
    }
}

fn value(schema: Schema, root: &Table, of: &Value, path: &mut Vec<PathSegment>, tokens: &mut Vec<Token>) {
    match &of.kind {
        ValueKind::Table(inner) => {
            let owners = place::tables(schema, root, path);
            table(schema, root, inner, &owners, path, tokens);
        }
        ValueKind::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if matches!(item.kind, ValueKind::Table(_) | ValueKind::Array(_)) {
                    path.push(PathSegment::Index(index));
                    value(schema, root, item, path, tokens);
                    path.pop();
                }
            }
        }
        _ => {}
    }
}
