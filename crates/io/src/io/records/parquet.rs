//! Parquet: one column, a list of numbers for each record. A row group is decoded at once, and some are kept.

use super::bytes::Bytes;
use crate::io::error::Fault;
use crate::parallel;
use parquet::basic::{Compression, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result as Parsed};
use parquet::file::metadata::{FooterTail, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};
use parquet::schema::types::ColumnDescriptor;
use std::collections::VecDeque;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};

/// The most values of a row group of several records, 16 MB of them: each thread has one in memory. A record that is a row group by itself may have
/// as many more as its file has bytes.
const MOST_VALUES: i64 = 1 << 21;
/// The most bytes of a page for each of its values and the levels that go with it, and for what else stands there.
const PAGE: (usize, usize) = (9, 1 << 16);
/// So many records are taken out of their pages at once: what is needed for that alone stays small.
const READ_AT_ONCE: usize = 16;
/// The longest footer, which tells of every row group, in bytes.
const LONGEST_FOOTER: u64 = 16 << 20;
/// Bytes of the end of a file: the footer's length and a mark.
const TAIL: u64 = 8;

const DAMAGED: Fault = Fault::Malformed("is a damaged Parquet file; save it again");

/// An opened Parquet file whose footer has been read.
pub(super) struct Lists<'a> {
    bytes: Bytes<'a>,
    about: ParquetMetaData,
    /// The first record of each row group, and the number of all.
    starts: Vec<usize>,
    kept: Mutex<VecDeque<(usize, Slot)>>,
}

/// A row group that one thread decodes and others wait for.
type Slot = Arc<OnceLock<Option<Group>>>;

/// The records of a row group.
struct Group {
    values: Vec<f64>,
    /// Where each record begins, and where the last ends.
    starts: Vec<usize>,
}

impl std::fmt::Debug for Lists<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lists").field("count", &self.count()).finish_non_exhaustive()
    }
}

impl<'a> Lists<'a> {
    /// Reads the footer.
    pub(super) fn of(bytes: Bytes<'a>) -> Result<Self, Fault> {
        let about = guarded(|| footer(&bytes))?;
        let starts = check(&about, bytes.len())?;
        Ok(Self { bytes, about, starts, kept: Mutex::new(VecDeque::new()) })
    }

    /// How many records there are.
    pub(super) fn count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// How many values all of them have, places of those that are missing and of empty lists included.
    pub(super) fn values(&self) -> usize {
        let all = self.about.row_groups().iter().map(|group| group.column(0).num_values());
        usize::try_from(all.sum::<i64>()).unwrap_or(usize::MAX)
    }

    /// The values of a record.
    pub(super) fn record(&self, record: usize) -> Result<Vec<f64>, Fault> {
        let after = self.starts.partition_point(|&start| start <= record);
        let (Some(group), true) = (after.checked_sub(1), record < self.count()) else {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        };
        let slot = self.slot(group)?;
        let mut failed = None;
        let decoded = slot.get_or_init(|| self.decode(group).map_err(|fault| failed = Some(fault)).ok());
        let Some(decoded) = decoded else { return Err(failed.unwrap_or(DAMAGED)) };
        let at = record - self.starts[group];
        Ok(decoded.values[decoded.starts[at]..decoded.starts[at + 1]].to_vec())
    }

    /// The place of a row group among those that are kept: one for each thread, and one more.
    fn slot(&self, group: usize) -> Result<Slot, Fault> {
        let mut kept = self.kept.lock().map_err(|_| std::io::Error::other("another reader failed"))?;
        if let Some((_, slot)) = kept.iter().find(|(one, _)| *one == group) {
            return Ok(slot.clone());
        }
        let slot = Slot::default();
        kept.push_back((group, slot.clone()));
        if kept.len() > parallel::threads() + 1 {
            kept.pop_front();
        }
        Ok(slot)
    }

    fn decode(&self, group: usize) -> Result<Group, Fault> {
        let column = self.about.row_group(group).column(0);
        let (start, length) = column.byte_range();
        let rows = self.starts[group + 1] - self.starts[group];
        let entries = usize::try_from(column.num_values()).unwrap_or_default();
        let most = PAGE.0.saturating_mul(entries).saturating_add(PAGE.1);
        let chunk = Arc::new(Chunk { start, bytes: self.bytes.at(start, length)?.into(), most });
        let (about, size) = (column.column_descr(), (rows, entries));
        guarded(|| {
            let pages = SerializedPageReader::new(chunk, column, rows, None)?;
            match get_column_reader(
                column.column_descr_ptr(),
                Box::new(Counted { pages, left: entries, next: None }),
            ) {
                ColumnReader::FloatColumnReader(reader) => lists(reader, about, size, f64::from),
                ColumnReader::DoubleColumnReader(reader) => lists(reader, about, size, |x| x),
                _ => Err(ParquetError::General(String::new())),
            }
        })
    }
}

