//! DICOM files made here, element by element, and what is read from them.

use super::parse;
use crate::images::grid::{Grid, Place};
use crate::images::making::{Label, MaskMaking, Slice};
use crate::images::plane::{Plane, Problem};
use crate::images::read::read;
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// Nothing of this may ever be told.
const NAME: &str = "Doe^Jane";

/// An element without its type, or with it.
fn element(implicit: bool, tag: u32, vr: &str, value: &[u8]) -> Vec<u8> {
    let mut value = value.to_vec();
    if value.len() % 2 == 1 {
        value.push(if matches!(vr, "UI" | "OB") { 0 } else { b' ' });
    }
    let mut out = [((tag >> 16) as u16).to_le_bytes(), (tag as u16).to_le_bytes()].concat();
    match (implicit, vr) {
        (true, _) => out.extend((value.len() as u32).to_le_bytes()),
        (false, "SQ" | "OB" | "OW" | "UN") => {
            out.extend([vr.as_bytes(), &[0, 0], &(value.len() as u32).to_le_bytes()].concat());
        }
        _ => out.extend([vr.as_bytes(), &(value.len() as u16).to_le_bytes()].concat()),
    }
    out.extend(value);
    out
}

fn sequence(implicit: bool, tag: u32, items: &[Vec<u8>]) -> Vec<u8> {
    let item =
        |item: &Vec<u8>| [&[0xfe, 0xff, 0, 0xe0], &(item.len() as u32).to_le_bytes()[..], item].concat();
    element(implicit, tag, "SQ", &items.iter().flat_map(item).collect::<Vec<u8>>())
}

fn numbers(values: &[f64]) -> Vec<u8> {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join("\\").into_bytes()
}

/// A file of this class and way of writing.
fn file(syntax: &str, class: &str, content: &[u8]) -> Vec<u8> {
    let implicit = syntax == super::IMPLICIT;
    let meta = element(false, 0x0002_0010, "UI", syntax.as_bytes());
    let class = element(implicit, 0x0008_0016, "UI", class.as_bytes());
    let patient = element(implicit, 0x0010_0010, "PN", NAME.as_bytes());
    [&[0; 128], &b"DICM"[..], &meta, &class, &patient, content].concat()
}

/// What segments and structures are called here; one by a program that writes Latin-1.
const ORGANS: [(u16, &[u8]); 3] = [(3, b"Liver"), (7, b"H\xfcfte"), (9, "Niere \u{2113}".as_bytes())];

const SEG: &str = "1.2.840.10008.5.1.4.1.1.66.4";
const MAP: &str = "1.2.840.10008.5.1.4.1.1.66.7";
const STRUCTURES: &str = "1.2.840.10008.5.1.4.1.1.481.3";

/// A segmentation of frames: segment, place, pixels.
struct Made {
    implicit: bool,
    kind: &'static str,
    size: [usize; 2],
    axes: [f64; 6],
    /// From row to row, from column to column.
    spacing: [f64; 2],
    frames: Vec<(u16, Vector3<f64>, Vec<u8>)>,
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let e = |tag, vr: &str, value: &[u8]| element(self.implicit, tag, vr, value);
        let s = |tag, items: &[Vec<u8>]| sequence(self.implicit, tag, items);
        let us = |tag, value: usize| e(tag, "US", &(value as u16).to_le_bytes());
        let is_map = self.kind == "LABELMAP";
        let shared = [
            s(0x0020_9116, &[e(0x0020_0037, "DS", &numbers(&self.axes))]),
            s(0x0028_9110, &[e(0x0028_0030, "DS", &numbers(&self.spacing))]),
        ];
        let each = self.frames.iter().map(|(segment, place, _)| {
            let place = s(0x0020_9113, &[e(0x0020_0032, "DS", &numbers(place.as_slice()))]);
            let segment = s(0x0062_000a, &[us(0x0062_000b, usize::from(*segment))]);
            if is_map { place } else { [place, segment].concat() }
        });
        let pixels: Vec<u8> = self.frames.iter().flat_map(|(_, _, pixels)| pixels.clone()).collect();
        let pixels = match is_map {
            true => pixels,
            false => pixels
                .chunks(8)
                .map(|eight| eight.iter().rev().fold(0, |byte, bit| byte << 1 | bit))
                .collect(),
        };
        let content = [
            e(0x0028_0008, "IS", self.frames.len().to_string().as_bytes()),
            us(0x0028_0010, self.size[1]),
            us(0x0028_0011, self.size[0]),
            us(0x0028_0100, if is_map { 8 } else { 1 }),
            e(0x0062_0001, "CS", self.kind.as_bytes()),
            s(
                0x0062_0002,
                &ORGANS.map(|(number, name)| {
                    [us(0x0062_0004, usize::from(number)), e(0x0062_0005, "LO", name)].concat()
                }),
            ),
            s(0x5200_9229, &[shared.concat()]),
            s(0x5200_9230, &each.collect::<Vec<_>>()),
            e(0x7fe0_0010, "OB", &pixels),
        ];
        let syntax = if self.implicit { super::IMPLICIT } else { super::EXPLICIT };
        file(syntax, if is_map { MAP } else { SEG }, &content.concat())
    }
}

