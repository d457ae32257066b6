//! Who may see what: levels and callers. The rulings are in the design's page on the library, under Visibility.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::AgentId;

/// How far a row may travel: `public` to every store, `team` to the team's, `private` on this machine only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Every store, peers included.
    Public,
    /// The team's stores.
    Team,
    /// This machine only.
    Private,
}

/// How much a caller may see: rows of its level and below. The order is public, team, private.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessLevel {
    /// Public rows.
    Public,
    /// Public and team rows.
    Team,
    /// Everything.
    Private,
}

/// A text that is none of the three levels. Reading is strict: no other case, no blanks, no default.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a level; use public, team or private")]
pub struct LevelError(pub String);

macro_rules! three_levels {
    ($name:ident) => {
        impl $name {
            /// All three, lowest first.
            pub const ALL: [$name; 3] = [$name::Public, $name::Team, $name::Private];

            /// The level as the contract spells it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $name::Public => "public",
                    $name::Team => "team",
                    $name::Private => "private",
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = LevelError;
            fn from_str(text: &str) -> Result<$name, LevelError> {
                $name::ALL
                    .into_iter()
                    .find(|level| level.as_str() == text)
                    .ok_or_else(|| LevelError(text.chars().take(80).collect()))
            }
        }
    };
}

three_levels!(Visibility);
three_levels!(AccessLevel);

impl AccessLevel {
    /// Whether a row of this visibility is within the level.
    pub fn reaches(self, visibility: Visibility) -> bool {
        self as u8 >= visibility as u8
    }
}

/// Where a caller stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// A program of this machine's user.
    Local,
    /// Anything that is reached over a network.
    Remote,
}

/// Something a remote caller's token allows beyond reading at its level.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grant {
    /// Writing under this agent's id.
    Agent(AgentId),
    /// Reading the event log of this project.
    Events(String),
}

/// Who asks. Every read takes one, and the level is never widened after it was made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Caller {
    level: AccessLevel,
    place: Place,
    grants: Vec<Grant>,
}

impl Caller {
    /// The person at this machine's command line: sees everything.
    pub fn person() -> Caller {
        Caller::local_agent(AccessLevel::Private)
    }

    /// A local agent over stdio, a hook or a brief, at the level that was set for it.
    pub fn local_agent(level: AccessLevel) -> Caller {
        Caller {
            level,
            place: Place::Local,
            grants: Vec::new(),
        }
    }

    /// A caller over the network; a level above team is team.
    pub fn remote(level: AccessLevel) -> Caller {
        Caller {
            level: level.min(AccessLevel::Team),
            place: Place::Remote,
            grants: Vec::new(),
        }
    }

    /// The same caller with these grants.
    #[must_use]
    pub fn with_grants(mut self, grants: impl IntoIterator<Item = Grant>) -> Caller {
        self.grants = grants.into_iter().collect();
        self
    }

    /// The highest level of rows that it sees.
    pub fn level(&self) -> AccessLevel {
        self.level
    }

    /// Where it stands.
    pub fn place(&self) -> Place {
        self.place
    }

    /// What it may do besides.
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_reaches_its_own_and_those_below() {
        let reach = |level: AccessLevel| Visibility::ALL.map(|v| level.reaches(v));
        assert_eq!(reach(AccessLevel::Public), [true, false, false]);
        assert_eq!(reach(AccessLevel::Team), [true, true, false]);
        assert_eq!(reach(AccessLevel::Private), [true, true, true]);
    }

    #[test]
    fn reading_a_level_is_strict() {
        assert_eq!("team".parse(), Ok(AccessLevel::Team));
        for bad in ["", "Team", " team", "all", "admin", "private "] {
            assert!(bad.parse::<AccessLevel>().is_err(), "{bad:?}");
            assert!(bad.parse::<Visibility>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_remote_caller_is_never_above_team() {
        assert_eq!(Caller::remote(AccessLevel::Private).level(), AccessLevel::Team);
        assert_eq!(Caller::remote(AccessLevel::Public).level(), AccessLevel::Public);
    }
}
