//! Every format holds the same small volume or picture, written here byte by byte.

use crate::images::grid::{Grid, Place};
use crate::io::Fault;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn read(name: &str, bytes: &[u8]) -> Result<Grid, Fault> {
    super::read(name, bytes, None)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Of 2 × 3 × 2 voxels of int16, labelled 0 to 11; steps in the rows of the matrix.
pub(in crate::images) fn nifti(rows: [[f32; 4]; 3], code: i16, big_endian: bool) -> Vec<u8> {
    let mut out = vec![0u8; 352];
    let short = |at: usize, value: i16, out: &mut Vec<u8>| {
        out[at..at + 2].copy_from_slice(&if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
    };
    let float = |at: usize, value: f32, out: &mut Vec<u8>| {
        out[at..at + 4].copy_from_slice(&if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
    };
    out[..4].copy_from_slice(&if big_endian { 348i32.to_be_bytes() } else { 348i32.to_le_bytes() });
    for (k, n) in [3, 2, 3, 2, 1, 1, 1, 1].into_iter().enumerate() {
        short(40 + 2 * k, n, &mut out);
    }
    short(70, 4, &mut out);
    for (k, d) in [1.0, 0.5, 2.0, 3.0].into_iter().enumerate() {
        float(76 + 4 * k, d, &mut out);
    }
    float(108, 352.0, &mut out);
    out[123] = 2;
    short(254, code, &mut out);
    for (k, value) in rows.as_flattened().iter().enumerate() {
        float(280 + 4 * k, *value, &mut out);
    }
    out[344..348].copy_from_slice(b"n+1\0");
    let voxels = (0..12i16).flat_map(|v| if big_endian { v.to_be_bytes() } else { v.to_le_bytes() });
    out.extend(voxels);
    out
}

/// Towards left, back and head.
const LPS: [[f32; 4]; 3] = [[-0.5, 0.0, 0.0, 9.0], [0.0, -2.0, 0.0, 8.0], [0.0, 0.0, 3.0, 7.0]];

fn check(grid: &Grid, code: Option<&str>, spacing: Option<[f64; 3]>) {
    assert_eq!((grid.shape, grid.labels.clone()), ([2, 3, 2], (0..12).collect()));
    assert_eq!((grid.code().as_deref(), grid.spacing()), (code, spacing));
}

#[test]
fn nifti_in_either_order_of_bytes_packed_or_not() {
    let known = Some([0.5, 2.0, 3.0]);
    for big_endian in [false, true] {
        check(&read("a.nii", &nifti(LPS, 1, big_endian)).unwrap(), Some("LPS"), known);
    }
    check(&read("a.nii.gz", &packed(&nifti(LPS, 1, false))).unwrap(), Some("LPS"), known);
    // Neither matrix nor quaternion: the size of a voxel only.
    check(&read("a.nii", &nifti(LPS, 0, false)).unwrap(), None, known);
    let turned = [[0.0, 0.0, 3.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0, -2.0, 0.0, 0.0]];
    check(&read("a.nii", &nifti(turned, 1, false)).unwrap(), Some("AIR"), known);
}

#[test]
fn nrrd_raw_and_packed() {
    let head = |encoding: &str| {
        format!(
            "NRRD0004\n# made by hand\ncontent: by:=hand\ntype: short\ndimension: 3\nspace: left-posterior-superior\nsizes: 2 3 2\nspace directions: (0.5,0,0) (0,2,0) (0,0,3)\nendian: little\nencoding: {encoding}\nspace origin: (-9,-8,7)\nSegment0_LabelValue:=4\nSegment0_Name:=Left: hip\nSegment1_Name:=none\n\n"
        )
        .into_bytes()
    };
    let voxels: Vec<u8> = (0..12i16).flat_map(i16::to_le_bytes).collect();
    let (raw, gzip) = ([head("raw"), voxels.clone()].concat(), [head("gzip"), packed(&voxels)].concat());
    let grids = [raw.clone(), gzip].map(|bytes| read("a.nrrd", &bytes).unwrap());
    for grid in &grids {
        check(grid, Some("LPS"), Some([0.5, 2.0, 3.0]));
        assert_eq!([4, 5].map(|label| grid.names.shown(label)), ["4 (Left: hip)", "5"]);
        // The same place as in the NIfTI file.
        let Place::Body(steps, origin) = &grid.place else { panic!() };
        let Place::Body(others, other) = read("a.nii", &nifti(LPS, 1, false)).unwrap().place else {
            panic!()
        };
        assert!((steps - others).norm() < 1e-9 && (origin - other).norm() < 1e-9);
    }
    let cut = read("a.nrrd", &raw[..raw.len() - 1]).unwrap_err().to_string();
    assert!(cut.contains("11 of 12"), "{cut}");
    let detached = [b"NRRD0004\ndata file: a.raw\n\n".as_slice(), &voxels].concat();
    assert!(read("a.nrrd", &detached).unwrap_err().to_string().contains("another file"));
}

#[test]
fn a_picture_has_its_rows_from_below_in_every_format() {
    // From above: 0 1 2, 3 4 5.
    let expected = ([3, 2, 1], vec![3, 4, 5, 0, 1, 2]);
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&[0, 1, 2, 3, 4, 5]).unwrap();
    let mut four_bits = Vec::new();
    let mut encoder = png::Encoder::new(&mut four_bits, 3, 2);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_palette((0..18).collect::<Vec<u8>>());
    encoder.write_header().unwrap().write_image_data(&[0x01, 0x20, 0x34, 0x50]).unwrap();
    let mut tiff = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut tiff).unwrap();
    encoder.write_image::<tiff::encoder::colortype::Gray16>(3, 2, &[0, 1, 2, 3, 4, 5]).unwrap();
    let npy = {
        let mut out =
            b"\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }".to_vec();
        out.resize(127, b' ');
        out.extend([b'\n', 0, 1, 2, 3, 4, 5]);
        out
    };
    for (name, bytes) in [("a.png", png), ("b.png", four_bits), ("a.tif", tiff.into_inner()), ("a.npy", npy)]
    {
        let grid = read(name, &bytes).unwrap();
        assert_eq!((grid.shape, grid.labels), expected, "{name}");
        assert_eq!(grid.place, Place::Unknown);
    }
}

#[test]
fn what_is_no_mask_is_refused_in_words() {
    let coloured = {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, 1, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[1, 2, 3]).unwrap();
        out
    };
    let mut huge = nifti(LPS, 1, false);
    (1..4).for_each(|k| huge[40 + 2 * k..42 + 2 * k].copy_from_slice(&i16::MAX.to_le_bytes()));
    let mut negative = nifti(LPS, 1, false);
    negative[354] = 0xff;
    negative[355] = 0xff;
    for (name, bytes, word) in [
        ("a.png", coloured, "coloured"),
        ("a.png", b"\x89PNG\r\n\x1a\n".to_vec(), "not a PNG"),
        ("a.tif", b"II*\0".to_vec(), "not a grey TIFF"),
        ("a.nii", b"abc".to_vec(), "does not begin"),
        ("a.nii", huge, "2^28"),
        ("a.nii", negative, "not a mask"),
        ("a.nii.gz", vec![0x1f, 0x8b, 8, 0], "cannot be unpacked"),
        ("a.nrrd", b"NRRD0004\n".to_vec(), "ends in its header"),
    ] {
        let found = read(name, &bytes).unwrap_err().to_string();
        assert!(found.contains(word), "{name}: {found}");
    }
}

