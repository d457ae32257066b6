//! What a question is put to: the collections, as they are now and as far as the caller may see.

use jiff::Timestamp;
use jiff::civil::Date;
use ken_dotagent::{EventIndex, Stale};
use ken_library::RowSearch;

use super::asked::Asked;
use super::plan::Plan;
use super::rows::ROW_KINDS;
use super::shelf::Shelf;
use super::{Hit, Kind, RecallRequest};
use crate::Memory;
use crate::sources::Events;
use crate::sources::LibraryRead;

/// What is searched together.
pub(super) struct Collections<'a> {
    pub(super) events: Option<&'a EventIndex>,
    pub(super) shelves: Vec<&'a Shelf>,
    /// The library's rows, and what they are of.
    pub(super) rows: Option<((&'a Memory, &'a LibraryRead), RowSearch<'a>)>,
    /// Whether events come from a repository that nobody trusted.
    pub(super) untrusted: bool,
    /// Where the events' lines stand.
    pub(super) log: String,
    pub(super) project: Option<String>,
    /// What was valid before this day is past.
    pub(super) today: Date,
    pub(super) now: Timestamp,
}

impl Memory {
    /// Searches everything that the plan wants and the caller may see: the hits, and whether there were more.
    pub(super) fn search(
        &self,
        plan: &Plan,
        request: &RecallRequest,
        notes: &mut Vec<String>,
    ) -> (Vec<Hit>, bool) {
        let library = self.library();
        let screen = library.screen();
        let mut project_shelf = Shelf::default();
        if plan.wants(Kind::Edict) || plan.wants(Kind::Lesson) {
            if let Some(untrusted) = self.untrusted() {
                notes.push(untrusted);
            } else {
                let (edicts, lessons) = (self.edicts(), self.lessons());
                notes.extend(self.edict_notes(&edicts));
                project_shelf = self.project_shelf(plan, &edicts, &lessons, screen);
            }
        }
        let wants_rows = ROW_KINDS.iter().any(|kind| plan.wants(*kind));
        if wants_rows {
            notes.extend(self.notes_of(&library));
        }
        let mut answer = Err(Stale);
        for attempt in 0..ATTEMPTS {
            // A log that is edited all the time is searched as it was at one moment.
            let last = attempt + 1 == ATTEMPTS;
            let events = if !plan.wants(Kind::Event) || !self.setting.may_read_events() {
                Ok(None)
            } else if last {
                self.events_in_memory()
            } else {
                self.events()
            };
            let mut said = Vec::new();
            let events = events.unwrap_or_else(|error| {
                said.push(self.file_note(&error.to_string(), "the project's log cannot be read"));
                None
            });
            let rows = wants_rows.then(|| ((self, &*library), library.view.searched()));
            // The names that nobody may read are those of the library that is searched now.
            let screen = library.screen();
            let collections = Collections {
                events: events.as_ref().map(Events::index),
                shelves: vec![&project_shelf],
                rows,
                today: self.setting.clock.today(),
                now: self.setting.clock.now(),
                untrusted: self.is_trusted() == Some(false),
                log: events
                    .as_ref()
                    .map(|events| self.place_of(&events.path(), screen))
                    .unwrap_or_default(),
                project: self.project_name(screen),
            };
            said.extend(collections.skipped());
            answer = Asked::new(&collections, screen, plan, request).hits();
            if answer.is_ok() {
                notes.extend(said);
                break;
            }
        }
        answer.unwrap_or_default()
    }
}

/// How often a question is asked again when the log is edited under it, or the library; a view of the library that has
/// moved on often enough moves no more.
const ATTEMPTS: usize = 10;

impl Collections<'_> {
    /// A sentence on lines of the log that are no events.
    fn skipped(&self) -> Option<String> {
        let skipped = self.events?.skipped_count();
        let lines = if skipped == 1 {
            "line of the log is no event and was"
        } else {
            "lines of the log are no events and were"
        };
        (skipped > 0).then(|| format!("{skipped} {lines} not searched; `ken status` shows them"))
    }
}
