use super::view::{Shape, View, number, text};

/// Sessions by what they did, from samples of active sessions.
pub static VIEW: View = View {
    name: "top_sessions",
    about: "a session, an event it was in and its share of all activity",
    titles: &["topsessions"],
    shape: Shape::Rows,
    columns: &[
        text("session", &[("sid,serial#", 1.0)])
            .carried()
            .about("identifier and serial number; of a cluster with the instance"),
        number("activity_percent", &[("%activity", 1.0)]).carried(),
        text("event", &[("event", 1.0)]),
        number("event_percent", &[("%event", 1.0)]),
        text("user_name", &[("user", 1.0)]).carried(),
        text("program", &[("program", 1.0)]).carried(),
        text("samples_active", &[("#samplesactive", 1.0)]),
        text("transactions", &[("xids", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn a_row_of_two_lines_is_one_and_holds_below() {
        let report = [
            "Top Sessions                  DB/Inst: POT/pot  (May 01 10:00 to 11:00)",
            "",
            "   Sid, Serial# % Activity Event                             % Event",
            "--------------- ---------- ------------------------------ ----------",
            "User                 Program                          # Samples Active     XIDs",
            "-------------------- ------------------------------ ------------------ --------",
            "        9,32851      20.00 db file parallel read               12.50",
            "COOK                 soup.exe                              7/12 [ 57%]        0",
            "",
            "                           CPU + Wait for CPU                   7.50",
            "                                                           3/12 [ 25%]        0",
            "",
            "          -------------------------------------------------------------",
        ]
        .join("\n");
        let first = "session=9,32851 activity_percent=20 event=db file parallel read event_percent=12.5 user_name=COOK program=soup.exe \
                     samples_active=7/12 [ 57%] transactions=0";
        let second = "session=9,32851 activity_percent=20 event=CPU + Wait for CPU event_percent=7.5 user_name=COOK program=soup.exe \
                      samples_active=3/12 [ 25%] transactions=0";
        assert_eq!(rows(&VIEW, &report), [first, second]);
    }
}
