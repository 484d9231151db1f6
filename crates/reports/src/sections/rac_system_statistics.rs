use super::view::{Shape, View, aggregate, name, number};

/// The load of each instance of a cluster.
pub static VIEW: View = View {
    name: "rac_system_statistics",
    about: "what an instance of a cluster did: in all, by second or by transaction",
    titles: &["systemstatistics", "systemstatistics-persecond", "systemstatistics-pertransaction"],
    shape: Shape::Rows,
    columns: &[
        name("statistic").about("with its unit where it has one"),
        number("total", &[("*", 1.0)]),
        number("per_s", &[("*/s", 1.0)]),
        number("per_txn", &[("*/tx", 1.0)]),
        aggregate(),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn each_statistic_is_a_row() {
        let page = html(
            "System Statistics",
            &["I#", "Logical Reads", "Redo Size (k)"],
            &[&["1", "53,489", "2,296"]],
        );
        let expected = [
            "instance_number=1 statistic=Logical Reads total=53489",
            "instance_number=1 statistic=Redo Size (k) total=2296",
        ];
        assert_eq!(rows(&VIEW, &page), expected);
        let page = html("System Statistics - Per Second", &["I#", "Logical Reads/s"], &[&["Avg", "1.5"]]);
        assert_eq!(rows(&VIEW, &page), ["statistic=Logical Reads per_s=1.5 aggregate=Avg"]);
        let page = html("System Statistics - Per Transaction", &["I#", "Logical Reads/tx"], &[&["2", "7"]]);
        assert_eq!(rows(&VIEW, &page), ["instance_number=2 statistic=Logical Reads per_txn=7"]);
    }
}
