//! What a finished table shows of lines that are lost, shifted or there twice.

use std::borrow::Cow;

use super::statements::Below;
use super::table::OpenTable;
use crate::model::{Cell, Made, Row, Status};

/// Fewer lists prove nothing.
const LISTS_MIN: usize = 4;

/// The code of a problem, its line, and what is wrong.
type Damage = (&'static str, u32, Cow<'static, str>);

impl OpenTable {
    /// All that there is, of the headings first; `half_wrapped` is what was found before wrapped cells were joined.
    pub(super) fn damage(
        &self,
        half_wrapped: Option<u32>,
        columns: &[String],
        source: &str,
        made: &Made<'_>,
    ) -> Vec<Damage> {
        let at = |code: &'static str, words: &'static str| move |line: u32| (code, line, words.into());
        let headless = |words| at("row-headless", words);
        let unread = |words| at("row-unread", words);
        let mut found = self.damaged_headings(columns, source, made);
        found.extend(half_wrapped.map(unread("this row may be the rest of the one above")));
        let beheaded = "this row has no name: the line before it, or its begin, is not there";
        found.extend(self.first_beheaded().map(headless(beheaded)));
        let lone = self.lone_heads().into_iter();
        found.extend(lone.map(headless("the lines that go on with this row are not there")));
        let spilled = self.spilled.iter().copied();
        found.extend(spilled.map(unread("words behind the last column belong to none")));
        let figures = self.statements.figures_at().into_iter();
        found.extend(
            figures.map(unread("figures stand here among the words of a statement: headings may be lost")),
        );
        let overwrapped = self.overwrapped.iter().copied();
        found.extend(
            overwrapped.map(at(
                "row-odd",
                "the words that this line goes on with had room for it in the line above",
            )),
        );
        let is_ruled_again =
            self.parts.len() == 1 && self.is_ruled_again && self.has_rows() && !self.title().is_empty();
        let again = self.ended_at.filter(|line| is_ruled_again && self.goes_on_at(*line));
        found.extend(again.map(|line| line - 1).map(unread(
            "the dashes of this table stand right below one of its rows: lines are there twice",
        )));
        let odd = self.edges.odd_row();
        found.extend(
            odd.map(unread("the numbers of this row are pushed aside: they may stand under other headings")),
        );
        found.extend(self.half_list(source, made).map(unread(
            "the list of this row has fewer numbers than those of other rows: the line that goes on with it may be lost",
        )));
        let sum = self.lone_sum(source, made);
        found.extend(
            sum.map(unread("this sum stands right below the rows: the line of dashes over it is lost")),
        );
        found.extend(self.odd_begin().map(unread(
            "the words of this line begin elsewhere than those of other rows: lines may be lost or shifted",
        )));
        found.extend(
            self.strayed.map(unread("this line behind a blank one is no row, and no statement begins so")),
        );
        let nameless = self.headless.iter().copied();
        found.extend(nameless.map(headless("the line before, which names this row, is not there")));
        found
    }

    fn damaged_headings(&self, columns: &[String], source: &str, made: &Made<'_>) -> Vec<Damage> {
        let damaged = self.parts.iter().find_map(|part| part.heads.damaged());
        let odd = damaged.map(|heading| {
            (
                "heading-damaged",
                self.line,
                format!("the heading '{heading}' is none that reports have").into(),
            )
        });
        let twins = self
            .has_twins
            .then(|| ("heading-damaged", self.line, "the headings of this table are there twice".into()));
        let has_none = columns.iter().all(String::is_empty);
        let is_lost = if has_none {
            self.statements_below == Below::Figures || !self.is_sum(source, made)
        } else {
            self.lacks_headings(columns) || self.lacks_heading_of_part()
        };
        let lost = is_lost
            .then(|| ("heading-empty", self.line, "this table has no headings, or not all of them".into()));
        odd.into_iter().chain(twins).chain(lost).collect()
    }

    /// Whether several columns of numbers have no heading, in a table where others have.
    fn lacks_headings(&self, columns: &[String]) -> bool {
        let is_typed = |at: usize| {
            let mut cells = self.cells.iter().filter(|cell| cell.column as usize == at);
            cells.any(|cell| cell.status == Status::Typed)
        };
        let nameless = (1..columns.len()).filter(|at| columns[*at].is_empty());
        let labelled = self.parts[0].heads.ruler.labelled;
        !labelled && nameless.filter(|at| is_typed(*at)).count() > 1
    }

    /// Whether a column has no heading in a table under several rulers, where none is of labels.
    fn lacks_heading_of_part(&self) -> bool {
        let heads = || self.parts.iter().map(|part| &part.heads);
        self.parts.len() > 1
            && !heads().any(|heads| heads.ruler.labelled)
            && heads().any(|heads| heads.names.iter().any(String::is_empty))
    }

