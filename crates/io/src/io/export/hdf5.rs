//! HDF5 files of the oldest layout (HDF5 File Format Specification 3.0: superblock 0, groups as symbol tables, contiguous datasets), which every
//! version of the library reads. Writes groups, arrays and strings; nothing is compressed, and the same content gives the same bytes.

/// An address that is not set.
const NOWHERE: u64 = u64::MAX;
/// Half of the entries that one node of a group holds, so that a group of ours is always one node.
const HALF_LEAF: u16 = 8;
/// Half of the children of a node of a tree: the library's own default.
const HALF_TREE: u16 = 16;
/// The superblock with the entry of the root group.
const SUPERBLOCK: usize = 96;

/// Values of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Values {
    /// Single precision.
    Float(Vec<f32>),
    /// Whole numbers of 32 bits with a sign.
    Int(Vec<i32>),
    /// One text; its array has no dimensions.
    Text(String),
}

/// What a group holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// A group.
    Group(Group),
    /// An array: dimensions, then values in C order.
    Array(Vec<u64>, Values),
}

/// A group: texts about it, and its members; at most sixteen.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Group {
    /// Names and texts.
    pub attributes: Vec<(String, String)>,
    /// Names and members.
    pub members: Vec<(String, Node)>,
}

impl Group {
    /// The group with one member more.
    pub(super) fn with(mut self, name: &str, node: Node) -> Self {
        self.members.push((name.to_owned(), node));
        self
    }
}

/// A number with its dimensions left out.
pub(super) fn scalar(value: i32) -> Node {
    Node::Array(vec![], Values::Int(vec![value]))
}

/// A text.
pub(super) fn text(value: &str) -> Node {
    Node::Array(vec![], Values::Text(value.to_owned()))
}

/// The file whose root is this group.
pub(super) fn file(root: &Group) -> Vec<u8> {
    let mut bytes = vec![0; SUPERBLOCK];
    let at = group(&mut bytes, root);
    let mut head = b"\x89HDF\r\n\x1a\n".to_vec();
    head.extend([0, 0, 0, 0, 0, 8, 8, 0]);
    head.extend(HALF_LEAF.to_le_bytes());
    head.extend(HALF_TREE.to_le_bytes());
    head.extend([0; 4]);
    words(&mut head, &[0, NOWHERE, bytes.len() as u64, NOWHERE]);
    entry(&mut head, 0, at);
    bytes[..SUPERBLOCK].copy_from_slice(&head);
    bytes
}

fn words(out: &mut Vec<u8>, words: &[u64]) {
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Everything begins at a multiple of eight.
fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(8), 0);
}

/// An entry of a symbol table: where its name is in the heap, where its header is in the file.
fn entry(out: &mut Vec<u8>, name: u64, header: u64) {
    words(out, &[name, header, 0, 0, 0]);
}

/// Puts something at the end of the file, and says where.
fn put(file: &mut Vec<u8>, part: &[u8]) -> u64 {
    let at = file.len() as u64;
    file.extend(part);
    pad(file);
    at
}

fn node(file: &mut Vec<u8>, node: &Node) -> u64 {
    match node {
        Node::Group(members) => group(file, members),
        Node::Array(dimensions, values) => array(file, dimensions, values),
    }
}

