//! The types of the running kernel (BTF), without those that no probe of ours asks for.
//!
//! A kernel tells of some 130,000 types. To make all of them known takes 40 MB and most of the time of a start, and a probe asks
//! for some thirty. A tracepoint is known to the kernel by the number of its type, which stays; before it types of nothing take
//! the places of others. Structures are asked for by name, and lie in such places, of the first ones: else each of 130,000 would
//! be there, for a structure that has a late one. What the kernel tells is looked through in parts, as all of it would take 6 MB.
//! The format is in the kernel's documentation (bpf/btf.rst).

use std::collections::{HashMap, HashSet};

use object::{Object, ObjectSection};

use crate::parts::{Parts, Source};

const MAGIC: u16 = 0xeb9f;
pub(crate) const HEADER_BYTES: usize = 24;
const TYPE_BYTES: usize = 12;
/// What stands before a tracepoint's name in that of its type.
const EVENT: &str = "btf_trace_";
/// What stands before it in the name of a program's section.
const PROGRAM: &str = "tp_btf/";
/// What stands behind three of these in a name is of ours alone: the kernel has no such name.
const FLAVOUR: &str = "___";

/// Kinds of types, as far as they are told apart here.
mod kind {
    pub(super) const INT: u32 = 1;
    pub(super) const POINTER: u32 = 2;
    pub(super) const ARRAY: u32 = 3;
    pub(super) const STRUCT: u32 = 4;
    pub(super) const UNION: u32 = 5;
    pub(super) const ENUM: u32 = 6;
    pub(super) const FORWARD: u32 = 7;
    pub(super) const TYPEDEF: u32 = 8;
    pub(super) const VOLATILE: u32 = 9;
    pub(super) const CONST: u32 = 10;
    pub(super) const RESTRICT: u32 = 11;
    pub(super) const FUNCTION: u32 = 12;
    pub(super) const PROTOTYPE: u32 = 13;
    pub(super) const VARIABLE: u32 = 14;
    pub(super) const SECTION: u32 = 15;
    pub(super) const FLOAT: u32 = 16;
    pub(super) const TAG: u32 = 17;
    pub(super) const TYPE_TAG: u32 = 18;
    pub(super) const ENUM64: u32 = 19;
}

/// Names of structures and enumerations that an object of ours asks for, and of the types of its tracepoints.
pub(crate) fn asked_for(object: &'static [u8]) -> Option<HashSet<Vec<u8>>> {
    let file = object::File::parse(object).ok()?;
    let raw = file.section_by_name(".BTF")?.data().ok()?;
    let types = Types::of(raw)?;
    let asked = types.all().filter(One::has_parts_or_values).filter_map(|one| types.name(one.name));
    let plain = |name: Vec<u8>| {
        let text = String::from_utf8_lossy(&name);
        text.split(FLAVOUR).next().unwrap_or_default().as_bytes().to_vec()
    };
    let sections = file.sections().filter_map(|one| Some(one.name().ok()?.strip_prefix(PROGRAM)?.to_owned()));
    let events = sections.map(|name| format!("{EVENT}{name}").into_bytes());
    Some(asked.map(plain).filter(|name| !name.is_empty()).chain(events).collect())
}

/// The same types with these alone and what they consist of; None where the format is another.
pub(crate) fn trimmed(raw: &(impl Source + ?Sized), names: &HashSet<Vec<u8>>) -> Option<Vec<u8>> {
    let types = Types::of(raw)?;
    let wanted = types.places_of(names)?;
    let mut kept = vec![false; types.all.len()];
    let mut events = Vec::new();
    for (at, one) in types.all().enumerate() {
        let can_be_asked_for = one.kind == kind::TYPEDEF || one.has_parts_or_values();
        if can_be_asked_for && wanted.contains(&one.name) {
            types.keep(at, &mut kept)?;
            if types.name(one.name)?.starts_with(EVENT.as_bytes()) {
                events.push(at);
            }
        }
    }
    types.with(&Places::of(&kept, &events))
}

/// Where types stand that are kept, and where they stood. Both are counted from 0 on; numbers of types are one more.
struct Places {
    /// None: a type of nothing.
    stood: Vec<Option<usize>>,
    /// By where it stood.
    stands: HashMap<usize, usize>,
}

