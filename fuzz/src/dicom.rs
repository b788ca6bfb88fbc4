//! Small DICOM files: segmentations, plain and packed by runs, and a structure set.

/// An element with its type.
fn element(tag: u32, vr: &str, value: &[u8]) -> Vec<u8> {
    let mut value = value.to_vec();
    if value.len() % 2 == 1 {
        value.push(if vr == "UI" { 0 } else { b' ' });
    }
    let head = [((tag >> 16) as u16).to_le_bytes(), (tag as u16).to_le_bytes()].concat();
    let length = match vr {
        "SQ" | "OB" => [&[0, 0], &(value.len() as u32).to_le_bytes()[..]].concat(),
        _ => (value.len() as u16).to_le_bytes().to_vec(),
    };
    [&head, vr.as_bytes(), &length, &value].concat()
}

/// Items of told and of untold length, in turn.
fn items(items: &[Vec<u8>]) -> Vec<u8> {
    let item = |(n, item): (usize, &Vec<u8>)| match n % 2 {
        0 => [&[0xfe, 0xff, 0, 0xe0], &(item.len() as u32).to_le_bytes()[..], item].concat(),
        _ => {
            [&[0xfe, 0xff, 0, 0xe0, 0xff, 0xff, 0xff, 0xff], &item[..], &[0xfe, 0xff, 0x0d, 0xe0, 0, 0, 0, 0]]
                .concat()
        }
    };
    items.iter().enumerate().flat_map(item).collect()
}

fn sequence(tag: u32, content: &[Vec<u8>]) -> Vec<u8> {
    element(tag, "SQ", &items(content))
}

fn file(syntax: &str, class: &str, content: &[Vec<u8>]) -> Vec<u8> {
    let syntax = element(0x0002_0010, "UI", syntax.as_bytes());
    let class = element(0x0008_0016, "UI", class.as_bytes());
    [&[0; 128], &b"DICM"[..], &syntax, &class, &content.concat()].concat()
}

/// Five frames of 5 x 5 pixels, a square of 3 x 3 in each but the outer ones.
fn frame(k: usize) -> Vec<u8> {
    let is_inner = |n: usize| (1..4).contains(&(n % 5)) && (1..4).contains(&(n / 5)) && (1..4).contains(&k);
    (0..25).map(|n| u8::from(is_inner(n))).collect()
}

fn segmentation(kind: &str, syntax: &str, bits: u16, pixels: Vec<u8>) -> Vec<u8> {
    let us = |tag, value: u16| element(tag, "US", &value.to_le_bytes());
    let each: Vec<Vec<u8>> = (0..5)
        .map(|k| {
            let place = element(0x0020_0032, "DS", format!("1.5\\-2\\{}", 2 * k).as_bytes());
            [sequence(0x0020_9113, &[place]), sequence(0x0062_000a, &[us(0x0062_000b, 1)])].concat()
        })
        .collect();
    let shared = [
        sequence(0x0020_9116, &[element(0x0020_0037, "DS", b"1\\0\\0\\0\\1\\0")]),
        sequence(0x0028_9110, &[element(0x0028_0030, "DS", b"0.5\\1"), element(0x0018_0088, "DS", b"2")]),
    ];
    let class =
        if kind == "BINARY" { "1.2.840.10008.5.1.4.1.1.66.4" } else { "1.2.840.10008.5.1.4.1.1.66.7" };
    let pixels = match syntax {
        // Of told length, or in fragments after a table.
        "1.2.840.10008.1.2.5" => {
            let head = [0xe0, 0x7f, 0x10, 0, b'O', b'B', 0, 0, 0xff, 0xff, 0xff, 0xff];
            let fragment =
                |part: &[u8]| [&[0xfe, 0xff, 0, 0xe0], &(part.len() as u32).to_le_bytes()[..], part].concat();
            let runs = |k: usize| {
                let mut out = vec![0u8; 64];
                (out[0], out[4]) = (1, 64);
                out.push(24);
                out.extend(frame(k));
                out
            };
            let parts: Vec<u8> = (0..5).flat_map(|k| fragment(&runs(k))).collect();
            [&head[..], &fragment(&[]), &parts, &[0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0]].concat()
        }
        _ => element(0x7fe0_0010, "OB", &pixels),
    };
    let content = [
        element(0x0028_0008, "IS", b"5"),
        us(0x0028_0010, 5),
        us(0x0028_0011, 5),
        us(0x0028_0100, bits),
        element(0x0062_0001, "CS", kind.as_bytes()),
        sequence(0x5200_9229, &[shared.concat()]),
        sequence(0x5200_9230, &each),
        pixels,
    ];
    file(syntax, class, &content)
}

/// A cylinder of five planes, and another structure.
fn structures() -> Vec<u8> {
    let circle = |at: f64, z: usize| {
        let corner = |k: usize| {
            let (sin, cos) = (k as f64 * 0.52).sin_cos();
            format!("{:.2}\\{:.2}\\{}", at + 9.0 * cos, 9.0 * sin, 3 * z)
        };
        let corners: Vec<String> = (0..12).map(corner).collect();
        let kind = element(0x3006_0042, "CS", b"CLOSED_PLANAR");
        [kind, element(0x3006_0050, "DS", corners.join("\\").as_bytes())].concat()
    };
    let structure = |number: &str, at: f64| {
        let drawn = sequence(0x3006_0040, &(0..5).map(|z| circle(at, z)).collect::<Vec<_>>());
        [drawn, element(0x3006_0084, "IS", number.as_bytes())].concat()
    };
    let all = sequence(0x3006_0039, &[structure("1", 0.0), structure("2", 5.0)]);
    file("1.2.840.10008.1.2.1", "1.2.840.10008.5.1.4.1.1.481.3", &[all])
}

/// All of them.
pub fn seeds() -> Vec<Vec<u8>> {
    let plain = "1.2.840.10008.1.2.1";
    let pixels: Vec<u8> = (0..5).flat_map(frame).collect();
    let bits =
        pixels.chunks(8).map(|eight| eight.iter().rev().fold(0, |byte, bit| byte << 1 | bit)).collect();
    vec![
        segmentation("BINARY", plain, 1, bits),
        segmentation("LABELMAP", plain, 8, pixels),
        segmentation("LABELMAP", "1.2.840.10008.1.2.5", 8, Vec::new()),
        structures(),
    ]
}