/// A body of 4 x 3 x 5 places, 1, 2 and 3 mm apart towards left, back and head, from (10, 20, 30) on; two organs. The place decides the label.
fn label_at(lps: Vector3<f64>) -> u8 {
    let n = [0, 1, 2].map(|d| ((lps[d] - [10.0, 20.0, 30.0][d]) / [1.0, 2.0, 3.0][d]).round() as i64);
    assert!((0..4).contains(&n[0]) && (0..3).contains(&n[1]) && (0..5).contains(&n[2]), "{lps}");
    u8::from((n[0] * 7 + n[1] * 5 + n[2] * 3) % 4 == 1) + 2 * u8::from(n[0] == 2 && n[1] < 2 && n[2] == 3)
}

/// The body in frames whose rows and columns run along these axes, this or the other way; `missing` is left out.
fn body(row: (usize, f64), column: (usize, f64), kind: &'static str) -> Made {
    let (lengths, counts) = ([1.0, 2.0, 3.0], [4usize, 3, 5]);
    let unit = |(axis, way): (usize, f64)| Vector3::from_fn(|d, _| if d == axis { way } else { 0.0 });
    let normal = unit(row).cross(&unit(column));
    let through = normal.iamax();
    let mut first = Vector3::new(10.0, 20.0, 30.0);
    for (axis, way) in [row, column, (through, normal[through])] {
        first[axis] += if way < 0.0 { lengths[axis] * (counts[axis] - 1) as f64 } else { 0.0 };
    }
    let size = [counts[row.0], counts[column.0]];
    let mut frames = Vec::new();
    for k in 0..counts[through] {
        let place = first + normal * lengths[through] * k as f64;
        let pixels: Vec<u8> = (0..size[0] * size[1])
            .map(|n| {
                let (i, j) = ((n % size[0]) as f64, (n / size[0]) as f64);
                label_at(place + unit(row) * lengths[row.0] * i + unit(column) * lengths[column.0] * j)
            })
            .collect();
        if kind == "LABELMAP" {
            frames.push((0, place, pixels));
            continue;
        }
        for label in 1..4u8 {
            let own: Vec<u8> = pixels.iter().map(|found| u8::from(*found == label)).collect();
            // As most programs do: no frames without the organ.
            if own.contains(&1) {
                frames.push((u16::from(label), place, own));
            }
        }
    }
    let axes = [unit(row), unit(column)].map(|v| [v.x, v.y, v.z]).concat().try_into().unwrap();
    Made { implicit: false, kind, size, axes, spacing: [lengths[column.0], lengths[row.0]], frames }
}

/// Where the labels of a grid lie, towards right, front and head, in hundredths of a millimetre.
fn places(grid: &Grid) -> BTreeMap<[i64; 3], u16> {
    let Place::Body(steps, origin) = &grid.place else { panic!("no place") };
    let [a, b, _] = grid.shape;
    let at =
        |n: usize| steps * Vector3::new((n % a) as f64, (n / a % b) as f64, (n / (a * b)) as f64) + origin;
    let labels = grid.labels.iter().enumerate().filter(|(_, label)| **label != 0);
    labels.map(|(n, label)| ([0, 1, 2].map(|d| (at(n)[d] * 100.0).round() as i64), *label)).collect()
}

