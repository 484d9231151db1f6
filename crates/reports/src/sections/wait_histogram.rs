use super::view::{Shape, Value, View, microseconds, name, number, text, title, whole};

/// Waits by how long they took.
pub static VIEW: View = View {
    name: "wait_histogram",
    about: "of the waits for an event those of one length; lists of short and of long waits overlap",
    titles: &["waiteventhistogram*"],
    shape: Shape::Rows,
    columns: &[
        text("event", &[("event", 1.0)]),
        title("list"),
        name("bucket").about("as printed; narrow columns cut units off"),
        microseconds("bucket_begin_us", &[("*", 1.0)]).read_as(Value::BucketBegin),
        microseconds("bucket_end_us", &[("*", 1.0)])
            .read_as(Value::BucketEnd)
            .about("null where the bucket is open; as the report says of its units, `1ms` is 1,024 µs where microseconds are counted, and `1s` is 1,024 ms"),
        number("percent", &[("%ofwaits*", 1.0), ("%oftotalwaits*", 1.0)]).about("of all waits for the event"),
        number("few_waits", &[("%oftotalwaits*", 1.0)])
            .read_as(Value::Count)
            .about("where so few waits are in the bucket that they are no part of a percentage"),
        whole("bucket_waits", &[("*", 1.0)]).about("where waits are printed and no percentages"),
        whole("waits", &[("totalwaits", 1.0), ("waits", 1.0)]).about("for the event"),
        whole("list_waits", LIST_WAITS).about("for the event, of a length that the list is about"),
    ],
};

/// Headings that say which lengths a list is about.
const LIST_WAITS: &[(&str, f64)] = &[
    ("waits1us-64us", 1.0),
    ("waits1msto32ms", 1.0),
    ("waits1msto32m", 1.0),
    ("waits64msto2s", 1.0),
    ("waits4sto2m", 1.0),
    ("waits4mto1h", 1.0),
];

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn each_bucket_with_waits_is_a_row() {
        let text = "
Wait Event Histogram  DB/Inst: ABC/abc  Snaps: 2-3
-> Total Waits column is the number of waits

                           Total ----------------- % of Waits ------------------
Event                      Waits  <1ms  <2ms  <4ms  <8ms <16ms <32ms  <=1s   >1s
-------------------------- ----- ----- ----- ----- ----- ----- ----- ----- -----
log file sync              44.9K  91.8   1.9                            .9
          -------------------------------------------------------------
";
        let list = "event=log file sync list=Wait Event Histogram";
        let expected = [
            format!("{list} bucket=<1ms bucket_begin_us=0 bucket_end_us=1000 percent=91.8 waits=44900"),
            format!("{list} bucket=<2ms bucket_begin_us=1000 bucket_end_us=2000 percent=1.9 waits=44900"),
            format!("{list} bucket=<=1s bucket_begin_us=32000 bucket_end_us=1024000 percent=0.9 waits=44900"),
        ];
        assert_eq!(rows(&VIEW, text), expected);
    }

    #[test]
    fn waits_without_their_suffix_are_unknown() {
        let page = html(
            "Wait Event Histogram",
            &["Event", "Total Waits", "% of Waits <1ms"],
            &[&["gc", "118.6", "100.0"]],
        );
        let row =
            "event=gc list=Wait Event Histogram bucket=<1ms bucket_begin_us=0 bucket_end_us=1000 percent=100";
        assert_eq!(rows(&VIEW, &page), [row]);
    }

    #[test]
    fn statspack_of_10g_counts_waits() {
        let page =
            html("Wait Event Histogram", &["Event", "0 - 1 ms", "32+ ms"], &[&["latch free", "7", "2"]]);
        let list = "event=latch free list=Wait Event Histogram";
        let expected = [
            format!("{list} bucket=0 - 1 ms bucket_begin_us=0 bucket_end_us=1000 bucket_waits=7"),
            format!("{list} bucket=32+ ms bucket_begin_us=32000 bucket_waits=2"),
        ];
        assert_eq!(rows(&VIEW, &page), expected);
    }

    #[test]
    fn a_percentage_that_is_none_has_its_waits_behind_it() {
        let heads = ["Event", "Waits", "% of Total Waits <1us", "% of Total Waits <2us"];
        let page = html("Wait Event Histogram (Global)", &heads, &[&["gc cr", "36K", "100.0", "0.0(7)"]]);
        let list = "event=gc cr list=Wait Event Histogram (Global)";
        let expected = [
            format!("{list} bucket=<1us bucket_begin_us=0 bucket_end_us=1 percent=100 waits=36000"),
            format!("{list} bucket=<2us bucket_begin_us=1 bucket_end_us=2 percent=0 few_waits=7 waits=36000"),
        ];
        assert_eq!(rows(&VIEW, &page), expected);
    }

    #[test]
    fn waits_of_one_list_are_no_bucket() {
        let heads = ["Event", "Waits 64ms to 2s", "% of Total Waits <32ms", "% of Total Waits >=2s"];
        let page = html("Wait Event Histogram (up to 2 sec)", &heads, &[&["read", "3", "99.5", ".5"]]);
        let said = rows(&VIEW, &page);
        assert_eq!(said.len(), 2);
        assert!(
            said[1].ends_with("bucket=>=2s bucket_begin_us=2048000 percent=0.5 list_waits=3"),
            "{}",
            said[1]
        );
    }
}
