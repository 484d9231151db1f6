use super::view::{Shape, View, number, text};

/// Traffic of a cluster.
pub static VIEW: View = View {
    name: "rac_load_profile",
    about: "what went over the interconnect, by second and transaction",
    titles: &["globalcacheloadprofile"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0)]),
        number("per_second", &[("persecond", 1.0)]),
        number("per_transaction", &[("pertransaction", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn labels_lose_their_colon() {
        let report = html(
            "Global Cache Load Profile",
            &["", "Per Second", "Per Transaction"],
            &[&["Global Cache blocks received:", "0.22", "27.83"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["statistic=Global Cache blocks received per_second=0.22 per_transaction=27.83"]
        );
    }
}