    /// In a table whose cells go on in the next line, or of one row, the line of a row that says two things only, one of them right below
    /// a full cell.
    pub(super) fn half_wrapped(&self) -> Option<u32> {
        if self.wrapped.is_empty() && self.rows.len() != 2 {
            return None;
        }
        let columns = &self.parts[0].heads.ruler.columns;
        let is_full = |above: &Cell| {
            let width = columns.get(above.column as usize).map(|(from, to)| to - from);
            above.status == Status::Text && width.is_some_and(|width| above.span.len as usize >= width)
        };
        let is_half = |pair: &[Row]| {
            let [above, row] = [0, 1].map(|at| self.cells_of(&pair[at]));
            let said = || row.iter().filter(|cell| cell.status != Status::Blank);
            let is_worded = || said().all(|cell| cell.status == Status::Text);
            said().count() == 2
                && row.len() > 3
                && (!self.wrapped.is_empty() || is_worded())
                && row[0].line == above[0].line + 1
                && said().nth(1).and_then(|cell| above.get(cell.column as usize)).is_some_and(is_full)
        };
        self.rows.windows(2).find(|pair| is_half(pair)).map(|pair| self.cells_of(&pair[1])[0].line)
    }

    /// The line of the first row where it says nothing but words further right: the rest of a row that is not there.
    fn first_beheaded(&self) -> Option<u32> {
        let cells = self.cells_of(self.rows.first()?);
        let mut said = cells.iter().filter(|cell| cell.status != Status::Blank);
        let (only, None) = (said.next()?, said.next()) else { return None };
        (self.parts.len() == 1 && cells.len() >= 4 && only.status == Status::Text && only.column > 0)
            .then_some(only.line)
    }

    /// Where the words of a row begin that begins elsewhere than the others; in a table of several rulers it may take another part.
    fn odd_begin(&self) -> Option<u32> {
        if self.statements_below != Below::Nothing {
            return None;
        }
        let is_single = self.parts.len() == 1;
        self.begins.odd_row(!is_single).or(self.begins.alternating(self.rows.len()).filter(|_| is_single))
    }

    /// The row whose list between slashes, in a column that goes on in the next line, is of another length than all others.
    fn half_list(&self, source: &str, made: &Made<'_>) -> Option<u32> {
        let column = self.wrapped_column?;
        let is_list = |cell: &&Cell| cell.column == column && cell.status == Status::Text;
        let list = |cell: &Cell| made.get(source, cell.span);
        let lists: Vec<_> = self.cells.iter().filter(is_list).map(|cell| (cell.line, list(cell))).collect();
        let count = |words: &str| words.matches('/').count();
        let usual = lists.iter().map(|(_, words)| count(words)).max().filter(|usual| *usual > 1)?;
        let is_odd = |words: &str| words.ends_with('/') || count(words) != usual;
        let odd = || lists.iter().filter(|(_, words)| is_odd(words));
        odd().next().filter(|_| lists.len() >= LISTS_MIN && odd().count() == 1).map(|(line, _)| *line)
    }

    /// The line of a sum that is a row like the others, where no dashes stand between.
    fn lone_sum(&self, source: &str, made: &Made<'_>) -> Option<u32> {
        let [.., _, last] = self.rows.as_slice() else { return None };
        let cell = self.cells_of(last).first()?;
        (made.get(source, cell.span) == "sum" && self.dashes_at + 1 != cell.line).then_some(cell.line)
    }

    /// Lines of rows that should take several and take fewer, though another row or a ruler stands right below.
    fn lone_heads(&self) -> Vec<u32> {
        let whole = self.parts.iter().map(|part| part.heads.ruler.columns.len()).sum::<usize>();
        let line = |row: &Row| self.cells_of(row)[0].line;
        let last = |row: &Row| self.cells_of(row).last().map_or(0, |cell| cell.line);
        let below = self.rows.iter().skip(1).map(line).chain(self.ended_at);
        let is_headed = |row: &Row| self.cells_of(row)[0].column == 0;
        let is_lone = |(row, below): &(&Row, u32)| {
            (row.len as usize) < whole && is_headed(row) && last(row) + 1 == *below
        };
        let lone = self.rows.iter().zip(below).filter(is_lone).map(|(row, _)| line(row));
        if self.parts.len() == 1 { Vec::new() } else { lone.collect() }
    }

    /// Whether the table is the sum of the one above it, or says nothing.
    fn is_sum(&self, source: &str, made: &Made<'_>) -> bool {
        let numbers = self.cells.iter().filter(|cell| cell.status == Status::Typed).count();
        let words = |cell: &&Cell| cell.status == Status::Text;
        let mut names = self.cells.iter().filter(words);
        let label = names.next().map(|cell| made.get(source, cell.span));
        numbers == 0
            || self.rows.len() == 1 && label.is_none()
            || label.is_some_and(|label| label.eq_ignore_ascii_case("sum"))
    }
}
