//! Which columns of a table feed which of a view.

use super::buckets;
use super::damaged_headings;
use super::view::{Column, Shape, TITLE, Value, View};
use crate::model::Table;
use crate::words::plain;

/// Where a column of the view gets its cells from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The table's column, and what one of a bare number stands for there.
    Cell(u16, f64),
    /// Words of the table's column.
    Part(u16, Part),
    /// The table's title.
    Title,
    /// The name of the columns that became the row.
    Name,
}

/// A part of a cell's words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// In parentheses at the end.
    Inside,
    /// Before those.
    Before,
}

impl Part {
    /// The part; None where a cell has none.
    pub fn of(self, words: &str) -> Option<&str> {
        let split = words.strip_suffix(')').and_then(|words| words.split_once(" ("));
        match self {
            Self::Inside => split.map(|(_, inside)| inside),
            Self::Before => Some(split.map_or(words, |(before, _)| before)).filter(|words| !words.is_empty()),
        }
    }
}

/// The sources of a view's columns in one table.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For each column of the view.
    pub sources: Vec<Option<Source>>,
    /// The column that says which instance a row is about.
    pub instance: Option<u16>,
    /// Columns that become rows; empty where a row is a row.
    pub groups: Vec<Group>,
    /// The title, or what it says.
    pub title: String,
    /// Columns whose heading stands over the next one as well: a number is in one of the two.
    pub wide: Vec<u16>,
    /// Columns whose heading looks like a damaged one of a column that is missing.
    pub damaged_headings: Vec<u16>,
    /// Columns of the view that something feeds.
    pub filled: Vec<usize>,
    /// Whether labels stood for headings, so that columns of the table are its rows.
    pub by_labels: bool,
    /// Whether the first column has a heading.
    headed: bool,
    /// Whether a later one has none.
    nameless: bool,
}

/// Columns of a table that become one row of the view.
#[derive(Clone, Debug)]
pub struct Group {
    /// What the star stands for in their headings.
    pub name: String,
    /// Where it begins and ends, in microseconds, where the name is a bucket.
    pub bucket: buckets::Bucket,
    /// Which column of the view each feeds: its place, the table's column and what one of a bare number stands for.
    pub cells: Vec<(usize, u16, f64)>,
}

/// Headings of the column that says which instance a row is about.
const INSTANCE_HEADINGS: [&str; 5] = ["i#", "inst#", "instance#", "inst", "instance_number"];

impl Layout {
    /// Of a view in a table.
    pub fn of(view: &View, table: &Table) -> Self {
        let headings: Vec<String> = table.columns.iter().map(|heading| plain(heading)).collect();
        let nameless = headings.iter().skip(1).any(String::is_empty);
        let known = Headings { view, headings: &headings, nameless };
        let mut sources: Vec<_> = view.columns.iter().map(|column| known.source(column)).collect();
        let is_instance = |heading: &String| INSTANCE_HEADINGS.contains(&heading.as_str());
        let instance = headings.iter().position(is_instance).map(|at| at as u16);
        let mut title = table.title.trim().to_owned();
        if let Shape::Titled(titles) = view.shape {
            title = titles.said(&title);
            sources[0] = sources[0].or(Some(Source::Title));
        }
        let mut layout = Self {
            sources,
            instance,
            groups: Vec::new(),
            title,
            wide: wide(&headings),
            damaged_headings: Vec::new(),
            filled: Vec::new(),
            by_labels: false,
            headed: headings.first().is_some_and(|first| !first.is_empty()),
            nameless,
        };
        layout.turn(view, table, &headings);
        if matches!(view.shape, Shape::Titled(_)) {
            layout.hold_to_title(view, table, &headings);
        }
        let read = layout.columns_read();
        layout.damaged_headings.extend(damaged_headings::find(view, &layout.sources, &headings, &read));
        layout.filled = (0..view.columns.len()).filter(|at| layout.fills(*at)).collect();
        layout
    }

