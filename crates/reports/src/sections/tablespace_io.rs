use super::mend::{Printed, Verdict};
use super::{RELEASE_LOST, space_io};
use super::view::{Column, Shape, View, joined, text};

const COLUMNS: [Column; space_io::COLUMNS.len() + 1] =
    joined(&[text("tablespace", &[("tablespace", 1.0)])], space_io::COLUMNS);

/// Reads and writes by tablespace.
pub static VIEW: View = View {
    name: "tablespace_io",
    about: "reads and writes of a tablespace",
    titles: &["tablespaceiostats"],
    shape: Shape::Mended(put_right),
    columns: &COLUMNS,
};

/// 11.2.0.4 prints writes, single-block reads per second, their time and writes per second under the headings of single-block reads
/// per second, their time, writes and writes per second. No tablespace can have more single-block reads than reads, so that one
/// that does tells of it.
fn put_right(printed: &Printed<'_>) -> Verdict {
    // Statspack prints no single-block reads, and everything in its place.
    let printed_any = |column| printed.both(column, column).next().is_some();
    let is_lost = printed.release == RELEASE_LOST;
    let known = (is_lost || printed.release.starts_with("11.2.0.4"))
        && (printed_any("single_block_reads_per_s") || printed_any("avg_single_block_read_us"));
    let exceeds = |column| printed.both(column, "reads_per_s").any(|(single, all)| single > all + ROUNDING);
    let has_any = |column| printed.both(column, column).any(|(number, _)| number > 0.0);
    // Where the headings are wrong, the column of times, in microseconds here, holds requests per second.
    let exceeds_moved = printed
        .both("avg_single_block_read_us", "reads_per_s")
        .any(|(single, all)| single / 1e3 > all + ROUNDING);
    match (known, exceeds("single_block_reads_per_s"), exceeds_moved) {
        (false, ..) => Verdict::AsPrinted,
        (true, _, true) if is_lost => Verdict::AsPrinted,
        (true, true, false) if !is_lost => {
            Verdict::Moved(MOVES, "11.2.0.4 prints these columns in the wrong order; they are put right")
        }
        (true, ..) if !MOVES.iter().any(|(column, _)| has_any(column)) => Verdict::AsPrinted,
        (true, ..) => Verdict::Unsure(
            UNSURE,
            "11.2.0.4 prints these columns in the wrong order, and no row here proves it",
        ),
    }
}

/// Rates are printed without a fraction.
const ROUNDING: f64 = 1.0;

