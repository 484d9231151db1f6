//! The columns that all tables of wait events have.

use super::view::{Column, aggregate, microseconds, number, seconds, text};

/// An event, how often and how long it was waited for.
pub const COLUMNS: &[Column] = &[
    text("event", &[("event", 1.0), ("waitevent", 1.0)]),
    text("wait_class", &[("waitclass", 1.0)]),
    number("waits", &[("waits", 1.0), ("eventwaits", 1.0)]),
    number("timeouts", &[("timeouts", 1.0)]),
    number(
        "timeouts_percent",
        &[("%time-outs", 1.0), ("%timout", 1.0), ("event%timeouts", 1.0), ("%timeouts", 1.0)],
    ),
    seconds("total_wait_s", TOTALS),
    microseconds("avg_wait_us", AVERAGES),
    number("waits_per_txn", &[("waits/txn", 1.0)]),
    number("db_time_percent", SHARES)
        .about("of DB time; of all call time in 10g and Statspack, of elapsed or wait time before"),
    number("background_time_percent", &[("%bgtime", 1.0), ("waittime%bgtime", 1.0)]),
    microseconds("instances_avg_us", &[("summaryavgwaittimeavg", 1.0), ("summaryavgwaittime(ms)avg", 1e3)])
        .about("of a cluster: of the average waits of instances, the average"),
    microseconds("instances_min_us", &[("summaryavgwaittimemin", 1.0), ("summaryavgwaittime(ms)min", 1e3)]),
    microseconds("instances_max_us", &[("summaryavgwaittimemax", 1.0), ("summaryavgwaittime(ms)max", 1e3)]),
    microseconds(
        "instances_stddev_us",
        &[("summaryavgwaittimestddev", 1.0), ("summaryavgwaittime(ms)stddev", 1e3)],
    ),
    number("instance_count", &[("summaryavgwaittimecnt", 1.0), ("summaryavgwaittime(ms)cnt", 1.0)]),
    aggregate(),
];

const TOTALS: &[(&str, f64)] = &[
    ("totalwaittime(s)", 1.0),
    ("totalwaittime(sec)", 1.0),
    ("totalwaittime(cs)", 0.01),
    ("waittimetotal(s)", 1.0),
    ("time(s)", 1.0),
    ("totatime", 1.0),
    ("waittime(cs)", 0.01),
    ("waittime(s)", 1.0),
];

const AVERAGES: &[(&str, f64)] = &[
    ("avgwait(ms)", 1e3),
    ("waitavg(ms)", 1e3),
    ("avgwait", 1.0),
    ("avgwaittime", 1.0),
    ("waittimeavgwait", 1.0),
    ("waittimeavg(ms)", 1e3),
];

const SHARES: &[(&str, f64)] = &[
    ("%dbtime", 1.0),
    ("waittime%dbtime", 1.0),
    ("%totalcalltime", 1.0),
    ("%totalelatime", 1.0),
    ("%totalwttime", 1.0),
];
