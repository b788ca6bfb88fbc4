use super::super::Records;
use super::*;
use crate::io::{Limit, open};
use base64::Engine as _;
use parquet::data_type::{DoubleType, FloatType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::path::Path;

/// `pyarrow.parquet.write_table(pyarrow.table({"face": pyarrow.array([[1, 2, 3.5], [], [None, 4], None, [5, 6, 7]],
/// pyarrow.list_(pyarrow.float32()))}), …, row_group_size=2, write_statistics=False, store_schema=False)`, version 26.
const OF_PYARROW: &str = "UEFSMRUEFRgVHEwVBhUAEgAADCwAAIA/AAAAQAAAYEAVABUiFSYsFQgVEBUGFQYcAAAAEUACAAAAAwYDAAAAA38AAgMkABUEFQgVDEwVAhUAEgAABAwAAIBAFQA\
    VIBUkLBUGFRAVBhUGHAAAABA8AgAAAAMCAwAAAAMOAAECABUEFRgVHEwVBhUAEgAADCwAAKBAAADAQAAA4EAVABUgFSQsFQYVEBUGFQYcAAAAEDwCAAAAAwYCAAAABgMCAyQAFQ\
    QZTDUAGAZzY2hlbWEVAgA1AhgEZmFjZRUCFQZMPAAAADUEGARsaXN0FQIAFQglAhgHZWxlbWVudAAWChk8GRwmABwVCBk1AAYQGTgEZmFjZQRsaXN0B2VsZW1lbnQVAhYIFnwWhAE\
    mQCYIKSwVBBUAFQIAFQAVEBUCADwpJgQEGUYAAgAGAAAAFnwWBCYIFoQBABkcJgAcFQgZNQAGEBk4BGZhY2UEbGlzdAdlbGVtZW50FQIWBhZqFnImtAEmjAEpLBUEFQAVAgAVABUQ\
    FQIAPCkmAgQZRgIAAgIAAAAWahYEJowBFnIAGRwmABwVCBk1AAYQGTgEZmFjZQRsaXN0B2VsZW1lbnQVAhYGFnoWggEmtgIm/gEpLBUEFQAVAgAVABUQFQIAPCkmAgQZRgAAAAYAA\
    AAWehYCJv4BFoIBACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZHBwAAABqAQAAUEFSMQ==";

fn of_pyarrow() -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(OF_PYARROW).unwrap()
}

/// All records, or what the file is refused for; from the disk and from memory alike.
fn all(path: &Path, bytes: &[u8]) -> Result<Vec<Vec<f64>>, String> {
    std::fs::write(path, bytes).unwrap();
    let every = |records: Result<Records<'_>, crate::io::ReadError>| {
        let records = records.map_err(|e| e.problem())?;
        let count = records.shape()[0];
        assert!(records.record(count).is_err());
        (0..count).rev().map(|i| records.record(i).map_err(|e| e.problem())).collect::<Result<Vec<_>, _>>()
    };
    let from_disk = every(Records::open(path));
    let file = open(path, Limit::TABLE).unwrap();
    let bits = |all: &Vec<Vec<f64>>| all.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    let from_memory = every(Records::of(&file));
    assert_eq!(from_disk.as_ref().map(bits), from_memory.as_ref().map(bits));
    from_disk.map(|mut all| {
        all.reverse();
        all
    })
}

/// Values, definition and repetition levels of a row group.
type Levels<T> = (Vec<T>, Vec<i16>, Vec<i16>);

/// A file of this schema.
fn written<T: DataType>(schema: &str, compression: Compression, groups: &[Levels<T::T>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for (values, defined, repeated) in groups {
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            column.typed::<T>().write_batch(values, Some(defined), Some(repeated)).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

const PLAIN: &str = "message m { repeated double x; }";

/// Groups of so many records of three values each, all values in order.
fn in_threes(groups: &[usize]) -> Vec<Levels<f64>> {
    let mut next = 0;
    let mut group = |rows: usize| {
        let values = (next..next + 3 * rows).map(|i| i as f64 / 7.0).collect();
        next += 3 * rows;
        (values, vec![1; 3 * rows], [0, 1, 1].repeat(rows))
    };
    groups.iter().map(|&rows| group(rows)).collect()
}

#[test]
fn lists_of_pyarrow_are_read_with_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let found = all(&dir.path().join("a.parquet"), &of_pyarrow()).unwrap();
    assert!(found[2][0].is_nan());
    let known: Vec<Vec<f64>> =
        found.into_iter().map(|list| list.into_iter().filter(|x| !x.is_nan()).collect()).collect();
    assert_eq!(known, [vec![1.0, 2.0, 3.5], vec![], vec![4.0], vec![], vec![5.0, 6.0, 7.0]]);
}

#[test]
fn records_of_many_groups_are_read_in_any_order_by_many_threads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let groups = in_threes(&[5, 1, 0, 7, 3, 2, 4, 6, 1, 1]);
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        std::fs::write(&path, written::<DoubleType>(PLAIN, compression, &groups)).unwrap();
        let records = Records::open(&path).unwrap();
        assert_eq!(
            (records.shape(), records.count_of(&[3]), records.count_of(&[1, 3])),
            (vec![30], Some(30), Some(30))
        );
        let found = parallel::map(300, |k| (k * 7 % 30, records.record(k * 7 % 30).unwrap()));
        for (record, values) in found {
            let expected: Vec<f64> = (3 * record..3 * record + 3).map(|i| i as f64 / 7.0).collect();
            assert_eq!(values, expected);
        }
    }
}

