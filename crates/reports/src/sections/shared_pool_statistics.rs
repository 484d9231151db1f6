use super::view::{Shape, View, number, text};

/// How full the shared pool is, and of what.
pub static VIEW: View = View {
    name: "shared_pool_statistics",
    about: "a share of the shared pool, at both snapshots",
    titles: &["sharedpoolstatistics"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0)]),
        number("begin_percent", &[("begin", 1.0)]),
        number("end_percent", &[("end", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::rows;

    #[test]
    fn a_title_between_labels_is_none_of_them() {
        let text = "
 Shared Pool Statistics        Begin   End
                               ------  ------
             Memory Usage %:   28.49   92.86
    % SQL with executions>1:   77.18
";
        let expected = [
            "statistic=Memory Usage % begin_percent=28.49 end_percent=92.86",
            "statistic=% SQL with executions>1 begin_percent=77.18",
        ];
        assert_eq!(rows(&VIEW, text), expected);
    }
}
