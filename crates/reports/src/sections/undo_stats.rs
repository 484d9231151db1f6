use super::view::{Shape, View, number, part, seconds, text};

/// Undo over time.
pub static VIEW: View = View {
    name: "undo_stats",
    about: "what undo took in a stretch of time",
    titles: &["undosegmentstats"],
    shape: Shape::Rows,
    columns: &[
        text("end_time", &[("endtime", 1.0)]).about("day, month and time; the year is not printed"),
        number("undo_blocks", &[("numundoblocks", 1.0), ("undoblocks", 1.0)]),
        number("transactions", &[("numberoftransactions", 1.0), ("numtrans", 1.0)]),
        seconds("longest_query_s", &[("maxqrylen(s)", 1.0)]),
        number("most_transactions_at_once", &[("maxtxconcy", 1.0)]),
        number("retention_min", &[("tunret(mins)", 1.0)]).about("tuned retention in minutes"),
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
    fn errors_have_columns_of_their_own_in_old_reports() {
        let report = html(
            "Undo Segment Stats",
            &[
                "End Time",
                "Undo Blocks",
                "Num Trans",
                "Max Qry Len (s)",
                "Max Tx Concy",
                "Snap Too Old",
                "Out of Space",
                "uS/uR/uU/ eS/eR/eU",
            ],
            &[&["08-Jun 11:45", "168", "####", "891", "17", "1", "0", "0/0/0/0/0/0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "end_time=08-Jun 11:45 undo_blocks=168 longest_query_s=891 most_transactions_at_once=17 snapshot_too_old=1 out_of_space=0 block_states=0/0/0/0/0/0"
            ]
        );
    }
}
