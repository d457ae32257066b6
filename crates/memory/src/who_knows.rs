use std::collections::BTreeMap;
use std::sync::Arc;

use ken_library::questions::{Because, Thing, find};
use ken_library::{Session, View, Visible};
use ken_text::recognise::Reading;
use serde::Serialize;

use crate::names::key;
use crate::shown::shown_whole;
use crate::sources::LibraryRead;
use crate::{Memory, SessionLine, Summary, ThingKind};

/// A thing of the library by its name: everything that agents say about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownThing {
    /// The spelling most agents use.
    pub name: String,
    /// Its types, distinct.
    pub types: Vec<String>,
    /// The agents that know it, sorted.
    pub agents: Vec<String>,
    /// What each of them says.
    pub summaries: Vec<Summary>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// First day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Last day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// The day anybody touched it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_touched: Option<String>,
}

/// An agent that can be asked, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Knower {
    /// The agent's id.
    pub agent: String,
    /// Its type, as far as the caller may know it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// Why it is named: the thing it describes, a session, its role, a capability. Strongest first.
    pub why: Vec<String>,
    /// The day of its last session on the matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_session: Option<String>,
}

/// The answer to "who should I ask about this?". A name that the caller may not see answers exactly as one that was
/// never there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WhoKnows {
    /// What was asked.
    pub name: String,
    /// The things of that name.
    pub things: Vec<KnownThing>,
    /// Whom to ask, best first.
    pub agents: Vec<Knower>,
    /// The last sessions on the matter, newest first, at most five.
    pub sessions: Vec<SessionLine>,
    /// Sentences for the reader: manifests that could not be read.
    pub notes: Vec<String>,
}

/// So many sessions are shown.
const SESSIONS: usize = 5;
/// So many things are shown when only their summaries speak of the topic.
const THINGS: usize = 10;

impl Memory {
    /// Who to ask about a name or topic, and what they say: the things of that name, else those that the topic names,
    /// else those whose summaries speak of it; agents by what they describe, did, offer and are for.
    pub fn who_knows(&self, name: &str) -> WhoKnows {
        let library = self.library();
        let view = &library.view;
        let found = find(view, name, None);
        let mut things = found.things;
        if things.is_empty() {
            things = self.named_things(name, &library);
        }
        if things.is_empty() {
            things = speaking_of(view, name);
        }
        let sessions = sessions_on(view, name, &things);
        let mut knowers: BTreeMap<String, Knowledge> = BTreeMap::new();
        for thing in &things {
            for agent in &thing.agents {
                knowers
                    .entry(agent.to_string())
                    .or_default()
                    .say(DESCRIBES, format!("describes {}", thing.name));
            }
        }
        for session in &sessions {
            let date = session.date.map(|day| day.to_string());
            let knower = knowers.entry(session.agent().to_string()).or_default();
            if knower.last_session.is_none() {
                let day = date
                    .clone()
                    .unwrap_or_else(|| "a day that is not known".to_owned());
                knower.say(WORKED, format!("worked on it, last on {day}"));
                knower.last_session = date;
            }
        }
        for ask in &found.ask {
            let knower = knowers.entry(ask.agent.to_string()).or_default();
            match &ask.because {
                Because::Capability(capability) => {
                    knower.say(OFFERS, format!("offers {capability}"));
                }
                Because::Role(role) => {
                    knower.say(ROLE, format!("its role: {role}"));
                }
            }
        }
        let mut knowers: Vec<(String, Knowledge)> = knowers.into_iter().collect();
        knowers.sort_by(|(_, a), (_, b)| {
            b.strength
                .cmp(&a.strength)
                .then_with(|| b.last_session.cmp(&a.last_session))
        });
        shown_whole(WhoKnows {
            name: name.to_owned(),
            agents: knowers
                .into_iter()
                .map(|(agent, knowledge)| Knower {
                    agent_type: view
                        .agents()
                        .iter()
                        .find(|card| card.agent.as_str() == agent)
                        .map(|card| card.kind.to_string()),
                    agent,
                    why: knowledge.why,
                    last_session: knowledge.last_session,
                })
                .collect(),
            things: things.iter().map(KnownThing::of).collect(),
            sessions: sessions.into_iter().take(SESSIONS).map(SessionLine::of).collect(),
            notes: self.notes_of(&library),
        })
    }
}

