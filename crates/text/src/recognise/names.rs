//! The names as two runs of bytes, in memory or in a mapped file.
//!
//! The first is a transducer. Its keys are the forms of the names, and [`REFERENCE`] with a key behind it for those that
//! are only asked for. The second says who bears a form: a list of them, unless one bearer is all there is to say, who
//! then is in the transducer itself.

use std::cmp::Ordering;

use integer_encoding::VarInt;

use super::atoms::Atoms;
use super::keys::{JOINED, TOUCHING, spelling};
use super::{is_common_word, is_everyday_word, looked_at};
use crate::normalize::Normalised;
use crate::transducer::{Builder, Place, Transducer};

/// The type of the transducer: names, in this layout.
const KIND: u64 = u64::from_le_bytes(*b"names\0\0\x01");
/// Begins a key that is only asked for. No form does: capitals stand in no normalised token.
const REFERENCE: u8 = b'R';

/// So many bytes of forms are taken in; places in them are told in 32 bits.
const MOST_BYTES: usize = 1 << 31;

/// How much a name asks of its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sense {
    /// Nothing: it is a name wherever it stands.
    Name = 0,
    /// One everyday word.
    Everyday = 1,
    /// One common word.
    Common = 2,
}

/// Who bears a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bearer<'a> {
    pub(super) id: u32,
    /// Whether this is the name's first form, which is its key.
    first: bool,
    pub(super) sense: Sense,
    /// For a name of one everyday or common word its own spelling, else nothing.
    pub(super) spelling: &'a [u8],
}

/// Collects names.
///
/// ```
/// use ken_text::recognise::{NamesBuilder, Part, Reading, find};
/// let mut names = NamesBuilder::new();
/// names.add("API Gateway", 7);
/// let names = names.finish().open();
/// let text = "restart api_gateway";
/// let found = find(&[Part::new(&names, &|_| true)], text, Reading::Names);
/// assert_eq!(&text[found[0].span.clone()], "api_gateway");
/// assert_eq!(found[0].bearers[..], [(0, 7)]);
/// ```
#[derive(Debug, Default)]
pub struct NamesBuilder {
    atoms: Atoms,
    /// The forms, one after the other.
    forms: Vec<u8>,
    entries: Vec<Entry>,
    /// The spellings, one after the other, each behind its length.
    spellings: Vec<u8>,
    number: usize,
}

/// One form of one name.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The form's first bytes, so that most comparisons need not look further.
    head: u64,
    start: u32,
    length: u32,
    id: u32,
    /// Where the spelling is, if there is one.
    spelling: u32,
    first: bool,
    sense: Sense,
}

/// A set of names as bytes, to be kept: see [`Names::open`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamesBytes {
    /// The forms.
    pub fst: Vec<u8>,
    /// Who bears them.
    pub bearers: Vec<u8>,
}

/// A set of names over its bytes, which it reads where they are. Damaged bytes hold fewer names or others, and nothing
/// worse.
#[derive(Debug, Clone)]
pub struct Names<D> {
    fst: D,
    bearers: D,
}

/// A set of names, whatever holds its bytes.
pub trait AnyNames {
    /// The set, ready to be read.
    fn view(&self) -> View<'_>;
}

/// A set of names, ready to be read.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub(super) transducer: Transducer<'a>,
    bearers: &'a [u8],
}

impl NamesBuilder {
    /// No names.
    pub fn new() -> NamesBuilder {
        NamesBuilder::default()
    }

    /// Adds a name that the thing `id` bears. Names without any letter, digit or symbol are left out; names of more than
    /// 64 words are recognised by their first 64. Past 2 GiB of names none is taken in.
    pub fn add(&mut self, text: &str, id: u32) {
        self.push(text, id, true);
    }

    /// Adds a name that the thing `id` bore before, or took over: it is found in a text like another, and nothing is
    /// [called](Names::called) so.
    pub fn add_former(&mut self, text: &str, id: u32) {
        self.push(text, id, false);
    }

    fn push(&mut self, text: &str, id: u32, is_called: bool) {
        if self.forms.len() > MOST_BYTES {
            return;
        }
        let normalised = Normalised::cased(looked_at(text));
        let Some(name) = spelling(&normalised.text, &mut self.atoms) else {
            return;
        };
        self.number += 1;
        let sense = match name.one_word {
            true if is_common_word(name.cased) => Sense::Common,
            true if is_everyday_word(name.cased) => Sense::Everyday,
            _ => Sense::Name,
        };
        let at = if sense == Sense::Name {
            0
        } else {
            let at = self.spellings.len() as u32;
            push_bytes(&mut self.spellings, name.cased.as_bytes());
            at
        };
        let mut first = is_called;
        let (forms, entries) = (&mut self.forms, &mut self.entries);
        name.forms(|form| {
            let start = forms.len();
            forms.extend_from_slice(form);
            entries.push(Entry {
                head: head(form),
                start: start as u32,
                length: form.len() as u32,
                id,
                spelling: at,
                first,
                sense,
            });
            first = false;
        });
    }

