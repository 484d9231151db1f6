use super::view::{Shape, View, number, text};

/// Where latches were missed.
pub static VIEW: View = View {
    name: "latch_misses",
    about: "misses of a latch at a place in the code",
    titles: &["latchmisssources"],
    shape: Shape::Rows,
    columns: &[
        text("latch", &[("latchname", 1.0)]),
        text("place", &[("where", 1.0)]),
        number("no_wait_misses", &[("nowaitmisses", 1.0)]),
        number("sleeps", &[("sleeps", 1.0)]),
        number("waiter_sleeps", &[("waitersleeps", 1.0)]),
        text("pdb_name", &[("pdbname", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn misses_stand_by_the_place() {
        let report = html(
            "Latch Miss Sources",
            &["Latch Name", "Where", "NoWait Misses", "Sleeps", "Waiter Sleeps"],
            &[&["shared pool", "kghalo", "0", "3", "1"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["latch=shared pool place=kghalo no_wait_misses=0 sleeps=3 waiter_sleeps=1"]
        );
    }
}
