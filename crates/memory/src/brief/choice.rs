//! What may stand in a brief: at session start what holds for the project, at a prompt what the prompt names or
//! touches.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use ken_edicts::Edict;
use ken_library::questions::{RecentQuery, WorkstreamsQuery, concerns, recent_all, workstreams};
use ken_library::{AgentId, Session, Visible, WorkStatus};

use ken_text::recognise::Reading;

use super::SectionKind;
use super::layout::Candidates;
use super::lines;
use super::touch::Touch;
use crate::names::{Known, Thing, key};
use crate::sources::{EdictsRead, LibraryRead};
use crate::untrusted::Carried;
use crate::{BriefRequest, Memory, Recognised, Situation, ThingKind};

/// Work that is older says little of what is in flight.
const WORK_DAYS: i64 = 14;
const WORK_SESSIONS: usize = 3;
/// Room for the warning when there is no file to name a budget.
const WARNING_BUDGET: usize = 100;
/// Share of a prompt's tokens that facts and names may take at most, so that neither crowds out the other.
const SHARE: (usize, usize) = (2, 3);

impl Memory {
    pub(super) fn session_candidates(
        &self,
        request: &BriefRequest,
        library: &LibraryRead,
        notes: &mut Vec<String>,
    ) -> Vec<Candidates> {
        let read = self.edicts();
        let screen = library.screen();
        notes.extend(self.edict_notes(&read));
        let budget = read
            .edicts
            .as_ref()
            .map_or(WARNING_BUDGET, |edicts| edicts.config.token_budget);
        let mut facts: Vec<String> = self
            .edicts_for(&read, screen)
            .into_iter()
            .map(|edict| self.fact_line(edict, &read, budget))
            .collect();
        // A file that cannot be read never means in silence that there are no facts.
        facts.splice(0..0, self.warning(&read));
        let lessons = self.lessons();
        let lessons = self
            .lessons_for(&lessons, screen)
            .into_iter()
            .map(lines::lesson)
            .collect();
        let known = self.known_here(library);
        let known = known.iter().filter(|thing| lines::says_something(thing));
        let known = known.map(lines::known).collect();
        // What is neither fact nor lesson shares its budget with the wrapper around everything. What was in flight in a
        // conversation that was compacted comes before what is known of the project.
        let fifth = self.setting.budgets.rest_tokens / 5;
        let was_in_flight = self.was_in_flight(request, library);
        let (known_share, work_share) = if was_in_flight.is_empty() {
            (2 * fifth, 2 * fifth)
        } else {
            (fifth, 3 * fifth)
        };
        vec![
            Candidates {
                kind: SectionKind::Facts,
                lines: facts,
                budget,
            },
            Candidates {
                kind: SectionKind::Known,
                lines: known,
                budget: known_share,
            },
            Candidates {
                kind: SectionKind::Lessons,
                lines: lessons,
                budget: self.setting.budgets.lessons_tokens,
            },
            Candidates {
                kind: SectionKind::Work,
                lines: was_in_flight
                    .into_iter()
                    .chain(self.work_here(request, library))
                    .collect(),
                budget: work_share,
            },
        ]
    }

    /// What a session's start holds in a repository that nobody trusted: nothing that the repository carries, and
    /// nothing that it could pick by bearing a name. What this session was doing is not the repository's.
    pub(super) fn untrusted_candidates(
        &self,
        request: &BriefRequest,
        library: &LibraryRead,
    ) -> Vec<Candidates> {
        vec![Candidates {
            kind: SectionKind::Work,
            lines: self.was_in_flight(request, library),
            budget: self.setting.budgets.rest_tokens * 3 / 5,
        }]
    }

    /// What the agents say of the project itself.
    fn known_here(&self, library: &LibraryRead) -> Vec<Recognised> {
        let Some(project) = &self.setting.project else {
            return Vec::new();
        };
        let known = Known::new(&library.view);
        let mut things: Vec<Thing> = Vec::new();
        for name in project.names() {
            let here = key(name);
            let bears = |thing: &Thing| {
                key(&thing.name) == here || thing.aliases.iter().any(|alias| key(alias) == here)
            };
            for thing in known.bearing(name) {
                if thing.kind == ThingKind::Entity && bears(&thing) && !things.contains(&thing) {
                    things.push(thing);
                }
            }
        }
        things.iter().map(Thing::shown).collect()
    }