    /// Adds that the thing `id` refers to the name whose [`key`](super::key) this is. It is told by
    /// [`Names::references`] and never found in a text.
    pub fn add_reference(&mut self, key: &str, id: u32) {
        let start = self.forms.len();
        if start.max(key.len()) > MOST_BYTES {
            return;
        }
        self.forms.push(REFERENCE);
        self.forms.extend_from_slice(key.as_bytes());
        self.entries.push(Entry {
            head: head(&self.forms[start..]),
            start: start as u32,
            length: key.len() as u32 + 1,
            id,
            spelling: 0,
            first: true,
            sense: Sense::Name,
        });
    }

    /// Adds what another builder holds, its ids counted from `first_id`: so names can be taken in on several cores. What
    /// would make more than 2 GiB of names is left out.
    pub fn append(&mut self, other: &NamesBuilder, first_id: u32) {
        if self.forms.len() + other.forms.len() > MOST_BYTES {
            return;
        }
        let (form, spelling) = (self.forms.len() as u32, self.spellings.len() as u32);
        self.forms.extend_from_slice(&other.forms);
        self.spellings.extend_from_slice(&other.spellings);
        self.entries.extend(other.entries.iter().map(|entry| Entry {
            start: entry.start + form,
            spelling: entry.spelling + spelling,
            id: entry.id + first_id,
            ..*entry
        }));
        self.number += other.number;
    }

    /// How many names were added that can be recognised.
    pub fn len(&self) -> usize {
        self.number
    }

    /// Whether no name was added that can be recognised.
    pub fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// The names as bytes. Quickest when they were added in the order of their normalised texts.
    pub fn finish(mut self) -> NamesBytes {
        let forms = &self.forms;
        let of = |entry: &Entry| &forms[entry.start as usize..][..entry.length as usize];
        let spellings = &self.spellings;
        let spelling = |entry: &Entry| spelling_of(entry, spellings);
        let order = |a: &Entry, b: &Entry| match a.head.cmp(&b.head) {
            Ordering::Equal => of(a).cmp(of(b)),
            other => other,
        };
        self.entries.sort_unstable_by(|a, b| {
            order(a, b)
                .then_with(|| a.id.cmp(&b.id))
                .then_with(|| a.sense.cmp(&b.sense))
                .then_with(|| spelling(a).cmp(spelling(b)))
                .then_with(|| b.first.cmp(&a.first))
        });
        // A name that was added twice is borne once, under its key if it is that for one of them.
        self.entries.dedup_by(|b, a| {
            a.id == b.id && a.sense == b.sense && order(a, b).is_eq() && spelling(a) == spelling(b)
        });
        let mut fst = Builder::new(KIND);
        let mut bearers = Vec::new();
        for same in self.entries.chunk_by(|a, b| order(a, b).is_eq()) {
            let value = match same {
                [one] if one.sense == Sense::Name => inline(one),
                many => {
                    let at = bearers.len();
                    push_list(&mut bearers, many, spelling);
                    (at as u64) << 1 | 1
                }
            };
            fst.insert(of(&same[0]), value);
        }
        NamesBytes {
            fst: fst.finish(),
            bearers,
        }
    }
}

impl NamesBytes {
    /// The set of names that these bytes hold.
    pub fn open(self) -> Names<Vec<u8>> {
        Names {
            fst: self.fst,
            bearers: self.bearers,
        }
    }
}

impl<D: AsRef<[u8]>> Names<D> {
    /// The set of names in bytes that were kept. `None` when they are damaged so that it can be seen at once, or of
    /// another layout. Nothing is read through or copied: it takes the same time for any number of names.
    pub fn open(fst: D, bearers: D) -> Option<Names<D>> {
        Transducer::open(fst.as_ref(), KIND)?;
        Some(Names { fst, bearers })
    }

