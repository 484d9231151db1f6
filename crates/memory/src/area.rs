//! Memory of a thread, on a node and in pages of a size, with every page touched.

use std::io;

use crate::sys::Mapping;

/// The size of pages that is asked for; huge ones are had where the kernel has some together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Those of every program.
    Small,
    /// Transparent huge pages (`MADV_HUGEPAGE`, madvise(2)).
    Huge,
}

const HUGE_BYTES: usize = 2 << 20;
const SMALL_WORDS: usize = 4096 / size_of::<u64>();

/// Memory whose pages are all there.
pub fn area(bytes: usize, node: Option<usize>, pages: Pages) -> io::Result<Mapping> {
    let whole = bytes.max(1).next_multiple_of(HUGE_BYTES);
    let mut mapping = Mapping::new(whole, node, pages == Pages::Huge)?;
    for word in mapping.words().iter_mut().step_by(SMALL_WORDS) {
        *word = 1;
    }
    Ok(mapping)
}
