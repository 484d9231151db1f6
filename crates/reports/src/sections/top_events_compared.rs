use super::view::{Shape, View, microseconds, number, seconds, text};

/// Events that took most time in each of two periods.
pub static VIEW: View = View {
    name: "top_events_compared",
    about: "an event of each of two periods, by its place; `-` before a name: it is no top event of that period",
    titles: &[
        "top#timedevents",
        "top#timedforegroundevents",
        "top#foregroundeventsbytotalwaittime",
        "toptimedevents",
        "toptimedforegroundevents",
        // In text both periods stand behind the title.
        "top#timedeventsfirst",
        "toptimedeventsfirst",
        "toptimedforegroundeventsfirst",
    ],
    shape: Shape::Rows,
    columns: &[
        // Only tables of two periods have a second event, so that it comes first.
        text("second_event", &[("2ndevent", 1.0), ("event@2", 1.0)]),
        text("first_event", &[("1stevent", 1.0), ("event", 1.0)]),
        text("first_wait_class", &[("1stwaitclass", 1.0), ("waitclass", 1.0)]),
        number("first_waits", &[("1stwaits", 1.0), ("waits", 1.0)]),
        seconds("first_total_wait_s", &[("1sttime(s)", 1.0), ("time(s)", 1.0)]),
        microseconds("first_avg_wait_us", FIRST_AVERAGES),
        number("first_db_time_percent", &[("1st%dbtime", 1.0), ("%dbtime", 1.0)]),
        text("second_wait_class", &[("2ndwaitclass", 1.0), ("waitclass@2", 1.0)]),
        number("second_waits", &[("2ndwaits", 1.0), ("waits@2", 1.0)]),
        seconds("second_total_wait_s", &[("2ndtime(s)", 1.0), ("time(s)@2", 1.0)]),
        microseconds("second_avg_wait_us", SECOND_AVERAGES),
        number("second_db_time_percent", &[("2nd%dbtime", 1.0), ("%dbtime@2", 1.0)]),
    ],
};

const FIRST_AVERAGES: &[(&str, f64)] = &[
    ("1stavgtime(ms)", 1e3),
    ("1stavgwait(ms)", 1e3),
    ("1stavgtime", 1.0),
    ("avgtime(ms)", 1e3),
    ("avgwait(ms)", 1e3),
    ("avgtime", 1.0),
];
const SECOND_AVERAGES: &[(&str, f64)] = &[
    ("2ndavgtime(ms)", 1e3),
    ("2ndavgwait(ms)", 1e3),
    ("2ndavgtime", 1.0),
    ("avgtime(ms)@2", 1e3),
    ("avgwait(ms)@2", 1e3),
    ("avgtime@2", 1.0),
];

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    const ROW: &str = "second_event=-CPU time first_event=db file sequential read first_wait_class=User I/O first_waits=1200 \
                       first_total_wait_s=2.5 first_avg_wait_us=2100 first_db_time_percent=44.1 second_total_wait_s=7.5 \
                       second_db_time_percent=12.5";
    const HEADS: [&str; 6] = ["Event", "Wait Class", "Waits", "Time(s)", "Avg Time(ms)", "%DB time"];
    const CELLS: &[&str] = &[
        "db file sequential read",
        "User I/O",
        "1,200",
        "2.5",
        "2.1",
        "44.1",
        "-CPU time",
        "",
        "",
        "7.5",
        "",
        "12.5",
    ];

    #[test]
    fn both_periods_are_read() {
        let named = |period: &'static str| HEADS.map(|name| format!("{period} {name}"));
        let headings = [named("1st"), named("2nd")].concat();
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        assert_eq!(rows(&VIEW, &html("Top Timed Events", &headings, &[CELLS])), [ROW]);
        let twice = [HEADS, HEADS].concat();
        assert_eq!(rows(&VIEW, &html("Top 5 Timed Events", &twice, &[CELLS])), [ROW]);
    }

    #[test]
    fn one_period_has_its_own_view() {
        assert_eq!(rows(&VIEW, &html("Top 5 Timed Events", &HEADS, &[&CELLS[..6]])), [""; 0]);
    }

    #[test]
    fn text_has_both_periods_behind_its_title() {
        let text = "
Top Timed Events              First DB/Inst: SHOP/shop1 Snaps: 91-92 (Elapsed time: 300 sec), Second DB/Inst: SHOP/shop1 Snaps: 88-89

                                              1st                                                                                              2nd
-----------------------------------------------------------------------------------------------  -----------------------------------------------------------------------------------------------
Event                          Wait Class           Waits      Time(s)  Avg Time(ms)   %DB time  Event                          Wait Class           Waits      Time(s)  Avg Time(ms)   %DB time
------------------------------ ------------- ------------ ------------ ------------- ----------  ------------------------------ ------------- ------------ ------------ ------------- ----------
 db file sequential read       User I/O             1,234          2.4           1.9        5.2   db file sequential read       User I/O             2,234          3.4           1.5        6.2
-log file sync                 Commit                  11          0.4          36.4        0.9   log file sync                 Commit                 111          0.8           7.2        1.9
          ------------------------------------------------------------
";
        let found = rows(&VIEW, text);
        assert_eq!(
            found[1],
            "second_event=log file sync first_event=-log file sync first_wait_class=Commit first_waits=11 first_total_wait_s=0.4 \
             first_avg_wait_us=36400 first_db_time_percent=0.9 second_wait_class=Commit second_waits=111 second_total_wait_s=0.8 \
             second_avg_wait_us=7200 second_db_time_percent=1.9"
        );
    }
}
