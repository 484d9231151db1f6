use super::view::{Shape, View, number, text};

/// Load per second, per transaction, per execution and per call.
pub static VIEW: View = View {
    name: "load_profile",
    about: "what the database did, by second, transaction, execution and call",
    titles: &["loadprofile"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0)]).about("as printed, with its unit where it has one"),
        number("per_second", &[("persecond", 1.0)]),
        number("per_transaction", &[("pertransaction", 1.0)]),
        number("per_exec", &[("perexec", 1.0)]),
        number("per_call", &[("percall", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn text_and_html_say_the_same() {
        let text = "
Load Profile              Per Second    Per Transaction    Per Exec    Per Call
~~~~~~~~~~~~      ------------------  ----------------- ----------- -----------
      DB time(s):                0.5                1.2        0.01        0.02
  Physical reads:            1,017.5               30.7
";
        let page = html(
            "Load Profile",
            &["", "Per Second", "Per Transaction", "Per Exec", "Per Call"],
            &[
                &["DB time(s):", "0.5", "1.2", "0.01", "0.02"],
                &["Physical reads:", "1,017.5", "30.7", "", ""],
            ],
        );
        let expected = [
            "statistic=DB time(s) per_second=0.5 per_transaction=1.2 per_exec=0.01 per_call=0.02",
            "statistic=Physical reads per_second=1017.5 per_transaction=30.7",
        ];
        assert_eq!(rows(&VIEW, text), expected);
        assert_eq!(rows(&VIEW, &page), expected);
    }
}