/// A group: heap of names, table of members in their order, the tree of that one table, the header.
fn group(file: &mut Vec<u8>, group: &Group) -> u64 {
    let mut members: Vec<&(String, Node)> = group.members.iter().collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut names, mut table) = (vec![0; 8], b"SNOD\x01\0".to_vec());
    table.extend((members.len() as u16).to_le_bytes());
    let mut last = 0;
    for (name, member) in members {
        let at = node(file, member);
        last = names.len() as u64;
        names.extend(name.as_bytes());
        names.push(0);
        pad(&mut names);
        entry(&mut table, last, at);
    }
    table.resize(8 + 40 * 2 * usize::from(HALF_LEAF), 0);
    let data = put(file, &names);
    let mut heap = b"HEAP\0\0\0\0".to_vec();
    // 1: no free block.
    words(&mut heap, &[names.len() as u64, 1, data]);
    let heap = put(file, &heap);
    let is_empty = group.members.is_empty();
    let mut tree = b"TREE\0\0".to_vec();
    tree.extend(u16::from(!is_empty).to_le_bytes());
    words(&mut tree, &[NOWHERE, NOWHERE, 0]);
    if !is_empty {
        let table = put(file, &table);
        words(&mut tree, &[table, last]);
    }
    tree.resize(24 + 8 * (4 * usize::from(HALF_TREE) + 1), 0);
    let tree = put(file, &tree);
    let mut symbols = Vec::new();
    words(&mut symbols, &[tree, heap]);
    let texts = group.attributes.iter().map(|(name, text)| (0x0c, attribute(name, text)));
    header(file, std::iter::once((0x11, symbols)).chain(texts).collect())
}

fn array(file: &mut Vec<u8>, dimensions: &[u64], values: &Values) -> u64 {
    let bytes: Vec<u8> = match values {
        Values::Float(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Values::Int(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Values::Text(text) => terminated(text),
    };
    let at = put(file, &bytes);
    let mut layout = vec![3, 1];
    words(&mut layout, &[at, bytes.len() as u64]);
    // Filled when it is written, with nothing of its own: version 2, space at once, when it is asked for, none defined.
    let fill = vec![2, 1, 2, 0];
    header(file, vec![(1, space(dimensions)), (3, kind(values)), (5, fill), (8, layout)])
}

fn terminated(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

/// The message of dimensions, version 1.
fn space(dimensions: &[u64]) -> Vec<u8> {
    let mut out = vec![1, dimensions.len() as u8, 0, 0, 0, 0, 0, 0];
    words(&mut out, dimensions);
    out
}

/// The message of a type, version 1, least byte first: class and bits, size, then how a number lies in its bytes.
fn kind(values: &Values) -> Vec<u8> {
    let (class, bits, size, lies): (u8, [u8; 3], u32, &[u8]) = match values {
        // Normalized mantissa of 23 bits at 0, exponent of 8 bits at 23 with bias 127, sign at bit 31.
        Values::Float(_) => (1, [0x20, 31, 0], 4, &[0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0]),
        Values::Int(_) => (0, [8, 0, 0], 4, &[0, 0, 32, 0]),
        // Ended by a zero, UTF-8.
        Values::Text(text) => (3, [0x10, 0, 0], text.len() as u32 + 1, &[]),
    };
    let mut out = vec![0x10 | class, bits[0], bits[1], bits[2]];
    out.extend(size.to_le_bytes());
    out.extend(lies);
    out
}

/// The message of a text about a group, version 1.
fn attribute(name: &str, text: &str) -> Vec<u8> {
    let (name, kind, space) = (terminated(name), kind(&Values::Text(text.to_owned())), space(&[]));
    let mut out = vec![1, 0];
    for part in [&name, &kind, &space] {
        out.extend((part.len() as u16).to_le_bytes());
    }
    for part in [name, kind, space] {
        out.extend(part);
        pad(&mut out);
    }
    out.extend(terminated(text));
    out
}

/// An object's header, version 1, with its messages.
fn header(file: &mut Vec<u8>, messages: Vec<(u16, Vec<u8>)>) -> u64 {
    let (count, mut body) = (messages.len() as u16, Vec::new());
    for (number, mut message) in messages {
        pad(&mut message);
        body.extend(number.to_le_bytes());
        body.extend((message.len() as u16).to_le_bytes());
        body.extend([0; 4]);
        body.extend(message);
    }
    let mut head = vec![1, 0];
    head.extend(count.to_le_bytes());
    head.extend(1u32.to_le_bytes());
    head.extend((body.len() as u32).to_le_bytes());
    head.extend([0; 4]);
    head.extend(body);
    put(file, &head)
}
