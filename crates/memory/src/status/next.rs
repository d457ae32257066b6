use super::gather::STALE_DAYS;
use super::{Next, Status};

/// Whether the agents' stores were read a moment ago: then nobody is sent to read them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Synced {
    JustNow,
    Unknown,
}

impl Status {
    /// The same right after every agent's store was read: what to do next is never to read them again.
    #[must_use]
    pub fn after_sync(mut self) -> Status {
        self.next = next(&self, Synced::JustNow);
        self
    }
}

/// What to do next: first what is broken, then what is missing, then what is old.
pub(super) fn next(status: &Status, synced: Synced) -> Option<Next> {
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
        return say("ken status", format!("{}: {}", trouble.place, trouble.message));
    }
    if synced == Synced::JustNow {
        if status.counts.agents == 0 && status.counts.events == 0 && status.project.is_some() {
            return say(
                "ken learn \"what is worth remembering\"",
                "no agent's memory is on this machine, and nothing was learned here yet".to_owned(),
            );
        }
    } else if status.counts.agents == 0 {
        return say("ken sync", "no agent's memory was read yet".to_owned());
    } else if !status.stale_agents.is_empty() {
        return say(
            "ken sync",
            format!(
                "not read for {STALE_DAYS} days: {}",
                status.stale_agents.join(", ")
            ),
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
