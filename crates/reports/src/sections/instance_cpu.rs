use super::view::{Shape, View, number, seconds};

/// The instance's part of the host's processors.
pub static VIEW: View = View {
    name: "instance_cpu",
    about: "the instance on the host's processors",
    titles: &["instancecpu"],
    shape: Shape::Labels,
    columns: &[
        number("total_cpu_percent", &[("%totalcpu", 1.0), ("%oftotalcpuforinstance", 1.0)]),
        number(
            "busy_cpu_percent",
            &[("%busycpu", 1.0), ("%ofbusycpuforinstance", 1.0), ("%ofbusycpuusedforinstance", 1.0)],
        ),
        number(
            "db_time_waiting_for_cpu_percent",
            &[
                ("%dbtimewaitingforcpu(resourcemanager)", 1.0),
                ("%dbtimewaitingforcpu-resourcemgr", 1.0),
                ("%dbtimewaitingforcpu(resourcemgr)", 1.0),
            ],
        )
        .about("under the resource manager"),
        seconds("host_total_time_s", &[("host:totaltime(s)", 1.0)]),
        seconds("host_busy_time_s", &[("host:busycputime(s)", 1.0)]),
        number("host_busy_percent", &[("%oftimehostisbusy", 1.0)]),
        seconds("instance_cpu_time_s", &[("instance:totalcputime(s)", 1.0)]),
        seconds("db_time_s", &[("instance:totaldatabasetime(s)", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn labels_and_headings_lead_to_the_same() {
        let text = "
Instance CPU
~~~~~~~~~~~~
              % of total CPU for Instance:       2.7
              % of busy  CPU for Instance:      31.1
  %DB time waiting for CPU - Resource Mgr:       0.0
";
        let heads = ["%Total CPU", "%Busy CPU", "%DB time waiting for CPU (Resource Manager)"];
        let page = html("Instance CPU", &heads, &[&["2.7", "31.1", "0.0"]]);
        let row = "total_cpu_percent=2.7 busy_cpu_percent=31.1 db_time_waiting_for_cpu_percent=0";
        assert_eq!(rows(&VIEW, text), [row]);
        assert_eq!(rows(&VIEW, &page), [row]);
    }

    #[test]
    fn statspack_prints_seconds_beside_percentages() {
        let text = "
Instance CPU
~~~~~~~~~~~~                                       % Time (seconds)
                                            -------- --------------
                     Host: Total time (s):              1,034,828.1
                   % of time Host is Busy:       1.4
             Instance: Total CPU time (s):                  1,796.7
";
        let row = "host_total_time_s=1034828.1 host_busy_percent=1.4 instance_cpu_time_s=1796.7";
        assert_eq!(rows(&VIEW, text), [row]);
    }

    #[test]
    fn a_damaged_label_is_said() {
        let text = "
Instance CPU
~~~~~~~~~~~~
              % of total CPU for Instance:       2.7
              % of busy  CPU for Instance:      31.1
  %DB time waiting for CPU - Resource Mgr:       0.0
                   Host: Total time (s):         12.5
               Host: Busx CPU time (s):          1.5
";
        let report = crate::read(text.as_bytes().to_vec());
        let told = report.tables.problems.iter().find(|problem| problem.code == "heading-damaged");
        assert!(told.is_some_and(|problem| problem.message.starts_with("a label is none")));
    }
}
