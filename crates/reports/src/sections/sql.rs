use super::view::{Shape, Titles, View, bytes, number, seconds, text};
use crate::value::{KIB};

/// The lists, by what they are ordered by.
const LISTS: Titles = Titles {
    begin: "sqlorderedby",
    names: &[
        ("elapsedtime", "elapsed time"),
        ("cputime", "cpu time"),
        ("cpu", "cpu time"),
        ("useri/owaittime", "user i/o time"),
        ("useri/otime", "user i/o time"),
        ("gets", "buffer gets"),
        ("reads", "physical reads"),
        ("physicalreads(unoptimized)", "unoptimized reads"),
        ("unoptimizedreadrequests", "unoptimized reads"),
        ("clusterwaittime", "cluster wait time"),
    ],
};

/// Statements by what they cost: every list of the report.
pub static VIEW: View = View {
    name: "sql",
    about: "a statement in one of the lists of what statements cost",
    titles: &["sqlorderedby*"],
    shape: Shape::Titled(&LISTS),
    columns: &[
        text("ordered_by", &[])
            .about("elapsed time, cpu time, user i/o time, buffer gets, physical reads, unoptimized reads, executions, parse calls, sharable memory, version count or cluster wait time"),
        text("sql_id", &[("sqlid", 1.0)]),
        text("old_hash_value", &[("oldhashvalue", 1.0), ("hashvalue", 1.0)])
            .about("how Statspack names a statement"),
        number("executions", &[("executions", 1.0), ("totalexecs", 1.0)]),
        seconds("elapsed_s", &[("elapsedtime(s)", 1.0), ("elapsdtime(s)", 1.0), ("totalelapsed(s)", 1.0)]),
        seconds("elapsed_per_exec_s", &[("elapsedtimeperexec(s)", 1.0), ("elapperexec(s)", 1.0), ("perexecutionelapsed(s)", 1.0)]),
        seconds("cpu_s", &[("cputime(s)", 1.0), ("totalcpu(s)", 1.0)]),
        seconds("cpu_per_exec_s", &[("cpuperexec(s)", 1.0), ("perexecutioncpu(s)", 1.0)]),
        seconds("user_io_s", &[("useri/otime(s)", 1.0), ("totaliowait(s)", 1.0)]),
        seconds("user_io_per_exec_s", &[("uioperexec(s)", 1.0), ("perexecutioniowait(s)", 1.0)]),
        seconds("cluster_wait_per_exec_s", &[("perexecutioncluster(s)", 1.0)]),
        seconds("cluster_wait_s", &[("clusterwaittime(s)", 1.0), ("totalcluster(s)", 1.0)]),
        number("buffer_gets", &[("buffergets", 1.0), ("`buffergets", 1.0), ("totalgets", 1.0)]),
        number("gets_per_exec", &[("getsperexec", 1.0), ("perexecutiongets", 1.0)]),
        number("physical_reads", &[("physicalreads", 1.0), ("physicalrds", 1.0), ("totalreads", 1.0)]),
        number("reads_per_exec", &[("readsperexec", 1.0), ("rdsperexec", 1.0), ("perexecutionreads", 1.0)]),
        number("physical_read_requests", &[("physicalreadreqs", 1.0), ("totalrequests", 1.0)]),
        number("physical_read_requests_per_exec", &[("perexecutionrequests", 1.0)]),
        number("unoptimized_read_requests", &[("unoptimizedreadreqs", 1.0), ("totalunoptimized", 1.0)]),
        number("unoptimized_reads_per_exec", &[("unoptimizedreqsperexec", 1.0), ("unoptimizedreqsperexe", 1.0), ("perexecutionunoptimized", 1.0)]),
        number("optimized_percent", &[("%opt", 1.0)])
            .about("of read requests, those that flash or a storage index answered"),
        number("rows_processed", &[("rowsprocessed", 1.0), ("totalrows", 1.0)]),
        number("rows_per_exec", &[("rowsperexec", 1.0), ("perexecutionrows", 1.0)]),
        number("parse_calls", &[("parsecalls", 1.0)]),
        bytes("sharable_memory_bytes", &[("sharablemem(b)", 1.0), ("maxsharablememory(kb)", KIB)]),
        number("version_count", &[("versioncount", 1.0), ("maxversioncount", 1.0)]),
        number("total_percent", &[("%total", 1.0), ("%totalparses", 1.0)])
            .about("of what the list is ordered by, the share of the whole database"),
        number("cpu_percent", &[("%cpu", 1.0)])
            .about("of its elapsed time"),
        number("io_percent", &[("%io", 1.0)])
            .about("of its elapsed time"),
        number("cluster_percent", &[("%clu", 1.0)])
            .about("of its elapsed time"),
        number("db_time_percent", &[("percentageoftotaldbtime", 1.0), ("%totaldbtime", 1.0)])
            .about("of a cluster's time"),
        number("db_cpu_percent", &[("percentageoftotaldbcpu", 1.0)])
            .about("of a cluster's CPU time"),
        number("io_wait_percent", &[("percentageoftotaliowait", 1.0)])
            .about("of a cluster's waits for I/O"),
        number("gets_percent", &[("percentageoftotalgets", 1.0)])
            .about("of a cluster's"),
        number("reads_percent", &[("percentageoftotalreads", 1.0)])
            .about("of a cluster's"),
        number("read_requests_percent", &[("percentageoftotalrequests", 1.0)])
            .about("of a cluster's"),
        number("unoptimized_reads_percent", &[("percentageoftotalunoptimized", 1.0)])
            .about("of a cluster's"),
        number("cluster_wait_percent", &[("percentageoftotalcluster", 1.0)])
            .about("of a cluster's waits for its blocks"),
        number("executions_percent", &[("percentageoftotalexecs", 1.0)])
            .about("of a cluster's"),
        text("pdb_name", &[("pdbname", 1.0)]),
        text("module", &[("sqlmodule", 1.0)]),
        text("sql_text", &[("sqltext", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn lists_of_all_reports_share_their_names() {
        let report = html(
            "SQL ordered by User I/O Wait Time",
            &[
                "User I/O Time (s)",
                "Executions",
                "UIO per Exec (s)",
                "%Total",
                "Elapsed Time (s)",
                "%CPU",
                "%IO",
                "SQL Id",
                "SQL Module",
                "SQL Text",
            ],
            &[&[
                "8.50",
                "4",
                "2.13",
                "51.0",
                "10.0",
                "10.5",
                "85.0",
                "abcdef0123456",
                "cook",
                "select 1 from pot",
            ]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "ordered_by=user i/o time sql_id=abcdef0123456 executions=4 elapsed_s=10 user_io_s=8.5 user_io_per_exec_s=2.13 total_percent=51 cpu_percent=10.5 io_percent=85 module=cook sql_text=select 1 from pot"
            ]
        );
        let report = html(
            "SQL ordered by CPU Time (Global)",
            &["SQL Id", "Total CPU (s)", "Total Gets", "Percentage of Total DB CPU"],
            &[&["abcdef0123456", "2.5", "12K", "7.5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["ordered_by=cpu time sql_id=abcdef0123456 cpu_s=2.5 buffer_gets=12000 db_cpu_percent=7.5"]
        );
    }

    #[test]
    fn text_names_the_module_above_the_statement() {
        let report = [
            "SQL ordered by CPU  DB/Inst: POT/pot  Snaps: 1-2",
            "",
            "    CPU                  CPU per             Elapsd                     Old",
            "  Time (s)   Executions  Exec (s)  %Total   Time (s)    Buffer Gets  Hash Value",
            "---------- ------------ ---------- ------ ---------- --------------- ----------",
            "      4.00            2       2.00   50.0       5.00           1,234 1234567890",
            "Module: cook",
            "select 1",
            "from pot",
            "",
            "          -------------------------------------------------------------",
        ]
        .join("\n");
        let row = "ordered_by=cpu time old_hash_value=1234567890 executions=2 elapsed_s=5 cpu_s=4 cpu_per_exec_s=2 buffer_gets=1234 \
                   total_percent=50 module=cook sql_text=select 1\nfrom pot";
        assert_eq!(rows(&VIEW, &report), [row]);
    }
}