/// What the library makes of a file that nobody vouches for; whatever is wrong, the file is damaged.
fn guarded<T>(read: impl FnOnce() -> Parsed<T>) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) | Err(_) => Err(DAMAGED),
    }
}

/// What ends before it should, or is not there.
fn short() -> ParquetError {
    ParquetError::EOF(String::new())
}

fn footer(bytes: &Bytes<'_>) -> Parsed<ParquetMetaData> {
    let at = |start, length| bytes.at(start, length).map_err(|_| short());
    let end = bytes.len().checked_sub(TAIL).ok_or_else(short)?;
    let tail: [u8; TAIL as usize] = at(end, TAIL)?.try_into().map_err(|_| short())?;
    let length = FooterTail::try_new(&tail)?.metadata_length() as u64;
    let start = end.checked_sub(length).filter(|_| length <= LONGEST_FOOTER).ok_or_else(short)?;
    ParquetMetaDataReader::decode_metadata(&at(start, length)?)
}

/// What of a Parquet file is read; gives the first record of each row group, and the number of all.
fn check(about: &ParquetMetaData, length: u64) -> Result<Vec<usize>, Fault> {
    let schema = about.file_metadata().schema_descr();
    let of_numbers = |column: &ColumnDescriptor| matches!(column.physical_type(), Type::FLOAT | Type::DOUBLE);
    let is_read = schema.num_columns() == 1
        && schema.columns().iter().all(|column| of_numbers(column) && column.max_rep_level() == 1);
    if !is_read {
        return Err(Fault::Malformed(
            "is a Parquet file of other than one column with a list of floating-point numbers in each row, which is a record; save that column \
             alone, without lists in lists",
        ));
    }
    let mut starts = vec![0];
    for group in about.row_groups() {
        let rows = check_group(group, length)?;
        starts.push(starts[starts.len() - 1] + rows);
    }
    Ok(starts)
}

fn check_group(group: &RowGroupMetaData, length: u64) -> Result<usize, Fault> {
    let [column] = group.columns() else { return Err(DAMAGED) };
    if !matches!(column.compression(), Compression::UNCOMPRESSED | Compression::SNAPPY) {
        return Err(Fault::Malformed(
            "is a Parquet file of another compression than snappy; save it with compression=\"snappy\"",
        ));
    }
    let rows = usize::try_from(group.num_rows()).map_err(|_| DAMAGED)?;
    let begin = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let (Ok(begin), Ok(size)) = (u64::try_from(begin), u64::try_from(column.compressed_size())) else {
        return Err(DAMAGED);
    };
    // A row has a value, or an entry that says that it has none.
    let fits =
        begin.checked_add(size).is_some_and(|end| end <= length) && column.num_values() >= group.num_rows();
    if !fits {
        return Err(DAMAGED);
    }
    let more = if rows > 1 { 0 } else { i64::try_from(length).unwrap_or(i64::MAX - MOST_VALUES) };
    if column.num_values() > MOST_VALUES + more {
        return Err(Fault::Malformed(
            "is a Parquet file of row groups of more than two million numbers, each of which is read at once; save it with fewer rows in a group \
             (pyarrow, polars: row_group_size=250; R: chunk_size=250)",
        ));
    }
    Ok(rows)
}

