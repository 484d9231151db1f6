use super::view::{Shape, View, number, seconds, text};

/// Mutexes that were waited for.
pub static VIEW: View = View {
    name: "mutex_sleeps",
    about: "sleeps of sessions that waited for a mutex",
    titles: &["mutexsleepsummary", "mutexsleep"],
    shape: Shape::Rows,
    columns: &[
        text("mutex", &[("mutextype", 1.0)]),
        text("place", &[("location", 1.0)]),
        number("sleeps", &[("sleeps", 1.0)]),
        seconds("total_wait_s", &[("waittime(ms)", 1e-3), ("waittime(s)", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn milliseconds_become_seconds() {
        let report = html(
            "Mutex Sleep Summary",
            &["Mutex Type", "Location", "Sleeps", "Wait Time (ms)"],
            &[&["Cursor Pin", "kkslce", "5,787", "250"]],
        );
        assert_eq!(rows(&VIEW, &report), ["mutex=Cursor Pin place=kkslce sleeps=5787 total_wait_s=0.25"]);
    }
}
