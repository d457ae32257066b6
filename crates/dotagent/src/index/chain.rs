//! The segments on the disk: which of them, one behind the other, cover the log as it is now.
//!
//! A segment's file is written once, in one step, and never changed; its name says what it covers. Merging writes a new
//! file and then removes those that went into it. So a reader sees the old ones, the new one, or both, and takes the
//! longest from each place on; one that was removed under its hands is looked for again under its new name.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ken_files::{
    CacheFile, CacheFormat, CacheWriter, FileLook, Lock, NewFile, create_folder, remove_leftovers,
};

use super::segment::{Covers, EventSegment, FORMAT, Made, VERSION};
use crate::checksum::Checksum;
use crate::layout::{INDEX, Kind, Layout};

/// How often the folder is listed again when files vanish while they are opened.
const ATTEMPTS: usize = 4;
/// More segments than a log has.
const MOST_FILES: usize = 256;
/// More segments than begin at one place, however many processes write and merge at once.
const MOST_FROM_A_PLACE: usize = 16;
/// From so many bytes on it is worth writing down that the log was found unchanged.
const NOTED: u64 = 1024 * 1024;

/// That all bytes before a place were found as the segments say when the log looked like this.
const LOOK_FORMAT: CacheFormat = CacheFormat {
    name: "ken-events-look",
    version: VERSION,
};

/// The folder of the segments, if there is one that belongs to this repository.
fn folder(layout: &Layout) -> Option<PathBuf> {
    let there = layout.check(INDEX, Kind::Folder).is_ok_and(|there| there);
    (there && leads_straight(layout)).then(|| layout.path(INDEX))
}

/// Whether no step on the way to the segments is a link. One that a repository carries could lead into a folder of
/// `.agent/` that git knows, and the segments would be committed.
fn leads_straight(layout: &Layout) -> bool {
    let mut steps = Path::new(INDEX)
        .ancestors()
        .filter(|step| !step.as_os_str().is_empty());
    steps.all(|step| {
        let seen = std::fs::symlink_metadata(layout.agent().join(step));
        seen.map_or(true, |seen| seen.is_dir())
    })
}

fn name_of(covers: &Covers) -> String {
    let (from, to) = (covers.from.offset, covers.to.offset);
    format!("events-{VERSION}-{from}-{to}-{:016x}.segment", covers.after())
}

fn look_name() -> String {
    format!("events-{VERSION}.look")
}

fn lock_name() -> String {
    format!("events-{VERSION}.lock")
}

/// Where a segment of this version begins and ends, by its name.
fn range_of(name: &str) -> Option<(u64, u64)> {
    let rest = name.strip_prefix(&format!("events-{VERSION}-"))?;
    let mut parts = rest.strip_suffix(".segment")?.split('-');
    let range = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next()?;
    parts.next().is_none().then_some(range)
}

/// The segments of this version in a folder: by where they begin, those that reach farthest first.
fn list(folder: &Path) -> BTreeMap<u64, Vec<(u64, PathBuf)>> {
    let mut found: BTreeMap<u64, Vec<(u64, PathBuf)>> = BTreeMap::new();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.take(MOST_FILES * 16) {
        if let Some((from, to)) = entry.file_name().to_str().and_then(range_of) {
            found.entry(from).or_default().push((to, entry.path()));
        }
    }
    for files in found.values_mut() {
        files.sort_by(|a, b| b.cmp(a));
        files.truncate(MOST_FROM_A_PLACE);
    }
    found
}

/// The segments on the disk that cover the log `file`, which looks like `look`, from its start on.
pub(super) fn open(layout: &Layout, file: &File, look: FileLook) -> Vec<EventSegment> {
    let Some(folder) = folder(layout) else {
        return Vec::new();
    };
    // Before anything is read: what changes from here on shows.
    let now = SystemTime::now();
    let mut refused: Vec<PathBuf> = Vec::new();
    let mut attempts = 0;
    loop {
        let mut files = list(&folder);
        for files in files.values_mut() {
            files.retain(|(to, path)| *to <= look.length() && !refused.contains(path));
        }
        let (chain, vanished) = follow(&files);
        if vanished && attempts < ATTEMPTS {
            attempts += 1;
            continue;
        }
        let Some(wrong) = first_wrong(&folder, &chain, file, look, now) else {
            return chain;
        };
        // Of another state of the log. Another segment may be of this one.
        match chain.get(wrong).and_then(|segment| segment.path.clone()) {
            Some(path) if refused.len() < MOST_FILES => refused.push(path),
            _ => return Vec::new(),
        }
    }
}

