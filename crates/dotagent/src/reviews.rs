use std::time::Duration;

use jiff::Timestamp;
use ken_files::{Clock, LockedLog, NewFile, create_folder};
use serde::{Deserialize, Serialize};

use crate::init::ensure_writable;
use crate::layout::{Kind, REVIEWS, REVIEWS_LOCK};
use crate::{Error, EventId, Folder};

/// Most bytes of a reviews file that are read.
const LARGEST: u64 = 16 * 1024 * 1024;
/// How long an append waits for the others.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a person says of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It stays, however weak or old it is.
    Accept,
    /// It goes, until it resurfaces more often than it had then.
    Reject,
    /// It still holds: its age counts from here.
    Confirm,
}

/// A line of `semantic/reviews.jsonl`, which is committed with the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// An event of the lesson's group, as a rule the one that speaks for it.
    #[serde(with = "id")]
    pub id: EventId,
    /// What was said.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
    /// How often the lesson had resurfaced then.
    #[serde(default)]
    pub recurrence: u64,
}

mod id {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::EventId;

    pub(super) fn serialize<S: Serializer>(id: &EventId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<EventId, D::Error> {
        let text = String::deserialize(deserializer)?;
        EventId::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Everything that people said of a folder's lessons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reviews {
    /// In the order of the file; equal lines of two branches once.
    reviews: Vec<Review>,
    /// How many lines are none.
    skipped: u64,
}

/// What was said of the events of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The last word on whether it is a lesson is yes.
    pub(crate) accepted: bool,
    /// The last word is no; with how often it had resurfaced then.
    pub(crate) rejected: Option<u64>,
    /// When it was last said to hold still.
    pub(crate) confirmed: Option<Timestamp>,
}

impl Reviews {
    /// These reviews, in this order.
    pub fn new(reviews: Vec<Review>) -> Reviews {
        Reviews { reviews, skipped: 0 }
    }

    /// How many lines of the file are no reviews.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// All of them, in the order of the file.
    pub fn all(&self) -> &[Review] {
        &self.reviews
    }

    /// What was said of these events. Of two words on one lesson the later one counts; at one time, the later line.
    pub(crate) fn of(&self, ids: impl Iterator<Item = EventId>) -> Said {
        let mut said = Said::default();
        if self.reviews.is_empty() {
            return said;
        }
        let ids: Vec<EventId> = ids.collect();
        let mut about: Vec<&Review> = self
            .reviews
            .iter()
            .filter(|review| ids.contains(&review.id))
            .collect();
        about.sort_by_key(|review| review.at);
        for review in about {
            match review.verdict {
                Verdict::Accept => {
                    said.accepted = true;
                    said.rejected = None;
                }
                Verdict::Reject => {
                    said.accepted = false;
                    said.rejected = Some(review.recurrence);
                }
                Verdict::Confirm => said.confirmed = said.confirmed.max(Some(review.at)),
            }
        }
        said
    }
}

impl Folder {
    /// What people said of the lessons; nothing when there is no such file. Lines that are no reviews are passed over
    /// and counted.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 16 MiB, or is reached through a link that leads out.
    pub fn reviews(&self) -> Result<Reviews, Error> {
        if !self.layout.expect(REVIEWS, Kind::File)? {
            return Ok(Reviews::default());
        }
        let bytes = ken_files::read_bounded(&self.layout.path(REVIEWS), LARGEST)?;
        let mut reviews = Reviews::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice::<Review>(line) {
                Ok(review) if reviews.reviews.contains(&review) => {}
                Ok(review) => reviews.reviews.push(review),
                Err(_) => reviews.skipped += 1,
            }
        }
        Ok(reviews)
    }

    /// Notes what a person says of a lesson. On the disk when it returns.
    ///
    /// # Errors
    /// What keeps the file from being written: a lock that is held for long, a link that leads out, a full disk.
    pub fn review(
        &self,
        id: EventId,
        verdict: Verdict,
        recurrence: u64,
        clock: &Clock,
    ) -> Result<Review, Error> {
        ensure_writable(&self.layout)?;
        let path = self.layout.path(REVIEWS);
        self.layout.expect(REVIEWS, Kind::File)?;
        if let Some(folder) = path.parent() {
            create_folder(folder, NewFile::Shared)?;
        }
        let now = clock.now();
        let review = Review {
            id,
            verdict,
            at: Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now),
            recurrence,
        };
        let line = serde_json::to_string(&review).expect("ids, words and numbers are JSON");
        let mut log = LockedLog::open(&path, &self.layout.path(REVIEWS_LOCK), "ken lesson", PATIENCE)?;
        log.append(line.as_bytes())?;
        Ok(review)
    }
}
