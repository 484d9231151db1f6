//! Nothing of a file is lost in silence: prose between the tables, several reports in one file, numbers outside of tables.

use plimsoll_reports::model::Status;
use plimsoll_reports::{Report, addm, read, read_all};

const STATSPACK: &str = include_str!("../mutants/statspack.lst");
const AWR: &str = include_str!("../mutants/awr.html");

const ADVICE: &str = "
  ADDM Report for Task 'T'
  ------------------------

Analysis Period
---------------
AWR snapshot range from 410 to 411.
Time period starts at 04-APR-15 06.22.17 AM
Time period ends at 04-APR-15 02.24.18 PM

Analysis Target
---------------
Database 'SHOP' with DB ID 1329819247.
Database version 12.1.0.2.0.
ADDM performed an analysis of instance shop1, numbered 1 and hosted at
h1.example.

Activity During the Analysis Period
-----------------------------------
Total database time was 602 seconds.
The average number of active sessions was 4.97.

Summary of Findings
-------------------
   Description         Active Sessions      Recommendations
                       Percent of Activity
   ------------------  -------------------  ---------------
1  Slow Disks          4.97 | 100           1


~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~


          Findings and Recommendations
          ----------------------------

Finding 1: Slow Disks
Impact is 4.93 active sessions, 61.5% of total activity.
--------------------------------------------------------
Reads took long.

   Recommendation 1: Host Configuration
   Estimated benefit is .5 active sessions, 12% of total activity.
   ---------------------------------------------------------------
   Action
      Buy faster disks for this statement.
         SELECT 1
         -- ----- -----
         FROM DUAL

~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

          Additional Information
          ----------------------

Miscellaneous Information
-------------------------
The database's maintenance windows were active during 99% of the analysis
period.

";

fn text(words: &str) -> Report {
    read(words.as_bytes().to_vec())
}

fn codes(report: &Report) -> Vec<&'static str> {
    report.tables.problems.iter().filter(|problem| problem.loses).map(|problem| problem.code).collect()
}

/// Title and words of each cell with a number, but for those of ADDM.
fn figures(report: &Report) -> Vec<(&str, &str)> {
    let tables = report.tables.tables.iter().filter(|table| !table.title.starts_with("ADDM"));
    let cells = |table| report.tables.rows_of(table).iter().flat_map(|row| report.tables.cells_of(*row));
    let typed = tables.flat_map(|table| cells(table).map(|cell| (table.title.as_str(), cell)));
    let typed = typed.filter(|(_, cell)| cell.status == Status::Typed);
    typed.map(|(title, cell)| (title, report.text.get(cell.span))).collect()
}

/// The byte where each section of the report begins, and the end of its last line.
fn seams(words: &str) -> Vec<usize> {
    let lines = words.match_indices('\n').map(|(at, _)| at + 1);
    let is_title = |at: &usize| words[*at..].lines().next().is_some_and(|line| line.contains("DB/Inst:"));
    lines.filter(is_title).chain([0, words.rfind("End of Report").unwrap(), words.len()]).collect()
}

#[test]
fn advice_may_stand_anywhere_in_a_report() {
    let whole = text(STATSPACK);
    for at in seams(STATSPACK) {
        let report = text(&format!("{}{ADVICE}{}", &STATSPACK[..at], &STATSPACK[at..]));
        assert_eq!(report.kind, whole.kind, "at {at}");
        assert_eq!(codes(&report), codes(&whole), "at {at}");
        assert_eq!(figures(&report), figures(&whole), "at {at}");
        let findings = report.tables.tables.iter().find(|table| table.title == addm::FINDINGS).unwrap();
        assert_eq!(findings.row_count, 1);
    }
}

#[test]
fn advice_may_stand_in_several_places() {
    let whole = text(STATSPACK);
    let seams = seams(STATSPACK);
    let (one, other) = (seams[1], seams[4]);
    let words =
        [&STATSPACK[..one], ADVICE, &STATSPACK[one..other], ADVICE, ADVICE, &STATSPACK[other..]].concat();
    let report = text(&words);
    assert_eq!(figures(&report), figures(&whole));
    let findings = report.tables.tables.iter().find(|table| table.title == addm::FINDINGS).unwrap();
    assert_eq!(findings.row_count, 3);
}

#[test]
fn advice_that_is_cut_is_told() {
    let finding = ADVICE.find("Reads took long").unwrap();
    let report = text(&format!("{STATSPACK}{}", &ADVICE[..finding]));
    assert!(codes(&report).contains(&"table-unfinished"));
    let lost = ADVICE.replace("h1.example.\n", "");
    assert!(codes(&text(&format!("{STATSPACK}{lost}"))).contains(&"row-unread"));
    assert_eq!(codes(&text(&format!("{STATSPACK}{ADVICE}"))), [""; 0]);
}

#[test]
fn several_reports_are_read_each_for_itself() {
    let (one, other) = (text(STATSPACK), text(AWR));
    let words = [STATSPACK, AWR, STATSPACK, AWR].concat();
    let all = read_all(words.clone().into_bytes());
    assert_eq!(all.len(), 4);
    let mut first_line = 1;
    for (report, (alone, printed)) in all.iter().zip([(&one, STATSPACK), (&other, AWR)].iter().cycle()) {
        assert_eq!((report.kind, &report.header), (alone.kind, &alone.header));
        assert_eq!(figures(report), figures(alone));
        assert_eq!(report.own.as_ref().map(|own| own.first_line), Some(first_line));
        for (table, same) in report.tables.tables.iter().zip(&alone.tables.tables) {
            assert_eq!(table.line, same.line + first_line - 1);
        }
        first_line += printed.lines().count() as u32;
    }
    assert!(codes(&read(words.into_bytes())).contains(&"reports-several"));
}

