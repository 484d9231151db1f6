use super::view::{Column, Shape, View, joined, title};
use super::waits;

const COLUMNS: [Column; waits::COLUMNS.len() + 1] = joined(&[title("list")], waits::COLUMNS);

/// Events and CPU time in the order of their share.
pub static VIEW: View = View {
    name: "top_events",
    about: "an event among those that took most time, or the time on CPU",
    titles: &[
        "top#timedevents",
        "top#timedforegroundevents",
        "top#foregroundeventsbytotalwaittime",
        "top#waitevents",
        "toptimedevents",
        "toptimedforegroundevents",
        "toptimedbackgroundevents",
    ],
    shape: Shape::Rows,
    columns: &COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn waits_are_in_microseconds_whatever_is_printed() {
        let text = "
Top 5 Timed Events                                                    Avg %Total
~~~~~~~~~~~~~~~~~~                                                   wait   Call
Event                                            Waits    Time (s)   (ms)   Time
----------------------------------------- ------------ ----------- ------ ------
CPU time                                                       524          88.6
log file sync                                    7,394          24      3    4.1
          -------------------------------------------------------------
";
        let expected = [
            "list=Top 5 Timed Events event=CPU time total_wait_s=524 db_time_percent=88.6",
            "list=Top 5 Timed Events event=log file sync waits=7394 total_wait_s=24 avg_wait_us=3000 db_time_percent=4.1",
        ];
        assert_eq!(rows(&VIEW, text), expected);
        let title = "Top 10 Foreground Events by Total Wait Time";
        let heads = ["Event", "Waits", "Total Wait Time (sec)", "Avg Wait", "% DB time", "Wait Class"];
        let page = html(title, &heads, &[&["log file sync", "7,394", "24", "3.25ms", "4.1", "Commit"]]);
        let expected = format!(
            "list={title} event=log file sync wait_class=Commit waits=7394 total_wait_s=24 avg_wait_us=3250 db_time_percent=4.1"
        );
        assert_eq!(rows(&VIEW, &page), [expected]);
    }
}
