use super::iostat;
use super::view::{Column, Shape, View, bytes, joined, microseconds, seconds, text, whole};
use crate::value::{MIB};

const OWN: &[Column] = &[
    text("function", &[("function/filename@(", 1.0), ("functionname", 1.0), ("@(", 1.0)]),
    text("filetype", &[("function/filename@()", 1.0), ("filetypename", 1.0), ("@()", 1.0)])
        .about("null in a row for all types of one function"),
    whole("waits", &[("waits:count", 1.0), ("waits", 1.0)]),
    microseconds("avg_wait_us", &[("avgtm(ms)", 1e3), ("avgtime", 1.0)]),
    seconds("total_wait_s", &[("waittime(ms)", 1e-3)]),
    bytes("small_read_bytes", &[("smallread(mb)", MIB)]),
    bytes("large_read_bytes", &[("largeread(mb)", MIB)]),
    bytes("small_write_bytes", &[("smallwrite(mb)", MIB)]),
    bytes("large_write_bytes", &[("largewrite(mb)", MIB)]),
];
const COLUMNS: [Column; OWN.len() + iostat::COLUMNS.len()] = joined(OWN, iostat::COLUMNS);

/// I/O by what it was for and the type of file.
pub static VIEW: View = View {
    name: "iostat_by_function_filetype",
    about: "reads and writes of one function of the database in files of one type",
    titles: &["iostatbyfunction/filetypesummary", "iostatsfunctiondetail"],
    shape: Shape::Rows,
    columns: &COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn a_row_without_its_name_is_said() {
        let codes = |name: &str| {
            let heads = ["Function/File Name", "Reads: Data", "Reqs per sec", "Avg Tm(ms)"];
            let page = html("IOStat by Function/Filetype summary", &heads, &[&[name, "2M", "3", "0.5"]]);
            let problems = crate::read(page.into_bytes()).tables.problems.into_iter();
            problems.map(|problem| problem.code).collect::<Vec<_>>()
        };
        assert_eq!(codes("LGWR"), [""; 0]);
        assert_eq!(codes(""), ["row-headless"]);
    }

    #[test]
    fn the_type_of_file_stands_in_parentheses_or_alone() {
        let title = "IOStat by Function/Filetype summary";
        let heads = ["Function/File Name", "Reads: Data", "Reqs per sec", "Avg Tm(ms)"];
        let page =
            html(title, &heads, &[&["LGWR", "2M", "3", "N/A"], &["LGWR (Log File)", "1M", "2", "0.5"]]);
        let expected = [
            "function=LGWR read_bytes=2097152 reads_per_s=3",
            "function=LGWR filetype=Log File avg_wait_us=500 read_bytes=1048576 reads_per_s=2",
        ];
        assert_eq!(rows(&VIEW, &page), expected);
        let heads = ["Function Name", "FileType Name", "Small Read (MB)", "Waits", "Wait Time (ms)"];
        let page = html("IO Stats Function Detail", &heads, &[&["LGWR", "Other(8)", "1", "10", "2,500"]]);
        let row = "function=LGWR filetype=Other(8) waits=10 total_wait_s=2.5 small_read_bytes=1048576";
        assert_eq!(rows(&VIEW, &page), [row]);
    }
}
