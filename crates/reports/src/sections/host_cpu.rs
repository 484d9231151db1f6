use super::view::{Shape, View, aggregate, bytes, number, seconds};
use crate::value::{MIB};

/// Load of the host and what its processors did.
pub static VIEW: View = View {
    name: "host_cpu",
    about: "the host's processors in the interval",
    titles: &["hostcpu*", "osstatisticsbyinstance"],
    shape: Shape::Rows,
    columns: &[
        number("load_begin", &[("loadaveragebegin", 1.0), ("loadbegin", 1.0)]),
        number("load_end", &[("loadaverageend", 1.0), ("averageend", 1.0), ("loadend", 1.0)]),
        number("cpus", &[("cpus", 1.0), ("numcpus", 1.0), ("cpu#cpus", 1.0)]),
        number("cores", &[("cores", 1.0), ("cpucores", 1.0), ("cpu#cores", 1.0)]),
        number("sockets", &[("sockets", 1.0), ("cpusckts", 1.0), ("cpu#sckts", 1.0)]),
        number("busy_percent", &[("%busy", 1.0), ("%cpu%busy", 1.0)]),
        number("user_percent", &[("%user", 1.0), ("user", 1.0), ("%usr", 1.0), ("%cpu%usr", 1.0)]),
        number("system_percent", &[("%system", 1.0), ("system", 1.0), ("%sys", 1.0), ("%cpu%sys", 1.0)]),
        number("io_wait_percent", &[("%wio", 1.0), ("wio", 1.0), ("%cpu%wio", 1.0)]),
        number("idle_percent", &[("%idle", 1.0), ("idle", 1.0), ("%idl", 1.0), ("%cpu%idl", 1.0)]),
        number("cpu_wait_percent", &[("wcpu", 1.0), ("%wcpu", 1.0)]),
        seconds("busy_time_s", &[("busytime(s)", 1.0), ("time(s)busy", 1.0)]),
        seconds("idle_time_s", &[("idletime(s)", 1.0), ("time(s)idle", 1.0)]),
        seconds("total_time_s", &[("totaltime(s)", 1.0), ("time(s)total", 1.0)]),
        bytes("memory_bytes", &[("memory(m)", MIB), ("memorymb", MIB)]),
        number("end_cpus", &[("endcpus", 1.0), ("endvalues#cpus", 1.0)])
            .about("where it differs from the begin"),
        number("end_cores", &[("endcores", 1.0), ("endvalues#cores", 1.0)]),
        number("end_sockets", &[("endsckts", 1.0), ("endvalues#sckts", 1.0)]),
        bytes("end_memory_bytes", &[("endmemory(m)", MIB), ("endvaluesmemory(m)", MIB)]),
        aggregate(),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn a_title_right_below_a_table_begins_the_next_one() {
        let text = "
Wait Classes by Total Wait Time
                                  Avg             Avg
                        Total Wait       Wait   % DB   Active
Wait Class            Waits Time (sec) (ms)     time Sessions
---------------- ---------- ---------- ---- -------- --------
Commit                    9          0    1       .0      0.0

Host CPU
~~~~~~~~                  Load Average
 CPUs Cores Sockets     Begin       End     %User   %System      %WIO     %Idle
----- ----- ------- --------- --------- --------- --------- --------- ---------
    8                    1.28      0.45       4.1       4.4       0.1      91.2
";
        let row = "load_begin=1.28 load_end=0.45 cpus=8 user_percent=4.1 system_percent=4.4 io_wait_percent=0.1 idle_percent=91.2";
        assert_eq!(rows(&VIEW, text), [row]);
    }

    #[test]
    fn each_instance_has_its_own() {
        let heads =
            ["I#", "CPU #CPUs", "Load Begin", "Load End", "% CPU % Busy", "Time (s) Busy", "Memory MB"];
        let page = html(
            "OS Statistics By Instance",
            &heads,
            &[&["1", "4", "2.04", "1.3", "17.9", "1,275.4", "2.5"]],
        );
        let row = "instance_number=1 load_begin=2.04 load_end=1.3 cpus=4 busy_percent=17.9 busy_time_s=1275.4 memory_bytes=2621440";
        assert_eq!(rows(&VIEW, &page), [row]);
    }
}
