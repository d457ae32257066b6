use crate::*;

impl Memory {
    /// Which known things a text names, as far as the caller may see.
    pub fn recognise(&self, text: &str) -> Recognition {
        Recognition {
            looked_at: text.len(),
            text_bytes: text.len(),
            ..Recognition::default()
        }
    }

    /// Answers a question out of everything that is remembered. No query is an error.
    pub fn recall(&self, request: &RecallRequest) -> Recall {
        Recall {
            query: request.query.clone(),
            ..Recall::default()
        }
    }

    /// What should reach a prompt now. It never fails: what could not be read is in its notes.
    pub fn brief(&self, _request: &BriefRequest) -> Brief {
        Brief::default()
    }

    /// The brief that was given last, to one session or to any, as the local log remembers it.
    pub fn last_brief(&self, _session: Option<&str>) -> Option<Told> {
        None
    }

    /// Appends an observation to the project's log; durable when it returns.
    pub fn learn(&self, _request: LearnRequest) -> Result<Learned, Error> {
        Err(Error::NoProject)
    }

    /// The edicts in force.
    pub fn facts(&self, _request: &FactsRequest) -> Facts {
        Facts::default()
    }

    /// Who to ask about a name or topic.
    pub fn who_knows(&self, name: &str) -> WhoKnows {
        WhoKnows {
            name: name.to_owned(),
            ..WhoKnows::default()
        }
    }

    /// What was done lately.
    pub fn recent_work(&self, _request: &RecentRequest) -> Result<RecentWork, Error> {
        Ok(RecentWork::default())
    }

    /// Who is here, and what they can do; only agents with a capability that holds this word, or of this type.
    pub fn agents(&self, _capability: Option<&str>, _agent_type: Option<ken_library::AgentType>) -> Agents {
        Agents::default()
    }

    /// How things stand.
    pub fn status(&self) -> Status {
        Status::default()
    }
}