/// The same body as a NIfTI file with axes towards right, front and head.
fn reference() -> Grid {
    let mut out = vec![0u8; 352];
    out[..4].copy_from_slice(&348u32.to_le_bytes());
    for (at, value) in [(40, 3i16), (42, 4), (44, 3), (46, 5), (70, 2), (254, 1)] {
        out[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    // Voxel 0 is at the right and in front: left and back are counted from there.
    for (at, value) in [(280, 1f32), (292, -13.0), (300, 2.0), (308, -24.0), (320, 3.0), (324, 30.0)] {
        out[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    out[108..112].copy_from_slice(&352f32.to_le_bytes());
    out[123] = 2;
    out[344..348].copy_from_slice(b"n+1\0");
    let lps = |n: usize| {
        Vector3::new(13.0 - (n % 4) as f64, 24.0 - 2.0 * (n / 4 % 3) as f64, 30.0 + 3.0 * (n / 12) as f64)
    };
    out.extend((0..60).map(|n| label_at(lps(n))));
    read("a.nii", &out, None).unwrap()
}

#[test]
fn a_segmentation_is_the_same_as_nifti_in_every_direction_and_order_of_frames() {
    let expected = places(&reference());
    assert!(expected.len() > 15 && expected.values().any(|label| *label > 1));
    let both = [1.0, -1.0];
    let mut seen = 0;
    for (row, column) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
        for (a, b) in both.into_iter().flat_map(|a| both.map(|b| (a, b))) {
            for kind in ["BINARY", "LABELMAP"] {
                let mut made = body((row, a), (column, b), kind);
                for turn in 0..3 {
                    made.implicit = turn == 1;
                    made.frames.reverse();
                    let count = made.frames.len();
                    made.frames.rotate_left(turn * 2 % count);
                    let name = ["a.dcm", "IM1", "1.2.840.5"][turn];
                    let grid = read(name, &made.bytes(), None).unwrap();
                    assert_eq!(places(&grid), expected, "{row} {column} {a} {b} {kind} {turn}");
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 144);
}

#[test]
fn missing_frames_are_empty_slices_and_uneven_ones_are_refused() {
    let row = (0, 1.0);
    let mut made = body(row, (1, 1.0), "LABELMAP");
    let gone = made.frames.remove(2).1.z;
    let grid = parse(&made.bytes(), None).unwrap();
    assert_eq!(grid.shape, [4, 3, 5]);
    let mut expected = places(&reference());
    expected.retain(|place, _| place[2] != (100.0 * gone) as i64);
    assert_eq!(places(&grid), expected);
    made.frames[2].1.z += 1.0;
    let told = |made: &Made| parse(&made.bytes(), None).unwrap_err().to_string();
    assert!(told(&made).contains("uneven"));
    made.frames[2].1.z -= 1.0;
    made.frames[2].1.x += 1.0;
    assert!(told(&made).contains("behind one another"));
    made.frames[2].1 = made.frames[1].1;
    assert!(told(&made).contains("several frames of one segment"));
    made.frames.truncate(1);
    made.axes[0] = 0.5;
    assert!(told(&made).contains("right angles"));
    made.kind = "FRACTIONAL";
    assert!(told(&made).contains("fractional") && told(&made).contains("binary"));
}

#[test]
fn of_segments_that_overlap_the_one_that_is_asked_for_is_whole() {
    let frame = |segment, pixels: [u8; 6]| (segment, Vector3::new(0.0, 0.0, 5.0), pixels.to_vec());
    let frames = vec![frame(7, [0, 1, 1, 0, 1, 1]), frame(3, [0, 0, 1, 0, 0, 1])];
    let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut made = Made { implicit: false, kind: "BINARY", size: [3, 2], axes, spacing: [1.0; 2], frames };
    for _ in 0..2 {
        let of = |label| parse(&made.bytes(), label).unwrap();
        for (number, name, expected) in [(7, "Hüfte", [0, 1, 1, 0, 1, 1]), (3, "liver", [0, 0, 1, 0, 0, 1])]
        {
            for label in [Label::Value(number), Label::Name(name.to_owned())] {
                let grid = parse(&made.bytes(), Some(&label)).unwrap();
                assert_eq!(
                    grid.organ(grid.names.number(&label).unwrap()),
                    expected.map(|inside| inside == 1)
                );
            }
        }
        assert_eq!(of(Some(&Label::Any)).organ(None).iter().filter(|inside| **inside).count(), 4);
        // One hides the other, and yet there are two.
        assert_eq!(of(None).present().into_iter().collect::<Vec<_>>(), [3, 7]);
        let undecided = Plane::of(&of(None), &MaskMaking::default()).unwrap_err();
        let Problem::Choice(told) = undecided else { panic!("{undecided:?}") };
        assert!(told.starts_with("holds the labels 3 (Liver), 7 (Hüfte); say which"), "{told}");
        made.frames.swap(0, 1);
    }
}

/// A structure set: number, kind and corners of every contour.
fn structures(implicit: bool, contours: &[(u16, Vec<Vector3<f64>>)]) -> Vec<u8> {
    let e = |tag, vr: &str, value: &[u8]| element(implicit, tag, vr, value);
    let one = |(number, corners): &(u16, Vec<Vector3<f64>>)| {
        let values: Vec<f64> = corners.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        let kind = if corners.len() < 3 { "POINT" } else { "CLOSED_PLANAR" };
        let contour = [
            e(0x3006_0042, "CS", kind.as_bytes()),
            e(0x3006_0050, if implicit { "DS" } else { "UN" }, &numbers(&values)),
        ];
        [
            sequence(implicit, 0x3006_0040, &[contour.concat()]),
            e(0x3006_0084, "IS", number.to_string().as_bytes()),
        ]
        .concat()
    };
    let name = |(number, name): (u16, &[u8])| {
        [e(0x3006_0022, "IS", number.to_string().as_bytes()), e(0x3006_0026, "LO", name)].concat()
    };
    let names = sequence(implicit, 0x3006_0020, &ORGANS.map(name));
    let drawn = sequence(implicit, 0x3006_0039, &contours.iter().map(one).collect::<Vec<_>>());
    file(if implicit { super::IMPLICIT } else { super::EXPLICIT }, STRUCTURES, &[names, drawn].concat())
}

/// Sixty corners about (10, 20), on a plane across this axis.
fn circle(axis: usize, height: f64, radius: f64) -> Vec<Vector3<f64>> {
    let corner = |k: usize| {
        let (sin, cos) = (k as f64 * std::f64::consts::TAU / 60.0).sin_cos();
        let mut p = [10.0 + radius * cos, 20.0 + radius * sin, height];
        p.rotate_right((axis + 1) % 3);
        Vector3::from(p.map(|x| (x * 1e4).round() / 1e4))
    };
    (0..60).map(corner).collect()
}

/// The area of a circle's polygon of sixty corners.
fn area(radius: f64) -> f64 {
    30.0 * radius * radius * (std::f64::consts::TAU / 60.0).sin()
}

fn outline(bytes: &[u8], label: &str) -> (f64, Vec<String>) {
    let making = MaskMaking {
        label: Some(label.parse().unwrap()),
        slice: Some(Slice::Largest),
        metric: true,
        ..MaskMaking::default()
    };
    let grid = parse(bytes, making.label.as_ref()).unwrap();
    let (curve, remarks) = crate::images::contour::contour(&Plane::of(&grid, &making).unwrap()).unwrap();
    (curve.area(), remarks)
}

#[test]
fn the_outline_of_a_structure_is_the_contour_that_was_drawn() {
    for implicit in [false, true] {
        let disk = structures(implicit, &[(3, circle(2, 50.0, 12.0)), (9, circle(2, 80.0, 30.0))]);
        for (label, radius) in [("3", 12.0), ("LIVER", 12.0), ("niere ℓ", 30.0)] {
            let (found, remarks) = outline(&disk, label);
            assert!((found / area(radius) - 1.0).abs() < 1e-4 && remarks.is_empty(), "{found} {remarks:?}");
        }
        let making = MaskMaking { label: Some(Label::Name("Spleen".into())), ..MaskMaking::default() };
        let told = Plane::of(&parse(&disk, making.label.as_ref()).unwrap(), &making).unwrap_err().into_text();
        assert_eq!(told, "has no label called \"Spleen\"; it has 3 (Liver), 7 (Hüfte), 9 (Niere ℓ)");
        let rings = structures(implicit, &[(3, circle(2, 50.0, 12.0)), (3, circle(2, 50.0, 5.0))]);
        let (found, remarks) = outline(&rings, "3");
        assert!((found / area(12.0) - 1.0).abs() < 1e-4, "{found}");
        assert!(remarks[..] == ["has 1 holes, which its outer outline does not show"], "{remarks:?}");
        // The pixels between the two: a hole by the even-odd rule.
        let grid = parse(&rings, None).unwrap();
        let filled = 0.25 * grid.labels.iter().filter(|label| **label == 3).count() as f64;
        assert!((filled / (area(12.0) - area(5.0)) - 1.0).abs() < 0.01, "{filled}");
        // One contour that runs into a hole and out again is not taken as it is.
        let hole: Vec<_> = circle(2, 50.0, 5.0).into_iter().rev().collect();
        let outer = circle(2, 50.0, 12.0);
        let keyhole = [&outer[..], &outer[..1], &hole[59..], &hole].concat();
        let (found, remarks) = outline(&structures(implicit, &[(3, keyhole)]), "3");
        assert!((found / area(12.0) - 1.0).abs() < 0.01 && remarks.len() == 1, "{found} {remarks:?}");
    }
}

#[test]
fn structures_are_filled_where_they_were_drawn() {
    let radius = |k: i64| (15.0f64.powi(2) - (2.0 * k as f64).powi(2)).sqrt();
    for axis in 0..3 {
        let ball: Vec<_> = (-7..8).map(|k| (5, circle(axis, 40.0 + 2.0 * k as f64, radius(k)))).collect();
        let mut shuffled = ball.clone();
        shuffled.reverse();
        shuffled.swap(3, 9);
        let [grid, other] =
            [&ball, &shuffled].map(|contours| parse(&structures(false, contours), None).unwrap());
        assert_eq!(places(&grid), places(&other));
        let Place::Body(steps, _) = &grid.place else { panic!() };
        let volume =
            steps.determinant().abs() * grid.labels.iter().filter(|label| **label == 5).count() as f64;
        let expected: f64 = (-7..8).map(|k| 2.0 * area(radius(k))).sum();
        assert!((volume / expected - 1.0).abs() < 0.01, "{}", volume / expected);
        let mut middle = [10.0, 20.0, 40.0];
        middle.rotate_right((axis + 1) % 3);
        let sum = places(&grid)
            .keys()
            .fold(Vector3::zeros(), |sum, p| sum + Vector3::from(p.map(|x| x as f64 / 100.0)));
        let [right, front, head] = (sum / places(&grid).len() as f64).into();
        let found = Vector3::new(-right, -front, head);
        assert!((found - Vector3::from(middle)).norm() < 0.1, "{axis}: {found}");
        let told = |contours: &[_]| parse(&structures(false, contours), None).unwrap_err().to_string();
        let mut gap = ball.clone();
        gap.remove(7);
        assert!(told(&gap).contains("without a contour on a plane between"));
        let twice = [&ball[..], &ball[7..8]].concat();
        assert!(told(&twice).contains("cancel out"));
        let mut uneven = ball.clone();
        uneven[7].1.iter_mut().for_each(|p| p[axis] += 0.7);
        assert!(told(&uneven).contains("uneven"));
        let mut tilted = ball;
        tilted[7].1.iter_mut().for_each(|p| p[axis] += 0.1 * p[(axis + 1) % 3]);
        assert!(told(&tilted).contains("parallel"));
    }
    let point = structures(false, &[(1, vec![Vector3::zeros()])]);
    assert!(parse(&point, None).unwrap_err().to_string().contains("closed contours"));
}

#[test]
fn what_is_no_mask_is_refused_by_name_and_repeats_nothing() {
    let seg = body((0, 1.0), (1, 1.0), "BINARY").bytes();
    let rt = structures(false, &[(1, circle(2, 0.0, 9.0))]);
    let changed = |from: &[u8], to: &[u8]| {
        let at = seg.windows(from.len()).position(|bytes| bytes == from).unwrap();
        [&seg[..at], to, &seg[at + from.len()..]].concat()
    };
    let explicit = b"UI\x14\x001.2.840.10008.1.2.1\0";
    for (bytes, word) in [
        (file(super::EXPLICIT, "1.2.840.10008.5.1.4.1.1.2", &[]), "is a CT image, not a segmentation"),
        (file(super::IMPLICIT, "1.2.840.10008.5.1.4.1.1.4", &[]), "is an MR image, not a segmentation"),
        (file(super::EXPLICIT, "1.2.840.10008.5.1.4.1.1.88.22", &[]), "neither a segmentation"),
        (file("1.2.840.10008.1.2.2", SEG, &[]), "big endian"),
        (file(super::DEFLATED, SEG, &[]), "cannot be unpacked"),
        (changed(explicit, b"UI\x16\x001.2.840.10008.1.2.4.90"), "packed in a way that is not read"),
        (changed(b"US\x02\0\x03\0", b"US\x02\0\xff\xff"), "frames end early"),
        (b"DICM".to_vec(), "does not begin"),
    ] {
        let told = read("a.dcm", &bytes, None).unwrap_err().to_string();
        assert!(told.contains(word), "{told}");
    }
    // Cut anywhere, it is refused, or read as far as it promises.
    for whole in [&seg, &rt] {
        for cut in 0..whole.len() {
            let told = read("a.dcm", &whole[..cut], None).map(|grid| grid.notes.concat());
            assert!(!told.map_err(|fault| fault.to_string()).unwrap_or_else(|e| e).contains("Jane"));
        }
    }
}

#[test]
fn a_deflated_file_is_the_same() {
    let whole = body((0, 1.0), (1, 1.0), "LABELMAP").bytes();
    let meta = 132 + element(false, 0x0002_0010, "UI", super::EXPLICIT.as_bytes()).len();
    let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &whole[meta..]).unwrap();
    let syntax = element(false, 0x0002_0010, "UI", super::DEFLATED.as_bytes());
    let bytes = [&whole[..132], &syntax, &packed.finish().unwrap()].concat();
    assert_eq!(places(&parse(&bytes, None).unwrap()), places(&reference()));
}
