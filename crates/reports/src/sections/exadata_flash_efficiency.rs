use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// How many reads the flash cache of cells answered.
pub static VIEW: View = View {
    name: "exadata_flash_efficiency",
    about: "what part of reads a cell's flash cache answered",
    titles: &["flashcacheuserreadsefficiency"],
    shape: Shape::Rows,
    columns: &[
        text("cell", &[("cellname", 1.0)]).about("Total for all"),
        number("hits", &[("totalhitsrequests", 1.0)]),
        bytes("hit_bytes", &[("totalhitsmb", MIB)]),
        number("oltp_hits", &[("oltpreadhits", 1.0)]),
        number("oltp_misses", &[("oltpmisses", 1.0)]),
        number("oltp_hit_percent", &[("oltp%hit", 1.0)]),
        bytes("scan_read_bytes", &[("scanreadmb", MIB)]),
        bytes("scan_attempted_bytes", &[("scanattemptedmb", MIB)]),
        number("scan_hit_percent", &[("scan%hit", 1.0)]),
        number("keep_hits", &[("keepreadhits", 1.0)]),
        number("keep_misses", &[("keepmisses", 1.0)]),
        number("keep_hit_percent", &[("keep%hit", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn shares_stand_by_the_cell() {
        let report = html(
            "Flash Cache User Reads Efficiency",
            &[
                "Cell Name",
                "Total Hits Requests",
                "OLTP Read Hits",
                "OLTP Misses",
                "OLTP %Hit",
                "Scan Read MB",
            ],
            &[&["cel02", "107", "90", "10", "90.0", "2.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["cell=cel02 hits=107 oltp_hits=90 oltp_misses=10 oltp_hit_percent=90 scan_read_bytes=2097152"]
        );
    }
}
