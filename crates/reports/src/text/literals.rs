//! Statements that differ in their literals, in an ASH report: a line of figures, then two examples, each an id on a line of its own
//! over the words of its statement. A blank line ends an example.

use super::page::{Kind, Line};
use super::statements::Statement;
use crate::bounds::Bound;
use crate::model::{Made, Row, Span, Table, Tables};

const TITLE: &str = "Top SQL using literals";
const COLUMNS: [&str; 7] = [
    "FORCE_MATCHING_SIGNATURE",
    "% Activity",
    "# of Sampled SQL Versions",
    "Example SQL 1",
    "Example SQL Text 1",
    "Example SQL 2",
    "Example SQL Text 2",
];
const FIGURES: usize = 3;
const EXAMPLES: usize = 2;
/// So many lines may stand between the title and the first row.
const HEAD_LINES_MAX: usize = 30;
const SQL_ID_BYTES: usize = 13;

/// Whether a section is this one.
pub fn is_title(title: &str) -> bool {
    title.eq_ignore_ascii_case(TITLE)
}

/// Where the first row of the section may stand whose title stands at a line; None where its headings are not the usual ones.
pub fn find(lines: &[Line<'_>], title: usize) -> Option<usize> {
    let first = title + 1;
    let heads = |at: &usize| {
        let Some([ruler, one, below_one, two, below_two]) = lines.get(*at..at + 5) else { return false };
        let rulers = [ruler, below_one, below_two];
        rulers.iter().all(|line| line.kind == Kind::Dashes)
            && (one.words.trim(), two.words.trim()) == (COLUMNS[3], COLUMNS[5])
    };
    let end = lines.len().min(first + HEAD_LINES_MAX);
    let before = (first..end).take_while(|at| !matches!(lines[*at].kind, Kind::Title(_))).find(heads)?;
    Some(before + 5)
}

/// Reads the rows from a line on, up to the end of the section, and says where that is.
pub fn read<'a>(
    title: &str,
    lines: &[Line<'a>],
    from: usize,
    made: &mut Made<'a>,
    out: &mut Tables,
) -> usize {
    let is_end = |line: &Line<'_>| matches!(line.kind, Kind::Title(_)) || line.is_end();
    let end = lines[from..].iter().position(is_end).map_or(lines.len(), |length| from + length);
    let mut table = Table {
        title: title.to_owned(),
        columns: COLUMNS.map(str::to_owned).to_vec().into(),
        first_row: out.rows.len() as u32,
        line: lines[from - 1].number,
        ..Table::default()
    };
    let mut record: Option<Record> = None;
    for line in &lines[from..end] {
        if let Some(figures) = figures(line) {
            record.take().into_iter().for_each(|record| record.end(made, out));
            record = Some(Record::begin(line, figures, out));
            table.row_count += 1;
        } else if !record.as_mut().is_some_and(|record| record.take(line)) && line.kind != Kind::Blank {
            let message = format!("this line fits no column of its table: {}", line.words.trim());
            out.problem("row-unread", line.number, title, message);
        }
        if out.is_full {
            break;
        }
    }
    record.into_iter().for_each(|record| record.end(made, out));
    out.push_table(table);
    end
}

/// Where the signature, the share and the number of versions stand in a line that has these and nothing else.
fn figures(line: &Line<'_>) -> Option<[(usize, usize); FIGURES]> {
    let place = |word: &str| {
        let from = word.as_ptr() as usize - line.words.as_ptr() as usize;
        (from, from + word.len())
    };
    let words: Vec<&str> = line.words.split_ascii_whitespace().take(FIGURES + 1).collect();
    let [signature, share, versions] = words.as_slice() else { return None };
    let is_whole = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let is_share = share.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    (is_whole(signature) && is_share && is_whole(versions))
        .then(|| [signature, share, versions].map(|word| place(word)))
}

/// A row while its examples come.
#[derive(Default)]
struct Record {
    /// Each with the line of its id.
    examples: Vec<(Span, String, u32, Statement)>,
    /// Whether the next line goes on with the last of them.
    is_open: bool,
}

impl Record {
    fn begin(line: &Line<'_>, figures: [(usize, usize); FIGURES], out: &mut Tables) -> Self {
        out.charge(Bound::Cells, COLUMNS.len(), line.number);
        out.rows.push(Row { first: out.cells.len() as u32, len: 0 });
        for (column, (from, to)) in figures.into_iter().enumerate() {
            let span = Span::between(line.start + from, line.start + to);
            out.push(&line.words[from..to], span, line.number, column);
        }
        Self::default()
    }

    /// Whether a line belongs to it.
    fn take(&mut self, line: &Line<'_>) -> bool {
        if line.kind == Kind::Blank {
            self.is_open = false;
            return true;
        }
        let id = line.words.trim();
        if !self.is_open && self.examples.len() < EXAMPLES && is_sql_id(id) {
            let from = line.start + line.words.len() - line.words.trim_start().len();
            let span = Span::between(from, from + id.len());
            self.examples.push((span, id.to_owned(), line.number, Statement::new(line.number + 1)));
            self.is_open = true;
            return true;
        }
        // A statement may have blank lines of its own.
        let last = self.examples.last_mut();
        last.map(|(.., statement)| statement.add(line.words)).is_some()
    }

    /// Its examples stand behind its figures.
    fn end(self, made: &mut Made<'_>, out: &mut Tables) {
        for (at, (span, id, line, statement)) in self.examples.into_iter().enumerate() {
            out.push(&id, span, line, FIGURES + 2 * at);
            let words = statement.words.trim();
            let kept = made.keep(words);
            out.push(words, kept, statement.line, FIGURES + 2 * at + 1);
        }
    }
}

fn is_sql_id(words: &str) -> bool {
    words.len() == SQL_ID_BYTES
        && words.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use crate::report::Report;

    const REPORT: &str = "\
ASH Report For SHOP/shop

Top SQL using literals         DB/Inst: SHOP/shop  (Apr 27 07:45 to 08:15)
-> FORCE_MATCHING_SIGNATURE is used to identify SQL statements that are
      identical except for their use of literals.

                                     # of Sampled
 FORCE_MATCHING_SIGNATURE % Activity SQL Versions
------------------------- ---------- ------------
Example SQL 1
--------------------
Example SQL 2
--------------------
      2360188059829823881       7.53            5
1spp8dun0puqx
select a from t where b = 1

a2f5xbjj3f2dr
select a from t where b = 2

      6984991081732646746       5.35            8
0gbkss2vptqhq
select c from u

fghs78n42txbr
select c from v
where d = 3

          -------------------------------------------------------------

Top Parsing Module/Action      DB/Inst: SHOP/shop  (Apr 27 07:45 to 08:15)

                  No data exists for this section of the report.
          -------------------------------------------------------------

End of Report
";

    fn cells(report: &Report) -> Vec<Vec<&str>> {
        let table = report.tables.tables.iter().find(|table| table.columns.len() == 7).unwrap();
        let rows = report.tables.rows_of(table).iter();
        rows.map(|row| report.tables.cells_of(*row).iter().map(|cell| report.text.get(cell.span)).collect())
            .collect()
    }

    #[test]
    fn each_record_has_both_of_its_examples() {
        let report = crate::read(REPORT.as_bytes().to_vec());
        let first = ["2360188059829823881", "7.53", "5", "1spp8dun0puqx", "select a from t where b = 1"];
        let second = ["6984991081732646746", "5.35", "8", "0gbkss2vptqhq", "select c from u"];
        let rest = [
            ["a2f5xbjj3f2dr", "select a from t where b = 2"],
            ["fghs78n42txbr", "select c from v\nwhere d = 3"],
        ];
        assert_eq!(
            cells(&report),
            [[&first[..], &rest[0][..]].concat(), [&second[..], &rest[1][..]].concat()]
        );
        assert!(report.tables.problems.is_empty(), "{:?}", report.tables.problems);
        assert_eq!(report.tables.tables.len(), 2);
    }

    #[test]
    fn a_line_before_the_first_figures_is_told() {
        let damaged = REPORT.replace("      2360188059829823881       7.53            5\n", "");
        let report = crate::read(damaged.into_bytes());
        assert_eq!(cells(&report).len(), 1);
        assert_eq!(report.tables.problems[0].code, "row-unread");
    }
}
