//! Columns that a release prints under each other's headings: what tells, and where each belongs.

/// Looks at a table's numbers as its headings name them.
pub type Mend = fn(&Printed<'_>) -> Verdict;

/// A table as its headings say, in the units of the view.
pub struct Printed<'a> {
    /// The release that printed it; empty where unknown.
    pub release: &'a str,
    /// The names of the view's columns.
    pub names: Vec<&'static str>,
    /// The numbers of each row, by the view's columns.
    pub rows: Vec<Vec<Option<f64>>>,
}

impl Printed<'_> {
    /// The numbers of two columns, of rows that have both.
    pub fn both(&self, one: &str, other: &str) -> impl Iterator<Item = (f64, f64)> {
        let place = |name: &str| self.names.iter().position(|known| *known == name);
        let places = place(one).zip(place(other));
        self.rows.iter().filter_map(move |row| places.and_then(|(one, other)| row[one].zip(row[other])))
    }
}

/// What the numbers tell.
pub enum Verdict {
    /// They stand under their own headings.
    AsPrinted,
    /// Each of these columns of the view stands under the heading of the one beside it.
    Moved(&'static [(&'static str, &'static str)], &'static str),
    /// Nobody can tell, so that these columns stay empty.
    Unsure(&'static [&'static str], &'static str),
}
