//! What a typed view is: which tables it reads, and which of their columns become which of its own, in which unit.
//!
//! A view is data. Headings differ between releases, between text and HTML and between one instance and a cluster, so each column
//! names all that it is known under. Titles and headings are compared in lower case without spaces; in titles a number is `#`.

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A row is a row.
    Rows,
    /// Labels and values side by side, each pair a row: the view's columns are a text and a number.
    Pairs,
    /// Columns whose heading begins so become rows: of the view's last two columns one takes the rest of the heading, the other the
    /// value.
    Unpivot(&'static [&'static str]),
    /// The title's rest, behind the words that the view's titles have in common, is the view's first column.
    Titled(&'static str),
}

/// One column of a view.
#[derive(Debug)]
pub struct Column {
    /// Its name, with the unit last.
    pub name: &'static str,
    /// What it says; empty where the name says it.
    pub about: &'static str,
    /// How its cells are read.
    pub value: Value,
    /// What it is called in reports, and what one of a number without a suffix stands for there. `@2` behind a heading means the
    /// second column of that name.
    pub headings: &'static [(&'static str, f64)],
}

/// How a cell is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// As words.
    Text,
    /// As a number, where K is 1000.
    Number,
    /// As bytes, where K is 1024.
    Bytes,
    /// As a time; so many of the view's unit make a second.
    Time(f64),
}

/// A column of words.
pub const fn text(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Text, headings }
}

/// A column of numbers.
pub const fn number(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Number, headings }
}

/// A column of bytes: what one of a number without a suffix stands for is in bytes.
pub const fn bytes(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Bytes, headings }
}

/// A column of seconds: what one of a number without a suffix stands for is in seconds.
pub const fn seconds(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Time(1.0), headings }
}

/// A column of microseconds: what one of a number without a suffix stands for is in microseconds.
pub const fn microseconds(name: &'static str, headings: &'static [(&'static str, f64)]) -> Column {
    Column { name, about: "", value: Value::Time(1e6), headings }
}

impl Column {
    /// With a sentence about it.
    pub const fn about(mut self, words: &'static str) -> Self {
        self.about = words;
        self
    }
}

/// A MiB.
pub const MIB: f64 = 1_048_576.0;
/// A KiB.
pub const KIB: f64 = 1024.0;

impl Value {
    /// As the schema names its type.
    pub fn type_name(self) -> &'static str {
        if self == Self::Text { "text" } else { "number" }
    }

    /// As the schema names its unit; None where the name says it, or there is none.
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Self::Text | Self::Number => None,
            Self::Bytes => Some("bytes"),
            Self::Time(per_second) if per_second > 1.0 => Some("us"),
            Self::Time(_) => Some("s"),
        }
    }
}

/// Words as they are compared: lower case, without white space.
pub fn plain(words: &str) -> String {
    words.chars().filter(|sign| !sign.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// A title as it is compared: each number in it is `#`.
pub fn plain_title(title: &str) -> String {
    let mut plain_title = String::with_capacity(title.len());
    for sign in plain(title).chars() {
        match sign {
            '0'..='9' if plain_title.ends_with('#') => {}
            '0'..='9' => plain_title.push('#'),
            other => plain_title.push(other),
        }
    }
    plain_title
}
