//! The allocator of the extension.

use libmimalloc_sys::{mi_collect, mi_option_set, mi_option_set_default, mi_option_t};
use mimalloc::MiMalloc;
use plimsoll_memory::forget_code;
use pyo3::prelude::*;

/// Text reports are read with a sixth less processor time than with the C library's allocator, pages with a twelfth less.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay` of `mimalloc.h`, which the crate does not name.
const PURGE_DELAY: mi_option_t = 15;
/// Instead of a second, at which memory that was needed for a moment stays for long in a process that does little.
const PURGE_DELAY_MS: i64 = 10;

/// Puts the function into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(keep_freed_memory, module)?)?;
    module.add_function(wrap_pyfunction!(give_back_freed_memory, module)?)
}

/// Makes the allocator give memory that is not used back to the system soon.
pub fn give_back_soon() {
    #[expect(unsafe_code, reason = "the crate offers options of the allocator only so")]
    // SAFETY: the option is set once, while the module is loaded, and is an integer that the library reads atomically.
    unsafe {
        mi_option_set_default(PURGE_DELAY, PURGE_DELAY_MS);
    }
}

/// From now on gives memory back to the system that was not used for so long, in milliseconds; as at the start where no time is
/// named. The system clears each page that it gives out again, which takes longer than to use it once more.
#[pyfunction]
#[pyo3(signature = (delay_ms=None))]
fn keep_freed_memory(delay_ms: Option<u16>) {
    let delay_ms = delay_ms.map_or(PURGE_DELAY_MS, i64::from);
    #[expect(unsafe_code, reason = "the crate offers options of the allocator only so")]
    // SAFETY: an option is an integer that the library reads on its own, whatever it was before; Python's lock is held.
    unsafe {
        mi_option_set(PURGE_DELAY, delay_ms);
    }
}

/// Gives what was freed back to the system at once, of the C library's allocator and of the extension's, and pages of code, of which
/// little is run again: some milliseconds.
#[pyfunction]
fn give_back_freed_memory(py: Python<'_>) {
    py.detach(give_back);
}

/// Does what takes much memory for a moment: what this thread has and does not use goes back to the system before and after it,
/// and so does what Python had. Else it stays until the allocators are asked for something, which a watch does not do for a second.
pub fn sparing<T>(work: impl FnOnce() -> T) -> T {
    give_back();
    let done = work();
    give_back();
    done
}

fn give_back() {
    forget_code();
    #[expect(unsafe_code, reason = "the crate offers this of the allocator only so")]
    // SAFETY: it takes a flag alone, and any thread may call it at any time.
    unsafe {
        mi_collect(true);
    }
    give_back_of_library();
}

/// What Python and its libraries were given and have given back: 2 MB after a start.
#[cfg(target_env = "gnu")]
fn give_back_of_library() {
    #[expect(unsafe_code, reason = "the C library offers it only so")]
    // SAFETY: any thread may call it at any time; it moves nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(target_env = "gnu"))]
fn give_back_of_library() {}