#[test]
fn other_forms_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let one = |schema: &str, depth: i16| {
        let (values, compression) = (vec![1.0, 2.0], Compression::UNCOMPRESSED);
        written::<DoubleType>(schema, compression, &[(values, vec![depth; 2], vec![0; 2])])
    };
    let whole = written::<Int64Type>(
        "message m { repeated int64 x; }",
        Compression::SNAPPY,
        &[(vec![1], vec![1], vec![0])],
    );
    let ones = written::<FloatType>(
        "message m { repeated float x; }",
        Compression::SNAPPY,
        &[(vec![1.0; (1 << 21) + 2], vec![1; (1 << 21) + 2], [0, 1].repeat((1 << 20) + 1))],
    );
    for (bytes, said) in [
        (one("message m { required double x; }", 0), "other than one column"),
        (one("message m { repeated double x; repeated double y; }", 1), "other than one column"),
        (one("message m { repeated group a { repeated double x; } }", 2), "other than one column"),
        (whole, "other than one column"),
        (ones, "row_group_size=250"),
        (b"PAR1".to_vec(), "damaged"),
        (b"PAR1 and nothing else of it PAR1".to_vec(), "damaged"),
    ] {
        let problem = all(&path, &bytes).unwrap_err();
        assert!(problem.contains(said), "{problem}");
    }
    // The compression's number in the footer: snappy's 1 (here 2 as zigzag) becomes that of zstd.
    let bytes = written::<DoubleType>(PLAIN, Compression::SNAPPY, &in_threes(&[2]));
    let refused = (0..bytes.len()).filter(|&at| bytes[at] == 2).any(|at| {
        let mut other = bytes.clone();
        other[at] = 12;
        all(&path, &other).is_err_and(|problem| problem.contains("compression than snappy"))
    });
    assert!(refused);
}

#[test]
fn a_small_file_does_not_fill_the_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.parquet");
    let alike = (vec![1.5; 1 << 21], vec![1; 1 << 21], [0, 1].repeat(1 << 20));
    let bytes = written::<FloatType>("message m { repeated float x; }", Compression::SNAPPY, &vec![alike; 5]);
    assert!(bytes.len() < 1 << 21);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(Records::open(&path).unwrap().record(5 << 19).unwrap(), [1.5; 2]);
    let problem = Records::of(&open(&path, Limit::TABLE).unwrap()).unwrap_err().to_string();
    assert!(problem.contains("bytes of memory"), "{problem}");
}

#[test]
fn a_page_is_no_larger_than_its_values() {
    assert_eq!(stated_size(&[0x15, 0x00, 0x15, 0x80, 0x02, 0x15]), Some(128));
    let negative = [0x15, 0x00, 0x15, 0x01];
    for header in [&[][..], &[0x15], &[0x15, 0x00], &[0x25, 0x00, 0x15, 0x02], &[0x15, 0x80], &negative] {
        assert_eq!(stated_size(header), None, "{header:?}");
    }
    let header = [0x15, 0x00, 0x15, 0x80, 0x02, 0x15];
    for (most, fits) in [(127, false), (128, true)] {
        let chunk = Chunk { start: 4, bytes: header.to_vec().into(), most };
        assert_eq!(chunk.get_read(4).is_ok(), fits);
        assert!(
            chunk.get_read(3).is_err() && chunk.get_bytes(4, 7).is_err() && chunk.get_bytes(4, 6).is_ok()
        );
    }
}

/// No damage makes the reader panic, hang or fill the memory: what is left is read or refused.
#[test]
fn damaged_files_are_read_or_refused() {
    let read = |bytes: &[u8]| {
        let lists = Lists::of(Bytes::Memory(bytes))?;
        (0..lists.count().min(99)).try_for_each(|i| lists.record(i).map(|_| ()))
    };
    let files = [
        of_pyarrow(),
        written::<DoubleType>(PLAIN, Compression::SNAPPY, &in_threes(&[3, 2])),
        written::<DoubleType>(PLAIN, Compression::UNCOMPRESSED, &in_threes(&[4])),
    ];
    for bytes in files {
        assert!(read(&bytes).is_ok());
        let mut refused = 0;
        for at in 4..bytes.len() {
            assert!(read(&bytes[..at]).is_err(), "cut at {at}");
            for change in [0x01, 0x80, 0xff] {
                let mut other = bytes.clone();
                other[at] ^= change;
                refused += usize::from(read(&other).is_err());
            }
        }
        assert!(refused > bytes.len(), "{refused}");
    }
}
