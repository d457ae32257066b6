//! The one filter between the library and whoever asks: what does not pass here is not seen anywhere.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::forbidden::ForbiddenNames;
use crate::level::Caller;
use crate::manifest_read::ReadManifest;
use crate::model::{Entity, Manifest, Note, Row, Session, Workstream};
use crate::questions::Things;
use crate::screen::{Screen, Screened, screen};
use crate::visibility::{Effective, Reason, Rules, unread_rows};
use crate::{AgentId, AgentType, Loaded, Visibility};

/// A row that a caller may see. Only the filter makes one, so what can be shown has been through it.
#[derive(Clone)]
pub struct Visible<T> {
    source: Arc<ReadManifest>,
    row: Held<T>,
    effective: Effective,
}

enum Held<T> {
    /// The row as it stands in the manifest.
    There(fn(&Manifest) -> &[T], usize),
    /// The row without some references.
    Own(Box<T>),
}

impl<T: Clone> Clone for Held<T> {
    fn clone(&self) -> Self {
        match self {
            Held::There(rows, index) => Held::There(*rows, *index),
            Held::Own(row) => Held::Own(row.clone()),
        }
    }
}

/// The row alone: what stands beside it in the manifest may be above the caller's level.
impl<T: fmt::Debug> fmt::Debug for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visible")
            .field("agent", &self.agent().as_str())
            .field("row", &**self)
            .field("visibility", &self.effective)
            .finish()
    }
}

impl<T> Visible<T> {
    /// The agent whose manifest holds the row.
    pub fn agent(&self) -> &AgentId {
        &self.source.manifest.agent.id
    }

    /// How far the row may travel.
    pub fn visibility(&self) -> Visibility {
        self.effective.visibility
    }

    /// Why it may travel that far.
    pub fn reason(&self) -> Reason {
        self.effective.reason
    }
}

impl<T> Deref for Visible<T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.row {
            Held::There(rows, index) => &rows(&self.source.manifest)[*index],
            Held::Own(row) => row,
        }
    }
}

/// What a caller may know of an agent: its block and its capabilities, at level team and above.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AgentCard {
    /// The agent.
    pub agent: AgentId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: AgentType,
    /// The machine or deployment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// What it does among others of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_narrative: Option<String>,
    /// What it offers.
    pub capabilities: Vec<String>,
    /// When its manifest was last regenerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<jiff::Timestamp>,
}

/// The library as one caller may see it. It owns what it needs and can be kept.
pub struct View {
    caller: Caller,
    forbidden: ForbiddenNames,
    agents: Vec<Visible<AgentCard>>,
    entities: Vec<Visible<Entity>>,
    sessions: Vec<Visible<Session>>,
    workstreams: Vec<Visible<Workstream>>,
    notes: Vec<Visible<Note>>,
    things: OnceLock<Things>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("caller", &self.caller)
            .field("agents", &self.agents)
            .field("entities", &self.entities)
            .field("sessions", &self.sessions)
            .field("workstreams", &self.workstreams)
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}

impl Loaded {
    /// Everything that this caller may see. Every read that leaves the library goes through here.
    pub fn view(&self, caller: &Caller) -> View {
        let rules: Vec<Rules> = self
            .manifests
            .iter()
            .map(|read| Rules::of(&read.manifest, caller.place()))
            .collect();
        let forbidden = self.forbidden(&rules, caller);
        let mut view = View {
            caller: caller.clone(),
            forbidden,
            agents: Vec::new(),
            entities: Vec::new(),
            sessions: Vec::new(),
            workstreams: Vec::new(),
            notes: Vec::new(),
            things: OnceLock::new(),
        };
        for (source, rules) in self.manifests.iter().zip(&rules) {
            let filter = Filter {
                source,
                rules,
                caller,
                forbidden: &view.forbidden,
            };
            filter.rows(|manifest| &manifest.entities, &mut view.entities);
            filter.rows(|manifest| &manifest.sessions, &mut view.sessions);
            filter.rows(|manifest| &manifest.workstreams, &mut view.workstreams);
            filter.rows(|manifest| &manifest.notes, &mut view.notes);
            view.agents.extend(filter.agent());
        }
        view
    }

    /// The names above the caller's level that no row within it bears.
    fn forbidden(&self, rules: &[Rules], caller: &Caller) -> ForbiddenNames {
        let (mut hidden, mut shown) = (Vec::new(), Vec::new());
        for (read, rules) in self.manifests.iter().zip(rules) {
            let manifest = &read.manifest;
            // Every row names its agent, so an agent's id is no secret.
            shown.push(manifest.agent.id.as_str());
            for row in &manifest.entities {
                sort_names(row, rules.shows(row, caller), &mut hidden, &mut shown);
            }
            for row in &manifest.workstreams {
                sort_names(row, rules.shows(row, caller), &mut hidden, &mut shown);
            }
            if caller.level() < crate::AccessLevel::Private {
                unread_rows(manifest).for_each(|node| names_in(node, &mut hidden));
            }
        }
        ForbiddenNames::new(hidden, shown)
    }
}

