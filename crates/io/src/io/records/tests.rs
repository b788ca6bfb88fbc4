use super::*;
use crate::io::{npy, open};

fn in_memory(path: &Path) -> Opened {
    open(path, Limit::TABLE).unwrap()
}

#[test]
fn records_are_those_of_the_whole_array() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npy");
    let data: Vec<f64> = (0..24).map(|i| f64::from(i) / 7.0).collect();
    npy::write_npy(&path, &[4, 3, 2], &data).unwrap();
    let file = in_memory(&path);
    for records in [Records::open(&path).unwrap(), Records::of(&file).unwrap()] {
        assert_eq!(records.shape(), [4, 3, 2]);
        for record in [3, 0, 2, 1] {
            assert_eq!(records.record(record).unwrap(), data[6 * record..6 * record + 6]);
        }
        assert!(records.record(4).is_err());
        assert_eq!(
            (records.count_of(&[3, 2]), records.count_of(&[6]), records.count_of(&[2, 3])),
            (Some(4), None, None)
        );
    }
    // Made shorter, longer, turned, no array.
    let whole = std::fs::read(&path).unwrap();
    let mut turned = whole.clone();
    let at = turned.windows(5).position(|w| w == b"False").unwrap();
    turned[at..at + 5].copy_from_slice(b"True ");
    for (bytes, said) in [
        (whole[..whole.len() - 8].to_vec(), "end early"),
        ([&whole[..], &[0; 8]].concat(), "8 more bytes"),
        (b"no array".to_vec(), "does not begin as an .npy file does"),
        (Vec::new(), "is empty"),
        (turned, "Fortran order"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let problem = Records::open(&path).unwrap_err().to_string();
        assert!(problem.contains(said), "{problem}");
    }
}