/// Each column, and the one under whose heading it stands.
const MOVES: &[(&str, &str)] = &[
    ("writes", "single_block_reads_per_s"),
    ("single_block_reads_per_s", "avg_single_block_read_us"),
    ("avg_single_block_read_us", "writes"),
];
const UNSURE: &[&str] = &["writes", "single_block_reads_per_s", "avg_single_block_read_us"];

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::problems::Problems;
    use crate::sections::apply::apply;
    use crate::sections::testing::{html, rows};

    const HEADS: [&str; 9] = [
        "Tablespace",
        "Reads",
        "Av Rds/s",
        "Av Rd(ms)",
        "Av Blks/Rd",
        "1-bk Rds/s",
        "Av 1-bk Rd(ms)",
        "Writes",
        "Writes avg/s",
    ];

    fn page(cells: &[&str]) -> String {
        html("Tablespace IO Stats", &HEADS, &[cells])
    }

    /// Problems, and the numbers of one row, as a release prints it.
    fn printed_by(release: &str, cells: &[&str]) -> (Vec<(&'static str, bool)>, Vec<Option<f64>>) {
        let mut report = crate::read(page(cells).into_bytes());
        report.tables.problems = Problems::default();
        let typed = apply(&report.text, &mut report.tables, release);
        let batch = typed[0].batch().unwrap();
        let columns = ["writes", "single_block_reads_per_s", "avg_single_block_read_us", "writes_per_s"];
        let number = |name: &&str| {
            let column = batch.column_by_name(name).unwrap();
            let numbers = column.as_any().downcast_ref::<arrow_array::Float64Array>().unwrap();
            numbers.iter().next().flatten()
        };
        let problems = report.tables.problems.iter().map(|problem| (problem.code, problem.loses));
        (problems.collect(), columns.iter().map(number).collect())
    }

    #[test]
    fn rows_of_all_layouts_are_read_by_their_headings() {
        let row = "tablespace=USERS reads=39 reads_per_s=2 avg_read_us=3330 blocks_per_read=1 single_block_reads_per_s=1 \
                   avg_single_block_read_us=500 writes=348 writes_per_s=9";
        assert_eq!(rows(&VIEW, &page(&["USERS", "39", "2", "3.33", "1.00", "1", "0.5", "348", "9"])), [row]);
        let text = "
Tablespace IO Stats for DB: ABC  Instance: abc  Snaps: 3 -4
->ordered by IOs (Reads + Writes) desc

Tablespace
------------------------------
                 Av      Av     Av                    Av        Buffer Av Buf
         Reads Reads/s Rd(ms) Blks/Rd       Writes Writes/s      Waits Wt(ms)
-------------- ------- ------ ------- ------------ -------- ---------- ------
USERS
     2,195,142     607    1.8    41.2       84,199       23     15,839    3.5
          -------------------------------------------------------------
";
        let row = "tablespace=USERS reads=2195142 reads_per_s=607 avg_read_us=1800 blocks_per_read=41.2 writes=84199 \
                   writes_per_s=23 buffer_waits=15839 avg_buffer_wait_us=3500";
        assert_eq!(rows(&VIEW, text), [row]);
    }

    #[test]
    fn columns_that_one_release_swaps_are_put_right() {
        let cells = ["USERS", "39", "2", "3.33", "1.00", "348", "1.50", "4", "9"];
        let (problems, numbers) = printed_by("11.2.0.4.0", &cells);
        assert_eq!(problems, [("columns-swapped", false)]);
        assert_eq!(numbers, [Some(348.0), Some(1.5), Some(4000.0), Some(9.0)]);
        let (problems, numbers) = printed_by("12.1.0.2.0", &cells);
        assert_eq!(problems, []);
        assert_eq!(numbers, [Some(4.0), Some(348.0), Some(1500.0), Some(9.0)]);
    }

    #[test]
    fn columns_that_may_be_swapped_and_prove_nothing_stay_empty() {
        let (problems, numbers) =
            printed_by("11.2.0.4.0", &["USERS", "39", "2", "3.33", "1.00", "1", "0.5", "4", "9"]);
        assert_eq!(problems, [("columns-unsure", true)]);
        assert_eq!(numbers, [None, None, None, Some(9.0)]);
        let (problems, numbers) =
            printed_by("11.2.0.4.0", &["USERS", "39", "2", "3.33", "1.00", "0", "0", "0", "0"]);
        assert_eq!(problems, []);
        assert_eq!(numbers, [Some(0.0); 4]);
    }

    #[test]
    fn where_the_release_is_lost_only_rows_tell() {
        let swapped = ["USERS", "39", "2", "3.33", "1.00", "348", "1.50", "4", "9"];
        assert_eq!(printed_by(super::RELEASE_LOST, &swapped).0, [("columns-unsure", true)]);
        let in_place = ["USERS", "39", "2", "3.33", "1.00", "2", "4.50", "4", "9"];
        let (problems, numbers) = printed_by(super::RELEASE_LOST, &in_place);
        assert_eq!(problems, []);
        assert_eq!(numbers, [Some(4.0), Some(2.0), Some(4500.0), Some(9.0)]);
    }

    #[test]
    fn statspack_prints_everything_in_its_place() {
        let page = html(
            "Tablespace IO Stats",
            &["Tablespace", "Reads", "Av Reads/s", "Writes"],
            &[&["T", "9", "1", "348"]],
        );
        let mut report = crate::read(page.into_bytes());
        let typed = apply(&report.text, &mut report.tables, "11.2.0.4.0");
        assert!(report.tables.problems.iter().all(|problem| !problem.code.starts_with("columns-")));
        let batch = typed[0].batch().unwrap();
        let writes =
            batch.column_by_name("writes").unwrap().as_any().downcast_ref::<arrow_array::Float64Array>();
        assert_eq!(writes.unwrap().value(0), 348.0);
    }
}
