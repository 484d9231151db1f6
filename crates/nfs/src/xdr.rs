//! XDR (RFC 4506): numbers of four and eight bytes, highest byte first, and bytes filled up to a multiple of four.

/// Why bytes could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// They end too early; more of them may come.
    Short,
    /// They cannot be what was expected, whatever comes after them.
    Bad,
}

/// The result of reading.
pub type Read<T> = Result<T, Unread>;

/// Filler behind so many bytes.
pub fn padding(bytes: usize) -> usize {
    bytes.wrapping_neg() & 3
}

/// Reads one value after the other.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begins at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Bytes that have not been read.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    /// The next so many bytes as they are.
    pub fn take(&mut self, bytes: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(bytes).ok_or(Unread::Short)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// A fixed number of bytes.
    pub fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        Ok(self.take(N)?.try_into().expect("exactly so many were taken"))
    }

    /// A number of four bytes.
    pub fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// A number of eight bytes.
    pub fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// True or false; nothing else is one.
    pub fn bool(&mut self) -> Read<bool> {
        match self.u32()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Unread::Bad),
        }
    }

    /// Bytes behind their length, at most so many.
    pub fn opaque(&mut self, bytes_max: usize) -> Read<&'a [u8]> {
        let bytes = self.u32()? as usize;
        if bytes > bytes_max {
            return Err(Unread::Bad);
        }
        let taken = self.take(bytes)?;
        self.take(padding(bytes))?;
        Ok(taken)
    }

    /// A text behind its length; bytes that are no UTF-8 are replaced.
    pub fn text(&mut self, bytes_max: usize) -> Read<String> {
        Ok(String::from_utf8_lossy(self.opaque(bytes_max)?).into_owned())
    }
}

/// Writes values behind each other.
pub trait Put {
    /// A number of four bytes.
    fn put_u32(&mut self, value: u32);
    /// A number of eight bytes.
    fn put_u64(&mut self, value: u64);
    /// Bytes behind their length, with their filler.
    fn put_opaque(&mut self, bytes: &[u8]);
}

impl Put for Vec<u8> {
    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_be_bytes());
    }

    fn put_opaque(&mut self, bytes: &[u8]) {
        self.put_u32(bytes.len() as u32);
        self.extend_from_slice(bytes);
        self.extend_from_slice(&[0; 3][..padding(bytes.len())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for bytes in 0..9 {
            let data = vec![7; bytes];
            let mut out = Vec::new();
            out.put_opaque(&data);
            out.put_u64(u64::MAX - 1);
            assert_eq!(out.len() % 4, 0);
            let mut reader = Reader::new(&out);
            assert_eq!(reader.opaque(8), Ok(&data[..]));
            assert_eq!((reader.u64(), reader.left()), (Ok(u64::MAX - 1), 0));
        }
    }

    #[test]
    fn what_is_cut_is_short_and_what_is_too_long_is_bad() {
        let mut out = Vec::new();
        out.put_opaque(b"abcde");
        for end in 0..out.len() {
            assert_eq!(Reader::new(&out[..end]).opaque(5), Err(Unread::Short), "cut at {end}");
        }
        assert_eq!(Reader::new(&out).opaque(4), Err(Unread::Bad));
        assert_eq!(Reader::new(&(1_u32 << 31).to_be_bytes()).opaque(64), Err(Unread::Bad));
        assert_eq!(Reader::new(&2_u32.to_be_bytes()).bool(), Err(Unread::Bad));
    }
}
