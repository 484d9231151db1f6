//! Small pages: what the scanner makes of each shape that reports print.

use super::scan;
use crate::model::{Tables, Text};

fn scanned(lines: &[&str]) -> (Text, Tables) {
    let (mut text, mut tables) = (Text::new(lines.join("\n") + "\n"), Tables::default());
    scan(&mut text, &mut tables);
    (text, tables)
}

/// Title, columns and words of the rows of each table.
fn words(lines: &[&str]) -> Vec<(String, Vec<String>, Vec<Vec<String>>)> {
    let (text, tables) = scanned(lines);
    let row = |row: &crate::model::Row| {
        tables.cells_of(*row).iter().map(|cell| text.get(cell.span).to_owned()).collect()
    };
    let table = |table: &crate::model::Table| {
        (table.title.clone(), table.columns.to_vec(), tables.rows_of(table).iter().map(row).collect())
    };
    tables.tables.iter().map(table).collect()
}

fn problems(lines: &[&str]) -> Vec<(&'static str, u32)> {
    scanned(lines).1.problems.iter().map(|problem| (problem.code, problem.line.unwrap_or_default())).collect()
}

const LATCHES: [&str; 4] = [
    "Latch Activity  DB/Inst: ORCL/orcl  Snaps: 1-2",
    "",
    "Latch Name               Requests",
    "------------------ --------------",
];

fn with<'a>(head: &[&'a str], lines: &[&'a str]) -> Vec<&'a str> {
    [head, lines].concat()
}

#[test]
fn a_ruler_says_where_columns_stand() {
    let lines = with(&LATCHES, &["cache buffers                1,234", "shared pool                      7"]);
    let tables = words(&lines);
    assert_eq!(tables[0].0, "Latch Activity");
    assert_eq!(tables[0].1, ["Latch Name", "Requests"]);
    assert_eq!(tables[0].2, [["cache buffers", "1,234"], ["shared pool", "7"]]);
}

#[test]
fn a_line_right_below_the_rows_that_fits_no_column_is_named() {
    let odd = "words that run across both of the columns";
    let lines = with(&LATCHES, &["cache buffers                1,234", odd, ""]);
    assert_eq!(problems(&lines), [("row-unread", 6)]);
    let apart = with(&LATCHES, &["cache buffers                1,234", "", odd, ""]);
    assert_eq!(problems(&apart), []);
}

const EVENTS: [&str; 4] = [
    "Top 5 Timed Events",
    "",
    "Event                    Waits  Time(s) Wait Class",
    "-------------------- --------- -------- ----------",
];

#[test]
fn a_remark_behind_a_row_leaves_the_row() {
    let row = "db file sequential     200,000    1,500 User I/O";
    let plain = &words(&with(&EVENTS, &[row]))[0].2;
    for (remark, loses) in [("    <-- look here", false), ("    <-- 75 % of all", true)] {
        let line = format!("{row}{remark}");
        let lines = with(&EVENTS, &[&line]);
        assert_eq!(&words(&lines)[0].2, plain, "{remark}");
        let (_, tables) = scanned(&lines);
        let told: Vec<_> = tables.problems.iter().map(|one| (one.code, one.line, one.loses)).collect();
        assert_eq!(told, [("row-remark", Some(5), loses)]);
    }
    let prose = "words that have one    1 number    <-- look here";
    assert!(words(&with(&EVENTS, &[row, prose]))[0].2.len() == 1);
}

#[test]
fn a_page_break_leaves_a_table_whole() {
    let again = LATCHES;
    let lines = with(&LATCHES, &["cache buffers                1,234", "\u{c}"]);
    let lines = with(&with(&lines, &again), &["shared pool                      7"]);
    let tables = words(&lines);
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0].2.len(), 2);
}

