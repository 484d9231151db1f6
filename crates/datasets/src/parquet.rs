//! Parquet: row groups are added to a file, their columns encoded on all processors, and its bytes are taken as they come.

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriterOptions, compute_leaves,
};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;

use crate::Error;
use crate::listed::{self, is_listed};
use crate::tables::{COUNTED, UNORDERED, VARIED};

/// A file that grows.
pub struct File {
    writer: SerializedFileWriter<Vec<u8>>,
    groups: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    count: usize,
}

impl File {
    /// Of rows with these columns.
    pub fn new(schema: SchemaRef) -> Result<Self, Error> {
        // Without Arrow's own schema the columns are what they are to everybody: texts are texts.
        let options = ArrowWriterOptions::new().with_properties(properties()).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(Vec::new(), schema.clone(), options)?;
        let (writer, groups) = writer.into_serialized_writer()?;
        Ok(Self { writer, groups, schema, count: 0 })
    }

    /// Adds a row group of these batches.
    pub fn add(&mut self, rows: &[RecordBatch]) -> Result<(), Error> {
        let writers = self.groups.create_column_writers(self.count)?;
        let columns = self.writer.schema_descr().columns();
        let encode = |(at, mut writer): (usize, ArrowColumnWriter)| {
            let (field, batches) = (self.schema.field(at), rows.iter().map(|batch| batch.column(at)));
            if is_listed(field.data_type()) {
                let is_ordered = !UNORDERED.contains(&field.name().as_str());
                return Ok(Encoded::Listed(listed::Chunk::of(&columns[at], batches, is_ordered)?));
            }
            for piece in batches.flat_map(pieces) {
                // No column has columns within, so that each is one leaf.
                for leaf in compute_leaves(field, &piece)? {
                    writer.write(&leaf)?;
                }
            }
            writer.close().map(Encoded::Other)
        };
        let chunks =
            writers.into_par_iter().enumerate().map(encode).collect::<Result<Vec<_>, ParquetError>>()?;
        let mut group = self.writer.next_row_group()?;
        for chunk in chunks {
            match chunk {
                Encoded::Listed(chunk) => chunk.append_to(&mut group)?,
                Encoded::Other(chunk) => chunk.append_to_row_group(&mut group)?,
            }
        }
        group.close()?;
        self.count += 1;
        Ok(())
    }

    /// How large it is so far, with what was taken of it.
    pub fn size_bytes(&self) -> usize {
        self.writer.bytes_written()
    }

    /// What was added since this was asked last.
    pub fn take_bytes(&mut self) -> Result<Vec<u8>, Error> {
        self.writer.flush().map_err(ParquetError::from)?;
        let made = self.writer.inner_mut();
        // The next row group is about as long: bytes that grow bit by bit are moved over and over.
        let next = Vec::with_capacity(made.len());
        Ok(std::mem::replace(made, next))
    }

    /// The rest of the file.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        Ok(self.writer.into_inner()?)
    }
}

/// A column's part of a row group.
enum Encoded {
    Listed(listed::Chunk),
    Other(ArrowColumnChunk),
}

/// Pages of so many rows are read again as a whole; smaller ones cost a tenth more time to write.
const PAGE_ROWS: usize = 200_000;
/// Values that are encoded at once: few enough that what the library notes of each stays in a processor's cache.
const BATCH_ROWS: usize = 4096;

/// A column, so many values at a time.
fn pieces(column: &ArrayRef) -> impl Iterator<Item = ArrayRef> {
    let begins = (0..column.len()).step_by(BATCH_ROWS);
    begins.map(|begin| column.slice(begin, BATCH_ROWS.min(column.len() - begin)))
}

fn properties() -> WriterProperties {
    let mut made = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_write_batch_size(BATCH_ROWS)
        .set_created_by(concat!("plimsoll ", env!("CARGO_PKG_VERSION")).to_owned());
    for column in COUNTED.map(ColumnPath::from) {
        made = made
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    made = made
        .set_column_dictionary_enabled(ColumnPath::from(VARIED), false)
        .set_column_encoding(ColumnPath::from(VARIED), Encoding::DELTA_LENGTH_BYTE_ARRAY);
    for column in UNORDERED.map(ColumnPath::from) {
        made = made.set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    made.build()
}