/// A TIFF picture of 8 × 8 pixels of 8 bits in one strip, packed in the way of this number (TIFF 6.0, section 7).
fn strip(way: u32, data: &[u8]) -> Vec<u8> {
    const ENTRIES: u32 = 8;
    let start = 8 + 2 + 12 * ENTRIES + 4;
    let mut out = b"II*\0\x08\0\0\0\x08\0".to_vec();
    // Width, height, bits, packing, zero is black, where the strip starts, its rows, its bytes.
    let values = [
        (256, 8),
        (257, 8),
        (258, 8),
        (259, way),
        (262, 1),
        (273, start),
        (278, 8),
        (279, data.len() as u32),
    ];
    for (tag, value) in values {
        out.extend((tag as u16).to_le_bytes());
        out.extend([4, 0, 1, 0, 0, 0]);
        out.extend(u32::to_le_bytes(value));
    }
    out.extend([0; 4]);
    out.extend(data);
    out
}

#[test]
fn a_tiff_picture_whose_packing_changes_labels_is_refused() {
    assert_eq!(read("a.tif", &strip(1, &[7; 64])).unwrap().labels, [7; 64]);
    // Sixty-four times 7, as a JPEG picture.
    let jpeg = hex(concat!(
        "ffd8ffdb004300100b0c0e0c0a100e0d0e1211101318281a181616183123251d283a333d3c3933383740485c4e404457453738506d51575f62676867",
        "3e4d71797064785c656763ffc0000b080008000801011100ffc40014000100000000000000000000000000000006ffc4001410010000000000000000",
        "0000000000000000ffda0008010100003f0004ffd9",
    ));
    let found = read("a.tif", &strip(7, &jpeg)).unwrap_err().to_string();
    assert!(found.contains("LZW, deflate or PackBits"), "{found}");
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}
