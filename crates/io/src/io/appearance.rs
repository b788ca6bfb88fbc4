//! Whether a scan file holds colours or a texture: nothing here uses them, and whoever brings them is told so.

use super::open::Opened;

/// The longest header of a PLY that is looked through.
const LONGEST_HEADER: usize = 1 << 16;

/// Whether the file has colours at its vertices, or coordinates or the name of a texture: in PLY and OBJ, other formats are not looked at.
pub fn has_appearance(file: &Opened) -> bool {
    let ending = file.path().extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("ply") => of_ply(file.bytes()),
        Some("obj") => of_obj(file.bytes()),
        _ => false,
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    let words = |line| <[u8]>::split(line, u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    bytes.split(|byte| matches!(byte, b'\n' | b'\r')).map(words)
}

/// By the names of the header's properties.
fn of_ply(bytes: &[u8]) -> bool {
    const NAMES: [&[u8]; 9] = [
        b"red",
        b"diffuse_red",
        b"texture_u",
        b"texcoord",
        b"texnumber",
        b"s",
        b"u",
        b"texture_coord",
        b"rgb",
    ];
    let header = bytes.get(..LONGEST_HEADER).unwrap_or(bytes);
    lines(header).take_while(|words| words.first() != Some(&&b"end_header"[..])).any(
        |words| match words[..] {
            [b"comment", b"TextureFile", ..] => true,
            [b"property", .., name] => NAMES.contains(&name),
            _ => false,
        },
    )
}

/// By texture coordinates, materials, or three more numbers at the first vertex.
fn of_obj(bytes: &[u8]) -> bool {
    let mut coloured = None;
    lines(bytes).any(|words| match words.first() {
        Some(&b"vt" | &b"usemtl" | &b"mtllib") => true,
        Some(&b"v") => *coloured.get_or_insert(words.len() >= 7),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_textures_are_seen_and_normals_are_none() {
        let ply = |lines: &str| {
            of_ply(format!("ply\nformat ascii 1.0\n{lines}end_header\n0 0 0 property uchar red\n").as_bytes())
        };
        assert!(ply("element vertex 1\r\nproperty float x\r\nproperty uchar red\r\n"));
        assert!(ply("comment TextureFile face.png\nelement vertex 1\nproperty float x\n"));
        assert!(ply("element face 1\nproperty list uchar float texcoord\n"));
        assert!(!ply("comment red\nelement vertex 1\nproperty float nx\nproperty uchar quality\n"));
        assert!(of_obj(b"v 0 0 0 255 0 0\n") && of_obj(b"v 0 0 0\nvt 0 1\n") && of_obj(b"mtllib a.mtl\r\n"));
        assert!(!of_obj(b"# vt\nv 0 0 0 1\nvn 0 0 1\nf 1//1 1//1 1//1\n"));
        assert!(!of_ply(b"") && !of_obj(b"v") && !of_obj(b""));
    }
}
