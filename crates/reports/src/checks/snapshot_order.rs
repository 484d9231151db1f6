use super::pages::{Pages, Sheet};
use super::{Check, Say, Violation};
use crate::dates;
use crate::model::Row;

/// The first snapshot stands before the last, by its number and by its time.
pub static CHECK: Check = Check {
    name: "snapshot_order",
    about: "the first snapshot is older than the last one and has the lower number",
    code: "identity-violated",
    find,
};

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let ends = pages.head().find_map(|sheet| Some((sheet, sheet.row("beginsnap")?, sheet.row("endsnap")?)));
    let Some((sheet, begin, end)) = ends else { return };
    numbers(&sheet, begin, end).into_iter().chain(times(&sheet, begin, end)).for_each(say);
}

fn numbers(sheet: &Sheet<'_>, begin: Row, end: Row) -> Option<Violation> {
    let column = sheet.column(&["snapid"])?;
    let (first, last) = (sheet.figure(begin, column)?, sheet.figure(end, column)?);
    let wrong = first.range.least >= last.range.least;
    let message = || format!("the first snapshot {} is not before the last one {}", first.place, last.place);
    wrong.then(|| Violation::of(&first, message()))
}

fn times(sheet: &Sheet<'_>, begin: Row, end: Row) -> Option<Violation> {
    let column = sheet.column(&["snaptime"])?;
    let (first, last) = (sheet.cell(begin, column)?, sheet.cell(end, column)?);
    // Moments are written so that their order is that of their letters.
    let wrong = dates::read(sheet.words(first))? >= dates::read(sheet.words(last))?;
    let message = format!(
        "the first snapshot was taken at '{}' (line {}), which is not before the last one at '{}' (line {})",
        sheet.words(first),
        first.line,
        sheet.words(last),
        last.line
    );
    wrong.then(|| Violation { message, section: sheet.table.title.clone(), line: first.line })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOUR, found};
    use super::CHECK;

    #[test]
    fn snapshots_in_order_pass_and_others_do_not() {
        assert_eq!(found(&CHECK, &[HOUR]), [""; 0]);
        let back: &[&[&str]] =
            &[&["Begin Snap:", "9", "01-Feb-23 10:00:00"], &["End Snap:", "8", "01-Feb-23 09:00:00"]];
        assert_eq!(found(&CHECK, &[("report for", &["", "Snap Id", "Snap Time"], back)]).len(), 2);
    }
}
