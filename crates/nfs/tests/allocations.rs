//! Nothing is allocated while a load is under way. One test alone, since it counts what this thread allocates.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use plimsoll_nfs::open::find;
use plimsoll_nfs::pipe::{Patience, Pipe, Wish};
use plimsoll_nfs::proc::Stable;
use plimsoll_nfs::server::Server;
use plimsoll_nfs::table::{Ask, Work};
use plimsoll_nfs::url::Url;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: all is handed to the system's allocator; counting touches a number without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as our caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as our caller promises.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const DEPTH: u32 = 8;

/// Does so many I/Os of each kind, and gives back the buffers.
fn load(pipe: &mut Pipe<Vec<u8>>, buffers: &mut Vec<(u32, Vec<u8>)>, ios: u32) {
    for work in [Work::Read, Work::Write, Work::Commit] {
        let (mut begun, mut ended) = (0, 0);
        while ended < ios {
            while begun < ios
                && let Some((slot, buffer)) = buffers.pop()
            {
                let len = if work == Work::Commit { 0 } else { buffer.len() as u32 };
                pipe.submit(
                    &Ask { work, slot, offset_bytes: u64::from(slot) * 65536, skip: 0, len },
                    Some(buffer),
                );
                begun += 1;
            }
            pipe.reap(u64::MAX, |done| {
                assert!(done.result >= 0);
                buffers.push((done.slot, done.buffer.expect("it comes back")));
                ended += 1;
            });
        }
    }
}

#[test]
fn nothing_is_allocated_while_a_load_is_under_way() {
    let server = Server::start().expect("a port is free");
    server.add("data", rustix::process::geteuid().as_raw(), 0, vec![1; 1 << 20]);
    for stable in [Stable::File, Stable::Unstable] {
        for bytes in [8192, 65536] {
            let found =
                find(&Url::parse(&server.url("/export/data")).expect("its url")).expect("it is there");
            let wish = Wish {
                depth: DEPTH,
                block_bytes_max: bytes,
                stable,
                writable: true,
                patience: Patience::default(),
            };
            let mut pipe = Pipe::open(found, &wish).expect("it opens");
            let mut buffers: Vec<_> = (0..DEPTH).map(|slot| (slot, vec![0; bytes as usize])).collect();
            load(&mut pipe, &mut buffers, 20);
            let before = ALLOCATIONS.get();
            assert!(before > 0, "what is allocated is counted");
            load(&mut pipe, &mut buffers, 200);
            assert_eq!(ALLOCATIONS.get() - before, 0, "{stable:?}, {bytes} bytes");
        }
    }
}