#[test]
fn numbers_that_no_table_holds_are_told() {
    let rows = "orders     12,345     678\nitems      23,456     789\nparts      34,567     890\nlabels     45,678     901\n";
    let end = STATSPACK.rfind("End of Report").unwrap();
    for at in [end, seams(STATSPACK)[2]] {
        let report = text(&format!("{}\n{rows}\n{rows}\n{}", &STATSPACK[..at], &STATSPACK[at..]));
        let told = report.tables.problems.iter().find(|problem| problem.code == "numbers-unread").unwrap();
        let line = STATSPACK[..at].lines().count() as u32 + 2;
        assert_eq!((told.line, told.loses), (Some(line), true));
        assert!(told.message.starts_with("16 of "), "{}", told.message);
    }
    assert_eq!(text(STATSPACK).tables.numbers.unread, 0);
}

#[test]
fn numbers_of_a_page_outside_of_its_tables_are_told() {
    assert_eq!(text(AWR).tables.numbers.unread, 0);
    let lines: String = (0..12).map(|row| format!("<p>event {row} 1,234 56.7</p>\n")).collect();
    let report = text(&AWR.replace("</body>", &format!("{lines}</body>")));
    assert!(codes(&report).contains(&"numbers-unread"));
    let words: String = (0..12).map(|row| format!("event {row}    1,234    56.7\n")).collect();
    let report = text(&AWR.replace("</body>", &format!("<pre>{words}</pre></body>")));
    assert!(codes(&report).contains(&"numbers-unread"));
}

#[test]
fn lines_with_a_prefix_are_read_without() {
    let whole = text(STATSPACK);
    let lines: String =
        STATSPACK.lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect();
    let report = text(&lines);
    assert_eq!((figures(&report), codes(&report)), (figures(&whole), codes(&whole)));
    assert!(report.tables.problems.iter().any(|problem| problem.code == "lines-prefixed" && !problem.loses));
    let page: String = AWR.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(figures(&text(&page)), figures(&text(AWR)));
}

#[test]
fn tables_of_markdown_are_read() {
    let marked = "## Top 5 Timed Foreground Events\n\n| Event | Waits | Time(s) | % DB time |\n|---|--:|--:|--:|\n\
        | db file sequential read | 200,000 | 1,500 | 75.0 |\n| DB CPU | | 200 | 10.0 |\n";
    let quoted: String = marked.lines().map(|line| format!("> {line}\n")).collect();
    let plain = "Top 5 Timed Foreground Events\n~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n\
        Event                          Waits  Time(s) % DB time\n\
        ----------------------- ------------ -------- ---------\n\
        db file sequential read      200,000    1,500      75.0\n\
        DB CPU                                    200      10.0\n";
    let first = |report: &Report| {
        let typed = &report.typed[0];
        (typed.view.name, typed.rows(), report.kind.name())
    };
    let expected = first(&text(plain));
    assert_eq!(expected, ("top_events", 2, "excerpt"));
    for other in [marked, &quoted] {
        assert_eq!(first(&text(other)), expected, "{other}");
        assert_eq!(figures(&text(other)), figures(&text(plain)));
    }
}

#[test]
fn a_report_that_was_pasted_is_read_whole() {
    let whole = text(STATSPACK);
    let indented: String =
        STATSPACK.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect();
    let noted = format!("Dear all,\nhere it is:\n\n{indented}");
    let with_no_break_spaces = STATSPACK.replace("  ", "\u{a0} ");
    for pasted in [indented, noted, with_no_break_spaces] {
        assert_ne!(pasted, STATSPACK);
        let report = text(&pasted);
        assert_eq!((figures(&report), codes(&report)), (figures(&whole), codes(&whole)));
    }
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn a_report_may_stand_inside_of_a_page() {
    let (one, other) = (text(STATSPACK), text(AWR));
    let pre = format!("<html>\n<body>\n<pre>{}</pre></body></html>\n", escaped(STATSPACK));
    let report = text(&pre);
    assert_eq!((report.kind, figures(&report)), (one.kind, figures(&one)));
    assert_eq!(report.tables.tables[0].line, one.tables.tables[0].line + 2);
    assert!(report.own.is_none());
    for page in [escaped(AWR), format!("<html><pre>{}</pre></html>", escaped(AWR))] {
        let report = text(&page);
        assert_eq!((report.kind, figures(&report)), (other.kind, figures(&other)));
    }
    let both = AWR.replace("</body>", &format!("<pre>\n{}</pre></body>", escaped(STATSPACK)));
    let all = read_all(both.into_bytes());
    assert_eq!(all.iter().map(figures).collect::<Vec<_>>(), [figures(&other), figures(&one)]);
}

const BLOCK: &str = "
Top 5 Timed Events
~~~~~~~~~~~~~~~~~~                                                      % Total
Event                                               Waits    Time (s) Call Time
-------------------------------------------- ------------ ----------- ---------
CPU time                                                          123     45.67
db file sequential read                            12,345          67     24.68
";

#[test]
fn an_excerpt_is_read_in_part() {
    for words in [BLOCK.to_owned(), BLOCK.replace('\n', "\n> "), format!("<html><pre>{BLOCK}</pre></html>")] {
        let report = text(&words);
        assert_eq!(report.kind.name(), "excerpt", "{words}");
        assert!(figures(&report).contains(&("Top 5 Timed Events", "12,345")));
    }
    assert_eq!(text("Name  Number\n----- ------\nx          1\n").kind.name(), "unknown");
}
