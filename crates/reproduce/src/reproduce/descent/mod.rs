//! The paper's experiments (Utpala et al. 2023, Section 6), callable: each returns its rows, and [`to_csv`] writes them.
//!
//! * [`sampling`]: tangent Gaussian draws by strategy (Figure 1) and the overhead of privatization (Table 2);
//! * [`privacy`]: ε against epochs (Figure 2);
//! * [`risk`]: excess risk against gradient calls (Figure 3), and one-shot mechanisms beside it;
//! * [`records`]: the records of the three problems from public files.
//!
//! Experiments run on public data with seeded noise and charge ledgers in memory.

mod one_shot;
pub mod privacy;
pub mod records;
pub mod risk;
pub mod sampling;

use serde::Serialize;

/// Rows as csv with a header line; fields of simple types only.
///
/// # Errors
/// When a row is not a flat record.
pub fn to_csv<T: Serialize>(rows: &[T]) -> Result<String, serde_json::Error> {
    use serde::de::Error;
    let mut text = String::new();
    for (i, row) in rows.iter().enumerate() {
        let serde_json::Value::Object(fields) = serde_json::to_value(row)? else {
            return Err(serde_json::Error::custom("a row is not a record"));
        };
        if i == 0 {
            text.push_str(&fields.keys().cloned().collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        let cells = fields.values().map(|value| match value {
            serde_json::Value::String(text) => text.replace(',', ";"),
            serde_json::Value::Null => String::new(),
            other => other.to_string(),
        });
        text.push_str(&cells.collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    Ok(text)
}

/// Mean, least and largest of some numbers; `None` of none.
pub fn band(values: &[f64]) -> Option<(f64, f64, f64)> {
    let least = values.iter().copied().reduce(f64::min)?;
    let largest = values.iter().copied().reduce(f64::max)?;
    Some((values.iter().sum::<f64>() / values.len() as f64, least, largest))
}
