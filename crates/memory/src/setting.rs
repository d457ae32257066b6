use ken_files::{Clock, Paths};
use ken_library::{AgentId, Caller, Grant, Place};

use crate::Project;

/// How much a brief may say, in prompt tokens. The edicts' own budget stands in their file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budgets {
    /// Lessons at session start.
    pub lessons_tokens: usize,
    /// Everything at session start that is neither edict nor lesson.
    pub rest_tokens: usize,
    /// A prompt's whole brief.
    pub prompt_tokens: usize,
}

impl Default for Budgets {
    fn default() -> Budgets {
        Budgets {
            lessons_tokens: 800,
            rest_tokens: 400,
            prompt_tokens: 450,
        }
    }
}

/// Where, when and for whom questions are answered.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Where things live on this machine.
    pub paths: Paths,
    /// What time it is.
    pub clock: Clock,
    /// The project one stands in, if any.
    pub project: Option<Project>,
    /// Who asks: what may be shown.
    pub caller: Caller,
    /// The agent that asks, under whose name observations are written.
    pub agent: Option<AgentId>,
    /// How much a brief may say.
    pub budgets: Budgets,
    /// Whether the person lets agents propose facts.
    pub proposals: bool,
}

impl Setting {
    /// The person at the command line, in a project or outside any.
    pub fn person(paths: Paths, clock: Clock, project: Option<Project>) -> Setting {
        Setting {
            paths,
            clock,
            project,
            caller: Caller::person(),
            agent: None,
            budgets: Budgets::default(),
            proposals: false,
        }
    }

    /// The same for another caller.
    #[must_use]
    pub fn with_caller(self, caller: Caller, agent: Option<AgentId>) -> Setting {
        Setting {
            caller,
            agent,
            ..self
        }
    }

    /// Whether the caller may read the project's events: everyone on this machine, and a remote caller whose token
    /// names the project.
    pub(crate) fn may_read_events(&self) -> bool {
        match (&self.project, self.caller.place()) {
            (None, _) => false,
            (Some(_), Place::Local) => true,
            (Some(project), Place::Remote) => self
                .caller
                .grants()
                .iter()
                .any(|grant| matches!(grant, Grant::Events(name) if *name == project.name)),
        }
    }
}
