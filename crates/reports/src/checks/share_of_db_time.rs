use super::cpu_of_db_time::TIME_MODEL;
use super::figure::Figure;
use super::pages::{Pages, Sheet};
use super::{Check, Say, Violation};

/// A share of DB time is the time by DB time.
pub static CHECK: Check = Check {
    name: "share_of_db_time",
    about: "a share of DB time is the row's time by DB time",
    code: "identity-violated",
    find,
};

/// Tables of one instance's events and wait classes, whose shares are of the head's DB time.
const WAITS: &[&str] =
    &["foregroundwait", "waitclassesbytotalwaittime", "top#foregroundevents", "top#timedforeground"];
const SECONDS: &[&str] = &["time(s)", "totalwaittime(s)", "totalwaittime(sec)"];
const SHARES: &[&str] = &["%dbtime", "%ofdbtime"];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    for sheet in pages.sheets(TIME_MODEL) {
        let total = sheet.column(SECONDS).and_then(|column| sheet.labelled("dbtime", column));
        violations(&sheet, total, say);
    }
    let total = pages.duration("dbtime");
    pages.sheets(WAITS).for_each(|sheet| violations(&sheet, total, say));
}

fn violations(sheet: &Sheet<'_>, total: Option<Figure<'_>>, say: Say<'_>) {
    let Some(total) = total else { return };
    let (Some(seconds), Some(share)) = (sheet.column(SECONDS), sheet.column(SHARES)) else {
        return;
    };
    let found = sheet.rows().iter().filter_map(|row| {
        let (seconds, share) = (sheet.figure(*row, seconds)?, sheet.figure(*row, share)?);
        let same = seconds.range.meets(share.range.times(total.range).scaled(0.01));
        let message = || {
            format!("the share {} is not that of {} in DB time {}", share.place, seconds.place, total.place)
        };
        (!same).then(|| Violation::of(&share, message()))
    });
    found.for_each(say);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOUR, found};
    use super::CHECK;

    #[test]
    fn shares_are_of_the_heads_db_time() {
        let headings: &[&str] = &["Event", "Waits", "Total Wait Time (s)", "% DB time"];
        let rows: &[&[&str]] =
            &[&["db file sequential read", "9", "600", "50.00"], &["direct path read", "9", "300", "26.00"]];
        let said = found(&CHECK, &[HOUR, ("Foreground Wait Events", headings, rows)]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("'26.00'") && said[0].contains("'20.00 (mins)'"), "{said:?}");
    }
}