    /// The things that bear a name whose [`key`](super::key) this is, ascending, without repetition.
    pub fn called(&self, key: &str) -> Vec<u32> {
        let view = self.view();
        let mut ids = Vec::new();
        if key.contains(|c: char| c.is_ascii_uppercase()) {
            return ids;
        }
        // A key does not say where tokens touch.
        let mut left = MOST_STEPS;
        let mut open = vec![(view.transducer.root(), 0)];
        while let Some((place, at)) = open.pop() {
            let Some(byte) = key.as_bytes().get(at) else {
                let value = view.transducer.value(place);
                let bearers = value.into_iter().flat_map(|value| view.bearers(value));
                ids.extend(bearers.filter(|bearer| bearer.first).map(|bearer| bearer.id));
                continue;
            };
            left -= 1;
            if left == 0 {
                break;
            }
            let byte = if *byte == b' ' { JOINED } else { *byte };
            let next = |from| Some((view.transducer.step(from, byte)?, at + 1));
            open.extend(next(place));
            open.extend(view.transducer.step(place, TOUCHING).and_then(next));
        }
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The things that refer to this key, ascending, without repetition.
    pub fn references(&self, key: &str) -> Vec<u32> {
        let view = self.view();
        let transducer = view.transducer;
        let place = transducer
            .step(transducer.root(), REFERENCE)
            .and_then(|place| transducer.walk(place, key.as_bytes()));
        let value = place.and_then(|place| transducer.value(place));
        let mut ids: Vec<u32> = value
            .into_iter()
            .flat_map(|value| view.bearers(value))
            .map(|bearer| bearer.id)
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// One key is looked up in so many steps at most: more than any set of names needs, and an end on damaged ones.
const MOST_STEPS: usize = 1 << 20;

impl<D: AsRef<[u8]>> AnyNames for Names<D> {
    fn view(&self) -> View<'_> {
        View {
            transducer: Transducer::open(self.fst.as_ref(), KIND).unwrap_or(Transducer::NONE),
            bearers: self.bearers.as_ref(),
        }
    }
}

impl<'a> View<'a> {
    /// Where a name may begin with this token.
    pub(super) fn begin(&self, token: &str) -> Option<Place> {
        self.transducer.walk(self.transducer.root(), token.as_bytes())
    }

    /// Where a name goes on with this token.
    pub(super) fn go_on(&self, from: Place, joined: bool, token: &str) -> Option<Place> {
        let between = if joined { JOINED } else { TOUCHING };
        let place = self.transducer.step(from, between)?;
        self.transducer.walk(place, token.as_bytes())
    }

    /// The bearers that the number of a form tells.
    pub(super) fn bearers(&self, value: u64) -> Bearers<'a> {
        if value & 1 == 0 {
            return Bearers::One(Some(Bearer {
                id: (value >> 2) as u32,
                first: value & 2 != 0,
                sense: Sense::Name,
                spelling: &[],
            }));
        }
        let rest = usize::try_from(value >> 1)
            .ok()
            .and_then(|at| self.bearers.get(at..));
        let mut list = List {
            rest: rest.unwrap_or_default(),
            left: 0,
            id: 0,
        };
        list.left = list.number().unwrap_or(0);
        Bearers::List(list)
    }
}

/// The bearers of a form, ascending by id.
pub(super) enum Bearers<'a> {
    One(Option<Bearer<'a>>),
    List(List<'a>),
}

/// Bearers that are still to be read.
pub(super) struct List<'a> {
    rest: &'a [u8],
    left: u64,
    /// That of the one before.
    id: u64,
}

impl<'a> Iterator for Bearers<'a> {
    type Item = Bearer<'a>;

    fn next(&mut self) -> Option<Bearer<'a>> {
        match self {
            Bearers::One(bearer) => bearer.take(),
            Bearers::List(list) => list.next(),
        }
    }
}

impl<'a> List<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, length) = u64::decode_var(self.rest)?;
        self.rest = self.rest.get(length..)?;
        Some(number)
    }

    fn next(&mut self) -> Option<Bearer<'a>> {
        self.left = self.left.checked_sub(1)?;
        let number = self.number()?;
        self.id = self.id.checked_add(number >> 3)?;
        let sense = match number >> 1 & 0b11 {
            0 => Sense::Name,
            1 => Sense::Everyday,
            2 => Sense::Common,
            _ => return None,
        };
        let mut spelling: &[u8] = &[];
        if sense != Sense::Name {
            let length = usize::try_from(self.number()?).ok()?;
            (spelling, self.rest) = self.rest.split_at_checked(length)?;
        }
        Some(Bearer {
            id: u32::try_from(self.id).ok()?,
            first: number & 1 != 0,
            sense,
            spelling,
        })
    }
}

/// One bearer as the number of its form.
fn inline(entry: &Entry) -> u64 {
    u64::from(entry.id) << 2 | u64::from(entry.first) << 1
}

fn push_list<'a>(out: &mut Vec<u8>, entries: &[Entry], spelling: impl Fn(&Entry) -> &'a [u8]) {
    push_number(out, entries.len() as u64);
    let mut before = 0;
    for entry in entries {
        push_number(
            out,
            u64::from(entry.id - before) << 3 | (entry.sense as u64) << 1 | u64::from(entry.first),
        );
        before = entry.id;
        if entry.sense != Sense::Name {
            push_bytes(out, spelling(entry));
        }
    }
}

fn spelling_of<'a>(entry: &Entry, spellings: &'a [u8]) -> &'a [u8] {
    if entry.sense == Sense::Name {
        return &[];
    }
    let at = &spellings[entry.spelling as usize..];
    let (length, from) = usize::decode_var(at).expect("each spelling was put behind its length");
    &at[from..from + length]
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut bytes = [0; 10];
    let length = number.encode_var(&mut bytes);
    out.extend_from_slice(&bytes[..length]);
}

/// The first eight bytes as a number that is ordered as they are.
fn head(form: &[u8]) -> u64 {
    let mut head = [0; 8];
    let length = form.len().min(8);
    head[..length].copy_from_slice(&form[..length]);
    u64::from_be_bytes(head)
}
