//! The brief: what reaches a prompt by itself, and mostly nothing.

mod choice;
mod layout;
mod lines;
mod request;
mod told;
mod touch;

pub use request::{Brief, BriefRequest, Section, SectionKind, Situation, Told};

use std::collections::HashSet;

use layout::{Candidates, fit};
use told::{Record, fingerprint};

use crate::Memory;
use crate::shown::{shown, shown_whole};

impl Memory {
    /// What should reach a prompt now. Silence is the default: a prompt that names or touches nothing known gets an
    /// empty text. Nothing is said twice in a session, and everything that is said is kept in a local log.
    ///
    /// It never fails: what could not be read is in its notes.
    pub fn brief(&self, request: &BriefRequest) -> Brief {
        let record = Record::new(&self.setting.paths.state);
        if let (Situation::AfterCompaction, Some(session)) = (&request.situation, &request.session) {
            record.forget(session);
        }
        if let Some(untrusted) = self.untrusted() {
            return shown_whole(say_once(untrusted, request, &record));
        }
        let mut notes = self.library_notes();
        let mut candidates = match &request.situation {
            Situation::SessionStart | Situation::AfterCompaction => self.session_candidates(&mut notes),
            Situation::Prompt(prompt) => self.prompt_candidates(prompt, &mut notes),
        };
        for line in candidates.iter_mut().flat_map(|section| &mut section.lines) {
            *line = shown(line);
        }
        let told_before = match &request.session {
            Some(session) => leave_out_known(&mut candidates, &record.known(session)),
            None => 0,
        };
        let own_total = match request.situation {
            Situation::Prompt(_) => self.setting.budgets.prompt_tokens,
            _ => candidates
                .iter()
                .map(|section| section.budget)
                .fold(self.setting.budgets.rest_tokens, usize::saturating_add),
        };
        let total = request.budget.map_or(own_total, |cap| cap.min(own_total));
        let layout = fit(&candidates, total);
        let brief = shown_whole(Brief {
            text: layout.text,
            tokens: layout.tokens,
            sections: layout.sections,
            left_out: layout.left_out,
            told_before,
            untrusted: None,
            notes,
        });
        if !brief.text.is_empty() {
            self.remember(request, &brief, &record);
        }
        brief
    }

    /// The brief that was given last, to one session or to any, as the local log remembers it.
    pub fn last_brief(&self, session: Option<&str>) -> Option<Told> {
        Record::new(&self.setting.paths.state)
            .last(session)
            .map(shown_whole)
    }

    fn remember(&self, request: &BriefRequest, brief: &Brief, record: &Record) {
        if let Some(session) = &request.session {
            record.tell(session, brief.sections.iter().flat_map(|section| &section.lines));
        }
        if request.situation == Situation::SessionStart {
            record.sweep();
        }
        record.log(&Told {
            at: self.setting.clock.now(),
            session: request.session.clone(),
            agent: self.setting.agent.as_ref().map(ToString::to_string),
            project: self
                .setting
                .project
                .as_ref()
                .map(|project| project.root.display().to_string()),
            situation: request.situation.as_str().to_owned(),
            text: brief.text.clone(),
            tokens: brief.tokens,
        });
    }
}

impl Situation {
    /// As it stands in the log.
    pub fn as_str(&self) -> &'static str {
        match self {
            Situation::SessionStart => "session_start",
            Situation::Prompt(_) => "prompt",
            Situation::AfterCompaction => "after_compaction",
        }
    }
}

/// The one sentence about a repository that nobody trusted: once in a session.
fn say_once(untrusted: String, request: &BriefRequest, record: &Record) -> Brief {
    if let Some(session) = &request.session {
        if record.known(session).contains(&fingerprint(&untrusted)) {
            return Brief {
                told_before: 1,
                ..Brief::default()
            };
        }
        record.tell(session, std::iter::once(&untrusted));
    }
    Brief {
        untrusted: Some(untrusted),
        ..Brief::default()
    }
}

/// Takes out what the session was told before, and says how much that was.
fn leave_out_known(candidates: &mut [Candidates], known: &HashSet<String>) -> usize {
    let mut told = 0;
    for section in candidates {
        let before = section.lines.len();
        section.lines.retain(|line| !known.contains(&fingerprint(line)));
        told += before - section.lines.len();
    }
    told
}
