//! When edicts were read last: kept in the state folder, so that reading never writes the file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use jiff::Timestamp;
use ken_files::{Clock, NewFile, create_folder, read_bounded, replace};

use crate::Store;
use crate::model::Edicts;

/// The largest file of access times that is believed, in bytes.
const MAX_ACCESS: u64 = 2 * 1024 * 1024;

impl Store {
    /// Notes that these edicts were shown to somebody. Best effort, and never in the file of edicts itself.
    pub fn note_access<'i>(&self, edicts: &Edicts, ids: impl IntoIterator<Item = &'i str>, clock: &Clock) {
        let Some(path) = self.access_path() else { return };
        let before = self.access_times();
        let shown: HashSet<&str> = ids.into_iter().collect();
        let now = clock.now();
        // Times of edicts that are gone go too.
        let times: BTreeMap<&str, i64> = edicts
            .edicts
            .iter()
            .filter_map(|edict| {
                let id = edict.id.as_str();
                let known = before.get(id).copied();
                let at = if shown.contains(id) { Some(now) } else { known };
                Some((id, at?.as_millisecond()))
            })
            .collect();
        let Ok(text) = serde_json::to_vec(&times) else {
            return;
        };
        if let Some(folder) = path.parent()
            && create_folder(folder, NewFile::Private).is_ok()
        {
            let _ = replace(&path, &text, NewFile::Private);
        }
    }

    /// Puts the times of reading that are known here into the edicts, where they are later than what the file says.
    pub fn with_access(&self, edicts: &mut Edicts) {
        let times = self.access_times();
        for edict in &mut edicts.edicts {
            // An earlier edict may have had the id.
            let known = times
                .get(edict.id.as_str())
                .copied()
                .filter(|at| *at >= edict.created);
            edict.last_accessed = edict.last_accessed.max(known);
        }
    }

    /// The times by id; none when there is no state folder, or nothing there that can be read.
    pub(crate) fn access_times(&self) -> HashMap<String, Timestamp> {
        let times = || {
            let bytes = read_bounded(&self.access_path()?, MAX_ACCESS).ok()?;
            let times: HashMap<String, i64> = serde_json::from_slice(&bytes).ok()?;
            let read = times.into_iter();
            Some(
                read.filter_map(|(id, at)| Some((id, Timestamp::from_millisecond(at).ok()?)))
                    .collect(),
            )
        };
        times().unwrap_or_default()
    }

    fn access_path(&self) -> Option<PathBuf> {
        Some(
            self.state()?
                .join("edicts")
                .join(format!("{}.read.json", self.mark())),
        )
    }
}