#[test]
fn statements_below_figures_become_a_column() {
    let lines = [
        "SQL ordered by Gets  DB/Inst: ORCL/orcl  Snaps: 1-2",
        "",
        "   Buffer Gets    Executions  Old Hash Value",
        "--------------- ------------ ---------------",
        "         12,345           10      4294967295",
        "Module: sqlplus@host",
        "select 1 from dual",
        "",
        "            345            2      1234567890",
        "select 2 from dual",
        "",
    ];
    let tables = words(&lines);
    assert_eq!(tables[0].1[3..], ["SQL Module", "SQL Text"]);
    assert_eq!(tables[0].2[0][3..], ["sqlplus@host", "select 1 from dual"]);
    assert_eq!(tables[0].2[1][3..], ["", "select 2 from dual"]);
}

#[test]
fn a_statement_below_names_ends_at_a_blank_line() {
    let lines = [
        "Top SQL with Top Events  DB/Inst: ORCL/orcl  Snaps: 1-2",
        "",
        "SQL ID             Planhash    % Activity",
        "------------- ------------- -------------",
        "abcdefgh12345    1234567890         12.34",
        "select * from orders where customer_id in (select customer_id",
        "from customers)",
        "",
        "bbcdefgh12345    1234567890          2.34",
    ];
    let tables = words(&lines);
    assert_eq!(tables[0].2.len(), 2);
    assert!(tables[0].2[0][3].ends_with("customer_id\nfrom customers)"));
    assert_eq!(problems(&lines), []);
}

#[test]
fn pairs_of_labels_and_values_become_rows() {
    let lines = ["Cache Sizes", "~~~~~~~~~~~", "  Buffer Cache:  1,024M   Std Block Size:  8K", ""];
    let tables = words(&lines);
    assert_eq!(tables[0].0, "Cache Sizes");
    assert_eq!(tables[0].2, [["Buffer Cache:", "1,024M", "Std Block Size:", "8K"]]);
}

#[test]
fn a_section_without_data_is_an_empty_table() {
    let lines = [LATCHES[0], "", "        No data exists for this section of the report.", ""];
    let tables = words(&lines);
    assert_eq!((tables[0].0.as_str(), tables[0].2.len()), ("Latch Activity", 0));
}

#[test]
fn an_error_that_was_printed_into_the_report_is_found() {
    assert_eq!(problems(&[LATCHES[0], "ORA-00942: table or view does not exist", ""])[0].1, 2);
}

#[test]
fn rows_may_stand_one_character_left_of_their_ruler() {
    let lines = [
        "Process Memory Summary  DB/Inst: ORCL/orcl  Snaps: 1-2",
        "",
        "   Category  Alloc (MB)",
        " - -------- ----------",
        "B Freeable        92.3",
        "  Other          618.6",
        "",
    ];
    let tables = words(&lines);
    assert_eq!(tables[0].2, [["B", "Freeable", "92.3"], ["", "Other", "618.6"]]);
    assert_eq!(problems(&lines), []);
}

#[test]
fn a_table_behind_the_end_of_a_section_has_lost_its_title() {
    let end = "          --------------------------------------------------";
    let lines = with(&LATCHES, &["cache buffers                1,234", end, LATCHES[2], LATCHES[3]]);
    let lines = with(&lines, &["shared pool                      7"]);
    assert_eq!(problems(&lines), [("title-missing", 8)]);
    assert_eq!(words(&lines)[1].0, "");
}

#[test]
fn a_ruler_that_is_there_twice_makes_no_row_of_two_lines() {
    let lines = with(&LATCHES, &[LATCHES[2], LATCHES[3], "shared pool                      7"]);
    let tables = words(&lines);
    assert_eq!(tables.last().map(|(.., rows)| rows.len()), Some(1));
    assert_eq!(tables.last().map(|(_, columns, _)| columns.len()), Some(2));
}

