use std::path::{Path, PathBuf};

use serde::Serialize;

use super::agent::Agent;
use super::part::{Part, parts};
use super::plan::{follow, read};
use super::reads::unread;
use super::receipt::Receipt;
use super::{Request, Scope};

/// How an agent is wired.
#[derive(Debug, Clone, Serialize)]
pub struct Inspection {
    /// Its id.
    pub agent: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Where a trace of it was found, if it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<PathBuf>,
    /// The scopes: the person's, and the project's where there is one.
    pub scopes: Vec<ScopeInspection>,
}

/// How an agent is wired in one scope.
#[derive(Debug, Clone, Serialize)]
pub struct ScopeInspection {
    /// Whose settings.
    pub scope: Scope,
    /// The parts, in the order in which setup writes them.
    pub parts: Vec<PartInspection>,
}

/// How one part of an agent's wiring stands.
#[derive(Debug, Clone, Serialize)]
pub struct PartInspection {
    /// `mcp`, the word of a hook's event, or `instructions`.
    pub part: &'static str,
    /// The file.
    pub file: PathBuf,
    /// How it stands.
    #[serde(flatten)]
    pub state: State,
    /// The command that puts it right; nothing where it is right, or where only the person can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// How a part stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", content = "why", rename_all = "lowercase")]
pub enum State {
    /// As `ken setup` writes it.
    Present,
    /// Not there.
    Missing,
    /// There, but not as this program would write it, and why.
    Stale(String),
    /// There, but the agent reads nothing in the file; the sentence, with its place and remedy.
    Unread(String),
    /// The file cannot be read or holds another's entry; the sentence, with its place and remedy.
    Broken(String),
}

impl State {
    /// Stale, because it starts another program.
    pub(super) fn other_program(program: &str) -> State {
        let path = Path::new(program);
        State::Stale(if path.is_absolute() && !path.exists() {
            format!("it starts {program}, which does not exist")
        } else {
            format!("it starts {program}, which is not this program")
        })
    }
}

impl ScopeInspection {
    /// Whether every part is as setup writes it.
    pub fn is_complete(&self) -> bool {
        self.parts.iter().all(|part| part.state == State::Present)
    }

    /// Whether no part is there.
    pub fn is_absent(&self) -> bool {
        self.parts.iter().all(|part| part.state == State::Missing)
    }
}

/// How an agent is wired, in the person's settings and in the project's. Reads only, and never fails: what cannot be
/// read is told as [`State::Broken`].
///
/// [`Request::scope`] does not matter.
pub fn inspect(agent: &'static Agent, request: &Request) -> Inspection {
    let scopes = [Scope::User, Scope::Project]
        .into_iter()
        .filter(|scope| *scope == Scope::User || request.project.is_some())
        .map(|scope| {
            in_scope(
                agent,
                &Request {
                    scope,
                    ..request.clone()
                },
            )
        })
        .collect();
    Inspection {
        agent: agent.id,
        title: agent.title,
        installed: request.installed(agent),
        scopes,
    }
}

fn in_scope(agent: &'static Agent, request: &Request) -> ScopeInspection {
    let user = if request.scope == Scope::User {
        " --user"
    } else {
        ""
    };
    let remedy = format!("ken setup {}{user}", agent.id);
    let mut inspected = Vec::new();
    for (part, file) in parts(agent, request) {
        let found = follow(&file).and_then(|real| Ok((read(&real)?, Receipt::read(&request.paths, &real))));
        let states = match found {
            Ok((bytes, receipt)) => {
                let bytes = bytes.unwrap_or_default();
                let mut states = part.look(&bytes, &file, request, receipt.as_ref());
                if let Some(why) = unread(part, &bytes, &file) {
                    let there = |state: &&mut State| matches!(state, State::Present | State::Stale(_));
                    let states = states.iter_mut().map(|(_, state)| state);
                    states
                        .filter(there)
                        .for_each(|state| *state = State::Unread(why.clone()));
                }
                states
            }
            Err(error) => {
                let mut states = part.look(&[], &file, request, None);
                states
                    .iter_mut()
                    .for_each(|(_, state)| *state = State::Broken(error.to_string()));
                states
            }
        };
        inspected.extend(states.into_iter().map(|(part, state)| PartInspection {
            part,
            file: file.clone(),
            remedy: matches!(state, State::Missing | State::Stale(_)).then(|| remedy.clone()),
            state,
        }));
    }
    ScopeInspection {
        scope: request.scope,
        parts: inspected,
    }
}

/// Whether the server's entry in the request's scope is one that setup wrote.
pub(super) fn server_is_ours(agent: &'static Agent, request: &Request) -> bool {
    parts(agent, request).into_iter().any(|(part, file)| {
        let states = || {
            let real = follow(&file).ok()?;
            let receipt = Receipt::read(&request.paths, &real);
            Some(part.look(&read(&real).ok()??, &file, request, receipt.as_ref()))
        };
        let there =
            |(_, state): &(_, State)| matches!(state, State::Present | State::Stale(_) | State::Unread(_));
        matches!(part, Part::Server(_)) && states().is_some_and(|states| states.iter().all(there))
    })
}

/// The sentence for an agent that is wired in the scope that was not asked for.
pub(super) fn wired_in_other_scope(agent: &Agent, request: &Request) -> Option<String> {
    let agent = super::agents().iter().find(|known| known.id == agent.id)?;
    let (scope, here, flag) = match request.scope {
        Scope::Project => (Scope::User, "your own settings", " --user"),
        Scope::User => (Scope::Project, "this project's settings", ""),
    };
    request.project.as_ref()?;
    let other = Request {
        scope,
        ..request.clone()
    };
    server_is_ours(agent, &other).then(|| {
        format!(
            "{} is set up in {here} already; once is enough: `ken unsetup {}{flag}` takes that one out",
            agent.title, agent.id
        )
    })
}
