use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use ken_files::{Clock, FileError, Lock, create_folder, replace};
use serde::Serialize;

use super::WiringError;
use super::plan::{Deed, FileChange, Plan, plan_setup, plan_unsetup, read};
use super::receipt::{Receipt, back_up, lock_file, remove};

/// How often a plan is made anew when somebody else writes in between.
const ATTEMPTS: usize = 3;

/// How long another setup on this machine is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

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
    /// the disk refuses.
    pub fn apply(self, clock: &Clock) -> Result<Applied, WiringError> {
        let lock = lock_file(&self.request.paths)?;
        let _lock = Lock::acquire(&lock, "ken setup", PATIENCE)?;
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
        let mut applied = Applied::default();
        let mut remembered = Vec::new();
        for (index, change) in self.files.iter().enumerate() {
            remembered.push(Receipt::read(paths, &change.real));
            match self.write_one(change, clock) {
                Ok(written) => applied.files.push(written),
                Err(error) => {
                    let begun = self.files[..=index].iter().zip(&remembered);
                    begun
                        .rev()
                        .for_each(|(change, receipt)| self.undo(change, receipt.as_ref()));
                    return Err(error);
                }
            }
        }
        for receipt in &self.receipts {
            receipt.write(paths)?;
        }
        for folder in self.folders.iter().rev() {
            // One that holds something else stays.
            let _ = fs::remove_dir(folder);
        }
        Ok(applied)
    }

    fn write_one(&self, change: &FileChange, clock: &Clock) -> Result<Written, WiringError> {
        let paths = &self.request.paths;
        let backup = match &change.before {
            Some(bytes) => Some(back_up(paths, clock, &change.real, bytes)?),
            None => None,
        };
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
        if change.receipt.is_none() && self.deed == Deed::Unsetup {
            Receipt::forget(paths, &change.real)?;
        }
        Ok(Written {
            path: change.path.clone(),
            says: change.says.clone(),
            removed: change.after.is_none(),
            backup,
        })
    }

    /// Gives a file its bytes of before and what was remembered of it, unless somebody changed it in the meantime. What
    /// cannot be undone stays: the error that led here is the one to tell.
    fn undo(&self, change: &FileChange, remembered: Option<&Receipt>) {
        let bytes_of_before = || -> Result<(), FileError> {
            if change.before == change.after || read(&change.real)? != change.after {
                return Ok(());
            }
            match &change.before {
                Some(bytes) => replace(&change.real, bytes, change.new),
                None => remove(&change.real),
            }
        };
        let paths = &self.request.paths;
        let _ = bytes_of_before();
        let _ = match remembered {
            Some(receipt) => receipt.write(paths),
            None => Receipt::forget(paths, &change.real),
        };
        if remembered.is_none() {
            let made = change
                .receipt
                .iter()
                .flat_map(|receipt| receipt.folders.iter().rev());
            made.for_each(|folder| drop(fs::remove_dir(folder)));
        }
    }
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
