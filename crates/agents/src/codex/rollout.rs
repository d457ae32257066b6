//! A rollout, line by line, into a session.
//!
//! The person's words stand in it twice, as an event (a `user_message`, or since 2026 a completed `UserMessage`) and as
//! the message that the model gets; the message also carries what the program put in front. Events are taken, messages only where there are no events. A session that was forked
//! begins with the lines of the one that it came from: those are passed over, up to the first words that were not said
//! there.

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::deeds;
use super::line::{Owner, Part, Payload, Record};
use super::unpack::{limit, unpacked};
use crate::harvest::{Digest, Redactor, Session, bounded, is_synthetic, remote_key};
use crate::jsonl::{LineCounts, Lines, read_records};
use crate::participant::{NoProgress, Progress};
use crate::tree::{self, Listed};

/// Turns whose fingerprints are held, to find the end of what a fork repeats.
const MAX_TURNS: usize = 10_000;

/// What a rollout held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rollout {
    pub(crate) id: String,
    pub(crate) session: Session,
    pub(crate) owner: Owner,
    /// The session that sent this helper out.
    pub(crate) parent: Option<String>,
    /// The session that this one repeats at its beginning.
    pub(crate) forked_from: Option<String>,
    /// Fingerprints of everything that the person said, repeated or not.
    pub(crate) turns: BTreeSet<u64>,
    /// Whether the person has switched memory off for this session.
    pub(crate) off: bool,
    pub(crate) counts: LineCounts,
}

impl Digest for Rollout {
    fn session(&self) -> Option<&Session> {
        Some(&self.session)
    }

    fn names(&self) -> Vec<&str> {
        let remote = self.session.remote.as_ref();
        [
            Some(&self.id),
            self.parent.as_ref(),
            self.forked_from.as_ref(),
            remote,
        ]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect()
    }
}

/// Reads a rollout. `id` is the session's by the file's name, `repeated` what was said in the session that it was forked
/// from, as far as that is known; times after `horizon` count as unknown.
///
/// A compressed one that unpacks to far more than a session can hold fails with [`io::ErrorKind::FileTooLarge`].
pub(crate) fn read(
    file: &Listed,
    id: &str,
    repeated: &BTreeSet<u64>,
    horizon: Timestamp,
    redactor: &mut Redactor,
    progress: &mut dyn Progress,
) -> io::Result<Rollout> {
    let mut reading = Reading {
        told: Rollout {
            id: id.to_owned(),
            session: Session::new(id, horizon),
            owner: Owner::Person,
            parent: None,
            forked_from: None,
            turns: BTreeSet::new(),
            off: false,
            counts: LineCounts::default(),
        },
        messages: Session::new(id, horizon),
        begun: None,
        repeated,
        repeats: !repeated.is_empty(),
        redactor,
    };
    let take = |json: &[u8]| reading.take(json);
    let counts = if file.path.extension().is_some_and(|ending| ending == "zst") {
        let packed = tree::open(&file.path)?;
        let unpacked = unpacked(io::Read::take(packed, file.bytes), limit(file.bytes));
        let counts = read_records(Lines::new(unpacked), &mut NoProgress, take);
        progress.advance(file.bytes);
        counts?
    } else {
        read_records(Lines::open(&file.path)?, progress, take)?
    };
    let Reading {
        mut told, messages, ..
    } = reading;
    told.counts = counts;
    if !told.session.has_words() {
        told.session.with_words_of(messages);
    }
    Ok(told)
}

struct Reading<'a> {
    told: Rollout,
    /// Holds the person's words as the messages tell them.
    messages: Session,
    /// The id of the session's own first line.
    begun: Option<String>,
    repeated: &'a BTreeSet<u64>,
    /// Whether the lines at this point are those of the session that this one was forked from.
    repeats: bool,
    redactor: &'a mut Redactor,
}

