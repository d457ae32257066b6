//! How far a row may travel: the five rules of the design, and what happens to a row that none of them can judge.

use serde::Serialize;

use crate::extra::Extra;
use crate::level::{Caller, Place, Visibility};
use crate::model::{Manifest, PRIVATE_FAMILIES, Row, VisibilityPolicy};
use crate::tree::Node;

/// Why a row has the visibility it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Visibility, tags or policy cannot be read: withheld below private, and reported.
    Malformed,
    /// One of its tags is private, whatever the row says.
    PrivateTag,
    /// The row says so.
    Row,
    /// One of its tags is a team tag.
    TeamTag,
    /// The manifest's default.
    Default,
    /// Nobody said anything: team on this machine, private for what leaves it.
    Undeclared,
}

/// A row's visibility to a caller at one place, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Effective {
    /// The level.
    pub visibility: Visibility,
    /// The rule that gave it.
    pub reason: Reason,
}

/// The rules of one manifest, ready to judge its rows.
#[derive(Debug)]
pub struct Rules {
    malformed: bool,
    private_tags: Vec<String>,
    team_tags: Vec<String>,
    default: Option<Visibility>,
    place: Place,
}

/// The form in which tags are compared: whole, trimmed, case-folded.
fn folded(tag: &str) -> String {
    ken_text::normalize(tag.trim())
}

impl Rules {
    /// The rules of this manifest for callers at this place.
    pub fn of(manifest: &Manifest, place: Place) -> Rules {
        let unread = |extra: &Extra, keys: &[&str]| keys.iter().any(|key| extra.has(key));
        let malformed = unread(&manifest.extra, &["visibility_policy"]);
        let policy = manifest.visibility_policy.as_ref();
        let fold = |tags: &[String]| tags.iter().map(|tag| folded(tag)).collect();
        Rules {
            malformed: malformed
                || policy
                    .is_some_and(|policy| unread(&policy.extra, &["default", "private_tags", "team_tags"])),
            private_tags: match policy.and_then(|policy| policy.private_tags.as_deref()) {
                Some(tags) => fold(tags),
                None => PRIVATE_FAMILIES.map(str::to_owned).to_vec(),
            },
            team_tags: fold(policy.map_or(&[], |policy: &VisibilityPolicy| &policy.team_tags)),
            default: policy.and_then(|policy| policy.default),
            place,
        }
    }

    /// The row's visibility: private tags, then the row's own word, then team tags, then the default, then undeclared.
    pub fn effective(&self, row: &impl Row) -> Effective {
        let answer = |visibility, reason| Effective { visibility, reason };
        let extra = row.extra();
        if self.malformed || extra.has("visibility") || row.tags_unread() {
            return answer(Visibility::Private, Reason::Malformed);
        }
        let tags: Vec<String> = row.tags().into_iter().map(folded).collect();
        let any = |wanted: &[String]| tags.iter().any(|tag| wanted.contains(tag));
        if any(&self.private_tags) {
            answer(Visibility::Private, Reason::PrivateTag)
        } else if let Some(declared) = row.declared() {
            answer(declared, Reason::Row)
        } else if any(&self.team_tags) {
            answer(Visibility::Team, Reason::TeamTag)
        } else if let Some(default) = self.default {
            answer(default, Reason::Default)
        } else if self.place == Place::Local {
            answer(Visibility::Team, Reason::Undeclared)
        } else {
            answer(Visibility::Private, Reason::Undeclared)
        }
    }

    /// Whether this caller may see the row at all.
    pub fn shows(&self, row: &impl Row, caller: &Caller) -> bool {
        caller.level().reaches(self.effective(row).visibility)
    }
}

/// A manifest's rows that could not be read: they are shown to nobody, and their names are guarded like private ones.
pub(crate) fn unread_rows(manifest: &Manifest) -> impl Iterator<Item = &Node> {
    ["recent_sessions", "known_entities", "known_workstreams", "notes"]
        .into_iter()
        .filter_map(|section| manifest.extra.get(section))
}
