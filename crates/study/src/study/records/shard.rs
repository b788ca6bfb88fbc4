//! Parts of a manifest that are prepared apart.

use std::fmt;
use std::str::FromStr;

/// Shard k of N: rows k − 1, k − 1 + N, k − 1 + 2N and so on of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

/// A shard that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a shard is k/N with k from 1 to N, and N at most 1000000, as in 3/8")]
pub struct ShardError;

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Shard `number` of `of`, counted from 1.
    ///
    /// # Errors
    /// [`ShardError`] unless 1 ≤ k ≤ N ≤ 10⁶.
    pub fn new(number: usize, of: usize) -> Result<Self, ShardError> {
        if (1..=of).contains(&number) && of <= 1_000_000 { Ok(Self { number, of }) } else { Err(ShardError) }
    }

    /// k, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// N.
    pub fn of(self) -> usize {
        self.of
    }

    /// Its rows of a manifest of `n`.
    pub fn rows(self, n: usize) -> impl Iterator<Item = usize> {
        (self.number - 1..n).step_by(self.of)
    }

    /// What its index is called.
    pub fn index_name(self) -> String {
        format!("index-{}-of-{}.jsonl", self.number, self.of)
    }

    /// The shard whose index is called so.
    pub fn of_index(name: &str) -> Option<Self> {
        let (number, of) = name.strip_prefix("index-")?.strip_suffix(".jsonl")?.split_once("-of-")?;
        Self::new(number.parse().ok()?, of.parse().ok()?).ok()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError)?;
        Self::new(number.parse().map_err(|_| ShardError)?, of.parse().map_err(|_| ShardError)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_out_all_rows_once() {
        let mut rows: Vec<usize> =
            (1..=3).flat_map(|k| Shard::new(k, 3).unwrap().rows(8).collect::<Vec<_>>()).collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..8).collect::<Vec<_>>());
        assert_eq!(Shard::new(5, 9).unwrap().rows(3).count(), 0);
        assert_eq!("2/4".parse(), Shard::new(2, 4));
        assert_eq!(Shard::of_index("index-2-of-4.jsonl"), Shard::new(2, 4).ok());
        assert_eq!(
            (Shard::WHOLE.to_string(), Shard::WHOLE.index_name()),
            ("1/1".into(), "index-1-of-1.jsonl".into())
        );
        for text in ["", "0/4", "5/4", "a/b", "1", "1/0", "-1/4", "1/4/2", "1/1000001"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert!(Shard::of_index("index-5-of-4.jsonl").is_none());
    }
}
