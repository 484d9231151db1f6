use super::view::{Shape, View, number, text};

/// Buffer pools.
pub static VIEW: View = View {
    name: "buffer_pool",
    about: "what a buffer pool did",
    titles: &["bufferpoolstatistics"],
    shape: Shape::Rows,
    columns: &[
        text("pool", &[("p", 1.0)]).about("D default, K keep, R recycle, or the block size"),
        number("buffers", &[("numberofbuffers", 1.0), ("buffers", 1.0)]),
        number("hit_percent", &[("poolhit%", 1.0), ("cachehit%", 1.0)]),
        number("buffer_gets", &[("buffergets", 1.0)]),
        number("physical_reads", &[("physicalreads", 1.0)]),
        number("physical_writes", &[("physicalwrites", 1.0)]),
        number("free_buffer_waits", &[("freebuffwait", 1.0), ("freebufferwaits", 1.0)]),
        number("write_complete_waits", &[("writcompwait", 1.0), ("writecompletewaits", 1.0)]),
        number("buffer_busy_waits", &[("bufferbusywaits", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn thousands_of_buffers_are_counted() {
        let report = html(
            "Buffer Pool Statistics",
            &["P", "Buffers", "Pool Hit%", "Buffer Gets", "Physical Reads", "Free Buffer Waits"],
            &[&["D", "24K", "69", "177,133", "###", "2"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["pool=D buffers=24000 hit_percent=69 buffer_gets=177133 free_buffer_waits=2"]
        );
    }
}
