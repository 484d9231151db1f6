use super::iostat;
use super::view::{Column, Shape, View, aggregate, joined, microseconds, text};

const OWN: &[Column] = &[
    text("filetype", &[("filetypename", 1.0), ("*", 1.0)]),
    microseconds("small_read_us", &[("smallread", 1e3), ("servicetimesmallread", 1.0)]).about("on average"),
    microseconds("large_read_us", &[("largeread", 1e3), ("servicetimelargeread", 1.0)]).about("on average"),
    aggregate(),
];
const COLUMNS: [Column; OWN.len() + iostat::COLUMNS.len()] = joined(OWN, iostat::COLUMNS);

/// I/O by the type of file.
pub static VIEW: View = View {
    name: "iostat_by_filetype",
    about: "reads and writes of one type of file",
    titles: &["iostatbyfiletypesummary", "iostatbyfiletype", "iostatbyfiletype(persecond)"],
    shape: Shape::Rows,
    columns: &COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn times_have_their_unit_or_are_milliseconds() {
        let heads = ["Filetype Name", "Reads: Data", "Small Read", "Large Read"];
        let page = html("IOStat by Filetype summary", &heads, &[&["Data File", "1M", "1.25", "142.86us"]]);
        let row = "filetype=Data File small_read_us=1250 large_read_us=142.86 read_bytes=1048576";
        assert_eq!(rows(&VIEW, &page), [row]);
        let heads = [
            "I#",
            "Filetype Name",
            "Requests Total",
            "Requests Reads/s",
            "MB Total",
            "Service Time Small Read",
        ];
        let page = html("IOStat by File Type", &heads, &[&["*", "Total", "900", "0.5", "2", "19.5us"]]);
        let row =
            "filetype=Total small_read_us=19.5 aggregate=* reads_per_s=0.5 requests=900 data_bytes=2097152";
        assert_eq!(rows(&VIEW, &page), [row]);
    }
}
