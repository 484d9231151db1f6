//! Damages reports and holds what is then read against the undamaged ones. Shared by the test and the example of this name.
//!
//! No reader can tell that a digit was another one before. What is demanded is therefore this: a table *claims to be whole* where no
//! problem that loses something stands in its lines, names its title or its view, or stands for the whole report. Each number in such
//! a table must stand in the undamaged report (or in one of both, where two were spliced) under the same title, heading and row
//! names, and so must each number of a typed view, in the same column and unit, of the same row. Of a row whose own lines were
//! damaged, or that lines were lost out of, the names are not compared, nor are names that the damage stands in, that a lost line
//! said for several rows, or that are sentences; and those of its numbers are free that the damage itself reaches, which are the words
//! between two spaces or tags, and all of a row that a line end was put into or taken from. Where headings were damaged, columns are
//! compared by their place instead; the typed view is still held to the same names. Rows behind a seam of two reports in the middle of
//! a table belong to the first one's headings in that file; both reports of a splice are of one release and written alike.

mod change;
mod facts;
mod judge;

pub use change::{Dice, damage};
pub use judge::{Original, judge};