#[test]
fn headings_that_are_none_are_said() {
    let codes = |above: &str| {
        let lines = [LATCHES[0], "", above, LATCHES[3], "shared pool                      7", ""];
        problems(&lines).into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    assert_eq!(codes(LATCHES[2]), [""; 0]);
    assert_eq!(codes("Latch Name                  57.58"), ["heading-damaged"]);
    assert_eq!(codes("Latch Latch              Requests"), ["heading-damaged"]);
    assert_eq!(codes(""), ["heading-empty"]);
}

#[test]
fn a_section_that_says_where_it_ends_must_end() {
    let lines =
        ["~~BEGIN-SIZE-ON-DISK~~", "", "SNAP_ID    SIZE_GB", "---------- -------", "         1     2.5"];
    assert_eq!(problems(&lines), [("table-unfinished", 1)]);
    let ended = with(&lines, &["~~END-SIZE-ON-DISK~~"]);
    assert_eq!(problems(&ended), []);
}

#[test]
fn cells_of_a_row_stand_in_the_order_of_columns() {
    let lines = [
        "Host CPU",
        "      --",
        "     Direct (blocks):               0.0             0.0  -",
        "           -------      ---------------------------------",
        "------",
        "",
        "           .00",
        " -------------",
        "CF-Controlfile T ransaction",
        "  ----------- ------------ -sect---------- ache:     1,472M              Std Block Size:         8K",
        "     Shared Pool:       816M                  Log Buffer:    98,304K",
        "",
    ];
    let (_, tables) = scanned(&lines);
    for row in &tables.rows {
        assert!(tables.cells_of(*row).is_sorted_by(|one, next| one.column < next.column));
    }
}

#[test]
fn a_label_that_goes_on_in_the_next_line_is_no_sum() {
    let lines = [LATCHES[0], "", "---- ------ -----", "     abcdef     7", "     ghi", ""];
    assert_eq!(words(&lines)[0].2[0], ["", "abcdefghi", "7"]);
    assert_eq!(problems(&lines), [("heading-empty", 3)]);
}

#[test]
fn several_rows_without_headings_are_no_sum() {
    let lines = [LATCHES[0], "", "------ -----", "     7     8", "     9    10", ""];
    assert_eq!(problems(&lines), [("heading-empty", 3)]);
    assert_eq!(problems(&lines[..4]), []);
}

#[test]
fn a_report_that_ends_in_a_row_may_be_cut_there() {
    let words = with(&LATCHES, &["cache buffers                1,234"]).join("\n");
    let codes = |words: String| {
        let (mut text, mut tables) = (Text::new(words), Tables::default());
        scan(&mut text, &mut tables);
        tables.problems.iter().map(|problem| (problem.code, problem.line)).collect::<Vec<_>>()
    };
    assert_eq!(codes(format!("{words}\n")), []);
    assert_eq!(codes(words), [("table-unfinished", Some(5))]);
}

const FILES: [&str; 7] = [
    "File IO Stats  DB/Inst: ORCL/orcl  Snaps: 1-2",
    "",
    "Tablespace     Filename",
    "-------------- --------------------",
    "         Reads  Reads/s",
    "-------------- --------",
    "USERS          /u01/users.dbf",
];

#[test]
fn rows_of_two_lines_are_read_together() {
    let lines = with(
        &FILES,
        &["           204     25.1", "SYSTEM         /u01/system.dbf", "             7      0.1", ""],
    );
    assert_eq!(problems(&lines), []);
    assert_eq!(
        words(&lines)[0].2,
        [["USERS", "/u01/users.dbf", "204", "25.1"], ["SYSTEM", "/u01/system.dbf", "7", "0.1"]]
    );
}

#[test]
fn a_row_without_its_second_line_is_said_where_another_follows_at_once() {
    let twice = with(&FILES, &["USERS          /u01/users.dbf", "           204     25.1", ""]);
    assert_eq!(problems(&twice), [("lines-doubled", 8), ("row-headless", 7)]);
    let ruler = "------------------ ------";
    let entry = "APP.REFRESH          3.48";
    let lines = [
        "Top PL/SQL Procedures",
        "",
        "Entry               % Act",
        ruler,
        "Current             % Cur",
        ruler,
        entry,
    ];
    let again = with(&lines, &[ruler, entry, "   SQL               3.44", ""]);
    assert_eq!(problems(&again), [("lines-doubled", 7), ("row-headless", 7), ("heading-empty", 8)]);
}

#[test]
fn figures_that_are_shifted_stand_under_no_names() {
    let shifted = with(
        &FILES,
        &["           204     25.1 (", "SYSTEM         /u01/system.dbf", "             7      0.1", ""],
    );
    assert!(problems(&shifted).contains(&("row-unread", 8)), "{:?}", problems(&shifted));
    assert!(!words(&shifted)[0].2.iter().flatten().any(|cell| cell == "204"));
}

#[test]
fn the_rest_of_a_row_whose_begin_is_lost_is_said() {
    let head = [
        "Latch Sleep breakdown  DB/Inst: ORCL/orcl  Snaps: 1-2",
        "",
        "Latch Name         Requests Misses Sleeps",
        "-------------- ------------ ------ ------",
    ];
    let rest = with(
        &head,
        &[
            "                                   /10/2",
            "shared pool           1,234      2 7/8/9/",
            "                                   3",
            "",
        ],
    );
    assert_eq!(problems(&rest), [("row-headless", 5)]);
    let half = with(
        &head,
        &[
            "cache buffers         1,234      2 7/8/9/",
            "                                   3",
            "shared pool             234      2 1/8/9/",
            "  \"                                4",
            "",
        ],
    );
    assert_eq!(problems(&half), [("row-unread", 8)]);
}

#[test]
fn figures_beside_headings_have_headings_too() {
    let head = ["  Snap Ids", "---- ---- ------", "   1    2      3", ""];
    assert_eq!(problems(&head), []);
    let lost = ["Snap", "---- ---- ------", "   1    2      3", ""];
    assert_eq!(problems(&lost), [("heading-empty", 2)]);
}

const NAMES: [&str; 4] = [
    "DB Name         DB Id    Instance     Inst Num Host",
    "------------ ----------- ------------ -------- ----------------",
    "SHOP           386419544 shop1               1 localhost.locald",
    "                                               omain",
];

#[test]
fn words_that_go_on_behind_their_end_are_said() {
    let pages =
        |more: &[&str]| problems(&[&["STATSPACK report for", ""], &NAMES[..], more, &["", "End"]].concat());
    assert_eq!(pages(&[]), []);
    assert_eq!(pages(&[NAMES[3]]), [("row-odd", 7)]);
}

#[test]
fn dashes_of_a_table_right_below_its_row_are_said() {
    let lines = [&["STATSPACK report for", ""], &NAMES[..3], &NAMES[1..], &["", "End"]].concat();
    assert!(problems(&lines).contains(&("row-unread", 5)));
}

#[test]
fn headings_right_below_a_note_are_said() {
    let page = |between: &[&str]| {
        let rows = [
            "Latch                  Requests",
            "--------------------- ---------",
            "cache buffers             1,234",
        ];
        problems(&[&[LATCHES[0], "-> ordered by name"], between, &rows[..], &["", "End"]].concat())
    };
    assert_eq!(page(&[""]), []);
    assert!(page(&[]).contains(&("heading-damaged", 4)));
}

#[test]
fn lines_of_dashes_that_stand_there_twice_are_said() {
    let codes = |lines: &[&str]| problems(&lines.concat().lines().collect::<Vec<_>>());
    let [heads, dashes, row] = [
        "Parameter Name    Begin value\n",
        "----------------- -----------\n",
        "db_domain         example.com\n",
    ];
    let end = ["open_cursors      300\n", "\n"];
    assert_eq!(codes(&[&["init.ora Parameters\n\n", heads, dashes, row], &end[..]].concat()), []);
    let twice = codes(&[&["init.ora Parameters\n\n", heads, dashes, row, dashes, row], &end[..]].concat());
    assert!(twice.contains(&("lines-doubled", 5)), "{twice:?}");
    let heads_twice =
        codes(&[&["init.ora Parameters\n\n", heads, dashes, heads, dashes, row], &end[..]].concat());
    assert!(heads_twice.contains(&("lines-doubled", 4)), "{heads_twice:?}");
}

const PROCEDURES: [&str; 6] = [
    "Top PL/SQL Procedures",
    "",
    "Entry               % Act",
    "------------------ ------",
    "Current             % Cur",
    "------------------ ------",
];

#[test]
fn where_a_line_begins_tells_which_part_of_a_row_it_is() {
    let rows = [
        "APP.REFRESH          3.48",
        "   SQL               3.00",
        "",
        "   APP.CHECK         0.40",
        "APP.STIR             2.00",
        "   SQL               2.00",
        "",
    ];
    let lines = with(&PROCEDURES, &rows);
    assert_eq!(problems(&lines), []);
    let third: &[&str] = &["APP.CHECK", "0.40"];
    assert_eq!(words(&lines)[0].2[1], third);
    assert_eq!(words(&lines)[0].2[2], ["APP.STIR", "2.00", "SQL", "2.00"]);
}

#[test]
fn a_line_that_begins_elsewhere_than_others_is_said() {
    let lost = with(
        &PROCEDURES,
        &["APP.REFRESH          3.48", "APP.STIR             2.00", "   SQL               2.00", ""],
    );
    assert!(!problems(&lost).is_empty());
    let twice = with(
        &PROCEDURES,
        &["APP.REFRESH          3.48", "   SQL               3.00", "   SQL               3.00", ""],
    );
    assert!(problems(&twice).contains(&("row-headless", 9)), "{:?}", problems(&twice));
}

#[test]
fn rows_that_begin_here_and_there_by_turns_have_lost_a_ruler() {
    let rows = [
        "APP.REFRESH          3.48",
        "   SQL               3.00",
        "APP.STIR             2.00",
        "   SQL               2.00",
        "",
    ];
    assert_eq!(problems(&with(&PROCEDURES[..4], &rows)), [("row-unread", 8)]);
}

#[test]
fn titles_of_another_database_are_said() {
    let titled = |second: &str| {
        let page =
            ["Host CPU  DB/Inst: SHOP/shop1  Snaps: 1-2", "", "CPUs  Busy", "---- -----", "   2   3.5", ""];
        problems(&with(&page, &[second, "", "CPUs  Busy", "---- -----", "   2   3.5", ""]))
    };
    assert_eq!(titled("Instance CPU  DB/Inst: SHOP/shop1  Snaps: 1-2"), []);
    assert_eq!(titled("Instance CPU  DB/Inst: SHOPnct  Avg"), [("heading-damaged", 7)]);
}

#[test]
fn dashes_that_end_in_words_are_said() {
    let page = [
        "Host CPU",
        "",
        "CPUs        Busy",
        "-------- -----ps: 1-2",
        "",
        "CPUs  Busy",
        "---- -----",
        "   2   3.5",
        "",
    ];
    assert!(problems(&page).contains(&("heading-damaged", 4)), "{:?}", problems(&page));
}

#[test]
fn a_line_right_below_a_row_is_no_title() {
    let head = [
        "Top Client IDs",
        "",
        "Client ID     % Activity",
        "------------- ----------",
        "shop@example        3.34",
    ];
    assert_eq!(problems(&with(&head, &["", "End"])), []);
    assert_eq!(
        problems(&with(&head, &["SHOP_USER     SYS$USERS and more of them", ""])),
        [("row-unread", 6)]
    );
}

#[test]
fn a_sum_stands_below_dashes() {
    let head = [
        "SGA Memory Summary",
        "",
        "SGA regions      Begin",
        "----------- ----------",
        "Fixed Size         700",
        "Buffers            300",
    ];
    assert_eq!(problems(&with(&head, &["            ----------", "sum              1,000", ""])), []);
    assert_eq!(problems(&with(&head, &["sum              1,000", ""])), [("row-unread", 7)]);
}

#[test]
fn lists_of_one_column_are_equally_long() {
    let head = [
        "Latch Sleep breakdown",
        "",
        "Latch Name         Requests Misses Sleeps",
        "-------------- ------------ ------ ------",
        "cache buffers         1,234      2 7/8/9/",
        "                                   3",
        "library cache         1,234      2 7/8/9/",
        "                                   3",
        "redo copy             1,234      2 7/8/9/",
        "                                   3",
    ];
    let row = "shared pool             234      2 1/8/9/";
    assert_eq!(problems(&with(&head, &[row, "                                   4", ""])), []);
    assert_eq!(problems(&with(&head, &[row, ""])), [("row-unread", 11)]);
}
