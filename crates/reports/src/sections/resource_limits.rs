use super::view::{Shape, View, number, text};

/// Resources that have a limit.
pub static VIEW: View = View {
    name: "resource_limits",
    about: "how far a resource was used",
    titles: &["resourcelimitstats"],
    shape: Shape::Rows,
    columns: &[
        text("resource", &[("resourcename", 1.0)]),
        number("current", &[("currentutilization", 1.0)]),
        number("maximum", &[("maximumutilization", 1.0)]),
        text("initial_allocation", &[("initialallocation", 1.0)]),
        text("limit_value", &[("limit", 1.0)]).about("a number, or UNLIMITED"),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn a_limit_may_be_none() {
        let report = html(
            "Resource Limit Stats",
            &["Resource Name", "Current Utilization", "Maximum Utilization", "Initial Allocation", "Limit"],
            &[&["ges_procs", "128", "150", "1500", "UNLIMITED"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["resource=ges_procs current=128 maximum=150 initial_allocation=1500 limit_value=UNLIMITED"]
        );
    }
}
