//! Any bytes as the answer to one question that is asked alone: who listens, where a folder is, what a file is like, what is in a
//! folder. Each is read or refused, and no list is longer than the bytes that it came in.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_nfs::listing::read_page;
use plimsoll_nfs::mount::{read_exports, read_mounted};
use plimsoll_nfs::open::read_attributes;
use plimsoll_nfs::proc::{read_free_bytes, read_made, read_sizes, read_status};
use plimsoll_nfs::rpc::read_reply;
use plimsoll_nfs::xdr::Reader;

/// Bytes of the shortest item of a list: that there is one, and its length.
const ITEM_BYTES: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let [which, bytes @ ..] = bytes else { return };
    let mut reader = Reader::new(bytes);
    let items = match which % 9 {
        0 => read_page(&mut reader).map_or(0, |page| page.map_or(0, |page| page.names.len())),
        1 => read_exports(&mut reader).map_or(0, |names| names.len()),
        2 => read_mounted(&mut reader).map_or(0, |_| 0),
        3 => read_attributes(&mut reader).map_or(0, |_| 0),
        4 => read_free_bytes(&mut reader).map_or(0, |_| 0),
        5 => read_made(&mut reader).map_or(0, |_| 0),
        6 => read_sizes(&mut reader).map_or(0, |_| 0),
        7 => read_status(&mut reader).map_or(0, |_| 0),
        _ => read_reply(&mut reader).map_or(0, |_| 0),
    };
    assert!(reader.left() <= bytes.len() && items <= bytes.len() / ITEM_BYTES, "{items} of {} bytes", bytes.len());
});