impl Places {
    /// Types of events where they were, others wherever there is room.
    fn of(kept: &[bool], events: &[usize]) -> Self {
        let others = (0..kept.len()).filter(|at| kept[*at] && !events.contains(at));
        let mut stood = vec![None; events.iter().max().map_or(0, |last| last + 1)];
        for at in events {
            stood[*at] = Some(*at);
        }
        let mut free = 0;
        for at in others {
            while stood.get(free).is_some_and(Option::is_some) {
                free += 1;
            }
            if free == stood.len() {
                stood.push(None);
            }
            stood[free] = Some(at);
        }
        let stands = stood.iter().enumerate().filter_map(|(now, before)| Some(((*before)?, now))).collect();
        Self { stood, stands }
    }

    /// The number of what had this one; of what is not kept that of `void`.
    fn number(&self, before: u32) -> u32 {
        let stands = (before as usize).checked_sub(1).and_then(|at| self.stands.get(&at));
        stands.map_or(0, |at| *at as u32 + 1)
    }
}

/// One type: where it begins, how long it is, what it is, and where its name is.
struct One {
    at: usize,
    bytes: usize,
    kind: u32,
    name: usize,
}

impl One {
    fn has_parts_or_values(&self) -> bool {
        matches!(self.kind, kind::STRUCT | kind::UNION | kind::ENUM | kind::ENUM64)
    }

    /// Where in it the numbers of other types are.
    fn numbers(&self) -> Vec<usize> {
        let each = |from: usize, bytes: usize| (TYPE_BYTES + from..self.bytes).step_by(bytes);
        match self.kind {
            kind::STRUCT | kind::UNION => each(4, 12).collect(),
            kind::SECTION => each(0, 12).collect(),
            kind::PROTOTYPE => std::iter::once(8).chain(each(4, 8)).collect(),
            kind::ARRAY => vec![TYPE_BYTES, TYPE_BYTES + 4],
            kind::POINTER | kind::TYPEDEF | kind::VOLATILE | kind::CONST | kind::RESTRICT => vec![8],
            kind::FUNCTION | kind::VARIABLE | kind::TAG | kind::TYPE_TAG => vec![8],
            _ => Vec::new(),
        }
    }

    /// Bytes of each of its parts or values, which begin with a name.
    fn part_bytes(&self) -> Option<usize> {
        match self.kind {
            kind::STRUCT | kind::UNION | kind::ENUM64 => Some(12),
            kind::ENUM => Some(8),
            _ => None,
        }
    }
}

struct Types<'a, S: Source + ?Sized> {
    raw: Parts<'a, S>,
    /// The same, for names: these are elsewhere.
    strings: Parts<'a, S>,
    strings_from: usize,
    strings_bytes: usize,
    /// Where each begins; the first has number 1.
    all: Vec<u32>,
}

impl<'a, S: Source + ?Sized> Types<'a, S> {
    fn of(source: &'a S) -> Option<Self> {
        let raw = Parts::of(source);
        let header = raw.word(4)? as usize;
        let is_known = raw.word(0)?.to_ne_bytes()[..2] == MAGIC.to_ne_bytes() && header >= HEADER_BYTES;
        let [types_at, types_bytes, strings_at, strings_bytes] =
            [8, 12, 16, 20].map(|at| raw.word(at).unwrap_or(u32::MAX) as usize);
        let from = header.checked_add(types_at)?;
        let end = from.checked_add(types_bytes).filter(|end| is_known && *end <= source.bytes())?;
        let strings_from = header.checked_add(strings_at)?;
        strings_from.checked_add(strings_bytes).filter(|end| *end <= source.bytes())?;
        let mut all = Vec::with_capacity(types_bytes / TYPE_BYTES);
        let mut at = from;
        while at < end {
            all.push(u32::try_from(at).ok()?);
            at += read(&raw, at)?.bytes;
        }
        (at == end).then(|| Self { raw, strings: Parts::of(source), strings_from, strings_bytes, all })
    }

    fn all(&self) -> impl Iterator<Item = One> {
        self.all.iter().filter_map(|at| read(&self.raw, *at as usize))
    }

