//! One line of a brief for each kind of thing, fenced and attributed.

use std::fmt::Display;

use jiff::Timestamp;
use ken_dotagent::Lesson;
use ken_edicts::{Confidence, Edict};
use ken_library::questions::MergedWorkstream;
use ken_library::{AgentId, Session};
use ken_text::fence::one_line;
use ken_text::tokens::prompt_tokens;

use super::{Kept, SectionKind};
use crate::shown::{cut, shown};
use crate::{Recognised, ThingKind};

/// A summary or lesson longer than this is cut in a brief, in characters and in tokens; the whole of it is found by
/// recall.
const LONGEST: usize = 400;
const LONGEST_TOKENS: usize = 100;
/// A label (a name, a category, a type) is cut earlier, and of several so many are told.
const LONGEST_LABEL: usize = 80;
const MOST_LABELS: usize = 4;

/// A text made safe for a prompt: credentials replaced, one line, nothing in it that could leave its fence. Long ones are
/// cut.
fn safe(text: &str) -> String {
    let (text, _) = cut(one_line(&shown(text)), LONGEST);
    if prompt_tokens(&text) <= LONGEST_TOKENS {
        return text;
    }
    // Only where characters are tokens; a cut by as many characters is within both bounds.
    cut(text, LONGEST_TOKENS).0
}

fn label(text: &str) -> String {
    cut(one_line(&shown(text)), LONGEST_LABEL).0
}

/// Several labels, the first ones.
fn labels<'l>(labels: impl IntoIterator<Item = &'l String>) -> String {
    let mut labels: Vec<String> = labels.into_iter().map(|text| label(text)).collect();
    let more = labels.len().saturating_sub(MOST_LABELS);
    labels.truncate(MOST_LABELS);
    let all = labels.join(", ");
    if more > 0 {
        format!("{all} and {more} more")
    } else {
        all
    }
}

/// An edict in force. It is never cut, for half a fact can say the opposite: one that is too long for a section of so
/// many tokens is said to be there, and how to read it. One that nobody confirmed for long says since when.
pub(super) fn edict(edict: &Edict, stale: bool, budget: usize) -> String {
    let category = label(edict.category.as_str());
    let text = one_line(&shown(&edict.text));
    let conclusion = (edict.confidence == Confidence::Inferred).then(|| "an agent's conclusion".to_owned());
    // Who types a fact by hand says nothing of where it comes from, and the word for it says nothing either.
    let source = cut(one_line(&shown(&edict.source)), LONGEST_SOURCE).0;
    let source = (!source.is_empty() && source != BY_HAND).then(|| format!("from {source}"));
    let old = stale.then(|| format!("last confirmed {}", edict.updated.strftime("%Y-%m-%d")));
    let until = edict.expires_at.map(|at| format!("until {}", to_the_minute(at)));
    let with = |said: &[&Option<String>]| {
        let said: Vec<&str> = said.iter().filter_map(|said| said.as_deref()).collect();
        if said.is_empty() {
            format!("[{category}] {text}")
        } else {
            format!("[{category}] {text} ({})", said.join("; "))
        }
    };
    // Where it does not fit, the fact is worth more than its source.
    for line in [
        with(&[&conclusion, &source, &old, &until]),
        with(&[&conclusion, &old, &until]),
    ] {
        if SectionKind::Facts.cost_with(&line) <= budget {
            return line;
        }
    }
    let id = label(edict.id.as_str());
    let length = edict.text.chars().count();
    format!("[{category}] a fact of {length} characters, too long to stand here (`ken edict get {id}`)")
}

/// The source of an edict that names none.
const BY_HAND: &str = "manual";
/// A source stands beside a fact that needs the room.
const LONGEST_SOURCE: usize = 40;

/// A time as a brief tells it: what comes after the minutes costs more than it says.
fn to_the_minute(at: Timestamp) -> impl Display {
    at.strftime("%Y-%m-%dT%H:%MZ")
}

/// Whether a thing's line says more than that it is known: at a prompt that is an answer, at a session's start nobody
/// asked.
pub(super) fn says_something(thing: &Recognised) -> bool {
    !thing.summaries.is_empty() || !thing.formerly.is_empty() || thing.past
}

/// A thing that was recognised: what it is, who knows it, what they say.
pub(super) fn known(thing: &Recognised) -> String {
    let mut line = label(&thing.name);
    if !thing.formerly.is_empty() {
        line.push_str(&format!(" (formerly {})", labels(&thing.formerly)));
    }
    let mut facts: Vec<String> = match thing.kind {
        ThingKind::Workstream => vec!["workstream".to_owned()],
        _ => thing
            .types
            .iter()
            .take(MOST_LABELS)
            .map(|kind| label(kind))
            .collect(),
    };
    facts.extend(thing.status.iter().map(|status| label(status)));
    if let Some(until) = thing.valid_to.as_ref().filter(|_| thing.past) {
        facts.push(format!("valid until {}", label(until)));
    }
    facts.push(format!("known to {}", labels(&thing.sources)));
    line.push_str(&format!(" [{}]", facts.join("; ")));
    if let Some(summary) = thing.summaries.first() {
        line.push_str(&format!(": {}", safe(&summary.text)));
        if thing.summaries.len() > 1 || thing.sources.len() > 1 {
            line.push_str(&format!(" ({})", label(&summary.agent)));
        }
    }
    line
}

/// A lesson, with its skill, and through which programs it was learned.
pub(super) fn lesson(lesson: &Lesson) -> String {
    let mut line = format!("[{}] {}", label(&lesson.skill), safe(&lesson.text));
    let harnesses = lesson.facts.iter().flat_map(|facts| &facts.harnesses);
    let harnesses: Vec<String> = harnesses.map(ToString::to_string).collect();
    if !harnesses.is_empty() {
        line.push_str(&format!(" ({})", labels(&harnesses)));
    }
    line
}

/// A warning about the memory itself.
pub(super) fn warning(text: &str) -> String {
    format!("warning: {}", safe(text))
}

/// A workstream that is in flight here.
pub(super) fn workstream(work: &MergedWorkstream) -> String {
    let agents: Vec<String> = work.agents.iter().map(ToString::to_string).collect();
    let mut line = format!("in flight: {} [{}]", label(&work.name), labels(&agents));
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
    let head = format!(
        "before the compaction, noted by {} at {}",
        label(agent),
        to_the_minute(note.at)
    );
    let request = note
        .request
        .iter()
        .map(|request| format!("{head}: the person asked: {}", safe(request)));
    let files = (!note.files.is_empty())
        .then(|| format!("{head}: files being edited: {}", safe(&note.files.join(", "))));
    request.chain(files).collect()
}
