use super::view::{Shape, View, number, text};

/// Latches that were waited for.
pub static VIEW: View = View {
    name: "latch_sleeps",
    about: "misses of a latch and what became of them",
    titles: &["latchsleepbreakdown"],
    shape: Shape::Rows,
    columns: &[
        text("latch", &[("latchname", 1.0)]),
        number("gets", &[("getrequests", 1.0)]),
        number("misses", &[("misses", 1.0)]),
        number("sleeps", &[("sleeps", 1.0)]),
        number("spin_gets", &[("spingets", 1.0)]),
        text("sleeps_breakdown", &[("spin&sleeps1->3+", 1.0), ("spin&sleeps1->4", 1.0)])
            .about("gets after spinning, then after one sleep, two and so on"),
        text("pdb_name", &[("pdbname", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn sleeps_of_old_reports_are_broken_down() {
        let report = html(
            "Latch Sleep breakdown",
            &["Latch Name", "Get Requests", "Misses", "Sleeps", "Spin & Sleeps 1->3+"],
            &[&["library cache", "8,709", "18", "36", "0/9/4/5"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["latch=library cache gets=8709 misses=18 sleeps=36 sleeps_breakdown=0/9/4/5"]
        );
    }
}
