use super::view::{Shape, View, bytes, number, text};
use crate::value::{MIB};

/// Why cells read and wrote.
pub static VIEW: View = View {
    name: "exadata_io_reasons",
    about: "a cause of a cell's requests",
    titles: &["topioreasonsbyrequests", "topioreasonsbymb"],
    shape: Shape::Rows,
    columns: &[
        text("cell", &[("cellname", 1.0)]).carried(),
        text("reason", &[("ioreason", 1.0)]),
        number("requests_percent", &[("requests%cell", 1.0)]).about("of the cell's"),
        number("bytes_percent", &[("mb%cell", 1.0)]).about("of the cell's"),
        number("requests", &[("requeststotalrequests", 1.0)]),
        number("requests_per_s", &[("requestspersec", 1.0)]),
        bytes("bytes", &[("mbtotalmb", MIB)]),
        bytes("bytes_per_s", &[("mbpersec", MIB)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_cell_holds_below() {
        let report = html(
            "Top IO Reasons by Requests",
            &[
                "Cell Name",
                "IO Reason",
                "Requests %Cell",
                "Requests Total Requests",
                "Requests per Sec",
                "MB Total MB",
                "MB per Sec",
            ],
            &[
                &["cel01", "smart scan", "55.5", "24", "9.5", "2.0", "1.0"],
                &["", "redo", "4.5", "2", "0.5", "1.0", "0.5"],
            ],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "cell=cel01 reason=smart scan requests_percent=55.5 requests=24 requests_per_s=9.5 bytes=2097152 bytes_per_s=1048576",
                "cell=cel01 reason=redo requests_percent=4.5 requests=2 requests_per_s=0.5 bytes=1048576 bytes_per_s=524288"
            ]
        );
    }
}
