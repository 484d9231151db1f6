//! What a typed view is: which tables it reads, and which of their columns become which of its own, in which unit.
//!
//! A view is data. Headings differ between releases, between text and HTML and between one instance and a cluster, so each column
//! names all that it is known under. Titles and headings are compared in lower case without spaces; in titles a number is `#`.
//!
//! Reports of a cluster print some tables sideways: what is a row elsewhere is a column there. Such a column is known by a heading
//! with `*` in it. What the star stands for names a row, in the view's column whose heading is `*` alone; columns of one name
//! share a row.

use super::mend::Mend;
use crate::words::plain;

/// One typed view.
#[derive(Debug)]
pub struct View {
    /// Of the view's table in every output, and of its file here.
    pub name: &'static str,
    /// What a row says, in a sentence.
    pub about: &'static str,
    /// Titles of the tables that it reads; one that ends in `*` stands for all that begin so.
    pub titles: &'static [&'static str],
    /// How rows are laid out.
    pub shape: Shape,
    /// Its columns, the key first.
    pub columns: &'static [Column],
}

/// How a table's rows become rows of the view.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A row is a row.
    Rows,
    /// A row is a row, once the numbers have told whether they stand under their own headings.
    Mended(Mend),
    /// Labels that end in a colon, each with its values behind it: the view's first column and its last numbers. A table with headings
    /// is read by them. Where labels are the same in all releases they stand here, as they are compared: another one belongs to a
    /// table whose own title was lost.
    Pairs(&'static [&'static str]),
    /// Where no headings are known, labels below each other are headings and the table is one row.
    Labels,
    /// The view's first column is what the title says, unless a column of the table says it.
    Titled(&'static Titles),
}

/// What titles say behind the words that they have in common.
#[derive(Debug)]
pub struct Titles {
    /// Those words, as they are compared.
    pub begin: &'static str,
    /// The rest of a title, or what a column says instead, as they are compared and without `(global)`, and the view's name for it.
    /// What is not here is called as it is printed, in lower case.
    pub names: &'static [(&'static str, &'static str)],
}

impl Titles {
    /// What a title says.
    pub fn said(&self, title: &str) -> String {
        let words = title.trim().strip_suffix("(Global)").unwrap_or(title).trim();
        let ends = words.char_indices().map(|(at, _)| at).chain([words.len()]);
        let rest = ends.into_iter().find(|at| plain(&words[..*at]) == self.begin);
        self.name(words[rest.unwrap_or(0)..].trim())
    }

    /// The view's name for it.
    pub fn name(&self, words: &str) -> String {
        let sought = plain(words);
        let known = self.names.iter().find(|(known, _)| *known == sought);
        known.map_or_else(|| words.to_lowercase(), |(_, name)| (*name).to_owned())
    }
}

/// One column of a view.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name, with the unit last.
    pub name: &'static str,
    /// What it says; empty where the name says it.
    pub about: &'static str,
    /// How its cells are read.
    pub value: Value,
    /// What it is called in reports, and what one of a number without a suffix stands for there; NAN where nobody can know. Behind a
    /// heading `@2` means the second column of that name, `@()` the words in parentheses at the end of a cell and `@(` those before
    /// them; [`TITLE`] is the title of the table.
    pub headings: &'static [(&'static str, f64)],
    /// Whether a blank cell means what the row above says. Where a view has several such columns, what the first of them says begins
    /// the others anew.
    pub carried: bool,
}

/// Stands for the table's title among headings.
pub const TITLE: &str = "<title>";

/// How a cell is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// As words.
    Text,
    /// As words, where they are no number.
    Words,
    /// As a number, where K is 1000. A count in parentheses may stand behind it, as in `0.0(36)`.
    Number,
    /// As that count.
    Count,
    /// As a number that can have no fraction: where it has one and no suffix, the suffix was cut off, and nobody knows the number.
    Whole,
    /// As bytes, where K is 1024.
    Bytes,
    /// As a time; so many of the view's unit make a second.
    Time(f64),
    /// Of a row's name that is a bucket of a histogram: where it begins, in microseconds.
    BucketBegin,
    /// Where it ends.
    BucketEnd,
    /// As one of several numbers with slashes between, by its place; a number that stands alone is read as well.
    Part(usize),
}

/// A column of words.
pub const fn text(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Text, headings, carried: false }
}

/// A column of numbers.
pub const fn number(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Number, headings, carried: false }
}

/// A column of whole numbers.
pub const fn whole(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    number(name, headings).read_as(Value::Whole)
}

/// A column of bytes: what one of a number without a suffix stands for is in bytes.
pub const fn bytes(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Bytes, headings, carried: false }
}

/// A column of seconds: what one of a number without a suffix stands for is in seconds.
pub const fn seconds(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Time(1.0), headings, carried: false }
}

/// A column of microseconds: what one of a number without a suffix stands for is in microseconds.
pub const fn microseconds(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Time(1e6), headings, carried: false }
}

/// A column of numbers that stand in one cell with others, slashes between: the one at a place, from 0.
pub const fn part(name: &'static str, at: usize, headings: &'static [(&'static str, f64)]) -> Column {
    number(name, headings).read_as(Value::Part(at))
}

/// The name of a row, which elsewhere is the heading of a column.
pub const fn name(column: &'static str) -> Column {
    text(column, &[("*", 1.0)])
}

/// The title that a row stands under.
pub const fn title(column: &'static str) -> Column {
    text(column, &[(TITLE, 1.0)])
}

/// Which figure over several instances a row holds.
pub const fn aggregate() -> Column {
    let headings = &[("i#", 1.0), ("inst#", 1.0), ("instance#", 1.0)];
    text("aggregate", headings)
        .read_as(Value::Words)
        .about("of a cluster: Sum, Avg, Std, Min, Max, or * for all instances; null for one instance")
}

/// Columns of a view and those that it shares with others.
pub const fn joined<const ALL: usize>(own: &[Column], shared: &[Column]) -> [Column; ALL] {
    assert!(own.len() + shared.len() == ALL, "count the columns");
    let mut all = [text("", &[]); ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < own.len() { own[at] } else { shared[at - own.len()] };
        at += 1;
    }
    all
}

impl Column {
    /// With a way of reading its cells.
    pub const fn read_as(mut self, value: Value) -> Self {
        self.value = value;
        self
    }

    /// With blank cells that mean what the row above says.
    pub const fn carried(mut self) -> Self {
        self.carried = true;
        self
    }

    /// With a sentence about it.
    pub const fn about(mut self, words: &'static str) -> Self {
        self.about = words;
        self
    }
}

impl Value {
    /// As the schema names its type.
    pub fn type_name(self) -> &'static str {
        if self.is_words() { "text" } else { "number" }
    }

    /// Whether it is words and not a number.
    pub fn is_words(self) -> bool {
        matches!(self, Self::Text | Self::Words)
    }

    /// As the schema names its unit; None where the name says it, or there is none.
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Self::Text | Self::Words | Self::Number | Self::Count | Self::Whole | Self::Part(_) => None,
            Self::BucketBegin | Self::BucketEnd => Some("us"),
            Self::Bytes => Some("bytes"),
            Self::Time(per_second) if per_second > 1.0 => Some("us"),
            Self::Time(_) => Some("s"),
        }
    }
}
