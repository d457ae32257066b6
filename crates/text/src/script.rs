//! What kind of writing a character belongs to, as far as words are concerned.

use unicode_normalization::char::is_combining_mark;

use crate::characters::Character;

/// How a character takes part in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Letters and digits of scripts that put spaces between words, and the marks on them.
    Letter,
    /// Chinese characters.
    Han,
    /// Hiragana.
    Hiragana,
    /// Katakana.
    Katakana,
    /// Thai, Lao, Khmer, Myanmar: no spaces between words, vowels and signs around a consonant.
    Brahmic,
    /// Korean syllables.
    Hangul,
    /// White space.
    Space,
    /// All else: punctuation, signs, pictures.
    Symbol,
}

impl Class {
    /// Whether words of this writing run on without spaces, so that a name is looked for inside of a run.
    pub(crate) fn runs(self) -> bool {
        !matches!(self, Class::Letter | Class::Space | Class::Symbol)
    }

    /// Works out the class of a character, as [`class`] knows it.
    pub(crate) fn of(c: char) -> Class {
        match c as u32 {
            0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x3005..=0x3007 | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF => {
                Class::Han
            }
            0x3041..=0x309F | 0x1_B001..=0x1_B11F => Class::Hiragana,
            // The middle dot of foreign names is a sign between words.
            0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF => Class::Katakana,
            // Bopomofo is written in runs, like the characters it stands beside.
            0x3105..=0x312F | 0x31A0..=0x31BF => Class::Han,
            0xAC00..=0xD7A3 | 0x1100..=0x11FF | 0x3131..=0x318E | 0xA960..=0xA97C | 0xD7B0..=0xD7FB => {
                Class::Hangul
            }
            0x0E01..=0x0E2E | 0x0E30..=0x0E3A | 0x0E40..=0x0E4E => Class::Brahmic,
            0x0E81..=0x0ECE | 0x0EDC..=0x0EDF => Class::Brahmic,
            0x1000..=0x103F | 0x1050..=0x108F | 0x109A..=0x109D | 0x1780..=0x17D3 => Class::Brahmic,
            _ if c.is_alphanumeric() || is_combining_mark(c) => Class::Letter,
            _ if c.is_whitespace() => Class::Space,
            _ => Class::Symbol,
        }
    }

    /// The writing of Chinese and Japanese, whose three scripts alternate inside of a word.
    pub(crate) fn is_east_asian(self) -> bool {
        matches!(self, Class::Han | Class::Hiragana | Class::Katakana)
    }
}

/// The class of a character. Marks outside of the running scripts count as letters: they belong to the letter before.
pub(crate) fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Letter,
        _ if c.is_ascii_whitespace() || c == '\u{b}' => Class::Space,
        _ if c.is_ascii() => Class::Symbol,
        _ => Character::of(c).class,
    }
}

/// Whether a character continues the unit of a running script that stands before it: marks, the vowels that follow a
/// consonant, and what a joining sign binds.
pub(crate) fn continues_unit(c: char) -> bool {
    is_combining_mark(c)
        || matches!(
            c,
            // Thai and Lao vowels that follow their consonant.
            '\u{0E30}' | '\u{0E32}' | '\u{0E33}' | '\u{0E45}' | '\u{0EB0}' | '\u{0EB2}' | '\u{0EB3}'
            // Small kana and the long sound belong to the syllable before.
            | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'ゃ' | 'ゅ' | 'ょ' | 'ゎ' | 'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ャ' | 'ュ'
            | 'ョ' | 'ヮ' | 'ー' | 'ゝ' | 'ゞ' | 'ヽ' | 'ヾ'
        )
}

/// Thai and Lao vowels that are written before the consonant they follow in speech.
pub(crate) fn leads_unit(c: char) -> bool {
    matches!(c, '\u{0E40}'..='\u{0E44}' | '\u{0EC0}'..='\u{0EC4}')
}

/// Signs that bind the consonant after them to the one before (Khmer, Myanmar).
pub(crate) fn binds_next(c: char) -> bool {
    matches!(c, '\u{17D2}' | '\u{1039}')
}

/// Whether a character takes about a token of its own in a prompt: ideographs, kana, Hangul, and their punctuation.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c as u32,
        0x1100..=0x11FF | 0x2E80..=0x2FDF | 0x3000..=0x30FF | 0x3105..=0x312F | 0x3131..=0x318E | 0x31A0..=0x31FF
        | 0x3200..=0x4DBF | 0x4E00..=0x9FFF | 0xA960..=0xA97C | 0xAC00..=0xD7FB | 0xF900..=0xFAFF | 0xFF01..=0xFFEE
        | 0x2_0000..=0x3_FFFF)
}

/// Characters that are not seen and that matching leaves out (Unicode `Default_Ignorable_Code_Point`).
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c as u32,
        0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
        | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8
        | 0x1_BCA0..=0x1_BCA3 | 0x1_D173..=0x1_D17A | 0xE_0000..=0xE_0FFF)
}
