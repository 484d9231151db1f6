use super::figure::Place;
use super::pages::{Pages, STATISTICS};
use super::{Check, Say, Violation};

/// A rate is the total by the interval.
pub static CHECK: Check = Check {
    name: "rates",
    about: "what happened per second, times the elapsed seconds, is what happened in total",
    code: "identity-violated",
    find,
};

/// Columns with the seconds that their rates are of.
const RATES: [(&str, f64); 2] = [("persecond", 1.0), ("perhour", 3600.0)];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let Some(elapsed) = pages.duration("elapsed") else { return };
    for sheet in pages.sheets(STATISTICS) {
        let rate = RATES.iter().find_map(|(name, seconds)| Some((sheet.column(&[name])?, seconds)));
        let (Some(total), Some((rate, seconds))) = (sheet.column(&["total"]), rate) else { continue };
        for row in sheet.rows() {
            let (Some(total), Some(rate)) = (sheet.range(*row, total), sheet.rate_range(*row, rate)) else {
                continue;
            };
            if !rate.times(elapsed.range).scaled(1.0 / seconds).meets(total) {
                violation(&sheet, *row, elapsed.place).into_iter().for_each(&mut *say);
            }
        }
    }
}

fn violation(sheet: &super::pages::Sheet<'_>, row: crate::model::Row, elapsed: Place<'_>) -> Option<Violation> {
    let column = |names| sheet.column(names).and_then(|column| sheet.figure(row, column));
    let (total, rate) = (column(&["total"])?, column(&["persecond", "perhour"])?);
    Some(Violation::of(
        &total,
        format!("{} is not {} over the elapsed time {elapsed}", total.place, rate.place),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOUR, found};
    use super::CHECK;

    #[test]
    fn rates_times_the_hour_are_totals() {
        let rows: &[&[&str]] = &[&["redo size", "36,018", "10.01"], &["user calls", "36,100", "10.00"]];
        let said =
            found(&CHECK, &[HOUR, ("Instance Activity Stats", &["Statistic", "Total", "per Second"], rows)]);
        assert_eq!(said.len(), 1);
        assert!(
            said[0].contains("'36,100'") && said[0].contains("'10.00'") && said[0].contains("'60.00 (mins)'")
        );
    }

    #[test]
    fn switches_are_counted_by_the_hour() {
        let headings: &[&str] = &["Statistic", "Total", "per Hour"];
        let title = "Instance Activity Stats - Thread Activity";
        assert_eq!(
            found(&CHECK, &[HOUR, (title, headings, &[&["log switches (derived)", "4", "4.00"]])]),
            [""; 0]
        );
        assert_eq!(
            found(&CHECK, &[HOUR, (title, headings, &[&["log switches (derived)", "4", "7.00"]])]).len(),
            1
        );
    }
}
