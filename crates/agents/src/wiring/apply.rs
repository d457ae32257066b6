use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ken_files::{Clock, FileError, Lock, Paths, create_folder, remove_leftovers, replace};
use serde::Serialize;

use super::WiringError;
use super::plan::{Deed, FileChange, Plan, files, plan_setup, plan_unsetup, read};
use super::receipt::{Receipt, back_up, folders_of, lock_file, remove};

/// How often a plan is made anew when somebody else writes in between.
const ATTEMPTS: usize = 3;

/// How long another setup on this machine is waited for without a word.
const SILENCE: Duration = Duration::from_secs(2);

/// How long it is waited for after the word.
const PATIENCE: Duration = Duration::from_secs(8);

/// What was written.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Applied {
    /// The files, in the order in which they were written.
    pub files: Vec<Written>,
}

/// A file that was written.
#[derive(Debug, Clone, Serialize)]
pub struct Written {
    /// The file as the agent names it.
    pub path: PathBuf,
    /// What was done to it, a phrase each.
    pub says: Vec<String>,
    /// Whether it was removed.
    pub removed: bool,
    /// Where its bytes of before are kept; nothing where there was no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<PathBuf>,
}

impl Plan {
    /// Writes the plan. A file that somebody changed since is never overwritten: the plan is made anew on what stands
    /// there now. When a write fails, the files that were written before it get their bytes back.
    ///
    /// Every file that is changed or removed is first copied under the state directory, readable by the owner only.
    ///
    /// # Errors
    /// As planning; [`WiringError::Changed`] when another program writes again and again; [`WiringError::File`] when
    /// the disk refuses; [`WiringError::NotUndone`] when it also refuses to take the old bytes back.
    pub fn apply(self, clock: &Clock) -> Result<Applied, WiringError> {
        self.apply_telling(clock, |_| ())
    }

    /// As [`Plan::apply`]; where another setup on this machine makes this one wait for more than two seconds, `waits`
    /// gets a sentence that says for whom and for how long. After ten seconds this one gives up.
    ///
    /// # Errors
    /// As [`Plan::apply`]; [`WiringError::File`] with [`FileError::Locked`] when it gave up.
    pub fn apply_telling(self, clock: &Clock, waits: impl FnOnce(&str)) -> Result<Applied, WiringError> {
        let _lock = take_turn(&lock_file(&self.request.paths)?, [SILENCE, PATIENCE], waits)?;
        self.sweep()?;
        let mut plan = self;
        for _ in 0..ATTEMPTS {
            if plan.overtaken()?.is_none() {
                return plan.write(clock);
            }
            plan = match plan.deed {
                Deed::Setup => plan_setup(&plan.chosen, &plan.request)?,
                Deed::Unsetup => plan_unsetup(&plan.chosen, &plan.request)?,
            };
        }
        match plan.overtaken()? {
            Some(path) => Err(WiringError::Changed { path }),
            None => plan.write(clock),
        }
    }

    /// Removes what a setup that was killed left where it was about to write. Best effort: it is only in the way.
    fn sweep(&self) -> Result<(), WiringError> {
        let paths = &self.request.paths;
        for (_, real, _) in files(&self.chosen, &self.request)? {
            let beside = real.parent().map(Path::to_owned);
            for folder in beside.into_iter().chain(folders_of(paths, &real)) {
                let _ = remove_leftovers(&folder);
            }
        }
        Ok(())
    }

    /// A file that is not as it was planned on.
    fn overtaken(&self) -> Result<Option<PathBuf>, WiringError> {
        for change in &self.files {
            if read(&change.real)? != change.before {
                return Ok(Some(change.path.clone()));
            }
        }
        Ok(None)
    }

    fn write(self, clock: &Clock) -> Result<Applied, WiringError> {
        let paths = &self.request.paths;
        // They tell of files that do not change, so they are as true when a write fails.
        for receipt in &self.receipts {
            receipt.write(paths)?;
        }
        let mut applied = Applied::default();
        let mut begun = Vec::new();
        for change in &self.files {
            let mut step = Step {
                change,
                remembered: Receipt::read(paths, &change.real),
                backup: None,
            };
            let written = self.write_one(&mut step, clock);
            begun.push(step);
            match written {
                Ok(written) => applied.files.push(written),
                Err(error) => return Err(undo(begun, paths, error)),
            }
        }
        // Only now: until the last file is written, the way back of the first may be needed.
        for change in &self.files {
            if change.receipt.is_none() && self.deed == Deed::Unsetup {
                Receipt::forget(paths, &change.real)?;
            }
        }
        for folder in self.folders.iter().rev() {
            // One that holds something else stays.
            let _ = fs::remove_dir(folder);
        }
        Ok(applied)
    }

    fn write_one(&self, step: &mut Step<'_>, clock: &Clock) -> Result<Written, WiringError> {
        let (paths, change) = (&self.request.paths, step.change);
        if let Some(bytes) = &change.before {
            step.backup = Some(back_up(paths, clock, &change.real, bytes)?);
        }
        if let Some(receipt) = &change.receipt {
            receipt.write(paths)?;
        }
        match &change.after {
            Some(bytes) => {
                if let Some(folder) = change.real.parent() {
                    create_folder(folder, change.new)?;
                }
                still(change)?;
                replace(&change.path, bytes, change.new)?;
            }
            None => {
                still(change)?;
                remove(&change.real)?;
            }
        }
        Ok(Written {
            path: change.path.clone(),
            says: change.says.clone(),
            removed: change.after.is_none(),
            backup: step.backup.clone(),
        })
    }
}

/// A write that was begun, and what undoing it takes.
struct Step<'a> {
    change: &'a FileChange,
    /// What was remembered of the file before.
    remembered: Option<Receipt>,
    backup: Option<PathBuf>,
}

