use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Redo that went to the flash of cells.
pub static VIEW: View = View {
    name: "exadata_flash_log",
    about: "a cell's writes of redo, and which of flash and disk was first",
    titles: &["flashlog"],
    shape: Shape::Rows,
    columns: &[
        text("cell", &[("cellname", 1.0)]).about("Total for all"),
        number("writes_percent", &[("writerequests%total", 1.0)]),
        number("writes", &[("writerequeststotal", 1.0), ("writerequestsredolog", 1.0)]),
        number("writes_per_s", &[("writerequestspersec", 1.0), ("writerequestsredolog/s", 1.0)]),
        bytes("write_bytes", &[("writembtotal", MIB)]),
        bytes("write_bytes_per_s", &[("writembpersec", MIB)]),
        number("flash_first_percent", &[("firstwrites%flashlog", 1.0)]),
        number("flash_first_writes", &[("firstwritesflashlog", 1.0)]),
        number("disk_first_writes", &[("firstwritesdblog", 1.0)]),
        number("outlier_efficiency_percent", &[("outliers%efficiency", 1.0)]),
        number("outliers_prevented", &[("outliersprevented", 1.0)]),
        number("outliers", &[("outliersactual", 1.0)]),
        number("disk_errors", &[("errorsdiski/o", 1.0)]),
        number("flash_errors", &[("errorsflashi/o", 1.0)]),
        number("skips", &[("skipcount", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn what_was_first_stands_by_the_cell() {
        let report = html(
            "Flash Log",
            &[
                "Cell Name",
                "Write Requests % Total",
                "Write Requests Total",
                "Write Requests per Sec",
                "Write MB Total",
                "First Writes %Flash Log",
                "First Writes Flash Log",
                "First Writes DB Log",
                "Outliers Prevented",
            ],
            &[&["cel01", "33.5", "110", "42.5", "2.0", "36.5", "40", "70", "38"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "cell=cel01 writes_percent=33.5 writes=110 writes_per_s=42.5 write_bytes=2097152 flash_first_percent=36.5 flash_first_writes=40 disk_first_writes=70 outliers_prevented=38"
            ]
        );
    }
}
