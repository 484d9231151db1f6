use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Reads that the flash cache of cells answered.
pub static VIEW: View = View {
    name: "exadata_flash_reads",
    about: "what a cell's flash cache read for databases",
    titles: &["flashcacheuserreads"],
    shape: Shape::Rows,
    columns: &[
        text("cell", &[("cellname", 1.0)]).about("Total for all"),
        number("hits", &[("readrequeststotalhits", 1.0)]),
        number("hits_per_s", &[("readrequestshitspersec", 1.0)]),
        number("oltp_hits", &[("readrequestsoltp", 1.0)]),
        number("scan_hits", &[("readrequestsscan", 1.0)]),
        number("columnar_hits", &[("readrequestscolumnar", 1.0)]),
        number("keep_hits", &[("readrequestskeep", 1.0)]),
        number("partial_hits", &[("readrequestsmissespartialhits", 1.0)]),
        bytes("hit_bytes", &[("readmegabytestotalhits", MIB)]),
        bytes("hit_bytes_per_s", &[("readmegabyteshitmb/s", MIB)]),
        bytes("oltp_hit_bytes", &[("readmegabytesoltp", MIB)]),
        bytes("scan_hit_bytes", &[("readmegabytesscan", MIB)]),
        bytes("columnar_hit_bytes", &[("readmegabytescolumnar", MIB)]),
        bytes("keep_hit_bytes", &[("readmegabyteskeep", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn megabytes_become_bytes() {
        let report = html(
            "Flash Cache User Reads",
            &[
                "Cell Name",
                "Read Requests Total Hits",
                "Read Requests Hits per Sec",
                "Read Requests OLTP",
                "Read Megabytes Total Hits",
                "Read Megabytes Hit MB/s",
            ],
            &[&["Total (3)", "3,217", "12.5", "2,705", "2.0", "1.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "cell=Total (3) hits=3217 hits_per_s=12.5 oltp_hits=2705 hit_bytes=2097152 hit_bytes_per_s=1048576"
            ]
        );
    }
}
