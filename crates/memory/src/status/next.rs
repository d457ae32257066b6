use super::gather::STALE_DAYS;
use super::{Next, Status};
use crate::shown::shown_whole;

/// What stands around the memory on this machine and decides with it what is to be done next: what the one who asks
/// knows and a memory cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The agents whose stores are on this machine, by their ids; `None` when nobody looked. Without any there is
    /// nothing to sync.
    pub agents_here: Option<Vec<String>>,
    /// The agents on this machine that are not wired to ask this memory.
    pub unwired: Vec<String>,
    /// How many calls of hooks failed since somebody last looked.
    pub hook_failures: usize,
    /// Whether every agent's store was read a moment ago: then nobody is sent to read them again.
    pub just_synced: bool,
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

/// What to do next: first what is broken, then what is missing, then what is old.
pub(super) fn next(status: &Status, around: &Surroundings) -> Option<Next> {
    let say = |command: &str, why: String| {
        Some(Next {
            command: command.to_owned(),
            why,
        })
    };
    let broken = |part: &str| {
        status
            .troubles
            .iter()
            .find(|trouble| trouble.severity == "error" && trouble.place.contains(part))
    };
    if let Some(trouble) = broken("edicts.") {
        return say(
            "ken edict validate",
            format!("{} is not in force as it stands", trouble.place),
        );
    }
    if let Some(trouble) = broken(".l5.yaml").or_else(|| broken("library")) {
        return say(
            "ken library validate",
            format!("{} cannot be read in full", trouble.place),
        );
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
    if let Some(project) = &status.project {
        if project.carries_memory && !project.trusted {
            return say(
                "ken trust",
                "what this repository carries is not trusted on this machine yet".to_owned(),
            );
        }
        if !project.agent_folder {
            return say(
                "ken init",
                "this project has no .agent folder to learn into".to_owned(),
            );
        }
    }
    if let Some(trouble) = status.troubles.iter().find(|trouble| trouble.severity == "error") {
        return say("ken doctor", format!("{}: {}", trouble.place, trouble.message));
    }
    if !around.unwired.is_empty() {
        let agents = around.unwired.join(", ");
        let are = if around.unwired.len() == 1 { "is" } else { "are" };
        return say(
            "ken setup",
            format!("{agents} {are} on this machine and {are} not wired to ask this memory"),
        );
    }
    let to_sync = !around.just_synced && around.agents_here.as_ref().is_none_or(|here| !here.is_empty());
    if status.counts.agents == 0 && to_sync {
        return say("ken sync", "no agent's memory was read yet".to_owned());
    }
    if status.counts.agents == 0 && status.counts.events == 0 && status.project.is_some() {
        return say(
            "ken learn \"what is worth remembering\"",
            "no agent's memory is on this machine, and nothing was learned here yet".to_owned(),
        );
    }
    // An agent that is no longer here cannot be read again, however old its manifest is.
    let stale: Vec<&str> = status
        .stale_agents
        .iter()
        .filter(|agent| {
            around
                .agents_here
                .as_ref()
                .is_none_or(|here| here.contains(agent))
        })
        .map(String::as_str)
        .collect();
    if to_sync && !stale.is_empty() {
        return say(
            "ken sync",
            format!("not read for {STALE_DAYS} days: {}", stale.join(", ")),
        );
    }
    if !status.edicts_due.is_empty() {
        let number = status.edicts_due.len();
        let edicts = if number == 1 { "edict is" } else { "edicts are" };
        return say(
            "ken edict validate",
            format!("{number} {edicts} stale or about to expire"),
        );
    }
    None
}
