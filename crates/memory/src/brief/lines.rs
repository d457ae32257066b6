//! One line of a brief for each kind of thing, fenced and attributed.

use ken_dotagent::Lesson;
use ken_edicts::{Confidence, Edict};
use ken_library::questions::MergedWorkstream;
use ken_library::{AgentId, Session};
use ken_text::fence::one_line;

use super::Kept;
use crate::shown::{cut, shown};
use crate::{Recognised, ThingKind};

/// A summary or lesson longer than this is cut in a brief; the whole of it is found by recall.
const LONGEST: usize = 400;

/// A text made safe for a prompt: credentials replaced, one line, nothing in it that could leave its fence.
fn safe(text: &str) -> String {
    let (text, _) = cut(one_line(&shown(text)), LONGEST);
    text
}

/// An edict in force. It is never cut: half a fact can say the opposite.
pub(super) fn edict(edict: &Edict) -> String {
    let mut line = format!(
        "[{}] {}",
        safe(edict.category.as_str()),
        one_line(&shown(&edict.text))
    );
    if edict.confidence == Confidence::Inferred {
        line.push_str(" (an agent's conclusion)");
    }
    if let Some(at) = edict.expires_at {
        line.push_str(&format!(" (until {at})"));
    }
    line
}

/// A thing that was recognised: what it is, who knows it, what they say.
pub(super) fn known(thing: &Recognised) -> String {
    let mut line = safe(&thing.name);
    if !thing.formerly.is_empty() {
        line.push_str(&format!(" (formerly {})", safe(&thing.formerly.join(", "))));
    }
    let mut facts: Vec<String> = match thing.kind {
        ThingKind::Workstream => vec!["workstream".to_owned()],
        _ => thing.types.iter().map(|kind| safe(kind)).collect(),
    };
    facts.extend(thing.status.iter().map(|status| safe(status)));
    if let Some(until) = thing.valid_to.as_ref().filter(|_| thing.past) {
        facts.push(format!("valid until {}", safe(until)));
    }
    facts.push(format!("known to {}", safe(&thing.sources.join(", "))));
    line.push_str(&format!(" [{}]", facts.join("; ")));
    if let Some(summary) = thing.summaries.first() {
        line.push_str(&format!(": {}", safe(&summary.text)));
        if thing.summaries.len() > 1 || thing.sources.len() > 1 {
            line.push_str(&format!(" ({})", safe(&summary.agent)));
        }
    }
    line
}

/// A lesson, with its skill.
pub(super) fn lesson(lesson: &Lesson) -> String {
    format!("[{}] {}", safe(&lesson.skill), safe(&lesson.text))
}

/// A warning about the memory itself.
pub(super) fn warning(text: &str) -> String {
    format!("warning: {}", safe(text))
}

/// A workstream that is in flight here.
pub(super) fn workstream(work: &MergedWorkstream) -> String {
    let agents: Vec<String> = work.agents.iter().map(ToString::to_string).collect();
    let mut line = format!("in flight: {} [{}]", safe(&work.name), safe(&agents.join(", ")));
    if let Some(summary) = &work.summary {
        line.push_str(&format!(": {}", safe(summary)));
    }
    line
}

/// A session of work here.
pub(super) fn session(session: &Session, agent: &AgentId) -> String {
    let date = session
        .date
        .map_or_else(|| "undated".to_owned(), |day| day.to_string());
    format!("{date} {agent}: {}", safe(&session.key_actions.join("; ")))
}

/// What a session was doing when its conversation was compacted, and who noted it.
pub(super) fn in_flight(note: &Kept) -> Vec<String> {
    let agent = note.agent.as_deref().unwrap_or("the agent");
    let head = format!("before the compaction, noted by {} at {}", safe(agent), note.at);
    let request = note
        .request
        .iter()
        .map(|request| format!("{head}: the person asked: {}", safe(request)));
    let files = (!note.files.is_empty())
        .then(|| format!("{head}: files being edited: {}", safe(&note.files.join(", "))));
    request.chain(files).collect()
}