    fn name(&self, at: usize) -> Option<Vec<u8>> {
        let bytes = self.strings_bytes.checked_sub(at)?;
        self.strings.text(self.strings_from + at, bytes)
    }

    /// Where these names are among all of them. A name may be the end of another.
    fn places_of(&self, names: &HashSet<Vec<u8>>) -> Option<HashSet<usize>> {
        let mut found = HashSet::new();
        let mut at = 0;
        while at < self.strings_bytes {
            let text = self.name(at)?;
            let ends = names.iter().filter(|name| text.ends_with(name));
            found.extend(ends.map(|name| at + text.len() - name.len()));
            at += text.len() + 1;
        }
        Some(found)
    }

    /// Keeps a type and what it consists of; where a pointer leads nobody asks.
    fn keep(&self, first: usize, kept: &mut [bool]) -> Option<()> {
        let mut waiting = vec![first];
        while let Some(at) = waiting.pop() {
            if std::mem::replace(kept.get_mut(at)?, true) {
                continue;
            }
            // Number 0 is `void`, which is in no place.
            let parts = self.parts(&read(&self.raw, self.all[at] as usize)?)?;
            waiting.extend(parts.into_iter().filter(|number| *number > 0).map(|number| number as usize - 1));
        }
        Some(())
    }

    fn parts(&self, one: &One) -> Option<Vec<u32>> {
        let numbers = match one.kind {
            kind::ARRAY => one.numbers()[..1].to_vec(), // and not of what its places are counted with
            kind::STRUCT | kind::UNION | kind::TYPEDEF => one.numbers(),
            kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => one.numbers(),
            _ => Vec::new(),
        };
        numbers.into_iter().map(|at| self.raw.word(one.at + at)).collect()
    }

    /// Those that are kept, in their places, and their names alone.
    fn with(&self, places: &Places) -> Option<Vec<u8>> {
        places.stood.first()?; // nothing that is asked for is there
        let (mut types, mut strings) = (Vec::with_capacity(places.stood.len() * TYPE_BYTES), vec![0]);
        for stood in &places.stood {
            if let Some(at) = stood {
                self.copy(&read(&self.raw, self.all[*at] as usize)?, places, &mut types, &mut strings)?;
            } else {
                types.extend([0, kind::FORWARD << 24, 0].map(u32::to_ne_bytes).concat());
            }
        }
        let mut made = header(types.len(), strings.len());
        made.extend(types);
        made.extend(strings);
        Some(made)
    }