fn sort_names<'a>(row: &'a impl Row, shows: bool, hidden: &mut Vec<&'a str>, shown: &mut Vec<&'a str>) {
    if shows {
        shown.extend(row.names());
    } else {
        hidden.extend(row.names());
        // Aliases that could not be read as a list are names all the same.
        if let Some(aliases) = row.extra().get("aliases") {
            aliases.each_scalar(&mut |alias| hidden.push(alias));
        }
    }
}

/// What stands under `name` and `aliases` in rows that could not be read.
fn names_in<'a>(node: &'a crate::tree::Node, names: &mut Vec<&'a str>) {
    use crate::tree::Value;
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| names_in(item, names)),
        Value::Map(entries) => entries
            .iter()
            .filter(|entry| matches!(entry.key.text.as_str(), "name" | "aliases"))
            .for_each(|entry| entry.node.each_scalar(&mut |name| names.push(name))),
        Value::Scalar(_) => {}
    }
}

/// The filter for one manifest.
struct Filter<'a> {
    source: &'a Arc<ReadManifest>,
    rules: &'a Rules,
    caller: &'a Caller,
    forbidden: &'a ForbiddenNames,
}

impl Filter<'_> {
    fn rows<T: Row + Screen>(&self, rows: fn(&Manifest) -> &[T], out: &mut Vec<Visible<T>>) {
        for (index, row) in rows(&self.source.manifest).iter().enumerate() {
            let effective = self.rules.effective(row);
            if !self.caller.level().reaches(effective.visibility) {
                continue;
            }
            let row = match screen(row, self.forbidden) {
                Screened::Whole => Held::There(rows, index),
                Screened::Reduced(row) => Held::Own(Box::new(row)),
                Screened::Withheld => continue,
            };
            out.push(Visible {
                source: Arc::clone(self.source),
                row,
                effective,
            });
        }
    }

    fn agent(&self) -> Option<Visible<AgentCard>> {
        if !self.caller.level().reaches(Visibility::Team) {
            return None;
        }
        let manifest = &self.source.manifest;
        let fine = |text: &String| !self.forbidden.mentioned_in(text);
        let card = AgentCard {
            agent: manifest.agent.id.clone(),
            kind: manifest.agent.kind,
            instance: manifest.agent.instance.clone().filter(fine),
            role_narrative: manifest.agent.role_narrative.clone().filter(fine),
            capabilities: manifest
                .capabilities
                .iter()
                .filter(|word| fine(word))
                .cloned()
                .collect(),
            last_updated: manifest.last_updated,
        };
        Some(Visible {
            source: Arc::clone(self.source),
            row: Held::Own(Box::new(card)),
            effective: Effective {
                visibility: Visibility::Team,
                reason: Reason::Default,
            },
        })
    }
}

impl View {
    /// Who asked.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Names that must not be shown to this caller in anything else either: events, lessons, edicts.
    pub fn forbidden(&self) -> &ForbiddenNames {
        &self.forbidden
    }

    /// The agents, by id. Empty below level team.
    pub fn agents(&self) -> &[Visible<AgentCard>] {
        &self.agents
    }

    /// The entities, by agent, in each manifest's order.
    pub fn entities(&self) -> &[Visible<Entity>] {
        &self.entities
    }

    /// The sessions, by agent, in each manifest's order.
    pub fn sessions(&self) -> &[Visible<Session>] {
        &self.sessions
    }

    /// The workstreams, by agent, in each manifest's order.
    pub fn workstreams(&self) -> &[Visible<Workstream>] {
        &self.workstreams
    }

    /// The notes, by agent, in each manifest's order.
    pub fn notes(&self) -> &[Visible<Note>] {
        &self.notes
    }

    /// Whether the caller sees anything of this agent.
    pub fn knows(&self, agent: &AgentId) -> bool {
        fn any<T>(rows: &[Visible<T>], agent: &AgentId) -> bool {
            rows.iter().any(|row| row.agent() == agent)
        }
        any(&self.agents, agent)
            || any(&self.entities, agent)
            || any(&self.sessions, agent)
            || any(&self.workstreams, agent)
            || any(&self.notes, agent)
    }

    pub(crate) fn things(&self) -> &Things {
        self.things.get_or_init(|| Things::of(self))
    }
}
