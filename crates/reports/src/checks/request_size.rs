use super::figure::Figure;
use super::pages::{Pages, Sheet};
use super::{Check, Say, Violation};
use crate::model::Row;
use crate::value::MIB;

/// A request moves a sector or more. Some releases on Exadata print 1.5E14 requests of Smart Scan with two bytes each.
pub static CHECK: Check = Check {
    name: "request_size",
    about: "a request reads or writes no less than one sector of 512 bytes",
    code: "implausible-value",
    find,
};

/// The smallest sector of any block device.
const SECTOR_BYTES: f64 = 512.0;
const TITLES: &[&str] = &["iostatbyfunction", "iostatbyfiletype"];
/// Requests per second, megabytes per second.
const PAIRS: [(&str, &str); 3] =
    [("requestsreads/s", "mbreadmb/s"), ("requestswrites/s", "mbwritemb/s"), ("requestsios/s", "mbiomb/s")];
/// The first pair of the columns `Reqs per sec` and `Data per sec` is of reads, the second of writes.
const TWICE: (&str, &str) = ("reqspersec", "datapersec");

fn find(pages: &Pages<'_>, say: Say<'_>) {
    for sheet in pages.sheets(TITLES) {
        let pairs = pairs(&sheet);
        for row in sheet.rows() {
            // Reads and writes of one row say the same thing once.
            let first = pairs.iter().find_map(|(requests, data)| violation(&sheet, *row, *requests, *data));
            first.into_iter().for_each(&mut *say);
        }
    }
}

fn pairs(sheet: &Sheet<'_>) -> Vec<(usize, usize)> {
    let named =
        PAIRS.iter().filter_map(|(requests, data)| sheet.column(&[requests]).zip(sheet.column(&[data])));
    let twice = sheet.columns(TWICE.0).into_iter().zip(sheet.columns(TWICE.1));
    named.chain(twice).collect()
}

fn violation(sheet: &Sheet<'_>, row: Row, requests: usize, data: usize) -> Option<Violation> {
    let requests = sheet.figure(row, requests)?;
    let bytes = bytes(sheet, row, data)?;
    let wrong = !requests.range.scaled(SECTOR_BYTES).is_at_most(bytes.range);
    let message =
        || format!("{} requests move {} only: less than a sector each", requests.place, bytes.place);
    wrong.then(|| Violation::of(&requests, message()))
}

/// A bare number is of megabytes.
fn bytes<'a>(sheet: &Sheet<'a>, row: Row, column: usize) -> Option<Figure<'a>> {
    let bare = sheet.cell(row, column)?.suffix == crate::value::Suffix::None;
    let mut figure = sheet.figure_in(row, column, 1024.0)?;
    if bare {
        figure.range = figure.range.scaled(MIB);
    }
    Some(figure)
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    #[test]
    fn two_bytes_are_no_request() {
        let headings: &[&str] = &["I#", "Function Name", "Requests Reads/s", "MB Read MB/s"];
        let rows: &[&[&str]] =
            &[&["1", "Smart Scan", "288,236,330.28", "629.37"], &["1", "DBWR", "8.00", "0.00"]];
        let said = found(&CHECK, &[("IOStat by Function (per Second)", headings, rows)]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("'288,236,330.28'"));
    }

    #[test]
    fn data_has_its_unit_or_is_of_megabytes() {
        let headings: &[&str] =
            &["Function Name", "Reqs per sec", "Data per sec", "Reqs per sec", "Data per sec"];
        let rows: &[&[&str]] =
            &[&["LGWR", "0.9", "0M", "3.1", ".004M"], &["Others", "4.0", ".000100", "0", "0M"]];
        let said = found(&CHECK, &[("IOStat by Function summary", headings, rows)]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains(".000100"), "{said:?}");
    }
}