    fn copy(&self, one: &One, places: &Places, types: &mut Vec<u8>, strings: &mut Vec<u8>) -> Option<()> {
        let copied = types.len();
        self.raw.copy(one.at, one.bytes, types)?;
        for at in one.numbers() {
            let number = places.number(self.raw.word(one.at + at)?);
            types[copied + at..copied + at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        let parts = one.part_bytes().map(|bytes| (TYPE_BYTES..one.bytes).step_by(bytes));
        for name_at in std::iter::once(0).chain(parts.into_iter().flatten()) {
            let name = self.name(self.raw.word(one.at + name_at)? as usize)?;
            let moved = if name.is_empty() { 0 } else { strings.len() as u32 };
            if !name.is_empty() {
                strings.extend(name);
                strings.push(0);
            }
            types[copied + name_at..copied + name_at + 4].copy_from_slice(&moved.to_ne_bytes());
        }
        Some(())
    }
}

/// What stands before types that take so many bytes, and names behind them.
pub(crate) fn header(types_bytes: usize, names_bytes: usize) -> Vec<u8> {
    let lengths = [0, types_bytes, types_bytes, names_bytes].map(|bytes| (bytes as u32).to_ne_bytes());
    let begin = [&MAGIC.to_ne_bytes()[..], &[1, 0], &(HEADER_BYTES as u32).to_ne_bytes()].concat();
    [begin, lengths.concat()].concat()
}

fn read<S: Source + ?Sized>(raw: &Parts<'_, S>, at: usize) -> Option<One> {
    let info = raw.word(at + 4)?;
    let (kind, parts) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
    let more = match kind {
        kind::INT | kind::VARIABLE | kind::TAG => 4,
        kind::ARRAY => 12,
        kind::STRUCT | kind::UNION | kind::SECTION | kind::ENUM64 => 12 * parts,
        kind::ENUM | kind::PROTOTYPE => 8 * parts,
        kind::POINTER | kind::FORWARD | kind::TYPEDEF | kind::VOLATILE | kind::CONST | kind::RESTRICT => 0,
        kind::FUNCTION | kind::FLOAT | kind::TYPE_TAG => 0,
        _ => return None,
    };
    Some(One { at, bytes: TYPE_BYTES + more, kind, name: raw.word(at)? as usize })
}

#[cfg(test)]
mod tests {
    use aya::{Btf, Endianness};
    use aya_obj::btf::BtfKind;

    use super::*;

    /// A type's name, kind and number of parts, what stands behind these, and what follows.
    fn one(name: u32, kind: u32, parts: u32, last: u32, more: &[u32]) -> Vec<u32> {
        [&[name, kind << 24 | parts, last], more].concat()
    }

    fn made(types: &[Vec<u32>], strings: &[u8]) -> Vec<u8> {
        let types = types.concat();
        let bytes = 4 * types.len() as u32;
        let header = [u32::from(MAGIC) | 1 << 16, 24, 0, bytes, bytes, strings.len() as u32];
        let words = header.iter().chain(&types).flat_map(|word| word.to_ne_bytes());
        words.chain(strings.iter().copied()).collect()
    }

    /// `int`, a structure of nobody's, one that is asked for and consists of it by an array and a typedef, and a pointer.
    fn some() -> Vec<u8> {
        made(
            &[
                one(1, kind::INT, 0, 4, &[32]),
                one(5, kind::STRUCT, 1, 4, &[11, 1, 0]),
                one(17, kind::STRUCT, 2, 16, &[24, 5, 0, 32, 4, 64]),
                one(0, kind::POINTER, 0, 2, &[]),
                one(0, kind::ARRAY, 0, 0, &[6, 1, 2]),
                one(37, kind::TYPEDEF, 0, 1, &[]),
                one(43, kind::TYPEDEF, 0, 4, &[]),
                one(5, kind::STRUCT, 0, 0, &[]),
            ],
            b"\0int\0other\0inner\0wanted\0numbers\0next\0alias\0btf_trace_x\0",
        )
    }

    fn names(of: &[&str]) -> HashSet<Vec<u8>> {
        of.iter().map(|name| name.as_bytes().to_vec()).collect()
    }

    /// Numbers of types that stand in this one.
    fn numbers<S: Source + ?Sized>(types: &Types<'_, S>, one: &One) -> Vec<u32> {
        one.numbers().into_iter().map(|at| types.raw.word(one.at + at).expect("a word")).collect()
    }

    #[test]
    fn what_is_asked_for_is_kept_with_what_it_consists_of_and_an_event_in_its_place() {
        let small = trimmed(&some()[..], &names(&["wanted", "btf_trace_x"])).expect("types");
        let types = Types::of(&small[..]).expect("types");
        let told: Vec<_> = types.all().map(|one| (one.kind, types.name(one.name).expect("a name"))).collect();
        let told: Vec<_> = told.iter().map(|(kind, name)| (*kind, &name[..])).collect();
        let nothing = (kind::FORWARD, &b""[..]);
        let parts = [(kind::POINTER, &b""[..]), (kind::ARRAY, b""), (kind::TYPEDEF, b"alias")];
        let begin = [(kind::INT, &b"int"[..]), (kind::STRUCT, b"wanted")];
        assert_eq!(told, [&begin[..], &parts, &[nothing, (kind::TYPEDEF, b"btf_trace_x")]].concat());
        let numbers: Vec<_> = types.all().map(|one| numbers(&types, &one)).collect();
        let nobody_asks = 0;
        let of_parts = [vec![nobody_asks], vec![5, 1], vec![1]];
        assert_eq!(numbers, [&[vec![], vec![4, 3]][..], &of_parts, &[vec![], vec![3]]].concat());
        let wanted = types.all().nth(1).expect("a type");
        let inner = types.name(types.raw.word(wanted.at + TYPE_BYTES).expect("a word") as usize);
        assert_eq!(inner.as_deref(), Some(&b"numbers"[..]));
    }

    #[test]
    fn a_name_that_is_the_end_of_another_is_found_as_well() {
        let raw = made(&[one(3, kind::STRUCT, 0, 0, &[]), one(1, kind::STRUCT, 0, 0, &[])], b"\0a_wanted\0");
        let small = trimmed(&raw[..], &names(&["wanted"])).expect("types");
        let types = Types::of(&small[..]).expect("types");
        assert_eq!(types.all.len(), 1, "the other is asked for by nobody");
        assert_eq!(types.name(types.all().next().expect("a type").name).as_deref(), Some(&b"wanted"[..]));
    }

    #[test]
    fn what_is_of_another_format_is_left_alone() {
        let raw = some();
        assert!(trimmed(&raw[..raw.len() - 1], &names(&["wanted"])).is_none());
        assert!(trimmed(&b""[..], &names(&["wanted"])).is_none());
        let mut other = raw.clone();
        other[HEADER_BYTES + 7] = 31;
        assert!(trimmed(&other[..], &names(&["wanted"])).is_none(), "a kind that nobody knows");
    }

    /// A part's name, its place or value, and kind and name of its type.
    type Part = (Vec<u8>, u32, Option<(u32, Vec<u8>)>);

    fn parts_of(types: &Types<'_, [u8]>, number: u32) -> Vec<Part> {
        let find = |number: u32| read(&types.raw, types.all[number as usize - 1] as usize).expect("a type");
        let told = |one: One| (one.kind, types.name(one.name).expect("a name"));
        let one = find(number);
        let bytes = one.part_bytes().expect("it has parts or values");
        let parts = (one.at + TYPE_BYTES..one.at + one.bytes).step_by(bytes);
        let word = |at: usize| types.raw.word(at).expect("a word");
        let name = |at: usize| types.name(word(at) as usize).expect("a name");
        parts
            .map(|at| match bytes {
                12 => (name(at), word(at + 8), Some(told(find(word(at + 4))))),
                _ => (name(at), word(at + 4), None),
            })
            .collect()
    }

    #[test]
    fn of_this_kernel_events_keep_their_numbers_and_structures_their_parts() {
        let Ok(raw) = std::fs::read("/sys/kernel/btf/vmlinux") else {
            eprintln!("skipped: this kernel does not tell its types");
            return;
        };
        let events = ["btf_trace_block_rq_issue", "btf_trace_sched_switch"];
        let small =
            trimmed(&raw[..], &names(&[&["request", "task_struct", "pageflags"][..], &events].concat()));
        let small = small.expect("types");
        let told = std::fs::File::open("/sys/kernel/btf/vmlinux").expect("a file");
        let names_again = names(&[&["request", "task_struct", "pageflags"][..], &events].concat());
        assert_eq!(trimmed(&told, &names_again).as_deref(), Some(&small[..]), "told in parts");
        assert!(small.len() < raw.len() / 2, "{} of {}", small.len(), raw.len());
        let [all, few] = [&raw, &small].map(|raw| Btf::parse(raw, Endianness::default()).expect("types"));
        for (name, kind) in
            [("btf_trace_block_rq_issue", BtfKind::Typedef), ("btf_trace_sched_switch", BtfKind::Typedef)]
        {
            let number = |types: &Btf| types.id_by_type_name_kind(name, kind).expect(name);
            assert_eq!(number(&few), number(&all), "{name}");
        }
        for (name, kind) in
            [("request", BtfKind::Struct), ("task_struct", BtfKind::Struct), ("pageflags", BtfKind::Enum)]
        {
            let told = [(&all, &raw), (&few, &small)].map(|(types, raw)| {
                let number = types.id_by_type_name_kind(name, kind).expect(name);
                parts_of(&Types::of(&raw[..]).expect("types"), number)
            });
            assert!(told[0].len() > 10, "{name}");
            assert_eq!(told[0], told[1], "{name}");
        }
        assert!(few.id_by_type_name_kind("btrfs_root", BtfKind::Struct).is_err());
    }
}
