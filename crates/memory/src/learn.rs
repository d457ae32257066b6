use ken_dotagent::{Harness, Observation, Origin, SkillAction};
use ken_text::mark::without_briefs;
use serde::{Deserialize, Serialize};

use crate::shown::shown_whole;
use crate::{Error, Memory};

/// Something worth remembering, before it is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnRequest {
    /// What was learned: 1 byte to 64 KiB after trimming.
    pub content: String,
    /// How much it hurt, 0 to 10.
    #[serde(default = "middle")]
    pub pain: f64,
    /// How much it matters, 0 to 10.
    #[serde(default = "middle")]
    pub importance: f64,
    /// The skill it belongs to, such as `git::rebase`.
    #[serde(default)]
    pub skill_action: Option<String>,
    /// Who writes; the setting's agent when not given, else `cli`.
    #[serde(default)]
    pub harness: Option<String>,
    /// Whose words they are: `user`, `agent` or `tool`.
    #[serde(default)]
    pub origin: Option<String>,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The event id or skill that this takes the place of.
    #[serde(default)]
    pub supersedes: Option<String>,
    /// The same key within 24 hours returns the first event instead of writing a second.
    #[serde(default)]
    pub dedup_key: Option<String>,
}

fn middle() -> f64 {
    5.0
}

impl LearnRequest {
    /// An observation with everything else at its default.
    pub fn new(content: impl Into<String>) -> LearnRequest {
        LearnRequest {
            content: content.into(),
            pain: middle(),
            importance: middle(),
            skill_action: None,
            harness: None,
            origin: None,
            tags: Vec::new(),
            supersedes: None,
            dedup_key: None,
        }
    }
}

/// An observation that is on the disk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    /// The event's id.
    pub id: String,
    /// Its time.
    pub timestamp: jiff::Timestamp,
    /// Whether an earlier event with the same dedup key stands for it.
    pub deduplicated: bool,
    /// The content as it was written, credentials replaced.
    pub content: String,
    /// The skill, normalised.
    pub skill_action: String,
    /// Who wrote.
    pub source_harness: String,
    /// How often this was observed before.
    pub recurrence: u64,
    /// `file:line`.
    pub place: String,
    /// The project's name.
    pub project: String,
    /// The kinds of credentials that were replaced.
    pub redacted: Vec<String>,
}

/// Who writes when neither the request nor the setting says it.
const PERSON: &str = "cli";

impl Memory {
    /// Appends an observation to the project's log, through the one way in that every observation takes. When it
    /// returns, the line is on the disk and the next question of any process finds it.
    ///
    /// Where an earlier event with the same dedup key stands for it, the answer is that event, as far as the caller may
    /// read it; else what the caller said, with that event's id.
    ///
    /// # Errors
    /// [`Error::NoProject`] and [`Error::NoAgentFolder`] when there is nowhere to write; [`Error::NotAllowed`] for a
    /// remote caller; [`Error::Agent`] when a rule of the log is broken or the disk refuses. Nothing is written then.
    pub fn learn(&self, request: LearnRequest) -> Result<Learned, Error> {
        self.refuse_remote("writing to a project's log")?;
        let project = self.setting.project.as_ref().ok_or(Error::NoProject)?;
        let folder = self.folder()?.ok_or_else(|| Error::NoAgentFolder {
            root: project.root.clone(),
        })?;
        let harness = request
            .harness
            .or_else(|| self.setting.agent.as_ref().map(ToString::to_string))
            .unwrap_or_else(|| PERSON.to_owned());
        let origin = request
            .origin
            .as_deref()
            .map(Origin::parse)
            .transpose()
            .map_err(ken_dotagent::Error::from)?;
        // What was put into a prompt is never learned back.
        let content = without_briefs(&request.content);
        // What the caller itself said, which it may read whatever stands in the log.
        let own = (content.clone(), request.skill_action.clone(), harness.clone());
        let observation = Observation {
            pain: request.pain,
            importance: request.importance,
            skill_action: request.skill_action,
            origin,
            tags: request.tags,
            supersedes: request.supersedes,
            dedup_key: request.dedup_key,
            ..Observation::new(content, harness)
        };
        let learned = folder.learn(observation, &self.setting.clock)?;
        let event = learned.event;
        let log = folder.log_path().display().to_string();
        let answer = Learned {
            id: event.id.to_string(),
            timestamp: event.timestamp,
            deduplicated: learned.deduplicated,
            content: event.content.clone(),
            skill_action: event.skill_action.to_string(),
            source_harness: event
                .source_harness
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            recurrence: event.recurrence,
            place: format!("{log}:{}", learned.line),
            project: project.name.clone(),
            redacted: learned
                .redactions
                .iter()
                .map(|finding| finding.kind.to_owned())
                .collect(),
        };
        if !learned.deduplicated || self.library().screen().allows_event(&event) {
            return Ok(shown_whole(answer));
        }
        // The event that stands for it is withheld from this caller.
        let (content, skill, harness) = own;
        let skill = skill.and_then(|skill| SkillAction::parse(&skill).ok());
        let harness = Harness::parse(&harness).map(|harness| harness.to_string());
        Ok(shown_whole(Learned {
            timestamp: self.setting.clock.now(),
            content: content.trim().to_owned(),
            skill_action: skill.unwrap_or_else(SkillAction::general).to_string(),
            source_harness: harness.unwrap_or_default(),
            recurrence: 0,
            place: log,
            ..answer
        }))
    }
}
