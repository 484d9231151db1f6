use super::view::{Shape, View, number, text};

/// AWR Miner's requests by what asked for them.
pub static VIEW: View = View {
    name: "miner_iostat_by_function",
    about: "requests of a snapshot by what asked for them, small and large",
    titles: &["iostat-by-function"],
    shape: Shape::Rows,
    columns: &[
        text("snap_id", &[("snap_id", 1.0), ("snap", 1.0)]),
        text("function", &[("function_name", 1.0)]),
        number("small_reads", &[("sm_r_reqs", 1.0)]),
        number("small_writes", &[("sm_w_reqs", 1.0)]),
        number("large_reads", &[("lg_r_reqs", 1.0)]),
        number("large_writes", &[("lg_w_reqs", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::rows;
    use super::VIEW;

    #[test]
    fn requests_stand_by_the_function() {
        let report = [
            "~~BEGIN-IOSTAT-BY-FUNCTION~~",
            "",
            "SNAP_ID FUNCTION_NAME SM_R_REQS SM_W_REQS LG_R_REQS LG_W_REQS",
            "------- ------------- --------- --------- --------- ---------",
            "    800 LGWR                  4         3         2         1",
            "~~END-IOSTAT-BY-FUNCTION~~",
        ]
        .join("\n");
        assert_eq!(
            rows(&VIEW, &report),
            ["snap_id=800 function=LGWR small_reads=4 small_writes=3 large_reads=2 large_writes=1"]
        );
    }
}
