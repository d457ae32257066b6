//! The brief: what reaches a prompt by itself, and mostly nothing.

mod choice;
mod function_words;
mod in_flight;
mod layout;
mod lines;
mod request;
mod sessions;
mod told;
mod touch;

pub use in_flight::InFlight;
pub(crate) use in_flight::Kept;
pub use request::{Brief, BriefRequest, Section, SectionKind, Situation, Told};
pub(crate) use touch::Subjects;

use std::collections::HashSet;

use ken_library::Place;
use ken_text::fence::one_line;

use layout::{Bound, Candidates, fit};
use sessions::{Sessions, fingerprint};
use told::Record;

use crate::shown::{shown, shown_whole};
use crate::{Error, Memory};

/// A prompt's brief has at most so many characters for each token of its budget (1,800 for 450), however its text is
/// counted.
const CHARACTERS_OF_A_TOKEN: usize = 4;

impl Memory {
    /// What should reach a prompt now. Silence is the default: a prompt that names or touches nothing known gets an
    /// empty text, and nothing is said twice in a session.
    ///
    /// It never fails: what could not be read is in its notes. It does not yet count as told: whoever gave the brief out
    /// says so with [`Memory::told`], so that a caller who gave up half-way leaves nothing unsaid for good. One who must
    /// not repeat itself asks [`Memory::can_note`] before.
    pub fn brief(&self, request: &BriefRequest) -> Brief {
        let sessions = Sessions::new(&self.setting.paths.state);
        let session = self.session_of(request);
        if let (true, Some(session)) = (request.situation.starts_afresh(), &session) {
            sessions.forget(session);
            if request.situation == Situation::Cleared {
                in_flight::Notes::new(&self.setting.paths.state).forget(session);
            }
        }
        let untrusted = self.untrusted();
        // Read once: whatever is told comes from one state of the library.
        let library = self.library();
        let mut notes = self.notes_of(&library);
        let mut candidates = match &request.situation {
            Situation::Prompt(prompt) => {
                let carried = self.carried_if(untrusted.is_none());
                self.prompt_candidates(prompt, &library, &carried, &mut notes)
            }
            _ if untrusted.is_some() => self.untrusted_candidates(request, &library),
            _ => self.session_candidates(request, &library, &mut notes),
        };
        // A line as a whole, too: what stands around a label must not make a mark of it (`[INST]`).
        for line in candidates.iter_mut().flat_map(|section| &mut section.lines) {
            *line = one_line(&shown(line));
        }
        let known = session
            .map(|session| sessions.known(&session))
            .unwrap_or_default();
        let told_before = leave_out_known(&mut candidates, &known);
        // The one sentence about a repository that nobody trusted: once in a session.
        let untrusted = untrusted.filter(|sentence| !known.contains(&fingerprint(sentence)));
        let layout = fit(&candidates, self.bound(request, &candidates));
        shown_whole(Brief {
            text: layout.text,
            tokens: layout.tokens,
            sections: layout.sections,
            left_out: layout.left_out,
            told_before,
            untrusted,
            notes,
        })
    }

    /// The session whose memory a request speaks of. A caller from afar has sessions of its own, whatever it calls them.
    fn session_of(&self, request: &BriefRequest) -> Option<String> {
        let session = request.session.as_ref()?;
        Some(match self.setting.caller.place() {
            Place::Local => session.clone(),
            Place::Remote => format!("from afar: {session}"),
        })
    }

    /// What the whole brief may cost: a prompt's own budget, or what the sections of a session's start may cost together,
    /// and never more than was asked for.
    fn bound(&self, request: &BriefRequest, candidates: &[Candidates]) -> Bound {
        let budgets = &self.setting.budgets;
        let (tokens, characters) = match request.situation {
            Situation::Prompt(_) => (
                budgets.prompt_tokens,
                budgets.prompt_tokens.saturating_mul(CHARACTERS_OF_A_TOKEN),
            ),
            _ => (
                candidates
                    .iter()
                    .map(|section| section.budget)
                    .fold(budgets.rest_tokens, usize::saturating_add),
                usize::MAX,
            ),
        };
        Bound {
            tokens: request.budget.map_or(tokens, |cap| cap.min(tokens)),
            characters,
        }
    }

    /// Makes sure, before a brief is given out, that [`Memory::told`] can note it in its session: there is room for it on
    /// the disk from then on. It does not count as told yet. Without a session there is nothing to note.
    ///
    /// Who speaks unasked gives out no brief that cannot be noted, for the same lines would come again at every prompt.
    ///
    /// # Errors
    /// [`Error::File`] when what the session was told cannot be read or written: the disk is full, or is read-only.
    pub fn can_note(&self, request: &BriefRequest, brief: &Brief) -> Result<(), Error> {
        match self.session_of(request) {
            Some(session) => Sessions::new(&self.setting.paths.state).promise(&session, lines_of(brief)),
            None => Ok(()),
        }
    }

    /// Keeps that a brief was given out, as it is: its lines are not said again in this session, and the local log holds
    /// it (`ken brief --last`). A brief with nothing in it leaves no trace.
    ///
    /// It never fails: who was asked for a brief has given it. One that could not be noted is said once more; who speaks
    /// unasked asks [`Memory::can_note`] before.
    pub fn told(&self, request: &BriefRequest, brief: &Brief) {
        let sessions = Sessions::new(&self.setting.paths.state);
        if let Some(session) = self.session_of(request) {
            let _ = sessions.tell(&session, lines_of(brief));
        }
        if matches!(request.situation, Situation::SessionStart | Situation::Cleared) {
            sessions.sweep();
        }
        if brief.text.is_empty() {
            return;
        }
        Record::new(&self.setting.paths.state).log(&shown_whole(Told {
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
        }));
    }

    /// The brief that was given last, to one session or to any, as the local log remembers it.
    pub fn last_brief(&self, session: Option<&str>) -> Option<Told> {
        self.told_briefs(session, 1).pop()
    }

    /// The last `number` briefs that were given, to one session or to any, the newest first, as the local log remembers
    /// them. A caller from afar learns nothing of it.
    pub fn told_briefs(&self, session: Option<&str>, number: usize) -> Vec<Told> {
        if !self.is_local() {
            return Vec::new();
        }
        Record::new(&self.setting.paths.state)
            .last(session, number)
            .into_iter()
            .map(shown_whole)
            .collect()
    }

    /// Keeps what is in flight in a session, as it stands just before its conversation is compacted: the brief after
    /// the compaction shows it. A later note takes the place of an earlier one, and an empty note of any.
    ///
    /// What is kept is bounded and without credentials, and lies in the state folder for this user alone.
    ///
    /// # Errors
    /// [`Error::NotAllowed`] for a remote caller; [`Error::File`] when it cannot be written.
    pub fn note_in_flight(&self, session: &str, note: InFlight) -> Result<(), Error> {
        self.refuse_remote("noting what is in flight")?;
        in_flight::Notes::new(&self.setting.paths.state).keep(session, &self.kept(note))
    }
}

/// All that a brief says, line by line.
fn lines_of(brief: &Brief) -> impl Iterator<Item = &String> {
    let lines = brief.sections.iter().flat_map(|section| &section.lines);
    lines.chain(&brief.untrusted)
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