/// The lists of a row group: a definition level says what is there, a repetition level of 0 that a list begins.
fn lists<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    column: &ColumnDescriptor,
    (rows, entries): (usize, usize),
    number: impl Fn(T::T) -> f64,
) -> Parsed<Group>
where
    T::T: Copy,
{
    let is_value = column.max_def_level();
    let is_element = is_value - i16::from(column.self_type().is_optional());
    let (mut values, mut starts) =
        (Vec::with_capacity(entries.min(MOST_VALUES as usize)), Vec::with_capacity(rows + 1));
    let (mut defined, mut repeated, mut found) = (Vec::new(), Vec::new(), Vec::new());
    while starts.len() < rows {
        let before = starts.len();
        defined.clear();
        repeated.clear();
        found.clear();
        let most = READ_AT_ONCE.min(rows - before);
        reader.read_records(most, Some(&mut defined), Some(&mut repeated), &mut found)?;
        let mut left = found.iter();
        for (&level, &repetition) in defined.iter().zip(&repeated) {
            if repetition == 0 {
                starts.push(values.len());
            }
            if level == is_value {
                values.push(left.next().map_or(f64::NAN, |value| number(*value)));
            } else if level >= is_element {
                // A value that is missing.
                values.push(f64::NAN);
            }
        }
        if starts.len() == before {
            return Err(short());
        }
    }
    starts.push(values.len());
    Ok(Group { values, starts })
}

/// A column of a row group, at its place in the file.
struct Chunk {
    start: u64,
    bytes: ::bytes::Bytes,
    /// The most bytes that a page may have once it is not compressed any more.
    most: usize,
}

/// The size of a page that is not compressed any more, by the beginning of its header: in Thrift's compact protocol, its kind and this, both of 32 bits.
fn stated_size(header: &[u8]) -> Option<usize> {
    const OF_32_BITS: u8 = 0x15;
    let after = |bytes: &[u8]| -> Option<(u64, usize)> {
        let length = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)? + 1;
        let number =
            bytes[..length].iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f));
        Some((number, length))
    };
    let rest = header.strip_prefix(&[OF_32_BITS])?;
    let rest = &rest[after(rest)?.1..];
    let (size, _) = after(rest.strip_prefix(&[OF_32_BITS])?)?;
    // Twice the number, one less if it is negative.
    (size % 2 == 0).then_some((size / 2) as usize)
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl ChunkReader for Chunk {
    type T = Cursor<::bytes::Bytes>;

    /// A page's header. What it says of the page's size is looked at here, since the library makes room for as much.
    fn get_read(&self, start: u64) -> Parsed<Self::T> {
        let header = self.from(start)?;
        match stated_size(&header) {
            Some(size) if size <= self.most => Ok(Cursor::new(header)),
            _ => Err(short()),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parsed<::bytes::Bytes> {
        let rest = self.from(start)?;
        if length > rest.len() { Err(short()) } else { Ok(rest.slice(..length)) }
    }
}

impl Chunk {
    fn from(&self, start: u64) -> Parsed<::bytes::Bytes> {
        let from = start.checked_sub(self.start).filter(|from| *from <= self.bytes.len() as u64);
        let from = from.ok_or_else(short)?;
        Ok(self.bytes.slice(from as usize..))
    }
}

/// Pages that hold no more values than the footer says: what would fill the memory is an error.
struct Counted<P> {
    pages: P,
    left: usize,
    /// The next page, if it has been looked at. The library's own look at a header would begin the next page after it, where [`Chunk`] sees none.
    next: Option<Page>,
}

impl<P: PageReader> Counted<P> {
    fn read(&mut self) -> Parsed<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(data @ (Page::DataPage { .. } | Page::DataPageV2 { .. })) = &page {
            self.left = self.left.checked_sub(data.num_values() as usize).ok_or_else(short)?;
        }
        Ok(page)
    }
}

impl<P: PageReader> Iterator for Counted<P> {
    type Item = Parsed<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for Counted<P> {
    fn get_next_page(&mut self) -> Parsed<Option<Page>> {
        match self.next.take() {
            Some(page) => Ok(Some(page)),
            None => self.read(),
        }
    }

    fn peek_next_page(&mut self) -> Parsed<Option<PageMetadata>> {
        if self.next.is_none() {
            self.next = self.read()?;
        }
        Ok(self.next.as_ref().map(|page| match page {
            Page::DataPage { num_values, .. } => {
                PageMetadata { num_rows: None, num_levels: Some(*num_values as usize), is_dict: false }
            }
            Page::DataPageV2 { num_values, num_rows, .. } => PageMetadata {
                num_rows: Some(*num_rows as usize),
                num_levels: Some(*num_values as usize),
                is_dict: false,
            },
            Page::DictionaryPage { .. } => PageMetadata { num_rows: None, num_levels: None, is_dict: true },
        }))
    }

    fn skip_next_page(&mut self) -> Parsed<()> {
        self.get_next_page().map(|_| ())
    }
}

#[cfg(test)]
mod tests;
