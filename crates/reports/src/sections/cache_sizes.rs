use super::view::{Shape, View, aggregate, bytes, text};
use crate::value::{MIB};

/// Caches of the instance. A cluster's reports print the end only where it differs from the begin.
pub static VIEW: View = View {
    name: "cache_sizes",
    about: "a cache, and its size at both snapshots; what has one size has it at the end",
    titles: &["cachesizes", "cachesizes(end)"],
    shape: Shape::Pairs(&[]),
    columns: &[
        text("cache", &[("*", 1.0)]),
        bytes("begin_bytes", &[("begin", f64::NAN), ("*begin", MIB)]),
        bytes("end_bytes", &[("end", f64::NAN), ("*end", MIB), ("*", MIB)]),
        aggregate(),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn sizes_stand_behind_their_labels() {
        let text = "
Cache Sizes            Begin        End
~~~~~~~~~~~       ---------- ----------
    Buffer Cache:        72M       144M    Std Block Size:         8K
     Shared Pool:       552M                  Log Buffer:     5,120K
";
        let expected = [
            "cache=Buffer Cache begin_bytes=75497472 end_bytes=150994944",
            "cache=Std Block Size end_bytes=8192",
            "cache=Shared Pool begin_bytes=578813952",
            "cache=Log Buffer end_bytes=5242880",
        ];
        assert_eq!(rows(&VIEW, text), expected);
    }

    #[test]
    fn sizes_of_several_instances_stand_sideways() {
        let page = html(
            "Cache Sizes",
            &["I#", "DB Cache Begin", "DB Cache End", "Log Buffer"],
            &[&["2", "192", "", "1.5"], &["Avg", "192", "256", "1.5"]],
        );
        let expected = [
            "instance_number=2 cache=DB Cache begin_bytes=201326592",
            "instance_number=2 cache=Log Buffer end_bytes=1572864",
            "cache=DB Cache begin_bytes=201326592 end_bytes=268435456 aggregate=Avg",
            "cache=Log Buffer end_bytes=1572864 aggregate=Avg",
        ];
        assert_eq!(rows(&VIEW, &page), expected);
    }
}
