//! What was read is kept for others: segments in memory become segments on the disk.

use ken_files::FileLook;

use super::segment::{EventSegment, Made};
use super::tail::Tail;
use super::{EventIndex, Seen, chain};
use crate::Folder;

/// A segment takes its neighbour in when that one is less than so many times as long: then they stay few, and each
/// event is written anew a few times only.
const NEAR: u64 = 2;
/// No segment covers more of the log than this.
const LONGEST: u64 = 1 << 30;

impl EventIndex {
    /// Puts segments that are in memory only on the disk, if that can be done now; else there are at least few of them.
    pub(super) fn keep(&mut self, folder: &Folder, seen: Seen) {
        let in_memory = |segment: &EventSegment| segment.path.is_none();
        if !self.segments.iter().any(in_memory) {
            return;
        }
        if let Some(writer) = chain::Writer::try_new(&folder.layout) {
            if !writer.finds_only(&self.segments) && self.adopt(folder, seen.look) {
                return;
            }
            let look = seen.settled.then_some(seen.look);
            while let Some(first) = self.segments.iter().position(in_memory) {
                let end = self.end_of_group(first);
                let written = self
                    .merged(first, end)
                    .and_then(|(from, made)| Some((from, writer.write(made, look)?)));
                let Some((from, segment)) = written else { break };
                self.segments.splice(from..end, [segment]);
            }
            writer.link(&self.segments);
            if !self.segments.iter().any(in_memory) {
                return;
            }
        }
        let end = self.segments.len();
        let last = end.saturating_sub(1);
        if let Some((from, made)) = self.merged(last, end)
            && from < last
            && let Some(segment) = made.in_memory()
        {
            self.segments.splice(from..end, [segment]);
        }
    }

    /// Where the segments from number `first` on end that fit into one.
    fn end_of_group(&self, first: usize) -> usize {
        let mut length = self.segments[first].stretch();
        let others = self.segments[first + 1..].iter().take_while(|segment| {
            length += segment.stretch();
            length <= LONGEST
        });
        first + 1 + others.count()
    }

    /// The segments from number `first` to `end` as one, with those before them that are not much longer; and its place.
    fn merged(&self, first: usize, end: usize) -> Option<(usize, Made)> {
        let length = |segments: &[EventSegment]| segments.iter().map(EventSegment::stretch).sum::<u64>();
        let mut from = first;
        while let Some(before) = from.checked_sub(1) {
            let (one, others) = (self.segments[before].stretch(), length(&self.segments[from..end]));
            if one >= NEAR * others || one + others > LONGEST {
                break;
            }
            from = before;
        }
        let parts: Vec<&EventSegment> = self.segments[from..end].iter().collect();
        Some((from, Made::merged(&parts)?))
    }

    /// Takes segments that another process has written meanwhile, when they reach farther than what is on the disk here.
    fn adopt(&mut self, folder: &Folder, look: FileLook) -> bool {
        let Some(file) = &self.file else { return false };
        let reach = |segments: &[EventSegment]| {
            let on_disk = segments.iter().take_while(|segment| segment.path.is_some());
            on_disk.last().map_or(0, |last| last.covers.to.offset)
        };
        let segments = chain::open(&folder.layout, file, look);
        if reach(&segments) <= reach(&self.segments) {
            return false;
        }
        let mut index = EventIndex {
            tail: Tail::behind(segments.last()),
            segments,
            ..EventIndex::empty(self.limits)
        };
        // The log may have grown by a line since it was looked at; what is shown is what was read.
        if !index.read_on(file).is_ok_and(|sound| sound) || index.len() < self.len() {
            return false;
        }
        (self.segments, self.tail) = (index.segments, index.tail);
        !self.segments.iter().any(|segment| segment.path.is_none())
    }
}
