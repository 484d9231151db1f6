//! What works for a target is tried, and what does not has a reason.

use crate::common::*;
use plimsoll_engine::probe::probe;

#[test]
fn each_thing_that_does_not_work_has_a_reason() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    let path = path.to_str().expect("the name is plain");
    for direct in [false, true] {
        let Ok(found) = probe(path, direct) else {
            assert!(direct, "through the page cache any file can be read");
            continue;
        };
        for trial in [&found.polling, &found.nowait] {
            assert!(
                trial.as_ref().err().is_none_or(|reason| !reason.is_empty() && !reason.contains("os error"))
            );
        }
        assert!(direct || found.polling == Err("polling needs direct i/o".to_owned()));
        assert_eq!(found.io_uring.is_ok(), usable_engines().contains(&"io_uring"));
    }
}

#[test]
fn a_file_in_memory_has_no_device() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return eprintln!("there is no /dev/shm here") };
    let path = numbered_file(folder.path());
    let found = probe(path.to_str().expect("the name is plain"), false).expect("the file reads");
    assert_eq!((found.fua, found.volatile_write_cache), (None, None), "unknown is not no");
}

#[test]
fn a_target_that_cannot_be_tried_says_so() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("short");
    std::fs::write(&path, b"short").expect("the scratch folder is writable");
    let found = probe(path.to_str().expect("the name is plain"), false).expect("the file opens");
    assert!(found.nowait.is_err_and(|reason| reason.contains("shorter")));
    assert_eq!(probe("/nowhere", true).expect_err("it does not exist").id, "target-open");
}
