//! The names in a folder, to see what runs that were killed left there.

use crate::error::Result;
use crate::limits::{LISTED_BYTES, LISTINGS_MAX, PATH_BYTES_MAX};
use crate::open::{Found, failed, find};
use crate::proc::{self, Attributes};
use crate::status;
use crate::url::Url;
use crate::xdr::{Put, Read, Reader};

/// Some names, and where the next ones begin.
#[derive(Debug, Clone)]
pub struct Page {
    verifier: [u8; 8],
    /// As the server has them; bytes that are no UTF-8 are replaced.
    pub names: Vec<String>,
    cookie: u64,
    end: bool,
}

/// Names in the folder of a URL that begin like that, as far as the limits go. Fails as [`find`] does, and where the folder may not be read.
pub fn names(url: &Url, beginning: &str) -> Result<Vec<String>> {
    let mut folder = find(url)?;
    let (mut all, mut cookie, mut verifier) = (Vec::new(), 0, [0; 8]);
    for _ in 0..LISTINGS_MAX {
        let page = folder.page(cookie, verifier)?;
        let empty = page.names.is_empty();
        all.extend(page.names.into_iter().filter(|name| name.starts_with(beginning)));
        if page.end || empty {
            break;
        }
        (cookie, verifier) = (page.cookie, page.verifier);
    }
    all.sort();
    Ok(all)
}

impl Found {
    fn page(&mut self, cookie: u64, verifier: [u8; 8]) -> Result<Page> {
        let handle = self.handle;
        let put = |out: &mut Vec<u8>| {
            out.put_opaque(handle.as_bytes());
            out.put_u64(cookie);
            out.extend_from_slice(&verifier);
            out.put_u32(LISTED_BYTES);
        };
        let answer = self.session.ask(proc::READDIR, "for the names in a folder", put, read_page)?;
        answer.map_err(|status| {
            failed(&self.url, self.identity, "list the names", status, Some(&self.attributes))
        })
    }
}

/// Reads the answer to READDIR, or the status that it failed with.
pub fn read_page(reader: &mut Reader) -> Read<std::result::Result<Page, u32>> {
    let status = reader.u32()?;
    Attributes::maybe(reader)?;
    if status != status::OK {
        return Ok(Err(status));
    }
    let mut page = Page { verifier: reader.array()?, names: Vec::new(), cookie: 0, end: false };
    while reader.bool()? {
        reader.u64()?;
        let name = reader.opaque(PATH_BYTES_MAX)?;
        page.names.push(String::from_utf8_lossy(name).into_owned());
        page.cookie = reader.u64()?;
    }
    page.end = reader.bool()?;
    Ok(Ok(page))
}
