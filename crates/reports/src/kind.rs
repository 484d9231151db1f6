//! What kind of report a text is, from its own words; the file's name plays no part.

use memchr::memmem;

/// A kind of report. Those that are not read are known as well, so that the answer can name them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// `statspack`
    Statspack,
    /// `awr`: one instance.
    Awr,
    /// `awr-global`: all instances of a cluster, from awrgrpt.
    AwrGlobal,
    /// `awr-pdb`: one pluggable database.
    AwrPdb,
    /// `awr-diff`: two periods compared, from awrddrpt.
    AwrDiff,
    /// `ash`
    Ash,
    /// `addm`
    Addm,
    /// `awr-miner`
    AwrMiner,
    /// `osprep`: Statspack's data as HTML.
    Osprep,
    /// Tables of a report without its head, from a mail or a page.
    Excerpt,
    /// Named, and not read: one statement of AWR.
    AwrSql,
    /// Named, and not read: the real-time SQL monitor.
    SqlMonitor,
    /// Named, and not read: a formatted trace.
    Tkprof,
    /// Named, and not read: one statement of Statspack, from sprepsql.
    StatspackSql,
    /// Named, and not read: two periods compared by ADDM.
    AddmDiff,
    /// Named, and not read: a page of Enterprise Manager's that draws itself.
    ActiveReport,
    /// Named, and not read: what AWR itself holds, from awrinfo.
    AwrInfo,
    /// Named, and not read: Statspack's forerunner, from utlestat.
    Estat,
    /// Named, and not read: advice on statements.
    SqlTuning,
    /// Named, and not read: advice on segments and indexes.
    SqlAccess,
    /// Named, and not read: SQLTXPLAIN or its health check of one statement.
    Sqlt,
    /// Named, and not read: Oracle's checks of a machine.
    Exachk,
    /// Named, and not read: eDB360.
    Edb360,
    /// Named, and not read: raw trace.
    Trace,
    /// Named, and not read: the log of an instance.
    AlertLog,
    /// None of them.
    #[default]
    Unknown,
}

impl Kind {
    /// As outputs name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Statspack => "statspack",
            Self::Awr => "awr",
            Self::AwrGlobal => "awr-global",
            Self::AwrPdb => "awr-pdb",
            Self::AwrDiff => "awr-diff",
            Self::Ash => "ash",
            Self::Addm => "addm",
            Self::AwrMiner => "awr-miner",
            Self::Osprep => "osprep",
            Self::Excerpt => "excerpt",
            Self::AwrSql => "awr-sql",
            Self::SqlMonitor => "sql-monitor",
            Self::Tkprof => "tkprof",
            Self::StatspackSql => "statspack-sql",
            Self::AddmDiff => "addm-diff",
            Self::ActiveReport => "active-report",
            Self::AwrInfo => "awr-info",
            Self::Estat => "estat",
            Self::SqlTuning => "sql-tuning",
            Self::SqlAccess => "sql-access",
            Self::Sqlt => "sqlt",
            Self::Exachk => "exachk",
            Self::Edb360 => "edb360",
            Self::Trace => "trace",
            Self::AlertLog => "alert-log",
            Self::Unknown => "unknown",
        }
    }

    /// Whether this reader reads it.
    pub fn is_read(self) -> bool {
        use Kind::{Addm, Ash, Awr, AwrDiff, AwrGlobal, AwrMiner, AwrPdb, Excerpt, Osprep, Statspack};
        matches!(
            self,
            Statspack | Awr | AwrGlobal | AwrPdb | AwrDiff | Ash | Addm | AwrMiner | Osprep | Excerpt
        )
    }
}

/// Words that stand at the begin of a report, and with which another one begins where they come again.
pub const HEADS: [(&str, Kind); 9] = [
    ("WORKLOAD REPOSITORY COMPARE PERIOD", Kind::AwrDiff),
    ("WORKLOAD REPOSITORY PDB", Kind::AwrPdb),
    ("WORKLOAD REPOSITORY REPORT (RAC)", Kind::AwrGlobal),
    ("WORKLOAD REPOSITORY REPORT", Kind::Awr),
    ("WORKLOAD REPOSITORY report", Kind::Awr),
    ("STATSPACK report for", Kind::Statspack),
    ("STATSPACK Report for", Kind::Statspack),
    ("ASH Report For", Kind::Ash),
    ("StatsPack Report for", Kind::Osprep),
];

