use std::path::Path;

use super::gather::{EXPIRING, STALE, STALE_DAYS};
use super::{Next, Status};
use crate::shown::shown_whole;

/// What stands around the memory on this machine and decides with it what is to be done next: what the one who asks
/// knows and a memory cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The agents whose stores are on this machine and can be read, by their ids; `None` when nobody looked. Without any
    /// there is nothing to sync.
    pub agents_here: Option<Vec<String>>,
    /// Those of them whose stores were read within the last 14 days, whatever was found: one that told nothing then is
    /// not worth reading again.
    pub read_lately: Vec<String>,
    /// Why the stores of agents that are on this machine cannot be read, one sentence each.
    pub unreadable: Vec<String>,
    /// The agents on this machine that are not wired to ask this memory.
    pub unwired: Vec<String>,
    /// The agents on this machine that are wired, but not as they should be.
    pub ill_wired: Vec<IllWired>,
    /// How many calls of hooks failed since somebody last looked.
    pub hook_failures: usize,
    /// Whether every agent's store was read a moment ago: then nobody is sent to read them again.
    pub just_synced: bool,
}

/// An agent whose wiring has a part that is missing, is another program's, or cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IllWired {
    /// What is wrong, one sentence.
    pub why: String,
    /// The command that puts it right; nothing where only the person can.
    pub remedy: Option<String>,
}

impl Status {
    /// The same with the next thing to do as these surroundings have it.
    #[must_use]
    pub fn with_surroundings(mut self, around: &Surroundings) -> Status {
        self.next = next(&self, around).map(shown_whole);
        self
    }

    /// The same right after every agent's store was read.
    #[must_use]
    pub fn after_sync(self) -> Status {
        self.with_surroundings(&Surroundings {
            just_synced: true,
            ..Surroundings::default()
        })
    }
}

/// What to do next: first what is broken, then what is missing, then what is old. Whatever it names can be done as it is
/// written, where the status was asked for.
pub(super) fn next(status: &Status, around: &Surroundings) -> Option<Next> {
    broken(status, around)
        .or_else(|| missing(status, around))
        .or_else(|| old(status, around))
}

fn say(command: impl Into<String>, why: impl Into<String>) -> Option<Next> {
    Some(Next {
        command: command.into(),
        why: why.into(),
    })
}

fn broken(status: &Status, around: &Surroundings) -> Option<Next> {
    let errors = || {
        status
            .troubles
            .iter()
            .filter(|trouble| trouble.severity == "error")
    };
    let edicts = status
        .project
        .as_ref()
        .and_then(|project| project.edicts_file.as_deref());
    if let Some(trouble) = errors().find(|trouble| edicts.is_some_and(|file| trouble.place.starts_with(file)))
    {
        return say(
            "ken edict validate",
            format!("{} is not in force as it stands", trouble.place),
        );
    }
    if let Some(trouble) = errors().find(|trouble| is_of_library(&trouble.place, &status.library)) {
        return say(
            "ken library validate",
            format!("{} cannot be read in full", trouble.place),
        );
    }
    if let Some(trouble) = errors().next() {
        return say("ken doctor", format!("{}: {}", trouble.place, trouble.message));
    }
    if let Some(why) = around.unreadable.first() {
        return say("ken doctor", why);
    }
    if around.hook_failures > 0 {
        let number = around.hook_failures;
        let calls = if number == 1 {
            "call of a hook"
        } else {
            "calls of hooks"
        };
        return say("ken doctor", format!("{number} {calls} failed"));
    }
    let ill = around.ill_wired.first()?;
    say(ill.remedy.as_deref().unwrap_or("ken doctor"), &ill.why)
}

/// Whether a trouble is one of a manifest, so that the library's own validation finds it.
fn is_of_library(place: &str, library: &str) -> bool {
    place == "library" || place == library || Path::new(place).starts_with(Path::new(library).join("agents"))
}

fn missing(status: &Status, around: &Surroundings) -> Option<Next> {
    if let Some(project) = &status.project {
        if project.carries_memory && !project.trusted {
            return say(
                "ken trust",
                "what this repository carries is not trusted on this machine yet",
            );
        }
        if !project.agent_folder {
            return say("ken up", "this project has no .agent folder to learn into");
        }
    }
    if !around.unwired.is_empty() {
        let agents = around.unwired.join(", ");
        let are = if around.unwired.len() == 1 { "is" } else { "are" };
        return say(
            match status.project {
                Some(_) => "ken setup",
                None => "ken setup --user",
            },
            format!("{agents} {are} on this machine and {are} not wired to ask this memory"),
        );
    }
    if status.counts.agents > 0 {
        return None;
    }
    if to_sync(around).is_none_or(|mut agents| agents.next().is_some()) {
        return say("ken sync", "no agent's memory was read yet");
    }
    match status.project {
        Some(_) if status.counts.events == 0 => say(
            "ken learn \"what is worth remembering\"",
            "no agent's memory is on this machine, and nothing was learned here yet",
        ),
        Some(_) => None,
        None => say(
            "ken up",
            "nothing is known yet; go into a repository and say it there, for what is learned is kept there",
        ),
    }
}

/// The agents whose stores may tell something new; `None` when nobody looked which are here.
fn to_sync(around: &Surroundings) -> Option<impl Iterator<Item = &String>> {
    let here = match &around.agents_here {
        None if !around.just_synced => return None,
        here => here.iter().flatten(),
    };
    Some(here.filter(|agent| !around.just_synced && !around.read_lately.contains(agent)))
}

fn old(status: &Status, around: &Surroundings) -> Option<Next> {
    // An agent that is no longer here cannot be read again, however old its manifest is.
    let to_read: Option<Vec<&String>> = to_sync(around).map(Iterator::collect);
    let stale: Vec<&str> = status
        .stale_agents
        .iter()
        .filter(|agent| to_read.as_ref().is_none_or(|to_read| to_read.contains(agent)))
        .map(String::as_str)
        .collect();
    if !stale.is_empty() {
        return say(
            "ken sync",
            format!("not read for {STALE_DAYS} days: {}", stale.join(", ")),
        );
    }
    // What is ephemeral passes by itself, and is not worth a person's look each time.
    let expiring = status
        .edicts_due
        .iter()
        .filter(|due| due.why == EXPIRING && due.ttl != "ephemeral")
        .min_by_key(|due| due.when);
    if let Some(due) = expiring {
        let when = due.when.map(|at| format!(" at {at}")).unwrap_or_default();
        return say(
            &due.next,
            format!("it expires{when}; say how long it still holds, or leave it to expire"),
        );
    }
    let stale = status.edicts_due.iter().find(|due| due.why == STALE)?;
    let when = stale.when.map(|at| format!(" since {at}")).unwrap_or_default();
    say(
        &stale.next,
        format!("nobody confirmed it{when}; say so if it still holds"),
    )
}

/// An id as a shell and the command line take it.
pub(super) fn argument(id: &str) -> String {
    let plain = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || "._:/@+-".contains(c));
    let quoted = if plain {
        id.to_owned()
    } else {
        format!("'{}'", id.replace('\'', r"'\''"))
    };
    if id.starts_with('-') {
        format!("-- {quoted}")
    } else {
        quoted
    }
}
