//! Numbers of parameters that transformers counts for models of the catalogue, from `tests/memory/counts.csv`.

use crate::catalogue;

/// A model that was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The model's name.
    pub model: &'static str,
    /// The kind of model, by transformers' name.
    pub class: String,
    /// Parameters of the text model, as transformers counts them.
    pub counted: f64,
    /// The same of the catalogue's shape.
    pub ours: f64,
}

impl Count {
    /// The difference, as a share of what transformers counts.
    pub fn error(&self) -> f64 {
        self.ours / self.counted - 1.0
    }
}

/// Reads counted models. The first line names the columns; an error names the line.
pub fn counts(csv: &str) -> Result<Vec<Count>, String> {
    let rows = super::table::rows(csv)?;
    rows.iter().map(|row| count(row).map_err(|what| format!("line {}: {what}", row.line))).collect()
}

fn count(row: &super::table::Row<'_>) -> Result<Count, String> {
    let model = catalogue::model(row.text("model")?).map_err(|_| "an unknown model")?;
    Ok(Count {
        model: model.id,
        class: row.text("class")?.to_owned(),
        counted: row.real("parameters")?,
        ours: model.architecture.parameters() - crate::units::real(model.architecture.towers),
    })
}