    /// What this session was doing when its conversation was compacted. It is the person's and the agent's own, so it
    /// asks for no trust in the repository.
    pub(super) fn was_in_flight(&self, request: &BriefRequest, library: &LibraryRead) -> Vec<String> {
        let session = request.session.as_ref();
        let note = session
            .filter(|_| request.situation == Situation::AfterCompaction && self.is_local())
            .and_then(|session| self.in_flight(session));
        let screen = library.screen();
        let lines = note.map(|note| lines::in_flight(&note)).unwrap_or_default();
        lines.into_iter().filter(|line| screen.allows(line)).collect()
    }

    /// What is in flight in this project, then what was done in it last; for a session that goes on, without what is
    /// known to be its own.
    fn work_here(&self, request: &BriefRequest, library: &LibraryRead) -> Vec<String> {
        let Some(project) = &self.setting.project else {
            return Vec::new();
        };
        let own = request
            .session
            .as_ref()
            .filter(|_| request.situation == Situation::SessionStart && self.is_local())
            .and_then(|session| self.in_flight(session));
        let is_own =
            |agent: &AgentId, texts: &[String]| own.as_ref().is_some_and(|own| own.is_of(agent, texts));
        let names: Vec<String> = project.names().map(|name| key(name)).collect();
        let active = WorkstreamsQuery {
            status: Some(WorkStatus::Active),
            ..WorkstreamsQuery::default()
        };
        let since = self
            .setting
            .clock
            .today()
            .checked_sub(jiff::Span::new().days(WORK_DAYS))
            .ok();
        let sessions = RecentQuery {
            since,
            ..RecentQuery::default()
        };
        let streams = workstreams(&library.view, &active)
            .map(|page| page.rows)
            .unwrap_or_default();
        let sessions = recent_all(&library.view, &sessions).unwrap_or_default();
        streams
            .iter()
            .filter(|work| {
                let mut related = work.related_entities.iter();
                related.any(|related| names.contains(&key(related)))
            })
            .filter(|work| match work.agents.as_slice() {
                [agent] => !is_own(agent, std::slice::from_ref(&work.name)),
                _ => true,
            })
            .map(lines::workstream)
            .chain(
                sessions
                    .iter()
                    .filter(|session| !session.key_actions.is_empty())
                    .filter(|session| names.iter().any(|name| concerns(session, name)))
                    .filter(|session| !is_own(session.agent(), &session.key_actions))
                    .take(WORK_SESSIONS)
                    .map(|session| lines::session(session, session.agent())),
            )
            .collect()
    }

    fn fact_line(&self, edict: &Edict, read: &EdictsRead, budget: usize) -> String {
        let days = read
            .edicts
            .as_ref()
            .map(|edicts| edicts.config.stale_threshold_days);
        let stale = days.is_some_and(|days| ken_edicts::is_stale(edict, days, self.setting.clock.now()));
        lines::edict(edict, stale, budget)
    }

    pub(super) fn prompt_candidates(
        &self,
        prompt: &str,
        library: &Arc<LibraryRead>,
        carried: &Carried,
        notes: &mut Vec<String>,
    ) -> Vec<Candidates> {
        // What was injected before is not what the person says now.
        let said = ken_text::mark::without_briefs(prompt);
        let bytes = said.len();
        let said = looked_at(&said);
        if said.len() < bytes {
            notes.push(format!(
                "the prompt has {bytes} bytes, and what stands between its first and last {LOOKED_AT} was not looked at"
            ));
        }
        let recognition = self.recognise_as_written(&said, library, carried, Reading::Certain);
        let (read, lessons) = carried;
        let screen = library.screen();
        notes.extend(self.edict_notes(read));
        let edicts = self.edicts_for(read, screen);
        let lessons = self.lessons_for(lessons, screen);
        let texts: Vec<&str> = edicts
            .iter()
            .map(|edict| edict.text.as_str())
            .chain(lessons.iter().map(|lesson| lesson.text.as_str()))
            .collect();
        let touch = Touch::of(&said, &recognition.recognised, &self.sources.subjects, &texts);
        let total = self.setting.budgets.prompt_tokens;
        let share = total * SHARE.0 / SHARE.1;
        let edicts = best_first(edicts, |edict| touch.edict(edict));
        let mut facts: Vec<String> = edicts
            .iter()
            .map(|edict| self.fact_line(edict, read, share))
            .collect();
        if !facts.is_empty() {
            facts.splice(0..0, self.warning(read));
        }
        let lessons = best_first(lessons, |lesson| touch.lesson(&lesson.skill, &lesson.text));
        let lessons = lessons.iter().map(|lesson| lines::lesson(lesson)).collect();
        let known: Vec<&Recognised> = recognition
            .recognised
            .iter()
            .filter(|thing| matches!(thing.kind, ThingKind::Entity | ThingKind::Workstream))
            .collect();
        let known = known_with_work(&known, library);
        vec![
            Candidates {
                kind: SectionKind::Facts,
                lines: facts,
                budget: share,
            },
            Candidates {
                kind: SectionKind::Known,
                lines: known,
                budget: share,
            },
            Candidates {
                kind: SectionKind::Lessons,
                lines: lessons,
                budget: total,
            },
        ]
    }
}

