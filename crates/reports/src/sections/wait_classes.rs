use super::view::{Shape, View, aggregate, microseconds, number, seconds, text, title};

/// Waits by class.
pub static VIEW: View = View {
    name: "wait_classes",
    about: "a class of waits, of all sessions or of those that work for clients",
    titles: &[
        "waitclassesbytotalwaittime",
        "foregroundwaitclass",
        "waitclass",
        "foregroundwaitclasses",
        "foregroundwaitclasses-%ofdbtime",
        "foregroundwaitclasses-%oftotaldbtime",
    ],
    shape: Shape::Rows,
    columns: &[
        text("wait_class", &[("waitclass", 1.0), ("*", 1.0)]),
        title("list"),
        number("waits", &[("waits", 1.0)]),
        number("timeouts_percent", &[("%time-outs", 1.0)]),
        seconds("total_wait_s", &[("totalwaittime(s)", 1.0), ("totalwaittime(sec)", 1.0), ("*(s)", 1.0)]),
        microseconds("avg_wait_us", &[("avgwait(ms)", 1e3), ("avgwait", 1.0), ("avgwaittime", 1.0)]),
        number("db_time_percent", &[("%dbtime", 1.0), ("%dbtime*", 1.0), ("*", 1.0)]),
        number("avg_active_sessions", &[("avgactivesessions", 1.0)]),
        number("waits_per_txn", &[("waits/txn", 1.0)]),
        seconds("db_time_s", &[("dbtime", 1.0), ("dbtime(s)", 1.0)]).about("of a cluster: of the instance"),
        number("db_time_share_percent", &[("%totaldbtime", 1.0)])
            .about("of a cluster: the instance's part of the DB time of all"),
        aggregate(),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn classes_stand_below_each_other_or_side_by_side() {
        let heads = [
            "Wait Class",
            "Waits",
            "Total Wait Time (sec)",
            "Avg Wait Time",
            "% DB time",
            "Avg Active Sessions",
        ];
        let title = "Wait Classes by Total Wait Time";
        let page = html(title, &heads, &[&["User I/O", "30", "62", "279.87us", "1.6", "0.1"]]);
        let row = "wait_class=User I/O list=Wait Classes by Total Wait Time waits=30 total_wait_s=62 avg_wait_us=279.87 \
                   db_time_percent=1.6 avg_active_sessions=0.1";
        assert_eq!(rows(&VIEW, &page), [row]);
        let heads = ["I#", "User I/O(s)", "DB CPU (s)", "DB time"];
        let page = html("Foreground Wait Classes", &heads, &[&["1", "248.1", "", "335.4"]]);
        let row = "instance_number=1 wait_class=User I/O list=Foreground Wait Classes total_wait_s=248.1 db_time_s=335.4";
        assert_eq!(rows(&VIEW, &page), [row]);
    }

    #[test]
    fn shares_of_db_time_are_percent_with_and_without_saying_so() {
        let title = "Foreground Wait Classes -  % of DB time ";
        let plain = html(title, &["I#", "User I/O", "% Total DB time"], &[&["1", "74", "50"]]);
        let said = html(title, &["I#", "% DB time User I/O", "% Total DB time"], &[&["1", "74", "50"]]);
        let row = "instance_number=1 wait_class=User I/O list=Foreground Wait Classes - % of DB time db_time_percent=74 \
                   db_time_share_percent=50";
        assert_eq!(rows(&VIEW, &plain), [row]);
        assert_eq!(rows(&VIEW, &said), [row]);
    }
}