    /// What it takes of memory.
    pub fn bytes(&self) -> usize {
        let groups = self.groups.iter();
        let group =
            |group: &Group| size_of::<Group>() + group.name.len() + size_of_val(group.cells.as_slice());
        let columns = size_of_val(self.sources.as_slice()) + size_of_val(self.filled.as_slice());
        columns + self.title.len() + groups.map(group).sum::<usize>()
    }

    /// Of a view in a table whose labels stand for headings: one with a column for each row.
    pub fn of_labels(view: &View, table: &Table) -> Self {
        Self { by_labels: true, ..Self::of(view, table) }
    }

    fn fills(&self, at: usize) -> bool {
        let grouped = |group: &Group| group.cells.iter().any(|(place, ..)| *place == at);
        self.sources[at].is_some() || self.groups.iter().any(grouped)
    }

    /// A list that is ordered by what a column holds has that column, and none that another list has in its place.
    fn hold_to_title(&mut self, view: &View, table: &Table, headings: &[String]) {
        let title = plain(&table.title);
        for (at, column) in view.columns.iter().enumerate().filter(|(_, column)| !column.value.is_words()) {
            let Some(Source::Cell(place, _)) = self.sources[at] else { continue };
            let ordered_by = column.headings.iter().find(|(known, _)| title.ends_with(&format!("by{known}")));
            if ordered_by.is_some_and(|(known, _)| !headings.iter().any(|heading| heading.contains(known))) {
                self.damaged_headings.push(place);
                self.sources[at] = None;
            }
        }
    }

    /// Columns that no other heading of the view knows become rows where one pattern fits.
    fn turn(&mut self, view: &View, table: &Table, headings: &[String]) {
        let namers =
            (0..view.columns.len()).filter(|at| is_name(&view.columns[*at]) && self.sources[*at].is_none());
        let namers: Vec<usize> = namers.collect();
        if namers.is_empty() {
            return;
        }
        for (at, heading) in headings.iter().enumerate() {
            let taken = self
                .sources
                .iter()
                .any(|source| matches!(source, Some(Source::Cell(column, _)) if *column as usize == at));
            if taken || self.instance == Some(at as u16) {
                continue;
            }
            for (place, pattern, bare) in best_patterns(view, heading) {
                let name = pattern.star(&table.columns[at]).to_owned();
                self.add(name, (place, at as u16, bare));
            }
        }
        if view.columns.iter().any(|column| column.value == Value::BucketEnd) {
            self.keep_buckets(headings);
        }
        if !self.groups.is_empty() {
            namers.into_iter().for_each(|at| self.sources[at] = Some(Source::Name));
        }
    }

    fn add(&mut self, name: String, cell: (usize, u16, f64)) {
        match self.groups.iter_mut().find(|group| plain(&group.name) == plain(&name)) {
            Some(group) => group.cells.push(cell),
            None => self.groups.push(Group { name, bucket: (None, None), cells: vec![cell] }),
        }
    }

    /// A bucket begins where the one before it ends, unless that may be a column without a heading.
    fn keep_buckets(&mut self, headings: &[String]) {
        // Of a damaged or missing one nobody knows whether it stands between two others.
        let names: Vec<String> = self.groups.iter().map(|group| group.name.clone()).collect();
        let bounds = buckets::bounds(&names);
        let ends: Vec<f64> = bounds.iter().flatten().filter_map(|(_, end)| *end).collect();
        let gaps = self.nameless
            || self.has_unfed(headings)
            || bounds.contains(&None)
            || !ends.is_sorted_by(|one, next| one < next);
        let mut bounds = bounds.into_iter();
        let lost = self.groups.iter().zip(bounds.clone()).filter(|(_, bucket)| bucket.is_none());
        self.damaged_headings
            .extend(lost.flat_map(|(group, _)| group.cells.iter().map(|(_, column, _)| *column)));
        self.groups.retain_mut(|group| {
            let bucket = bounds.next().flatten();
            group.bucket = bucket.unwrap_or_default();
            if gaps {
                group.bucket.0 = None;
            }
            bucket.is_some()
        });
    }

