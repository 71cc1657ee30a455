//! Tables of comma-separated values without quotes, such as the measured points.

/// A row, with the names of its columns.
pub(super) struct Row<'a> {
    /// The line, counted from 1.
    pub(super) line: usize,
    columns: Vec<&'a str>,
    cells: Vec<&'a str>,
}

/// The rows below the first row, which names the columns.
pub(super) fn rows(csv: &str) -> Result<Vec<Row<'_>>, String> {
    let mut lines = csv.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines
        .enumerate()
        .map(|(index, line)| {
            let cells: Vec<&str> = line.split(',').collect();
            let line = index + 2;
            if cells.len() == columns.len() {
                Ok(Row { line, columns: columns.clone(), cells })
            } else {
                Err(format!("line {line}: {} cells, not {}", cells.len(), columns.len()))
            }
        })
        .collect()
}

impl<'a> Row<'a> {
    /// A cell.
    pub(super) fn text(&self, column: &str) -> Result<&'a str, String> {
        let at = self.columns.iter().position(|name| *name == column).ok_or_else(|| format!("no column `{column}`"))?;
        Ok(self.cells[at])
    }

    /// A cell that holds a count.
    pub(super) fn number(&self, column: &str) -> Result<u32, String> {
        self.text(column)?.parse().map_err(|_| format!("no number in `{column}`"))
    }

    /// A cell that holds an amount.
    pub(super) fn real(&self, column: &str) -> Result<f64, String> {
        self.text(column)?.parse().map_err(|_| format!("no number in `{column}`"))
    }
}
