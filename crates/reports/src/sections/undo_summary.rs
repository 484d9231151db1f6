use super::view::{Shape, View, number, part, seconds, text};

/// Undo by tablespace.
pub static VIEW: View = View {
    name: "undo_summary",
    about: "what an undo tablespace took",
    titles: &["undosegmentsummary"],
    shape: Shape::Rows,
    columns: &[
        text("tablespace_number", &[("undots#", 1.0)]),
        number("undo_blocks", &[("numundoblocks(k)", 1000.0), ("undoblocks", 1.0)]),
        number("transactions", &[("numberoftransactions", 1.0), ("numtrans", 1.0)]),
        seconds("longest_query_s", &[("maxqrylen(s)", 1.0)]),
        number("most_transactions_at_once", &[("maxtxconcurcy", 1.0), ("maxtxconcy", 1.0)]),
        part("retention_min", 0, &[("min/maxtr(mins)", 1.0)]).about("tuned retention in minutes, the least"),
        part("retention_max_min", 1, &[("min/maxtr(mins)", 1.0)])
            .about("tuned retention in minutes, the most"),
        part("snapshot_too_old", 0, &[("sto/oos", 1.0), ("snaptooold", 1.0), ("snapshottooold", 1.0)])
            .about("errors"),
        part("out_of_space", 1, &[("sto/oos", 1.0), ("outofspace", 1.0)]).about("errors"),
        text("block_states", &[("us/ur/uu/es/er/eu", 1.0)])
            .about("unexpired blocks stolen, released and used again, then expired ones"),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn numbers_between_slashes_are_taken_apart() {
        let report = html(
            "Undo Segment Summary",
            &[
                "Undo TS#",
                "Num Undo Blocks (K)",
                "Number of Transactions",
                "Max Qry Len (s)",
                "Max Tx Concurcy",
                "Min/Max TR (mins)",
                "STO/ OOS",
                "uS/uR/uU/ eS/eR/eU",
            ],
            &[&["84", "53.5", "371", "1,525", "41", "15.5/66.7", "3/0", "0/0/0/0/0/0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "tablespace_number=84 undo_blocks=53500 transactions=371 longest_query_s=1525 most_transactions_at_once=41 retention_min=15.5 retention_max_min=66.7 snapshot_too_old=3 out_of_space=0 block_states=0/0/0/0/0/0"
            ]
        );
    }
}
