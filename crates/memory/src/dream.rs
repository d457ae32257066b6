//! The dream cycle of a project's log, with the facts that override it.

use ken_dotagent::{CycleRequest, Decision, Event, Group, Wrote};
use serde::Serialize;

use crate::shown::{cut, shown_whole};
use crate::{Error, Memory};

/// So much of a text is shown of a group.
const GLIMPSE: usize = 160;

/// What a dream cycle decided and did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Dreamt {
    /// Events that the log has.
    pub events: usize,
    /// Lines of the log that are no events.
    pub skipped: u64,
    /// How many lessons there are.
    pub lessons: usize,
    /// What became of the file: `written`, `removed` or `unchanged`; with a dry run, what would have.
    pub wrote: String,
    /// The file.
    pub path: String,
    /// Every group that was looked at: the lessons first, best first, then the others.
    pub groups: Vec<DreamtGroup>,
    /// How many groups are too weak to be looked at one by one.
    pub weak: usize,
}

/// Events that say one thing, and why they are a lesson or none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DreamtGroup {
    /// The event that speaks for it.
    pub id: String,
    /// Its first words.
    pub text: String,
    /// Its skill.
    pub skill: String,
    /// How many events it has.
    pub members: usize,
    /// How often it resurfaced.
    pub recurrence: u64,
    /// When it was last seen.
    pub last_seen: Option<jiff::Timestamp>,
    /// What it is worth when fresh: `pain * importance * recurrence`.
    pub strength: f64,
    /// What is left of that at its age.
    pub decay: f64,
    /// The factor of pain, 0 to 1.
    pub pain: f64,
    /// The factor of importance, 0 to 1.
    pub importance: f64,
    /// The factor of recurrence, at least 1.
    pub recurred: f64,
    /// `strength * decay`.
    pub salience: f64,
    /// BM25 of the speaker against the group's own profile.
    pub bm25: f64,
    /// `bm25 * salience`.
    pub score: f64,
    /// `promoted`, or why not.
    pub decision: String,
}

impl Memory {
    /// Distils the project's log into its lessons; with `dry` nothing is written. The facts in force override what was
    /// learned, in a repository that is trusted.
    ///
    /// # Errors
    /// [`Error::NoProject`] and [`Error::NoAgentFolder`] when there is no log; [`Error::NotAllowed`] for a remote caller;
    /// [`Error::Agent`] when the folder cannot be read or written.
    pub fn dream(&self, dry: bool) -> Result<Dreamt, Error> {
        self.refuse_remote("a dream cycle")?;
        let project = self.setting.project.as_ref().ok_or(Error::NoProject)?;
        let folder = self.folder()?.ok_or_else(|| Error::NoAgentFolder {
            root: project.root.clone(),
        })?;
        let (edicts, _) = self.carried();
        let now = self.setting.clock.now();
        let facts = edicts.edicts.iter().flat_map(|edicts| edicts.in_force(now));
        let request = CycleRequest {
            facts: facts.map(|edict| edict.text.clone()).collect(),
            dry,
            ..CycleRequest::default()
        };
        let cycle = folder.cycle(&request, &self.setting.clock)?;
        let library = self.library();
        let screen = library.screen();
        let event = |group: &Group| &cycle.log.events[group.speaker].event;
        let groups = cycle.dream.groups.iter();
        let groups = groups.filter(|group| screen.allows_event(event(group)));
        Ok(shown_whole(Dreamt {
            events: cycle.log.events.len(),
            skipped: cycle.log.skipped_count,
            lessons: cycle.dream.lessons().count(),
            wrote: match cycle.wrote {
                Wrote::Lessons => "written",
                Wrote::Removed => "removed",
                Wrote::Nothing => "unchanged",
            }
            .to_owned(),
            path: self.place_of(&folder.lessons_path(), screen),
            groups: groups.map(|group| DreamtGroup::of(group, event(group))).collect(),
            weak: cycle.dream.weak,
        }))
    }
}

impl DreamtGroup {
    fn of(group: &Group, event: &Event) -> DreamtGroup {
        let salience = group.salience;
        DreamtGroup {
            id: event.id.to_string(),
            text: cut(event.content.clone(), GLIMPSE).0,
            skill: event.skill_action.to_string(),
            members: group.members.len(),
            recurrence: group.recurrence,
            last_seen: Some(group.last_seen),
            strength: salience.strength(),
            decay: salience.decay,
            pain: salience.pain,
            importance: salience.importance,
            recurred: salience.recurrence,
            salience: salience.value,
            bm25: group.bm25,
            score: group.score,
            decision: match &group.decision {
                Decision::Promoted => "promoted".to_owned(),
                Decision::Superseded(id) => format!("superseded by {id}"),
                Decision::Overridden(fact) => format!("overridden by the fact: {fact}"),
                Decision::Rejected => "rejected".to_owned(),
                Decision::ToolsOnly => "words of tools, not accepted".to_owned(),
                Decision::Weak => "weak".to_owned(),
                Decision::Retired => "retired".to_owned(),
                Decision::NoRoom => "no room".to_owned(),
            },
        }
    }
}