/// What a prompt touches, that which it touches most first; of equals the one that came first.
fn best_first<T>(texts: Vec<T>, touched: impl Fn(&T) -> Option<f64>) -> Vec<T> {
    let mut best: Vec<(f64, T)> = texts
        .into_iter()
        .filter_map(|text| touched(&text).map(|much| (much, text)))
        .collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0));
    best.into_iter().map(|(_, text)| text).collect()
}

/// The part of a prompt that is looked at: all of it, or the beginning and the end of one that is longer than anybody
/// types. What was pasted between them says little of what is asked, and the prompt waits for its brief.
fn looked_at(prompt: &str) -> Cow<'_, str> {
    if prompt.len() <= 2 * LOOKED_AT {
        return prompt.into();
    }
    let beginning = &prompt[..prompt.floor_char_boundary(LOOKED_AT)];
    let end = &prompt[prompt.ceil_char_boundary(prompt.len() - LOOKED_AT)..];
    format!("{beginning}\n\n{end}").into()
}

/// So many bytes of a long prompt's beginning, and of its end.
const LOOKED_AT: usize = 32 * 1024;

impl Memory {
    /// The line that goes with facts whose file cannot be read as it stands, or not all of it.
    fn warning(&self, read: &EdictsRead) -> Option<String> {
        if !self.reaches_team() {
            return None;
        }
        let name = read.path.as_ref().and_then(|path| path.file_name());
        let name = name.map_or_else(|| "the edicts file".into(), |name| name.to_string_lossy());
        let set_aside = read.edicts.as_ref().map_or(0, |edicts| edicts.set_aside.len());
        let says = match (&read.broken, &read.edicts, set_aside) {
            (Some(_), Some(_), _) => {
                format!("{name} cannot be read, and these facts are from its last good copy")
            }
            (Some(_), None, _) => format!("{name} cannot be read, and none of its facts is shown"),
            (None, _, 0) => return None,
            (None, _, 1) => {
                format!("one fact of {name} cannot be read and is not shown; `ken edict validate` says why")
            }
            (None, _, more) => {
                format!(
                    "{more} facts of {name} cannot be read and are not shown; `ken edict validate` says why"
                )
            }
        };
        Some(lines::warning(&says))
    }
}

/// The lines of things that a prompt names. Of one that nobody has described, what was done on it last is what is known
/// of it: the sessions are gone through once for all of these.
fn known_with_work(things: &[&Recognised], library: &LibraryRead) -> Vec<String> {
    let mut undescribed: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, thing) in things.iter().enumerate() {
        if thing.summaries.is_empty() {
            for name in std::iter::once(&thing.name).chain(&thing.also_known_as) {
                undescribed.entry(key(name)).or_default().push(number);
            }
        }
    }
    let mut last: HashMap<usize, &Visible<Session>> = HashMap::new();
    if !undescribed.is_empty() {
        let sessions = library.view.sessions().iter();
        for session in sessions.filter(|session| !session.key_actions.is_empty()) {
            let about = session
                .project_focus
                .iter()
                .filter_map(|focus| undescribed.get(&key(focus)));
            for number in about.flatten() {
                let known = last.entry(*number).or_insert(session);
                if session.date >= known.date {
                    *known = session;
                }
            }
        }
    }
    let with_work = |(number, thing): (usize, &&Recognised)| {
        let line = lines::known(thing);
        match last.get(&number) {
            Some(last) => format!("{line}: last {}", lines::session(last, last.agent())),
            None => line,
        }
    };
    things.iter().enumerate().map(with_work).collect()
}
