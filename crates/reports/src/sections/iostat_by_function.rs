use super::iostat;
use super::view::{Column, Shape, View, aggregate, bytes, joined, microseconds, number, text, whole};
use crate::value::{MIB};

const OWN: &[Column] = &[
    text("function", &[("functionname", 1.0), ("function", 1.0), ("*", 1.0)]),
    whole("waits", &[("waits:count", 1.0), ("waitcount", 1.0)]),
    microseconds("avg_wait_us", &[("avgtm(ms)", 1e3), ("avgtime", 1.0), ("waitavgtm(ms)", 1e3)]),
    number("small_reads", &[("readsmallreadreqs", 1.0)]),
    number("large_reads", &[("readlargereadreqs", 1.0)]),
    bytes("small_read_bytes", &[("readsmalldataread", MIB)]),
    bytes("large_read_bytes", &[("readlargedataread", MIB)]),
    number("small_writes", &[("writesmallwritereqs", 1.0)]),
    number("large_writes", &[("writelargewritereqs", 1.0)]),
    bytes("small_write_bytes", &[("writesmalldatawritn", MIB)]),
    bytes("large_write_bytes", &[("writelargedatawritn", MIB)]),
    aggregate(),
];
const COLUMNS: [Column; OWN.len() + iostat::COLUMNS.len()] = joined(OWN, iostat::COLUMNS);

/// I/O by what it was for.
pub static VIEW: View = View {
    name: "iostat_by_function",
    about: "reads and writes of one function of the database; small ones are of less than 128 KiB",
    titles: &[
        "iostatbyfunctionsummary",
        "iostatbyfunction-summary",
        "iostatbyfunction-detail",
        "iostatbyfunction",
        "iostatbyfunction(persecond)",
    ],
    shape: Shape::Rows,
    columns: &COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    const HEADS: [&str; 9] = [
        "Function Name",
        "Reads: Data",
        "Reqs per sec",
        "Data per sec",
        "Writes: Data",
        "Reqs per sec",
        "Data per sec",
        "Waits: Count",
        "Avg Tm(ms)",
    ];

    #[test]
    fn data_without_a_suffix_are_megabytes() {
        let title = "IOStat by Function summary";
        let cells = ["LGWR", "1.5G", "2.25", ".5", "0M", "74.42", "3M", "2409.1K", "2.5"];
        let row = "function=LGWR waits=2409100 avg_wait_us=2500 read_bytes=1610612736 reads_per_s=2.25 read_bytes_per_s=524288 \
                   write_bytes=0 writes_per_s=74.42 write_bytes_per_s=3145728";
        assert_eq!(rows(&VIEW, &html(title, &HEADS, &[&cells])), [row]);
    }

    #[test]
    fn functions_of_a_cluster_stand_sideways_in_12_1() {
        let heads = [
            "I#",
            "Reads MB/sec Total",
            "Reads MB/sec Buffer Cache",
            "Writes requests/sec Total",
            "Writes requests/sec LGWR",
        ];
        let page = html("IOStat by Function (per Second)", &heads, &[&["2", "2", "1", "0.5", "0.25"]]);
        let expected = [
            "instance_number=2 function=Total read_bytes_per_s=2097152 writes_per_s=0.5",
            "instance_number=2 function=Buffer Cache read_bytes_per_s=1048576",
            "instance_number=2 function=LGWR writes_per_s=0.25",
        ];
        assert_eq!(rows(&VIEW, &page), expected);
    }

    #[test]
    fn statspack_tells_small_requests_from_large() {
        let text = "
IO Stat by Function - detail  DB/Inst: ABC/abc  Snaps: 1-2
-> ordered by IO (Read)

                   ----------- Read ---------- ----------- Write ---------
                   Small Large  Small  Large   Small Large  Small  Large
                   Read  Read   Data   Data    Write Write  Data   Data
Function           Reqs  Reqs   Read   Read    Reqs  Reqs   Writn  Writn
------------------ ----- ----- ------ -------- ----- ----- ------ --------
Direct Reads         18K   49K  1977M    6133M
          -------------------------------------------------------------
";
        let said = rows(&VIEW, text);
        assert_eq!(
            said,
            [
                "function=Direct Reads small_reads=18000 large_reads=49000 small_read_bytes=2073034752 large_read_bytes=6430916608"
            ]
        );
    }
}