    /// Whether enough of the view's columns are there to trust that the table is one of its own.
    pub fn is_known(&self, view: &View) -> bool {
        let found = self.found();
        match view.shape {
            Shape::Pairs(_) => !self.headed || self.instance.is_some() || self.cells() >= 2,
            Shape::Labels => found > 0,
            Shape::Titled(_) => found >= 2 && self.has_names(view),
            Shape::Rows | Shape::Mended(_) => {
                self.has_key(view)
                    && self.has_number(view)
                    && self.has_buckets(view)
                    && found >= 2.min(view.columns.len())
            }
        }
    }

    /// Whether a histogram has its buckets: without them its numbers are of nothing.
    fn has_buckets(&self, view: &View) -> bool {
        let end = view.columns.iter().position(|column| column.value == Value::BucketEnd);
        end.is_none_or(|end| self.sources[end].is_some())
    }

    /// Whether the headings name what rows are about, where the view has columns of words for it behind the first: one of the next two.
    fn has_names(&self, view: &View) -> bool {
        let words = (1..view.columns.len()).filter(|at| view.columns[*at].value.is_words());
        let mut names = words.take(2).peekable();
        names.peek().is_none() || names.any(|at| self.sources[at].is_some())
    }

    /// Whether one number at least has its column, where the view has any.
    fn has_number(&self, view: &View) -> bool {
        let mut numbers = (0..view.columns.len()).filter(|at| !view.columns[*at].value.is_words()).peekable();
        numbers.peek().is_none() || !self.groups.is_empty() || numbers.any(|at| self.sources[at].is_some())
    }

    /// How many columns of the view the table's headings name.
    fn found(&self) -> usize {
        self.cells() + self.groups.first().map_or(0, |group| group.cells.len() + 1)
    }

    /// How many of them take a cell of each row.
    fn cells(&self) -> usize {
        self.sources.iter().filter(|source| matches!(source, Some(Source::Cell(..)))).count()
    }

    fn has_unfed(&self, headings: &[String]) -> bool {
        let read = self.columns_read();
        headings.iter().zip(0_u16..).any(|(heading, column)| !heading.is_empty() && !read.contains(&column))
    }

    /// The table's columns that feed one of the view's, or say which instance a row is about.
    fn columns_read(&self) -> Vec<u16> {
        let sourced = self.sources.iter().flatten().filter_map(|source| match source {
            Source::Cell(column, _) | Source::Part(column, _) => Some(*column),
            Source::Title | Source::Name => None,
        });
        let grouped = self.groups.iter().flat_map(|group| group.cells.iter().map(|(_, column, _)| *column));
        let behind = self.wide.iter().map(|column| column + 1);
        sourced.chain(grouped).chain(behind).chain(self.instance).collect()
    }

    /// Whether the table's rows are labels with their values.
    pub fn is_pairs(&self, view: &View) -> bool {
        matches!(view.shape, Shape::Pairs(_)) && !self.headed
    }

    /// Whether the first column that is printed in cells is there.
    fn has_key(&self, view: &View) -> bool {
        let key =
            view.columns.iter().position(|column| !column.headings.iter().any(|(known, _)| *known == TITLE));
        key.is_some_and(|at| self.sources[at].is_some())
    }
}

/// Columns that share their heading with the next one.
fn wide(headings: &[String]) -> Vec<u16> {
    let pairs = headings.windows(2).enumerate();
    pairs.filter(|(_, pair)| !pair[0].is_empty() && pair[0] == pair[1]).map(|(at, _)| at as u16).collect()
}

/// Whether the column takes the names of rows that are columns elsewhere.
fn is_name(column: &Column) -> bool {
    let named = column.value.is_words() || matches!(column.value, Value::BucketBegin | Value::BucketEnd);
    named && column.headings.iter().any(|(known, _)| *known == "*")
}

/// The headings of a table, for a view.
struct Headings<'a> {
    view: &'a View,
    headings: &'a [String],
    /// Whether one behind the first is empty.
    nameless: bool,
}

