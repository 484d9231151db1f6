use super::view::{Shape, View, aggregate, number, seconds, text};

/// Where the time of sessions went.
pub static VIEW: View = View {
    name: "time_model",
    about: "a part of the time that sessions spent in the database",
    titles: &["timemodelstatistics", "timemodelsystemstats", "timemodel", "timemodel-%ofdbtime"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("statisticname", 1.0), ("statistic", 1.0), ("*", 1.0)]),
        seconds("time_s", &[("time(s)", 1.0), ("*(s)", 1.0)]),
        number(
            "db_time_percent",
            &[("%ofdbtime", 1.0), ("%dbtime", 1.0), ("*%dbtime", 1.0), ("%dbtime*", 1.0)],
        ),
        number("cpu_time_percent", &[("%oftotalcputime", 1.0)]),
        number("background_time_percent", &[("*%bgtime", 1.0), ("%bgtime*", 1.0)]),
        number("all_instances_percent", &[("%total*", 1.0)])
            .about("of a cluster: the instance's part of what all instances have"),
        aggregate(),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn statistics_stand_below_each_other_or_side_by_side() {
        let heads = ["Statistic Name", "Time (s)", "% of DB Time", "% of Total CPU Time"];
        let page = html("Time Model Statistics", &heads, &[&["DB CPU", "342.8", "23.7", "95.8"]]);
        let row = "statistic=DB CPU time_s=342.8 db_time_percent=23.7 cpu_time_percent=95.8";
        assert_eq!(rows(&VIEW, &page), [row]);
        let page = html("Time Model", &["I#", "DB time (s)", "bg CPU (s)"], &[&["Sum", "675.4", "11.2"]]);
        let expected =
            ["statistic=DB time time_s=675.4 aggregate=Sum", "statistic=bg CPU time_s=11.2 aggregate=Sum"];
        assert_eq!(rows(&VIEW, &page), expected);
        let heads = ["I#", "% Total DB time", "% DB time Parse Ela", "DB CPU %DB time", "% bg time bg CPU"];
        let page = html("Time Model - % of DB time", &heads, &[&["1", "50", "0.1", "25", "19"]]);
        let expected = [
            "instance_number=1 statistic=DB time all_instances_percent=50",
            "instance_number=1 statistic=Parse Ela db_time_percent=0.1",
            "instance_number=1 statistic=DB CPU db_time_percent=25",
            "instance_number=1 statistic=bg CPU background_time_percent=19",
        ];
        assert_eq!(rows(&VIEW, &page), expected);
    }
}