impl Memory {
    /// The things that a topic names somewhere in its words.
    fn named_things(&self, topic: &str, library: &Arc<LibraryRead>) -> Vec<Thing> {
        let named = self.recognise_as_written(topic, library, &self.carried(), Reading::Names);
        let mut things: Vec<Thing> = Vec::new();
        for found in named.recognised {
            if !matches!(found.kind, ThingKind::Entity | ThingKind::Workstream) {
                continue;
            }
            // The one that was named, and not the one that took its place.
            let name = found.formerly.first().unwrap_or(&found.name);
            for thing in find(&library.view, name, None).things {
                if !things.iter().any(|known| key(&known.name) == key(&thing.name)) {
                    things.push(thing);
                }
            }
        }
        things
    }
}

const DESCRIBES: u32 = 4;
const WORKED: u32 = 3;
const OFFERS: u32 = 2;
const ROLE: u32 = 1;

#[derive(Default)]
struct Knowledge {
    strength: u32,
    why: Vec<String>,
    last_session: Option<String>,
}

impl Knowledge {
    fn say(&mut self, strength: u32, why: String) {
        self.strength += strength;
        self.why.push(why);
    }
}

/// The things whose name or summary holds every word of a topic.
fn speaking_of(view: &View, topic: &str) -> Vec<Thing> {
    let wanted = ken_text::terms(topic);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<&str> = Vec::new();
    for row in view.entities() {
        let said = format!("{}\n{}", row.name, row.summary.as_deref().unwrap_or_default());
        let terms = ken_text::terms(&said);
        if wanted.iter().all(|term| terms.contains(term))
            && !names.iter().any(|known| key(known) == key(&row.name))
        {
            names.push(&row.name);
            if names.len() == THINGS {
                break;
            }
        }
    }
    names
        .into_iter()
        .filter_map(|name| find(view, name, None).things.into_iter().next())
        .collect()
}

/// The sessions on a matter, newest first: those about one of its things, and those that hold every word of it.
fn sessions_on<'v>(view: &'v View, topic: &str, things: &[Thing]) -> Vec<&'v Visible<Session>> {
    let names: Vec<String> = things
        .iter()
        .flat_map(|thing| std::iter::once(&thing.name).chain(&thing.aliases))
        .map(|name| key(name))
        .chain([key(topic)])
        .collect();
    let wanted = ken_text::terms(topic);
    let mut sessions: Vec<&Visible<Session>> = view
        .sessions()
        .iter()
        .filter(|session| {
            session
                .project_focus
                .iter()
                .any(|focus| names.contains(&key(focus)))
                || {
                    let said = session.key_actions.join("\n");
                    let terms = ken_text::terms(&said);
                    !wanted.is_empty() && wanted.iter().all(|term| terms.contains(term))
                }
        })
        .collect();
    sessions.sort_by(|a, b| b.date.cmp(&a.date).then_with(|| a.agent().cmp(b.agent())));
    sessions
}

impl KnownThing {
    fn of(thing: &Thing) -> KnownThing {
        KnownThing {
            name: thing.name.clone(),
            types: thing.types.clone(),
            agents: thing.agents.iter().map(ToString::to_string).collect(),
            summaries: thing
                .summaries
                .iter()
                .filter_map(|summary| {
                    Some(Summary {
                        agent: summary.agent.to_string(),
                        text: summary.summary.clone()?,
                    })
                })
                .collect(),
            aliases: thing.aliases.clone(),
            tags: thing.tags.clone(),
            valid_from: thing.valid_from.map(|day| day.to_string()),
            valid_to: thing.valid_to.map(|day| day.to_string()),
            last_touched: thing.last_touched.map(|day| day.to_string()),
        }
    }
}