impl Reading<'_> {
    /// Takes one line in; `false` when it is not one.
    fn take(&mut self, json: &[u8]) -> bool {
        let Ok(record) = serde_json::from_slice::<Record<'_>>(json) else {
            return false;
        };
        let at = record.timestamp.as_deref().and_then(|at| at.parse().ok());
        match (record.kind.as_deref(), &record.payload) {
            (Some("session_meta"), Some(payload)) => self.began(payload, at),
            (Some("turn_context"), Some(payload)) if !self.repeats => {
                self.in_folder(payload);
                self.active(at);
            }
            (Some("event_msg"), Some(payload)) if payload.kind.as_deref() == Some("user_message") => {
                if let Some(text) = payload.message.as_deref() {
                    self.said(text, at, true);
                }
            }
            (Some("event_msg"), Some(payload)) if payload.kind.as_deref() == Some("item_completed") => {
                if let Some(item) = &payload.item
                    && item.kind.as_deref() == Some("UserMessage")
                {
                    self.said(&joined(item.content.as_deref()), at, true);
                }
            }
            (Some("response_item"), Some(payload)) => self.item(payload, at),
            (_, Some(_)) => {}
            // As versions of 2025 wrote it.
            (kind, None) => {
                if let Ok(bare) = serde_json::from_slice::<Payload<'_>>(json) {
                    match kind {
                        None if bare.id.is_some() => self.began(&bare, None),
                        _ => self.item(&bare, None),
                    }
                }
            }
        }
        true
    }

    fn active(&mut self, at: Option<Timestamp>) {
        if let Some(at) = at {
            self.told.session.active_at(at);
        }
    }

    fn in_folder(&mut self, payload: &Payload<'_>) {
        if let Some(folder) = payload.cwd.as_deref() {
            self.told.session.in_folder(folder);
        }
    }

    /// What the session says of itself. One with another id is that of the session which is repeated from here on.
    fn began(&mut self, payload: &Payload<'_>, at: Option<Timestamp>) {
        let id = payload.id.as_deref().unwrap_or_default();
        match &self.begun {
            Some(own) if own == id => {}
            Some(_) => {
                self.told.forked_from.get_or_insert_with(|| id.to_owned());
                return;
            }
            None => self.begun = Some(id.to_owned()),
        }
        if !id.is_empty() {
            self.told.id = id.to_owned();
            self.told.session.id = id.to_owned();
        }
        if let Some(from) = payload.forked_from_id.as_deref() {
            self.told.forked_from = Some(from.to_owned());
        }
        self.told.owner = Owner::of(&payload.source);
        let parent = Owner::parent(&payload.source).or(payload.parent_thread_id.as_deref());
        self.told.parent = parent.map(str::to_owned);
        self.told.off |= payload.memory_mode.as_deref() == Some("disabled");
        self.in_folder(payload);
        let began = payload.timestamp.as_deref().and_then(|at| at.parse().ok());
        let at = began.or(at);
        self.active(at);
        // A work tree of the program's own has a commit and no branch; an empty note says nothing.
        self.told.session.in_repository |= payload.git.as_ref().is_some_and(|git| {
            [&git.commit_hash, &git.branch, &git.repository_url]
                .into_iter()
                .any(Option::is_some)
        });
        if let Some(url) = payload.git.as_ref().and_then(|git| git.repository_url.as_deref()) {
            self.told.session.remote = remote_key(url);
        }
        if let Some(branch) = payload.git.as_ref().and_then(|git| git.branch.as_deref()) {
            self.told.session.on_branch(branch, at);
        }
    }

    /// The person said this, as an event tells it or as a message does.
    fn said(&mut self, text: &str, at: Option<Timestamp>, event: bool) {
        let text = bounded(text);
        if !is_synthetic(text) {
            let fingerprint = fingerprint(text);
            self.repeats = self.repeats && self.repeated.contains(&fingerprint);
            if self.told.turns.len() < MAX_TURNS {
                self.told.turns.insert(fingerprint);
            }
        }
        if self.repeats || self.told.owner != Owner::Person {
            return;
        }
        self.active(at);
        let session = if event {
            &mut self.told.session
        } else {
            &mut self.messages
        };
        session.asked(text, at, self.redactor);
    }

    /// What was said to the model, or what it did.
    fn item(&mut self, payload: &Payload<'_>, at: Option<Timestamp>) {
        if payload.kind.as_deref() != Some("message") {
            if !self.repeats {
                self.active(at);
                deeds::tell(payload, &mut self.told.session, self.redactor);
            }
            return;
        }
        if payload.role.as_deref() != Some("user") {
            if !self.repeats {
                self.active(at);
            }
            return;
        }
        let text = joined(payload.content.as_deref());
        if self.told.session.folders.is_empty()
            && let Some(folder) = folder_of_environment(&text)
        {
            self.told.session.in_folder(folder);
        }
        self.said(&text, at, false);
    }
}

/// The texts of a message's parts.
fn joined(parts: Option<&[Part<'_>]>) -> String {
    let texts = parts.unwrap_or_default().iter();
    let texts: Vec<&str> = texts
        .filter_map(|part| part.text.as_deref())
        .map(bounded)
        .collect();
    texts.join("\n")
}

/// The working directory, where only the message that opens a conversation tells it.
fn folder_of_environment(text: &str) -> Option<&str> {
    let (_, inside) = text.split_once("<environment_context>")?;
    let between = |open: &str, close: &str| Some(inside.split_once(open)?.1.split_once(close)?.0.trim());
    between("<cwd>", "</cwd>").or_else(|| between("Current working directory: ", "\n"))
}

fn fingerprint(text: &str) -> u64 {
    let hash = blake3::hash(text.trim().as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}