/// Whether a line begins as a report does.
pub fn begins_head(words: &str) -> bool {
    let words = words.trim_start();
    HEADS.iter().any(|(head, _)| words.starts_with(head))
}

/// What the scripts of reports print last.
pub const END: &str = "End of Report";

/// Whether a line is the last one of a report.
pub fn is_end(words: &str) -> bool {
    let words = words.trim_start();
    words.get(..END.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(END))
}

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Lines of text.
    #[default]
    Text,
    /// HTML.
    Html,
}

impl Form {
    /// As outputs name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "html",
        }
    }
}

/// Words that a report of the kind says early. Of several, the one that comes first in the report decides; of those at one place,
/// the first here.
const SIGNS: [(&str, Kind); 45] = [
    ("WORKLOAD REPOSITORY COMPARE PERIOD", Kind::AwrDiff),
    ("WORKLOAD REPOSITORY SQL", Kind::AwrSql),
    ("WORKLOAD REPOSITORY PDB", Kind::AwrPdb),
    ("WORKLOAD REPOSITORY REPORT (RAC)", Kind::AwrGlobal),
    ("WORKLOAD REPOSITORY REPORT", Kind::Awr),
    ("WORKLOAD REPOSITORY report", Kind::Awr),
    ("AWR Compare Period Report", Kind::AwrDiff),
    ("AWR RAC Report", Kind::AwrGlobal),
    ("OSPRep", Kind::Osprep),
    ("osprep", Kind::Osprep),
    ("StatsPack Report", Kind::Osprep),
    ("STATSPACK report for", Kind::Statspack),
    ("STATSPACK Report for", Kind::Statspack),
    ("ASH Report For", Kind::Ash),
    ("ASH Report -", Kind::Ash),
    ("ADDM Report for Task", Kind::Addm),
    ("DETAILED ADDM REPORT", Kind::Addm),
    ("ADDM REPORT", Kind::Addm),
    ("~~BEGIN-OS-INFORMATION~~", Kind::AwrMiner),
    ("SQL Monitoring Report", Kind::SqlMonitor),
    ("TKPROF: Release", Kind::Tkprof),
    ("STATSPACK SQL report for", Kind::StatspackSql),
    ("Compare Period ADDM", Kind::AddmDiff),
    ("ADDM Compare Period", Kind::AddmDiff),
    ("<report_parameters>", Kind::ActiveReport),
    ("flashVars=\"swf=", Kind::ActiveReport),
    ("<!--FXTMODEL-->", Kind::ActiveReport),
    ("Oracle Database Performance Hub", Kind::ActiveReport),
    ("SQL Monitor Report", Kind::SqlMonitor),
    ("AWR INFO Report", Kind::AwrInfo),
    ("Statistic                                                   Total        Per Transact", Kind::Estat),
    ("SQLDBA> Rem Select Library cache statistics", Kind::Estat),
    ("SQL> Rem Select Library cache statistics", Kind::Estat),
    ("Tuning Task Name   ", Kind::SqlTuning),
    ("SQL Access Advisor", Kind::SqlAccess),
    ("SQLTXPLAIN", Kind::Sqlt),
    ("SQLHC", Kind::Sqlt),
    ("Oracle Exadata Assessment Report", Kind::Exachk),
    ("Oracle RAC Assessment Report", Kind::Exachk),
    ("Oracle Database Assessment Report", Kind::Exachk),
    ("edb360", Kind::Edb360),
    ("eDB360", Kind::Edb360),
    ("*** SESSION ID:(", Kind::Trace),
    ("Starting ORACLE instance", Kind::AlertLog),
    ("~~BEGIN-", Kind::AwrMiner),
];

