use super::view::{Shape, Value, View, microseconds, name, number, text};

/// Single-block reads of a file by how long they took.
pub static VIEW: View = View {
    name: "file_read_histogram",
    about: "of the single-block reads of a file those of one length",
    titles: &["filereadhistogramstats"],
    shape: Shape::Rows,
    columns: &[
        text("file", &[("filename", 1.0)]),
        text("tablespace", &[("tablespace", 1.0)]).carried(),
        name("bucket"),
        microseconds("bucket_begin_us", &[("*", 1.0)]).read_as(Value::BucketBegin),
        microseconds("bucket_end_us", &[("*", 1.0)])
            .read_as(Value::BucketEnd)
            .about("null where the bucket is open"),
        number("reads", &[("*", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn each_bucket_is_a_row() {
        let heads = ["Tablespace", "Filename", "0 - 2 ms", "32+ ms"];
        let page =
            html("File Read Histogram Stats", &heads, &[&["TBS", "/a", "10,294", "1"], &["", "/b", "", "2"]]);
        let expected = [
            "file=/a tablespace=TBS bucket=0 - 2 ms bucket_begin_us=0 bucket_end_us=2000 reads=10294",
            "file=/a tablespace=TBS bucket=32+ ms bucket_begin_us=32000 reads=1",
            "file=/b tablespace=TBS bucket=32+ ms bucket_begin_us=32000 reads=2",
        ];
        assert_eq!(rows(&VIEW, &page), expected);
    }
}