impl Headings<'_> {
    fn source(&self, column: &Column) -> Option<Source> {
        column.headings.iter().find_map(|(known, bare)| {
            if *known == TITLE {
                return Some(Source::Title);
            }
            let (name, behind) = known.split_once('@').unwrap_or((known, ""));
            if self.nameless && self.is_one_of_several(name) {
                return None;
            }
            let labels = if name.is_empty() { self.label_columns() } else { self.headings.len() };
            let mut found =
                self.headings[..labels].iter().enumerate().filter(|(_, heading)| heading.as_str() == name);
            let column = found.nth(behind.parse().unwrap_or(1) - 1).map(|(at, _)| at as u16)?;
            Some(match behind {
                "()" => Source::Part(column, Part::Inside),
                "(" => Source::Part(column, Part::Before),
                _ => Source::Cell(column, *bare),
            })
        })
    }

    /// Labels without a heading stand first, or right behind whose row it is: an instance's or a pluggable database's.
    fn label_columns(&self) -> usize {
        let is_owner =
            |heading: &String| heading == "pdbname" || INSTANCE_HEADINGS.contains(&heading.as_str());
        let owned = self.headings.first().is_some_and(is_owner);
        self.headings.len().min(1 + usize::from(owned))
    }

    /// Whether the view knows several columns of this name, and the table has fewer: nobody can tell which are there.
    fn is_one_of_several(&self, name: &str) -> bool {
        let places = self.view.columns.iter().flat_map(|column| column.headings).filter_map(|(known, _)| {
            let (known, behind) = known.split_once('@')?;
            (known == name).then(|| behind.parse::<usize>().ok())?
        });
        let printed = self.headings.iter().filter(|heading| heading.as_str() == name).count();
        places.max().is_some_and(|most| printed < most)
    }
}

/// A heading with a star in it: what stands before and behind.
struct Pattern {
    before: &'static str,
    behind: &'static str,
}

impl Pattern {
    fn of(known: &'static str) -> Option<Self> {
        known.split_once('*').map(|(before, behind)| Self { before, behind })
    }

    fn len(&self) -> usize {
        self.before.len() + self.behind.len()
    }

    fn fits(&self, heading: &str) -> bool {
        heading.len() > self.len() && heading.starts_with(self.before) && heading.ends_with(self.behind)
    }

    /// What the star stands for in a heading as printed.
    fn star<'a>(&self, heading: &'a str) -> &'a str {
        let dark: Vec<_> = heading.char_indices().filter(|(_, sign)| !sign.is_whitespace()).collect();
        let (first, behind) = (self.before.chars().count(), self.behind.chars().count());
        let place = |at: usize| dark.get(at).map_or(heading.len(), |(place, _)| *place);
        let end = place(dark.len().saturating_sub(behind));
        heading.get(place(first)..end).unwrap_or_default().trim()
    }
}

/// Of the patterns that fit, those that say most; and the places of their columns.
fn best_patterns(view: &View, heading: &str) -> Vec<(usize, Pattern, f64)> {
    let columns = view.columns.iter().enumerate().filter(|(_, column)| !is_name(column));
    let patterns = columns.flat_map(|(place, column)| {
        let known = column.headings.iter();
        known.filter_map(move |(known, bare)| Some((place, Pattern::of(known)?, *bare)))
    });
    let mut fitting: Vec<_> = patterns.filter(|(_, pattern, _)| pattern.fits(heading)).collect();
    let most = fitting.iter().map(|(_, pattern, _)| pattern.len()).max();
    fitting.retain(|(_, pattern, _)| Some(pattern.len()) == most);
    fitting
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use crate::words::plain;

    #[test]
    fn a_star_stands_for_what_is_there() {
        let pattern = Pattern::of("*begin").expect("it has a star");
        assert_eq!(pattern.star("Size (M) Begin"), "Size (M)");
        assert_eq!(pattern.star("\u{b}"), "");
        assert_eq!(plain(" \u{b}\tBegin"), "begin");
    }
}