/// A report says what it is within so many bytes, most often; errors before its head and styles take more.
const SIGN_BYTES: [usize; 2] = [16_384, 524_288];

/// The kind.
pub fn find(text: &str) -> Kind {
    let found =
        SIGN_BYTES.iter().map(|bytes| find_in(head(text, *bytes))).find(|kind| *kind != Kind::Unknown);
    found.unwrap_or_default()
}

fn find_in(head: &[u8]) -> Kind {
    let mut first = (head.len(), Kind::Unknown);
    for (words, kind) in SIGNS {
        // Only what begins before the first one so far can still decide.
        let end = head.len().min(first.0 + words.len() - 1);
        if let Some(at) = memmem::find(&head[..end], words.as_bytes()) {
            first = (at, kind);
        }
    }
    if first.1 == Kind::Addm && TABLES.iter().any(|mark| memmem::find(&head[..first.0], mark).is_some()) {
        // It is the last part of a report whose head is not there.
        return Kind::Unknown;
    }
    first.1
}

/// Stand over each table of AWR and Statspack, and in no report of ADDM.
const TABLES: [&[u8]; 2] = [b"DB/Inst:", b"summary=\"This table displays"];

/// The first tag stands within so many bytes, whatever stands before it.
const FORM_BYTES: usize = 65_536;

/// The form.
pub fn form(text: &str) -> Form {
    let head = head(text, FORM_BYTES);
    let tags: [&[u8]; 6] = [b"<table", b"<TABLE", b"<html", b"<HTML", b"<h1", b"<td"];
    let is_tag = |at: usize| tags.iter().any(|tag| head[at..].starts_with(tag));
    if memchr::memchr_iter(b'<', head).any(is_tag) { Form::Html } else { Form::Text }
}

fn head(text: &str, bytes: usize) -> &[u8] {
    &text.as_bytes()[..text.len().min(bytes)]
}

#[cfg(test)]
mod tests {
    use super::{Kind, find};

    #[test]
    fn the_first_sign_decides() {
        assert_eq!(find("x\nSTATSPACK report for\n ADDM Report for Task"), Kind::Statspack);
        assert_eq!(find("<h1>WORKLOAD REPOSITORY REPORT (RAC)"), Kind::AwrGlobal);
        assert_eq!(find("WORKLOAD REPOSITORY PDB report (root snapshots)"), Kind::AwrPdb);
        assert_eq!(find("WORKLOAD REPOSITORY report for"), Kind::Awr);
        assert_eq!(find("dear diary"), Kind::Unknown);
    }

    #[test]
    fn advice_below_tables_is_a_part_of_their_report() {
        let advice = "          ADDM Report for Task 'TASK_7'\n";
        assert_eq!(find(advice), Kind::Addm);
        let section = "Latch Activity  DB/Inst: SHOP/shop  Snaps: 1-2\n";
        assert_eq!(find(&format!("{section}{advice}")), Kind::Unknown);
        assert_eq!(find(&format!("{section}{}{advice}", " \n".repeat(10_000))), Kind::Unknown);
        assert_eq!(find(&format!("STATSPACK report for\n{section}{advice}")), Kind::Statspack);
        assert_eq!(find(&format!("<table summary=\"This table displays latches\">{advice}")), Kind::Unknown);
    }

    #[test]
    fn kinds_that_are_not_read_have_names() {
        for (words, kind) in [
            ("STATSPACK SQL report for Old Hash Value: 1", Kind::StatspackSql),
            ("TKPROF: Release 12.1.0.2.0", Kind::Tkprof),
            ("<h1>SQL Monitoring Report</h1>", Kind::SqlMonitor),
            ("Tuning Task Name   : T1", Kind::SqlTuning),
            ("<title>Oracle RAC Assessment Report</title>", Kind::Exachk),
        ] {
            assert_eq!(find(words), kind, "{words}");
            assert!(!kind.is_read());
            assert_ne!(kind.name(), "unknown");
        }
        assert!(Kind::AwrDiff.is_read() && !Kind::Unknown.is_read());
    }
}
