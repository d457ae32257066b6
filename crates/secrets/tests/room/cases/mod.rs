//! The labelled set: credentials in the contexts they are met in, and texts that look like them and are none.
//!
//! Every credential is made here, from pieces and a fixed seed, when the set is asked for: the repository holds none.

mod look_alikes;
mod pairs;
mod tokens;

/// A text that holds one credential.
pub(crate) struct Case {
    /// What it is an example of.
    pub(crate) label: String,
    /// The whole text.
    pub(crate) text: String,
    /// The part that must not be there any more when the text was redacted.
    pub(crate) secret: String,
    /// The kind that a finding should have, where that matters.
    pub(crate) kind: Option<&'static str>,
}

/// All texts that hold a credential.
pub(crate) fn credentials() -> Vec<Case> {
    let mut cases = tokens::cases();
    cases.extend(pairs::cases());
    cases
}

/// All texts that hold none.
pub(crate) fn look_alikes() -> Vec<String> {
    look_alikes::texts()
}

/// Characters drawn from an alphabet, the same ones in every run.
pub(crate) struct Draw(u64);

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

impl Draw {
    /// A source; different seeds give different characters.
    pub(crate) fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    /// `count` characters of `alphabet`.
    pub(crate) fn of(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..count)
            .map(|_| alphabet[self.next() as usize % alphabet.len()])
            .collect()
    }

    /// Letters of both cases and digits.
    pub(crate) fn alnum(&mut self, count: usize) -> String {
        self.of(&[LOWER, UPPER, DIGITS].concat(), count)
    }

    /// The characters of base64 in URLs, beginning and ending with a letter.
    pub(crate) fn url64(&mut self, count: usize) -> String {
        let inner = self.of(&[LOWER, UPPER, DIGITS, "-_"].concat(), count - 2);
        format!("{}{inner}{}", self.of(UPPER, 1), self.of(LOWER, 1))
    }

    /// The characters of base64, beginning and ending with a letter.
    pub(crate) fn base64(&mut self, count: usize) -> String {
        let inner = self.of(&[LOWER, UPPER, DIGITS, "+/"].concat(), count - 2);
        format!("{}{inner}{}", self.of(LOWER, 1), self.of(UPPER, 1))
    }

    /// Hexadecimal digits.
    pub(crate) fn hex(&mut self, count: usize) -> String {
        self.of("0123456789abcdef", count)
    }

    /// Capitals and digits.
    pub(crate) fn upper(&mut self, count: usize) -> String {
        self.of(&[UPPER, DIGITS].concat(), count)
    }

    /// Small letters and digits.
    pub(crate) fn lower(&mut self, count: usize) -> String {
        self.of(&[LOWER, DIGITS].concat(), count)
    }

    /// Decimal digits, the first not zero.
    pub(crate) fn digits(&mut self, count: usize) -> String {
        format!("{}{}", self.of("123456789", 1), self.of(DIGITS, count - 1))
    }

    /// A UUID.
    pub(crate) fn uuid(&mut self) -> String {
        let mut hex = |count| self.hex(count);
        format!("{}-{}-4{}-a{}-{}", hex(8), hex(4), hex(3), hex(3), hex(12))
    }
}

/// `bytes` in base64 for URLs, without padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let alphabet = [UPPER, LOWER, DIGITS, "-_"].concat();
    let alphabet = alphabet.as_bytes();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let three =
            chunk.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        text.extend((0..=chunk.len()).map(|at| alphabet[(three >> (18 - 6 * at) & 63) as usize] as char));
    }
    text
}
