//! A charge of ours that was half written, completed.

use super::content::{Content, End};

/// What is missing of the lines that were `announced`, where the torn tail of `bytes` is the beginning of one of them and its loss can be
/// read, so that it counts in any case: completed, it counts as the charge it was to be.
pub(super) fn rest<'a>(content: &Content, bytes: &[u8], announced: &'a str) -> Option<&'a str> {
    let End::Torn { salvaged: Some(_), .. } = content.end else { return None };
    let tail = bytes.get(content.whole..)?;
    let starts = announced.split_inclusive('\n').scan(0, |next, line| {
        let at = *next;
        *next += line.len();
        Some(at)
    });
    starts.filter_map(|at| announced.get(at..)).find_map(|lines| {
        let mut chain = content.chain.clone();
        let follows = lines.ends_with('\n') && lines.lines().all(|line| chain.read(line.as_bytes()).is_ok());
        (follows && lines.as_bytes().starts_with(tail)).then(|| lines.get(tail.len()..))?
    })
}