/// Follows segments from the start on, each beginning where the one before ended and made behind the very bytes that
/// that one covers; and whether a file was gone when it was opened.
fn follow(files: &BTreeMap<u64, Vec<(u64, PathBuf)>>) -> (Vec<EventSegment>, bool) {
    let mut chain: Vec<EventSegment> = Vec::new();
    let mut vanished = false;
    loop {
        let last = chain.last();
        let from = last.map_or(0, |last| last.covers.to.offset);
        let lines = last.map_or(0, |last| last.covers.to.lines);
        let before = last.map_or(0, |last| last.covers.after());
        let next = files.get(&from).into_iter().flatten().find_map(|(to, path)| {
            let Some(cache) = CacheFile::open(path, &FORMAT) else {
                vanished |= !path.exists();
                return None;
            };
            let segment = EventSegment::open(&cache, Some(path.clone()))?;
            let covers = &segment.covers;
            let fits = (covers.from.offset, covers.from.lines, covers.before) == (from, lines, before)
                && covers.to.offset == *to
                && *to > from;
            fits.then_some(segment)
        });
        match next {
            Some(segment) if chain.len() < MOST_FILES => chain.push(segment),
            _ => return (chain, vanished),
        }
    }
}

/// The first segment whose bytes no longer stand in the log.
fn first_wrong(
    folder: &Path,
    chain: &[EventSegment],
    file: &File,
    look: FileLook,
    now: SystemTime,
) -> Option<usize> {
    let last = &chain.last()?.covers;
    if last.look == Some(look) || is_noted(folder, last.after(), look) {
        return None;
    }
    let wrong = chain.iter().position(|segment| !holds(&segment.covers, file));
    if wrong.is_none() && last.to.offset >= NOTED && look.is_settled(now) {
        note(folder, last.after(), look);
    }
    wrong
}

/// Whether every byte that a segment covers still stands in the log.
pub(super) fn holds(covers: &Covers, file: &File) -> bool {
    let mut from = covers.from.offset;
    covers.stretches.iter().all(|(end, sum)| {
        let found = Checksum::of(file, from, *end);
        from = *end;
        found.is_ok_and(|found| found == *sum)
    })
}

fn is_noted(folder: &Path, sum: u64, look: FileLook) -> bool {
    let noted = || {
        let section = CacheFile::open(&folder.join(look_name()), &LOOK_FORMAT)?.section(0)?;
        let (of, seen) = section.split_first_chunk()?;
        Some(u64::from_le_bytes(*of) == sum && FileLook::from_bytes(seen)? == look)
    };
    noted().unwrap_or(false)
}

/// Writes down that the log was looked through, so that the next process need not. Best effort.
fn note(folder: &Path, sum: u64, look: FileLook) {
    let mut writer = CacheWriter::new(LOOK_FORMAT);
    writer.section([&sum.to_le_bytes()[..], &look.to_bytes()].concat());
    let _ = writer.write(&folder.join(look_name()), NewFile::Private);
}

/// The right to write segments, which one process has at a time and nobody waits for.
pub(super) struct Writer {
    folder: PathBuf,
    _lock: Lock,
}

impl Writer {
    /// `None` when another process has it, or nothing can be written here.
    pub(super) fn try_new(layout: &Layout) -> Option<Writer> {
        // Nothing is made through a link.
        layout.check(INDEX, Kind::Folder).ok()?;
        if !leads_straight(layout) {
            return None;
        }
        let folder = layout.path(INDEX);
        create_folder(&folder, NewFile::Shared).ok()?;
        let lock = folder.join(lock_name());
        // What stands in a lock's place and is no file was put there to keep this folder from ever being cleaned.
        if std::fs::symlink_metadata(&lock).is_ok_and(|seen| !seen.is_file()) {
            std::fs::remove_file(&lock).ok()?;
        }
        let lock = Lock::try_acquire(&lock, "ken recall");
        Some(Writer {
            _lock: lock.ok()??,
            folder,
        })
    }

    /// Whether the segments of this version on the disk are these and no others.
    pub(super) fn finds_only(&self, segments: &[EventSegment]) -> bool {
        let files = list(&self.folder);
        let on_disk = files.values().flatten().map(|(_, path)| path);
        let mut count = 0;
        let known = on_disk.inspect(|_| count += 1).all(|path| {
            segments
                .iter()
                .any(|segment| segment.path.as_deref() == Some(path.as_path()))
        });
        known && count == segments.iter().filter(|segment| segment.path.is_some()).count()
    }

    /// Puts a segment on the disk, and opens it from there.
    pub(super) fn write(&self, made: Made, look: Option<FileLook>) -> Option<EventSegment> {
        let path = self.folder.join(name_of(made.covers()));
        made.writer(look).write(&path, NewFile::Private).ok()?;
        // As others see it: mapped, and not twice in memory.
        EventSegment::open(&CacheFile::open(&path, &FORMAT)?, Some(path))
    }

    /// Removes what this version left that is none of these.
    pub(super) fn sweep(&self, segments: &[EventSegment]) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let own = entries.filter(|entry| entry.file_name().to_str().and_then(range_of).is_some());
        for path in own.map(|entry| entry.path()) {
            let live = segments
                .iter()
                .any(|segment| segment.path.as_deref() == Some(path.as_path()));
            if !live {
                let _ = std::fs::remove_file(path);
            }
        }
        let _ = remove_leftovers(&self.folder);
    }
}
