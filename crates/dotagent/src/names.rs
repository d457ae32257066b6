use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::error::shown;
use crate::{EventId, Refusal};

/// The skill or deed that an event belongs to: segments of `[a-z0-9_]+` joined by `::`, at most 256 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillAction(String);

impl SkillAction {
    /// Longest form in bytes.
    pub const LONGEST: usize = 256;

    /// Normalises and checks: trimmed (each segment too), lower case, white space and `-` become `_`. Empty text is
    /// [`SkillAction::general`].
    ///
    /// # Errors
    /// [`Refusal::Skill`] when something else than `[a-z0-9_]` remains, a segment is empty, or it is too long.
    pub fn parse(text: &str) -> Result<SkillAction, Refusal> {
        let refused = || Refusal::Skill { value: shown(text) };
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Ok(SkillAction::general());
        }
        if trimmed.len() > 4 * SkillAction::LONGEST {
            return Err(refused());
        }
        let mut skill = String::with_capacity(trimmed.len());
        for segment in trimmed.split("::").map(str::trim) {
            if segment.is_empty() {
                return Err(refused());
            }
            if !skill.is_empty() {
                skill.push_str("::");
            }
            for character in segment.chars().flat_map(char::to_lowercase) {
                match character {
                    'a'..='z' | '0'..='9' | '_' => skill.push(character),
                    '-' => skill.push('_'),
                    c if c.is_whitespace() => skill.push('_'),
                    _ => return Err(refused()),
                }
            }
        }
        if skill.len() > SkillAction::LONGEST {
            return Err(refused());
        }
        Ok(SkillAction(skill))
    }

    /// The name of what belongs to no skill.
    pub(crate) const GENERAL: &'static str = "general";

    /// What an event without a skill belongs to.
    pub fn general() -> SkillAction {
        SkillAction(SkillAction::GENERAL.to_owned())
    }

    /// Whether this is [`SkillAction::general`].
    pub fn is_general(&self) -> bool {
        self.0 == "general"
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts between `::`.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split("::")
    }
}

/// The program that an event was written through: `[a-z0-9_-]+`, at most 64 bytes (`claude-code`, `cli`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Harness(String);

impl Harness {
    /// Longest form in bytes.
    pub const LONGEST: usize = 64;

    /// Checks a name; it is not changed.
    ///
    /// # Errors
    /// [`Refusal::Harness`] when it has another character, is empty or too long.
    pub fn parse(text: &str) -> Result<Harness, Refusal> {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        if text.is_empty() || text.len() > Harness::LONGEST || !text.bytes().all(fits) {
            return Err(Refusal::Harness { value: shown(text) });
        }
        Ok(Harness(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where an event's words came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A person said it.
    User,
    /// An agent concluded it.
    Agent,
    /// A tool's result or a page held it: such words do not become lessons by themselves.
    Tool,
}

impl Origin {
    /// Reads `user`, `agent` or `tool`.
    ///
    /// # Errors
    /// [`Refusal::Origin`] for anything else.
    pub fn parse(text: &str) -> Result<Origin, Refusal> {
        match text {
            "user" => Ok(Origin::User),
            "agent" => Ok(Origin::Agent),
            "tool" => Ok(Origin::Tool),
            _ => Err(Refusal::Origin { value: shown(text) }),
        }
    }

    /// The word that stands in the log.
    pub fn as_str(&self) -> &'static str {
        match self {
            Origin::User => "user",
            Origin::Agent => "agent",
            Origin::Tool => "tool",
        }
    }
}

/// What an event takes the place of: one earlier event, or what a skill held before.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Supersedes {
    /// One event.
    Event(EventId),
    /// Everything earlier under this skill.
    Skill(SkillAction),
}

impl Supersedes {
    /// Reads an event's id (anything that starts with `evt_` has to be one) or a skill.
    ///
    /// # Errors
    /// [`Refusal::Supersedes`] for anything else.
    pub fn parse(text: &str) -> Result<Supersedes, Refusal> {
        let refused = || Refusal::Supersedes { value: shown(text) };
        let text = text.trim();
        if text.is_empty() {
            return Err(refused());
        }
        if text.starts_with("evt_") {
            return EventId::parse(text).map(Supersedes::Event).map_err(|_| refused());
        }
        SkillAction::parse(text)
            .map(Supersedes::Skill)
            .map_err(|_| refused())
    }
}

impl fmt::Display for SkillAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Supersedes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Supersedes::Event(id) => id.fmt(f),
            Supersedes::Skill(skill) => skill.fmt(f),
        }
    }
}

macro_rules! text_form {
    ($($name:ident),*) => {$(
        impl FromStr for $name {
            type Err = Refusal;
            fn from_str(text: &str) -> Result<Self, Refusal> {
                $name::parse(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}
text_form!(SkillAction, Harness, Origin, Supersedes);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_are_normalised() {
        for (given, expected) in [
            ("rust::error_handling", "rust::error_handling"),
            ("  Rust :: Error-Handling ", "rust::error_handling"),
            ("Build\tCache", "build_cache"),
            ("", "general"),
            ("   ", "general"),
            ("C3PO", "c3po"),
        ] {
            assert_eq!(SkillAction::parse(given).unwrap().as_str(), expected, "{given:?}");
        }
        for wrong in [
            "a:b",
            "::a",
            "a::",
            "a::::b",
            "naïve",
            "c++",
            "a/b",
            "a\u{0}b",
            "a :: :: b",
        ] {
            assert!(SkillAction::parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(SkillAction::parse(&"a".repeat(256)).is_ok());
        assert!(SkillAction::parse(&"a".repeat(257)).is_err());
    }

    #[test]
    fn a_harness_is_taken_as_it_is_or_not_at_all() {
        assert_eq!(Harness::parse("claude-code").unwrap().as_str(), "claude-code");
        for wrong in ["", "Claude", "claude code", " cli", "cli\n", "é", &"a".repeat(65)] {
            assert!(Harness::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_superseded_is_an_event_or_a_skill() {
        let id = "evt_01JR04071200XYZA1B2C3D4E5F";
        assert!(matches!(Supersedes::parse(id).unwrap(), Supersedes::Event(e) if e.to_string() == id));
        assert!(
            matches!(Supersedes::parse("Db::Host").unwrap(), Supersedes::Skill(s) if s.as_str() == "db::host")
        );
        for wrong in ["", " ", "evt_short", "evt_", "a b!"] {
            assert!(Supersedes::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
