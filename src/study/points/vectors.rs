//! Directions on spheres and points of hyperbolic space, from NPY or CSV.

use super::PointStudyError;
use crate::io::{npy, write_npy};
use nalgebra::DVector;
use std::path::Path;

/// Rows of numbers, one for each record.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Numbers in a row, by the heading or the first row: a public fact about the file.
    pub width: usize,
    /// A row each, or what is wrong with it and where.
    pub rows: Vec<Result<DVector<f64>, String>>,
}

/// Rows of numbers, one for each record.
///
/// `.npy` of shape (n, d); `.csv`/`.txt` with a heading or none. Columns named lat… and lon… (or lng…) in degrees become unit
/// vectors of ℝ³; otherwise all numeric columns are taken.
///
/// # Errors
/// [`PointStudyError::Input`] for a file that is no such table; a row that is not as it should be is an error in its place.
pub fn read_rows(path: &Path) -> Result<Rows, PointStudyError> {
    let name = path.display();
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let rows = match ending.as_str() {
        "npy" => {
            let array = npy::read(path)?;
            let [_, d] = array.shape[..] else {
                return Err(PointStudyError::Input(format!(
                    "{name}: holds an array of shape {:?}; points are (n, d), a row for each",
                    array.shape
                )));
            };
            let rows = array.data.chunks_exact(d.max(1)).map(|row| Ok(DVector::from_row_slice(row)));
            Rows { width: d, rows: rows.collect() }
        }
        "csv" | "tsv" | "txt" => {
            let text = std::fs::read_to_string(path).map_err(|e| crate::io::ReadError::new(path, e))?;
            parse_table(&text)
        }
        _ => {
            return Err(PointStudyError::Input(format!(
                "{name}: has a name with an unknown ending; known are .npy, .csv, .tsv and .txt for points"
            )));
        }
    };
    match rows.rows.is_empty() {
        true => Err(PointStudyError::Input(format!("{name}: holds no points"))),
        false => Ok(rows),
    }
}

fn parse_table(text: &str) -> Rows {
    let mark = [',', ';', '\t'].into_iter().find(|m| text.contains(*m));
    let split = |line: &str| -> Vec<String> {
        match mark {
            Some(mark) => line.split(mark).map(|f| f.trim().trim_matches('"').to_owned()).collect(),
            None => line.split_whitespace().map(str::to_owned).collect(),
        }
    };
    let lines: Vec<(usize, Vec<String>)> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'))
        .map(|(i, l)| (i + 1, split(l)))
        .collect();
    let Some((_, first)) = lines.first() else { return Rows { width: 0, rows: Vec::new() } };
    let heading = !first.iter().any(|f| f.parse::<f64>().is_ok());
    let names: Vec<String> = first.iter().map(|f| f.to_lowercase()).collect();
    let column = |starts: &[&str]| names.iter().position(|n| starts.iter().any(|s| n.starts_with(s)));
    let geographic = if heading { column(&["lat"]).zip(column(&["lon", "lng"])) } else { None };
    let rows = &lines[usize::from(heading)..];
    let numeric: Vec<usize> = match (geographic, rows.first()) {
        (Some((lat, lon)), _) => vec![lat, lon],
        (None, Some((_, row))) => (0..row.len()).filter(|i| row[*i].parse::<f64>().is_ok()).collect(),
        (None, None) => Vec::new(),
    };
    let width = if geographic.is_some() { 3 } else { numeric.len() };
    let parsed = rows
        .iter()
        .map(|(at, row)| {
            let values = numeric
                .iter()
                .map(|&i| {
                    row.get(i)
                        .and_then(|f| f.parse::<f64>().ok())
                        .filter(|x| x.is_finite())
                        .ok_or_else(|| format!("line {at}: column {} is not a finite number", i + 1))
                })
                .collect::<Result<Vec<f64>, String>>()?;
            if geographic.is_none() {
                return Ok(DVector::from_vec(values));
            }
            let (lat, lon) = (values[0], values[1]);
            if !(-90.0..=90.0).contains(&lat) || !(-360.0..=360.0).contains(&lon) {
                return Err(format!("line {at}: latitude must be within ±90 degrees, longitude within ±360"));
            }
            let (lat, lon) = (lat.to_radians(), lon.to_radians());
            Ok(DVector::from_vec(vec![lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]))
        })
        .collect();
    Rows { width, rows: parsed }
}

/// Writes points as `name.npy`: shape (d) for one, (draws, d) for several.
///
/// # Errors
/// [`PointStudyError`].
pub fn write_rows(folder: &Path, name: &str, points: &[DVector<f64>]) -> Result<(), PointStudyError> {
    let data: Vec<f64> = points.iter().flat_map(|p| p.iter().copied()).collect();
    let d = points.first().map_or(0, DVector::len);
    let shape = if points.len() == 1 { vec![d] } else { vec![points.len(), d] };
    Ok(write_npy(&folder.join(format!("{name}.npy")), &shape, &data)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_with_and_without_geography() {
        let row = |text: &str, i: usize| parse_table(text).rows[i].clone();
        let cities = "name,lat_deg,lng_deg\nPole,90,0\nNull,0,0\n";
        assert!((row(cities, 0).unwrap()[2] - 1.0).abs() < 1e-15);
        assert!((row(cities, 1).unwrap()[0] - 1.0).abs() < 1e-15 && parse_table(cities).width == 3);
        assert_eq!(row("1 2 3\n4 5 6\n", 1).unwrap().as_slice(), [4.0, 5.0, 6.0]);
        assert!(row("lat,lon\n91,0\n", 0).unwrap_err().contains("line 2"));
        let broken = "a,1,2\nb,1,x\nc,1\nd,3,4\n";
        assert!(row(broken, 1).unwrap_err().contains("line 2: column 3"));
        assert!(row(broken, 2).is_err() && row(broken, 3).is_ok() && row("a,1,2\nb,1,nan\n", 1).is_err());
    }
}
