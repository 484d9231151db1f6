//! Columns whose rows say which of a few listed words they hold, such as the report that a row is from.
//!
//! Their part of a row group is made of the numbers that stand in the rows; the library would look at the words of each row anew.
//! It is not packed: most rows say the same as the one before, which takes no room.
//! Source: <https://parquet.apache.org/docs/file-format/data-pages/encodings/>, "Run Length Encoding / Bit-Packing Hybrid".

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Such a column's part of a row group.
pub struct Chunk {
    pages: Bytes,
    close: ColumnCloseResult,
}

/// Whether a column is one of these.
pub fn is_listed(kind: &DataType) -> bool {
    matches!(kind, DataType::Dictionary(_, _))
}

impl Chunk {
    /// Of the column's rows in all batches. Where nobody asks for the least and the greatest word, they are not said.
    pub fn of<'a>(
        column: &ColumnDescPtr,
        batches: impl Iterator<Item = &'a ArrayRef>,
        is_ordered: bool,
    ) -> Result<Self, ParquetError> {
        let mut rows = Rows::default();
        for batch in batches {
            match batch.data_type() {
                DataType::Dictionary(key, _) if **key == DataType::Int8 => {
                    rows.add(batch.as_dictionary::<Int8Type>());
                }
                _ => rows.add(batch.as_dictionary::<Int32Type>()),
            }
        }
        let mut sink = TrackedWrite::new(Vec::new());
        let mut writer = SerializedPageWriter::new(&mut sink);
        let words = writer.write_page(rows.words_page())?;
        let data = writer.write_page(rows.data_page(column.max_def_level() > 0))?;
        writer.close()?;
        Ok(Self {
            close: closed(column, &rows, is_ordered, &words, &data)?,
            pages: Bytes::from(sink.into_inner()?),
        })
    }

    /// Puts it behind the columns that are there.
    pub fn append_to(self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<(), ParquetError> {
        group.append_column(&self.pages, self.close)
    }
}

/// What the file says of the column.
fn closed(
    column: &ColumnDescPtr,
    rows: &Rows<'_>,
    is_ordered: bool,
    words: &PageWriteSpec,
    data: &PageWriteSpec,
) -> Result<ColumnCloseResult, ParquetError> {
    let bytes_written = words.bytes_written + data.bytes_written;
    let mut metadata = ColumnChunkMetaData::builder(column.clone())
        .set_compression(Compression::UNCOMPRESSED)
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
        .set_total_compressed_size(bytes_written as i64)
        .set_total_uncompressed_size((words.uncompressed_size + data.uncompressed_size) as i64)
        .set_num_values(rows.known.len() as i64)
        .set_dictionary_page_offset(Some(words.offset as i64))
        .set_data_page_offset(data.offset as i64);
    if is_ordered {
        metadata = metadata.set_statistics(rows.statistics());
    }
    let mut places = OffsetIndexBuilder::new();
    places.append_row_count(rows.known.len() as i64);
    places.append_offset_and_size(data.offset as i64, data.compressed_size as i32);
    places.append_unencoded_byte_array_data_bytes(None);
    Ok(ColumnCloseResult {
        bytes_written,
        rows_written: rows.known.len() as u64,
        metadata: metadata.build()?,
        bloom_filter: None,
        column_index: None,
        offset_index: Some(places.build()),
    })
}

/// Rows of all batches, with one list of the words that stand in any of them.
#[derive(Default)]
struct Rows<'a> {
    words: Vec<&'a str>,
    places: HashMap<&'a str, u32>,
    /// Of each row, 1 where it has a word.
    known: Vec<u32>,
    /// Of each row that has one, its place in the list.
    keys: Vec<u32>,
}

impl<'a> Rows<'a> {
    fn add<K: ArrowDictionaryKeyType>(&mut self, batch: &'a DictionaryArray<K>) {
        let words = batch.values().as_string::<i32>();
        let mut places = vec![None; words.len()];
        for key in batch.keys() {
            self.known.push(u32::from(key.is_some()));
            if let Some(key) = key.map(ArrowNativeType::as_usize) {
                let place = *places[key].get_or_insert_with(|| self.place_of(words.value(key)));
                self.keys.push(place);
            }
        }
    }

    fn place_of(&mut self, word: &'a str) -> u32 {
        let Self { words, places, .. } = self;
        *places.entry(word).or_insert_with(|| {
            words.push(word);
            words.len() as u32 - 1
        })
    }

