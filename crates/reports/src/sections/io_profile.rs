use super::view::{Shape, View, number, text};

/// Reads and writes by what they were for.
pub static VIEW: View = View {
    name: "io_profile",
    about: "requests, megabytes (of 1024 KiB) or blocks per second, as the name tells",
    titles: &["ioprofile", "ioprofile(global)"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0), ("statistic", 1.0)]),
        number(
            "both_per_s",
            &[("read+writepersecond", 1.0), ("read+write/second", 1.0), ("read+write/s", 1.0)],
        )
        .about("reads and writes"),
        number("read_per_s", &[("readpersecond", 1.0), ("read/second", 1.0), ("reads/s", 1.0)]),
        number("write_per_s", &[("writepersecond", 1.0), ("write/second", 1.0), ("writes/s", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn one_instance_and_a_cluster_say_the_same() {
        let text = "
IO Profile                  Read+Write/Second     Read/Second    Write/Second
~~~~~~~~~~                  ----------------- --------------- ---------------
            Total Requests:           1,103.5           102.5         1,001.0
             Redo Requests:               0.1                             0.1
";
        let heads = ["Statistic", "Read+Write/s", "Reads/s", "Writes/s"];
        let page = html(
            "IO Profile (Global)",
            &heads,
            &[&["Total Requests", "1,103.5", "102.5", "1,001.0"], &["Redo Requests", "0.1", "", "0.1"]],
        );
        let expected = [
            "statistic=Total Requests both_per_s=1103.5 read_per_s=102.5 write_per_s=1001",
            "statistic=Redo Requests both_per_s=0.1 write_per_s=0.1",
        ];
        assert_eq!(rows(&VIEW, text), expected);
        assert_eq!(rows(&VIEW, &page), expected);
    }
}
