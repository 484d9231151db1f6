//! From the bytes of a file to text: UTF-8 with and without a byte order mark, UTF-16, GBK, Windows-1252.

use bytes::Bytes;
use bytestring::ByteString;
use encoding_rs::{Encoding, GBK, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The text of a report, and how it was found.
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: ByteString,
    /// As outputs name it.
    pub encoding: &'static str,
    /// How many bytes stood for no character and became U+FFFD.
    pub damaged_bytes: usize,
}

/// How many characters beyond ASCII are looked at to tell GBK from Windows-1252.
const SAMPLE_BYTES: usize = 1 << 20;

/// Decodes a file; bytes that stand for no character are replaced and counted.
pub fn decode(bytes: Bytes) -> Decoded {
    match &bytes[..] {
        [0xEF, 0xBB, 0xBF, ..] => utf8(bytes.slice(3..), "utf-8-bom"),
        [0xFF, 0xFE, rest @ ..] => with(UTF_16LE, "utf-16le", rest),
        [0xFE, 0xFF, rest @ ..] => with(UTF_16BE, "utf-16be", rest),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => with(UTF_16BE, "utf-16be", &bytes),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => with(UTF_16LE, "utf-16le", &bytes),
        _ => eight_bit(bytes),
    }
}

fn eight_bit(bytes: Bytes) -> Decoded {
    if let Ok(text) = ByteString::try_from(bytes.clone()) {
        return Decoded { text, encoding: "utf-8", damaged_bytes: 0 };
    }
    match likely(&bytes[..bytes.len().min(SAMPLE_BYTES)]) {
        Likely::Utf8 => utf8(bytes, "utf-8"),
        Likely::Gbk => with(GBK, "gbk", &bytes),
        Likely::Windows1252 => with(WINDOWS_1252, "windows-1252", &bytes),
    }
}

fn utf8(bytes: Bytes, encoding: &'static str) -> Decoded {
    let text = ByteString::try_from(bytes.clone());
    let is_sound = text.is_ok();
    let text = text.unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned().into());
    let damaged_bytes = if is_sound { 0 } else { replaced(&text) };
    Decoded { text, encoding, damaged_bytes }
}

fn with(encoding: &'static Encoding, name: &'static str, bytes: &[u8]) -> Decoded {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let damaged_bytes = replaced(&text);
    Decoded { text: text.into_owned().into(), encoding: name, damaged_bytes }
}

fn replaced(text: &str) -> usize {
    memchr::memmem::find_iter(text.as_bytes(), "\u{fffd}").count()
}

enum Likely {
    Utf8,
    Gbk,
    Windows1252,
}

/// By the neighbours of the bytes beyond ASCII: those of UTF-8 follow its rule, GBK's come in pairs, and the letters of
/// Windows-1252 stand alone among ASCII.
fn likely(bytes: &[u8]) -> Likely {
    let (mut utf8, mut pairs, mut single) = (0, 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] < 0x80 {
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().take_while(|byte| **byte >= 0x80).count();
        if std::str::from_utf8(&bytes[at..at + run]).is_ok() {
            utf8 += run;
        } else if run >= 2 && chinese(&bytes[at..at + run]) && !within_a_word(bytes, at, run) {
            pairs += run;
        } else {
            single += run;
        }
        at += run;
    }
    if utf8 > 4 * (pairs + single) {
        Likely::Utf8
    } else if pairs + utf8 > single {
        Likely::Gbk
    } else {
        Likely::Windows1252
    }
}

/// Whether one pair stands between ASCII letters, as two umlauts do within a word and a Chinese character hardly does.
fn within_a_word(bytes: &[u8], at: usize, run: usize) -> bool {
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    run == 2 && at > 0 && is_letter(at - 1) && is_letter(at + run)
}

/// Whether most of the run are pairs from the rows of GB 2312 that hold signs and common characters.
fn chinese(run: &[u8]) -> bool {
    let pairs = run.chunks_exact(2);
    let all = pairs.len();
    let common = pairs.filter(|pair| matches!(pair[0], 0xA1..=0xA9 | 0xB0..=0xF7) && pair[1] >= 0xA1).count();
    common * 2 > all
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn encodings_are_found() {
        let utf16: Vec<u8> = "STATSPACK".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cases: [(Vec<u8>, &str, &str); 7] = [
            (b"\xEF\xBB\xBFa".to_vec(), "utf-8-bom", "a"),
            (b"28-8\xE6\x9C\x88".to_vec(), "utf-8", "28-8月"),
            (b"28-8\xD4\xC2 \xC8\xD5".to_vec(), "gbk", "28-8月 日"),
            (b"f\xFCr gro\xDFe".to_vec(), "windows-1252", "für große"),
            (b"Gr\xF6\xDFe f\xFCr".to_vec(), "windows-1252", "Größe für"),
            (utf16.clone(), "utf-16le", "STATSPACK"),
            ([b"\xFF\xFE".to_vec(), utf16].concat(), "utf-16le", "STATSPACK"),
        ];
        for (bytes, encoding, text) in cases {
            let decoded = decode(bytes.into());
            assert_eq!((decoded.encoding, &*decoded.text, decoded.damaged_bytes), (encoding, text, 0));
        }
    }

    #[test]
    fn bytes_that_are_no_character_are_counted() {
        let decoded =
            decode("28-8月 28-8月 28-8月 28-8月 28-8月 ".bytes().chain([0xE6]).collect::<Vec<u8>>().into());
        assert_eq!((decoded.encoding, decoded.damaged_bytes), ("utf-8", 1));
    }
}
