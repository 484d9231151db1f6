use super::view::{Shape, Titles, View, number, text};

/// The lists, by what they are ordered by, and what a cluster's one list says instead.
const LISTS: Titles = Titles {
    begin: "segmentsby",
    names: &[
        ("physicalreadsdirect", "direct physical reads"),
        ("physicalwritesdirect", "direct physical writes"),
        ("dbblockschanges", "db block changes"),
        ("globalcachebufferbusy", "gc buffer busy"),
        ("gccrblocksreceived", "cr blocks received"),
        ("gccublocksreceived", "current blocks received"),
        ("gccrblocksserved", "cr blocks served"),
        ("gccublocksserved", "current blocks served"),
        ("globalcacheremotegrants", "gc remote grants"),
    ],
};

/// Segments by what was done to them: every list of the report.
pub static VIEW: View = View {
    name: "segments",
    about: "a segment in one of the lists of what was done to segments",
    titles: &["segmentsby*", "segmentstatistics(global)"],
    shape: Shape::Titled(&LISTS),
    columns: &[
        text("ordered_by", &[("statistic", 1.0)])
            .about("logical reads, physical reads, physical read requests, row lock waits and so on"),
        text("owner", &[("owner", 1.0)]),
        text("tablespace", &[("tablespacename", 1.0), ("tablespace", 1.0)]),
        text("object_name", &[("objectname", 1.0)]),
        text("subobject_name", &[("subobjectname", 1.0)]),
        text("object_type", &[("obj.type", 1.0)]),
        text("object_id", &[("obj#", 1.0)]),
        text("data_object_id", &[("dataobj#", 1.0)]),
        number(
            "value",
            &[
                ("value", 1.0),
                ("logicalreads", 1.0),
                ("physicalreads", 1.0),
                ("physreadrequests", 1.0),
                ("unoptimizedreads", 1.0),
                ("optimizedreads", 1.0),
                ("directreads", 1.0),
                ("physicalwrites", 1.0),
                ("physwriterequests", 1.0),
                ("directwrites", 1.0),
                ("tablescans", 1.0),
                ("dbblockchanges", 1.0),
                ("rowlockwaits", 1.0),
                ("itlwaits", 1.0),
                ("bufferbusywaits", 1.0),
                ("gcbufferbusy", 1.0),
                ("crblocksreceived", 1.0),
                ("currentblocksreceived", 1.0),
                ("gcremotegrants", 1.0),
            ],
        )
        .about("of what the list is ordered by"),
        number("total_percent", &[("%total", 1.0), ("pcttotal", 1.0)]).about("of the whole database"),
        number("capture_percent", &[("%ofcapture", 1.0), ("%capture", 1.0)])
            .about("of all segments that were looked at"),
        text("pdb_name", &[("pdbname", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn lists_of_all_reports_share_their_names() {
        let report = html(
            "Segments by DB Blocks Changes",
            &[
                "Owner",
                "Tablespace Name",
                "Object Name",
                "Subobject Name",
                "Obj. Type",
                "Obj#",
                "Dataobj#",
                "DB Block Changes",
                "% of Capture",
            ],
            &[&["COOK", "POTS", "SOUP", "P1", "TABLE PARTITION", "12", "13", "4,096", "33.3"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "ordered_by=db block changes owner=COOK tablespace=POTS object_name=SOUP subobject_name=P1 object_type=TABLE PARTITION object_id=12 data_object_id=13 value=4096 capture_percent=33.3"
            ]
        );
        let report = html(
            "Segment Statistics (Global)",
            &["Statistic", "Owner", "Object Name", "Value", "%Total", "%Capture"],
            &[&["gc cr blocks received", "COOK", "SOUP", "7", "", "50.0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["ordered_by=cr blocks received owner=COOK object_name=SOUP value=7 capture_percent=50"]
        );
    }

    #[test]
    fn a_row_of_two_lines_is_one() {
        let report = [
            "Segments by Physical Reads  DB/Inst: POT/pot  Snaps: 1-2",
            "",
            "                     Tablespace",
            "Owner                   Name",
            "-------------------- ----------",
            "                     Subobject  Obj.                            Physical",
            "Object Name            Name     Type        Obj#   Dataobj#        Reads  %Total",
            "-------------------- ---------- ----- ---------- ---------- ------------ -------",
            "COOK                 POTS",
            "SOUP                            TABLE         12         13        1,000   60.00",
            "COOK                 POTS",
            "STEW                 P1         TABLE         14         15          500   30.00",
            "          ------------------------------------------------------",
        ]
        .join("\n");
        let soup = "ordered_by=physical reads owner=COOK tablespace=POTS object_name=SOUP object_type=TABLE object_id=12 \
                    data_object_id=13 value=1000 total_percent=60";
        let stew = "ordered_by=physical reads owner=COOK tablespace=POTS object_name=STEW subobject_name=P1 object_type=TABLE \
                    object_id=14 data_object_id=15 value=500 total_percent=30";
        assert_eq!(rows(&VIEW, &report), [soup, stew]);
    }

    #[test]
    fn what_another_list_holds_is_no_value_of_this_one() {
        let headings = &["Owner", "Object Name", "Logical Reads", "%Total"];
        let page = html("Segments by Row Lock Waits", headings, &[&["COOK", "SOUP", "7", "50.0"]]);
        let codes: Vec<_> = crate::read(page.into_bytes()).tables.problems.iter().map(|found| found.code).collect();
        assert_eq!(codes, ["heading-damaged"]);
    }
}
