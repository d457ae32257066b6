use ken_text::search::{Field, Query, Scan, Scored, Searchable, Statistics};

use crate::{Error, Folder, Log, Logged, Refreshed};

/// How much a word of an event's skill counts, beside 1.0 for one of its text.
pub const SKILL_WEIGHT: f64 = 0.5;
/// How much a word of an event's tags counts.
pub const TAG_WEIGHT: f64 = 0.5;

/// The events of a log, to be searched: what recall and the dream cycle ask.
///
/// Documents are numbered as [`Log::events`] are. Every event is in memory, its words too; asked through
/// [`Searchable`], so that it is ranked with the statistics of all collections that a question goes to.
#[derive(Debug, Default)]
pub struct EventIndex {
    log: Log,
    scan: Scan,
}

impl Folder {
    /// Reads the log and makes it searchable. [`EventIndex::refresh`] brings it up to date later.
    ///
    /// # Errors
    /// As [`Folder::read`].
    pub fn index(&self) -> Result<EventIndex, Error> {
        Ok(EventIndex::of(self.read()?))
    }
}

impl EventIndex {
    /// Makes a log searchable.
    pub fn of(log: Log) -> EventIndex {
        let mut index = EventIndex {
            log,
            scan: Scan::new(),
        };
        index.add_from(0);
        index
    }

    /// Adds what was appended since, by any process; a log that was edited is indexed anew. Cheap when nothing changed.
    ///
    /// # Errors
    /// As [`Folder::read`]; the index is empty then.
    pub fn refresh(&mut self, folder: &Folder) -> Result<Refreshed, Error> {
        let refreshed = folder
            .refresh(&mut self.log)
            .inspect_err(|_| self.scan = Scan::new())?;
        match refreshed {
            Refreshed::Unchanged => {}
            Refreshed::Grown(from) => self.add_from(from),
            Refreshed::Anew => {
                self.scan = Scan::new();
                self.add_from(0);
            }
        }
        Ok(refreshed)
    }

    fn add_from(&mut self, from: usize) {
        for logged in &self.log.events[from..] {
            let event = &logged.event;
            let skill = if event.skill_action.is_general() {
                String::new()
            } else {
                event.skill_action.as_str().replace("::", " ")
            };
            let tags = event.tags.join(" ");
            self.scan.add(&[
                Field {
                    text: &event.content,
                    weight: 1.0,
                },
                Field {
                    text: &skill,
                    weight: SKILL_WEIGHT,
                },
                Field {
                    text: &tags,
                    weight: TAG_WEIGHT,
                },
            ]);
        }
    }

    /// The event that is this document.
    ///
    /// # Panics
    /// For a number that the index did not give out.
    pub fn event(&self, document: usize) -> &Logged {
        &self.log.events[document]
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.log.events.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.log.events.is_empty()
    }

    /// The log as it was read, with what was skipped in it.
    pub fn log(&self) -> &Log {
        &self.log
    }
}

impl Searchable for EventIndex {
    fn statistics(&self, query: &Query) -> Statistics {
        self.scan.statistics(query)
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        self.scan.score(query, all)
    }
}
