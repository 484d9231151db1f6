//! Memory of a thread, on a node and in pages of a size, with every page touched.

use std::io;

use crate::place::{Pages, Place, Until};
use crate::sys::Mapping;

const WORDS_BETWEEN_LOOKS: usize = (64 << 20) / size_of::<u64>();

/// Memory whose pages are all there: no more than `bytes` in whole pages.
pub fn area(bytes: usize, place: &Place, until: Until<'_>) -> io::Result<Mapping> {
    let page_bytes = match place.pages {
        Pages::Small => rustix::param::page_size(),
        Pages::Huge { page_bytes } if page_bytes.is_power_of_two() => page_bytes,
        Pages::Huge { .. } => return Err(io::ErrorKind::InvalidInput.into()),
    };
    let whole = bytes.max(1).checked_next_multiple_of(page_bytes).ok_or(io::ErrorKind::OutOfMemory)?;
    let huge = (place.pages != Pages::Small).then_some(page_bytes);
    let mut mapping = Mapping::new(whole, place.node, huge)?;
    for part in mapping.words().chunks_mut(WORDS_BETWEEN_LOOKS) {
        until.check()?;
        for word in part.iter_mut().step_by(rustix::param::page_size() / size_of::<u64>()) {
            *word = 1;
        }
    }
    Ok(mapping)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    const HUGE_BYTES: usize = 2 << 20;

    fn made(bytes: usize, pages: Pages, stop: &AtomicBool) -> io::Result<Mapping> {
        let place = Place { cpus: vec![0], node: None, pages };
        area(bytes, &place, Until { runtime: Duration::ZERO, stop })
    }

    #[test]
    fn small_pages_take_what_is_asked_for_and_no_huge_page() {
        let never = AtomicBool::new(false);
        let page = rustix::param::page_size();
        for (asked, had) in [(1, page), (page, page), (page + 1, 2 * page)] {
            assert_eq!(size_of_val(made(asked, Pages::Small, &never).unwrap().words()), had);
        }
    }

    #[test]
    fn huge_pages_are_whole_ones() {
        let never = AtomicBool::new(false);
        match made(1, Pages::Huge { page_bytes: HUGE_BYTES }, &never) {
            Ok(mut had) => assert_eq!(size_of_val(had.words()), HUGE_BYTES),
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EINVAL), "a kernel that has none"),
        }
        assert!(made(1, Pages::Huge { page_bytes: 3 }, &never).is_err());
    }

    #[test]
    fn memory_is_not_touched_once_work_is_to_end() {
        assert_eq!(
            made(1, Pages::Small, &AtomicBool::new(true)).err().unwrap().kind(),
            io::ErrorKind::Interrupted
        );
    }
}
