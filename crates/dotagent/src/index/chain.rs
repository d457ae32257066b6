//! The segments on the disk: which of them, one behind the other, cover the log as it is now.
//!
//! A segment's file is written once, in one step, and never changed. Which files are the log's segments stands in a file
//! of its own, the chain, which is replaced in one step: first the new segments are there, then the chain names them,
//! and only then those are removed that it no longer names. So a reader follows the old chain or the new one; where a
//! segment was removed under its hands, it reads the chain again. Nobody looks for segments in the folder: whatever a
//! repository plants there, however much, is never opened.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ken_files::{
    CacheFile, CacheFormat, CacheWriter, FileLook, Lock, NewFile, create_folder, remove_leftovers,
};

use super::segment::{Covers, EventSegment, FORMAT, Made, VERSION};
use crate::checksum::Checksum;
use crate::layout::{INDEX, Kind, Layout};

/// How often the chain is read again when segments vanish while they are opened.
const ATTEMPTS: usize = 5;
/// More segments than a log has.
const MOST_SEGMENTS: usize = 256;
/// Most files that one sweep removes. What is left of a folder that somebody filled goes with the next ones.
const MOST_SWEPT: usize = 10_000;
/// From so many bytes on it is worth writing down that the log was found unchanged.
const NOTED: u64 = 1024 * 1024;

/// That all bytes before a place were found as the segments say when the log looked like this.
const LOOK_FORMAT: CacheFormat = CacheFormat {
    name: "ken-events-look",
    version: VERSION,
};

/// The names of the segments, in their order, a line each.
const CHAIN_FORMAT: CacheFormat = CacheFormat {
    name: "ken-events-chain",
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

fn chain_name() -> String {
    format!("events-{VERSION}.chain")
}

fn lock_name() -> String {
    format!("events-{VERSION}.lock")
}

/// Whether a name is one that [`name_of`] gives.
fn is_segment(name: &str) -> bool {
    let rest = name.strip_prefix(&format!("events-{VERSION}-"));
    let Some(rest) = rest.and_then(|rest| rest.strip_suffix(".segment")) else {
        return false;
    };
    let mut parts = rest.split('-');
    let all = |part: Option<&str>, known: fn(&u8) -> bool| {
        part.is_some_and(|part| !part.is_empty() && part.as_bytes().iter().all(known))
    };
    all(parts.next(), u8::is_ascii_digit)
        && all(parts.next(), u8::is_ascii_digit)
        && all(parts.next(), u8::is_ascii_hexdigit)
        && parts.next().is_none()
}

/// The names in the chain.
fn names(folder: &Path) -> Vec<String> {
    let read = || {
        let section = CacheFile::open(&folder.join(chain_name()), &CHAIN_FORMAT)?.section(0)?;
        String::from_utf8(section.to_vec()).ok()
    };
    let text = read().unwrap_or_default();
    let names = text.lines().take(MOST_SEGMENTS).map(str::to_owned);
    names.take_while(|name| is_segment(name)).collect()
}

/// The segments on the disk that cover the log `file`, which looks like `look`, from its start on.
pub(super) fn open(layout: &Layout, file: &File, look: FileLook) -> Vec<EventSegment> {
    let Some(folder) = folder(layout) else {
        return Vec::new();
    };
    // Before anything is read: what changes from here on shows.
    let now = SystemTime::now();
    let mut followed = Followed::default();
    for _ in 0..ATTEMPTS {
        followed = follow(&folder, look);
        if !followed.vanished {
            break;
        }
    }
    let mut chain = followed.chain;
    // What follows a segment of another state of the log was made behind it.
    if let Some(wrong) = first_wrong(&folder, &chain, file, look, now) {
        chain.truncate(wrong);
    }
    chain
}

#[derive(Default)]
struct Followed {
    chain: Vec<EventSegment>,
    /// Whether a file was gone when it was opened.
    vanished: bool,
}

/// Follows the chain from the start on as long as each segment begins where the one before ended, was made behind the
/// very bytes that that one covers, and ends within the log.
fn follow(folder: &Path, look: FileLook) -> Followed {
    let mut followed = Followed::default();
    for name in names(folder) {
        let path = folder.join(name);
        let Some(cache) = CacheFile::open(&path, &FORMAT) else {
            followed.vanished = std::fs::symlink_metadata(&path).is_err();
            break;
        };
        let last = followed.chain.last().map(|last| &last.covers);
        let (from, before) = last.map_or((Default::default(), 0), |last| (last.to, last.after()));
        let fits = |segment: &EventSegment| {
            let covers = &segment.covers;
            (covers.from, covers.before) == (from, before)
                && covers.to.offset > from.offset
                && covers.to.offset <= look.length()
        };
        match EventSegment::open(&cache, Some(path)).filter(fits) {
            Some(segment) => followed.chain.push(segment),
            None => break,
        }
    }
    followed
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
    let path = folder.join(look_name());
    clear(&path);
    let _ = writer.write(&path, NewFile::Private);
}

/// Removes what stands in the place of one of this folder's files and is none: a folder, a link, a device. Somebody put
/// it there to keep the segments from being made. Best effort.
fn clear(path: &Path) {
    let _ = match std::fs::symlink_metadata(path) {
        Ok(seen) if seen.is_dir() => std::fs::remove_dir_all(path),
        Ok(seen) if !seen.is_file() => std::fs::remove_file(path),
        _ => Ok(()),
    };
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
        clear(&lock);
        let lock = Lock::try_acquire(&lock, "ken recall");
        Some(Writer {
            _lock: lock.ok()??,
            folder,
        })
    }

    /// Whether the chain names these segments and no others.
    pub(super) fn finds_only(&self, segments: &[EventSegment]) -> bool {
        let on_disk: Vec<String> = segments.iter().filter_map(file_name).collect();
        names(&self.folder) == on_disk
    }

    /// Puts a segment on the disk, and opens it from there.
    pub(super) fn write(&self, made: Made, look: Option<FileLook>) -> Option<EventSegment> {
        let path = self.folder.join(name_of(made.covers()));
        clear(&path);
        made.writer(look).write(&path, NewFile::Private).ok()?;
        // As others see it: mapped, and not twice in memory.
        EventSegment::open(&CacheFile::open(&path, &FORMAT)?, Some(path))
    }

    /// Makes these the chain, as far as they are on the disk, and removes what else this version left.
    pub(super) fn link(&self, segments: &[EventSegment]) {
        let on_disk: Vec<String> = segments.iter().map_while(file_name).collect();
        let path = self.folder.join(chain_name());
        clear(&path);
        let mut writer = CacheWriter::new(CHAIN_FORMAT);
        writer.section(on_disk.join("\n").into_bytes());
        // Others may still go by the old chain then.
        if writer.write(&path, NewFile::Private).is_ok() {
            self.sweep(&on_disk);
        }
    }

    fn sweep(&self, live: &[String]) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let left = names.filter(|name| is_segment(name) && !live.contains(name));
        for name in left.take(MOST_SWEPT) {
            let path = self.folder.join(name);
            clear(&path);
            let _ = std::fs::remove_file(path);
        }
        let _ = remove_leftovers(&self.folder);
    }
}

/// The name of a segment's file; `None` of one that is in memory only.
fn file_name(segment: &EventSegment) -> Option<String> {
    let name = segment.path.as_deref()?.file_name()?;
    name.to_str().map(str::to_owned)
}