/// Gives the files their bytes of before, and says what led here and what could not be undone.
///
/// What takes no room comes first, and again and again as long as it gets on: a disk that is full holds a file's old
/// bytes when the files, receipts and copies of this setup are gone.
fn undo(begun: Vec<Step<'_>>, paths: &Paths, error: WiringError) -> WiringError {
    let (mut left, rest): (Vec<_>, Vec<_>) = begun
        .into_iter()
        .rev()
        .partition(|step| step.change.before.is_none());
    left.extend(rest);
    loop {
        let before = left.len();
        left.retain(|step| step.undo(paths).is_err());
        if left.is_empty() {
            return error;
        }
        if left.len() == before {
            break;
        }
    }
    WiringError::NotUndone {
        source: Box::new(error),
        paths: left.iter().map(|step| step.change.path.clone()).collect(),
    }
}

impl Step<'_> {
    /// Gives the file its bytes of before, and only then what was remembered of it: as long as something of setup
    /// stands in the file, its way back is kept.
    fn undo(&self, paths: &Paths) -> Result<(), WiringError> {
        let change = self.change;
        let now = read(&change.real)?;
        if now != change.before {
            // Somebody else's change in the meantime is not undone.
            if now != change.after {
                return Err(WiringError::Changed {
                    path: change.path.clone(),
                });
            }
            match &change.before {
                Some(bytes) => replace(&change.real, bytes, change.new)?,
                None => remove(&change.real)?,
            }
        }
        match (&self.remembered, &change.receipt) {
            (Some(receipt), Some(_)) => receipt.write(paths)?,
            // Nothing was written over it.
            (Some(_), None) => {}
            (None, receipt) => {
                Receipt::forget(paths, &change.real)?;
                let made = receipt.iter().flat_map(|receipt| receipt.folders.iter().rev());
                made.for_each(|folder| drop(fs::remove_dir(folder)));
            }
        }
        // A copy of what stands in its place.
        self.backup.iter().try_for_each(|copy| Ok(remove(copy)?))
    }
}

/// The lock that setups on this machine take one after the other: waited for without a word, then with one.
fn take_turn(
    lock: &Path,
    [silence, patience]: [Duration; 2],
    waits: impl FnOnce(&str),
) -> Result<Lock, FileError> {
    let holder = match Lock::acquire(lock, "ken setup", silence) {
        Err(FileError::Locked { holder, .. }) => holder,
        other => return other,
    };
    waits(&format!(
        "waiting for {holder}, which is at work on agents' settings; giving up in {patience:?}"
    ));
    let mut taken = Lock::acquire(lock, "ken setup", patience);
    if let Err(FileError::Locked { waited, .. }) = &mut taken {
        *waited += silence;
    }
    taken
}

/// The last look before a write.
fn still(change: &FileChange) -> Result<(), WiringError> {
    if read(&change.real)? == change.before {
        Ok(())
    } else {
        Err(WiringError::Changed {
            path: change.path.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use ken_files::NewFile;

    use super::super::facts::Facts;
    use super::*;

    #[test]
    fn who_waits_long_says_so_and_gives_up_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let times = [Duration::from_millis(20), Duration::from_millis(30)];
        let turn = |waits: &mut dyn FnMut(&str)| take_turn(&lock, times, waits).map(drop);
        let mut said = Vec::new();
        turn(&mut |sentence| said.push(sentence.to_owned())).unwrap();
        assert!(said.is_empty(), "{said:?}");
        let mut held = Some(Lock::acquire(&lock, "ken unsetup", Duration::ZERO).unwrap());
        let error = turn(&mut |sentence| said.push(sentence.to_owned())).unwrap_err();
        let holder = format!("ken unsetup (process {})", std::process::id());
        assert_eq!(
            said,
            [format!(
                "waiting for {holder}, which is at work on agents' settings; giving up in 30ms"
            )]
        );
        assert!(
            error.to_string().ends_with(&format!(
                "is locked by {holder} and was not released within 50ms; wait for it to finish, or end that process"
            )),
            "{error}"
        );
        // The other one ends while this one waits.
        turn(&mut |_| drop(held.take())).unwrap();
    }

    #[test]
    fn the_way_back_of_a_file_that_stays_changed_is_kept_and_the_file_named() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::under(folder.path().join("home"));
        let change = |name: &str| {
            let real = folder.path().join(name);
            let receipt = Receipt {
                file: real.clone(),
                owners: vec!["codex".to_owned()],
                programs: Vec::new(),
                wrote: String::new(),
                facts: Some(Facts::default()),
                folders: Vec::new(),
                before: Some(b"old".to_vec()),
            };
            receipt.write(&paths).unwrap();
            FileChange {
                path: real.clone(),
                real,
                before: Some(b"old".to_vec()),
                after: Some(b"new".to_vec()),
                says: Vec::new(),
                new: NewFile::Shared,
                receipt: Some(receipt),
            }
        };
        let (ours, others) = (change("ours"), change("others"));
        fs::write(&ours.real, "new").unwrap();
        fs::write(&others.real, "new, and a word of somebody else").unwrap();
        let step = |change| Step {
            change,
            remembered: None,
            backup: None,
        };
        let error = undo(vec![step(&ours), step(&others)], &paths, WiringError::NoProject);
        let said = error.to_string().replace(folder.path().to_str().unwrap(), "");
        assert!(
            said.contains("; /others was written before that and could not be put back; when"),
            "{said}"
        );
        assert_eq!(fs::read(&ours.real).unwrap(), b"old");
        assert_eq!(Receipt::read(&paths, &ours.real), None);
        assert_eq!(Receipt::read(&paths, &others.real), others.receipt);
    }
}
