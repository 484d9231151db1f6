use super::view::{Shape, View, number, text};

/// Objects that sessions waited for, from samples of active sessions.
pub static VIEW: View = View {
    name: "top_db_objects",
    about: "an object, an event it was waited for in and its share of all activity",
    titles: &["topdbobjects"],
    shape: Shape::Rows,
    columns: &[
        text("object_id", &[("objectid", 1.0)]).carried(),
        number("activity_percent", &[("%activity", 1.0)]).carried(),
        text("event", &[("event", 1.0)]),
        number("event_percent", &[("%event", 1.0)]),
        text("object_name", &[("objectname(type)", 1.0)]).carried().about("its type in parentheses"),
        text("tablespace", &[("tablespace", 1.0)]).carried(),
        text("container", &[("containername", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn an_object_stands_by_its_event() {
        let report = html(
            "Top DB Objects",
            &["Object ID", "% Activity", "Event", "% Event", "Object Name (Type)", "Tablespace"],
            &[&["9", "5.5", "buffer busy waits", "4.5", "COOK.SOUP (TABLE)", "POTS"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "object_id=9 activity_percent=5.5 event=buffer busy waits event_percent=4.5 object_name=COOK.SOUP (TABLE) tablespace=POTS"
            ]
        );
    }
}
