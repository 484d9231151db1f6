use super::space_io;
use super::view::{Column, Shape, View, joined, microseconds, text};

const OWN: &[Column] = &[
    text("file", &[("filename", 1.0)]).about("to 52 characters in text, so that two may be called alike"),
    text("tablespace", &[("tablespace", 1.0)]).carried(),
    microseconds("max_read_bucket_us", &[("mxrdbkt", 1e3)])
        .about("the longest single-block read, as a bucket"),
];
const COLUMNS: [Column; OWN.len() + space_io::COLUMNS.len()] = joined(OWN, space_io::COLUMNS);

/// Reads and writes by file.
pub static VIEW: View = View {
    name: "file_io",
    about: "reads and writes of a file",
    titles: &["fileiostats"],
    shape: Shape::Rows,
    columns: &COLUMNS,
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn a_tablespace_is_printed_with_its_first_file_only() {
        let text = "
File IO Stats  DB/Inst: ABC/abc  Snaps: 1-2
->Mx Rd Bkt: Max bucket time for single block read

Tablespace               Filename
------------------------ ----------------------------------------------------
                        Av   Mx                                             Av
                 Av     Rd   Rd    Av                    Av        Buffer BufWt
         Reads Reads/s (ms)  Bkt Blks/Rd       Writes Writes/s      Waits  (ms)
-------------- ------- ----- --- ------- ------------ -------- ---------- ------
TBS                      /data/one.dbf
        10,872       3   0.5   1   105.7          327        0          0
                         /data/two.dbf
         8,232       2   0.2 ###   127.1           14        0          0    2.0
          -------------------------------------------------------------
";
        let expected = [
            "file=/data/one.dbf tablespace=TBS max_read_bucket_us=1000 reads=10872 reads_per_s=3 avg_read_us=500 \
             blocks_per_read=105.7 writes=327 writes_per_s=0 buffer_waits=0",
            "file=/data/two.dbf tablespace=TBS reads=8232 reads_per_s=2 avg_read_us=200 blocks_per_read=127.1 writes=14 \
             writes_per_s=0 buffer_waits=0 avg_buffer_wait_us=2000",
        ];
        assert_eq!(rows(&VIEW, text), expected);
    }

    #[test]
    fn html_has_columns_that_text_lacks() {
        let heads = ["Tablespace", "Filename", "Reads", "% Opt Reads", "Av Writes(ms)", "PDB Name"];
        let page = html("File IO Stats", &heads, &[&["TBS", "/a.dbf", "7", "12.5", "0.5", "PDB1"]]);
        let row = "file=/a.dbf tablespace=TBS reads=7 optimized_reads_percent=12.5 avg_write_us=500 pdb=PDB1";
        assert_eq!(rows(&VIEW, &page), [row]);
    }
}