    fn statistics(&self) -> Statistics {
        let unknown = self.known.len() - self.keys.len();
        let (least, greatest) = (self.words.iter().min(), self.words.iter().max());
        let bytes = |word: &&str| word.as_bytes().to_vec().into();
        Statistics::byte_array(least.map(bytes), greatest.map(bytes), None, Some(unknown as u64), false)
    }

    fn words_page(&self) -> CompressedPage {
        let mut listed = Vec::new();
        for word in &self.words {
            listed.extend_from_slice(&(word.len() as u32).to_le_bytes());
            listed.extend_from_slice(word.as_bytes());
        }
        let (size_bytes, num_values) = (listed.len(), self.words.len() as u32);
        let buf = listed.into();
        CompressedPage::new(
            Page::DictionaryPage { buf, num_values, encoding: Encoding::PLAIN, is_sorted: false },
            size_bytes,
        )
    }

    fn data_page(&self, may_be_unknown: bool) -> CompressedPage {
        let mut page = Vec::new();
        if may_be_unknown {
            page.extend_from_slice(&[0; size_of::<u32>()]);
            write_hybrid(&self.known, 1, &mut page);
            let levels_bytes = (page.len() - size_of::<u32>()) as u32;
            page[..size_of::<u32>()].copy_from_slice(&levels_bytes.to_le_bytes());
        }
        let width = u32::BITS - (self.words.len().saturating_sub(1) as u32).leading_zeros();
        page.push(width as u8);
        write_hybrid(&self.keys, width, &mut page);
        let size_bytes = page.len();
        let data = Page::DataPage {
            buf: page.into(),
            num_values: self.known.len() as u32,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        CompressedPage::new(data, size_bytes)
    }
}

/// Values are packed by so many.
const GROUP: usize = 8;

/// Values of so many bits: those that stand there eight times or more once with their number, all others packed.
fn write_hybrid(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let (mut packed_from, mut at) = (0, 0);
    while at < values.len() {
        let run = values[at..].iter().take_while(|value| **value == values[at]).count();
        if run < GROUP {
            at = values.len().min(at + GROUP);
            continue;
        }
        write_packed(&values[packed_from..at], width, out);
        write_count((run as u64) << 1, out);
        out.extend_from_slice(&values[at].to_le_bytes()[..width.div_ceil(u8::BITS) as usize]);
        at += run;
        packed_from = at;
    }
    write_packed(&values[packed_from..], width, out);
}

/// Whole groups; only at the very end one may be filled up with zeros.
fn write_packed(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(GROUP);
    write_count((groups as u64) << 1 | 1, out);
    let (mut bits, mut held) = (0_u64, 0);
    let padding = std::iter::repeat_n(&0, groups * GROUP - values.len());
    for value in values.iter().chain(padding) {
        bits |= u64::from(*value) << held;
        held += width;
        while held >= u8::BITS {
            out.push(bits as u8);
            bits >>= u8::BITS;
            held -= u8::BITS;
        }
    }
}

/// Seven bits a byte, the least first.
fn write_count(mut count: u64, out: &mut Vec<u8>) {
    while count >= 0x80 {
        out.push(count as u8 | 0x80);
        count >>= 7;
    }
    out.push(count as u8);
}

#[cfg(test)]
mod tests {
    use super::write_hybrid;

    fn hybrid(values: &[u32], width: u32) -> Vec<u8> {
        let mut out = Vec::new();
        write_hybrid(values, width, &mut out);
        out
    }

    #[test]
    fn what_stands_there_often_is_counted_and_the_rest_is_packed() {
        assert_eq!(hybrid(&[5; 100], 3), [200, 1, 5]);
        // The example of the format's own page: 0 to 7 in three bits each.
        assert_eq!(hybrid(&[0, 1, 2, 3, 4, 5, 6, 7], 3), [3, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
        assert_eq!(hybrid(&[1, 0, 1], 1), [3, 0b101]);
        let mixed: Vec<u32> = [1, 0, 0, 1, 0, 0, 0, 0].into_iter().chain([300; 9]).chain([2]).collect();
        assert_eq!(hybrid(&mixed, 9)[..1], [3]);
        assert_eq!(hybrid(&mixed, 9)[10..], [18, 44, 1, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn one_word_alone_takes_no_bits() {
        assert_eq!(hybrid(&[0; 20], 0), [40]);
        assert_eq!(hybrid(&[0; 3], 0), [3]);
        assert!(hybrid(&[], 4).is_empty());
    }
}
