//! The instance's statistics, which other sections show under names of their own.

use super::figure::Figure;
use super::pages::Pages;

/// Titles of the tables that they stand in. From 12.1.0.2 on the first ones have a table of their own.
pub const TITLES: &[&str] =
    &["instanceactivitystats", "keyinstanceactivitystats", "otherinstanceactivitystats"];

/// What the instance did per second, by the statistic's name in lower case without spaces.
pub fn per_second<'a>(pages: &'a Pages<'a>, name: &str) -> Option<Figure<'a>> {
    pages.sheets(TITLES).find_map(|sheet| sheet.labelled_rate(name, sheet.column(&["persecond"])?))
}
