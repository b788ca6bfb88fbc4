//! Prepared records of Parquet files: the release is that of the same numbers in an array.

use crate::command_line::visard;
use crate::parts::{done, people};
use crate::stages::assert_same;
use parquet::basic::Compression;
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use visard::io::npy;

/// A list in each row, with missing values and empty lists, in row groups of so many.
fn write_lists(path: &Path, records: &[Vec<f64>], rows: usize) {
    let schema =
        "message m { optional group face (LIST) { repeated group list { optional double element; } } }";
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    for records in records.chunks(rows) {
        let (mut defined, mut repeated) = (Vec::new(), Vec::new());
        for record in records {
            // A value, a value that is missing; 1: a list without any.
            defined.extend(record.iter().map(|x| if x.is_nan() { 2 } else { 3 }));
            repeated.extend((0..record.len()).map(|i| i16::from(i > 0)));
            if record.is_empty() {
                defined.push(1);
                repeated.push(0);
            }
        }
        let values: Vec<f64> = records.iter().flatten().copied().filter(|x| !x.is_nan()).collect();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&values, Some(&defined), Some(&repeated)).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
}

/// The records of an array.
fn records_of(path: &Path) -> Vec<Vec<f64>> {
    let array = npy::read(path).unwrap();
    array.data.chunks(array.data.len() / array.shape[0]).map(<[f64]>::to_vec).collect()
}

#[test]
fn faces_of_a_parquet_file_are_released_as_those_of_an_array() {
    let dir = people(40);
    let path = dir.path();
    let mut faces = records_of(&path.join("people.npy"));
    write_lists(&path.join("people.parquet"), &faces, 7);
    let form = "--curves 6 --samples 16 --mu 3 --allow-identical";
    for (file, out) in [("people.npy", "array"), ("people.parquet", "lists")] {
        done(path, &format!("face mean --prepared {file} {form} --seed 5 --out {out}"));
    }
    assert_same(&path.join("array"), &path.join("lists"));
    // In parts.
    for pass in 1.. {
        let about = if pass == 1 { String::new() } else { format!("--about parts/round-{}.json", pass - 1) };
        for k in [1, 2] {
            done(path, &format!("sum people.parquet --part {k}/2 {form} {about} --force --out {k}.json"));
        }
        done(path, "release 1.json 2.json --mu 3 --seed 5 --out parts");
        if path.join("parts/release").exists() {
            break;
        }
    }
    assert_same(&path.join("array"), &path.join("parts"));
    // The fourth cannot be used; no more can a record of another length, of none, with a number missing.
    faces[3].push(1.0);
    write_lists(&path.join("longer.parquet"), &faces, 50);
    faces[3].clear();
    write_lists(&path.join("empty.parquet"), &faces, 50);
    for name in ["longer", "empty"] {
        done(path, &format!("face mean --prepared {name}.parquet {form} --seed 5 --out {name}"));
        assert_same(&path.join("array"), &path.join(name));
    }
    let refusing = format!("face mean --prepared empty.parquet {form} --unusable refuse --out never");
    let (code, _, error) = visard(path, &refusing);
    assert!(code == Some(1) && error.contains("record 3"), "{error}");
    let (code, _, error) = visard(path, "face mean --prepared people.parquet --mu 3 --out never");
    assert!(code == Some(1) && error.contains("none of the 40 records can be used"), "{error}");
    let (code, _, error) = visard(path, "sum people.parquet --mu 3 --out none.json");
    assert!(code == Some(0) && error.contains("40 of 40 records") && error.contains("record 0 "), "{error}");
    let (code, _, error) = visard(path, "release none.json --mu 3 --out never");
    assert!(code == Some(1) && error.contains("none of the 40 records can be used"), "{error}");
    assert!(!path.join("never/visard.ledger.jsonl").exists());
}

#[test]
fn surfaces_of_a_parquet_file_are_released_as_those_of_an_array() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    crate::surfaces::records(path, 30, &|i, record| record[5] = if i == 7 { f64::NAN } else { record[5] });
    let mut surfaces = records_of(&path.join("u.npy"));
    surfaces[7].truncate(12);
    write_lists(&path.join("u.parquet"), &surfaces, 11);
    let public: Vec<Vec<f64>> =
        surfaces.iter().take(6).map(|s| s.iter().map(|x| 1.01 * x).collect()).collect();
    write_lists(&path.join("public.parquet"), &public, 6);
    for (file, out) in [("u.npy", "array"), ("u.parquet", "lists")] {
        let words = format!("--template t.ply --prior public.parquet --mu 3 --seed 5 --out {out}");
        done(path, &format!("surface mean --prepared {file} {words}"));
    }
    assert_same(&path.join("array"), &path.join("lists"));
    write_lists(&path.join("short.parquet"), &surfaces[6..8], 6);
    let (code, _, error) = visard(
        path,
        "surface mean --prepared u.npy --template t.ply --prior short.parquet --mu 3 --out never",
    );
    assert!(code == Some(1) && error.contains("record 1 (counted from 0) has 12 numbers"), "{error}");
}
