use super::view::{Shape, View, number, text};

/// Load per second, per transaction, per execution and per call.
pub static VIEW: View = View {
    name: "load_profile",
    about: "what the database did, by second, transaction, execution and call",
    titles: &["loadprofile"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0)]),
        number("per_second", &[("persecond", 1.0)]),
        number("per_transaction", &[("pertransaction", 1.0)]),
        number("per_exec", &[("perexec", 1.0)]),
        number("per_call", &[("percall", 1.0)]),
    ],
};
