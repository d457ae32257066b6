use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::init::InitReport;
use crate::layout::{LESSONS, LOG, Layout};
use crate::repeats::Repeats;
use crate::{Error, EventId};

/// A repository's `.agent/` folder. Cheap to hold and to clone; nothing is kept open.
#[derive(Debug, Clone)]
pub struct Folder {
    pub(crate) layout: Layout,
    pub(crate) here: Arc<Here>,
}

/// What this process remembers of a folder between two calls. All of it can be found again on the disk.
#[derive(Debug, Default)]
pub(crate) struct Here {
    /// The last id that was made through this handle.
    pub(crate) last: Mutex<Option<EventId>>,
    /// What came before in the log: texts and dedup keys.
    pub(crate) repeats: Mutex<Repeats>,
}

impl Folder {
    /// Makes what is missing of the layout below `project_root`, adds the lines to `.gitignore` and `.gitattributes`,
    /// and says what was made. Run again, it changes nothing. What people wrote is never touched.
    ///
    /// # Errors
    /// When `.agent` or a part of it is a plain file where a folder belongs (or the other way round) or a link that
    /// leads out: then nothing is written. And when the disk cannot be written to.
    pub fn init(project_root: &Path) -> Result<(Folder, InitReport), Error> {
        let folder = Folder::at(project_root);
        let report = crate::init::init(&folder.layout)?;
        Ok((folder, report))
    }

    /// The folder of `project_root`; `None` when it has none.
    ///
    /// # Errors
    /// When `.agent` is a plain file, or a link that leads out of `project_root`.
    pub fn open(project_root: &Path) -> Result<Option<Folder>, Error> {
        let folder = Folder::at(project_root);
        Ok(folder.layout.check_agent()?.then_some(folder))
    }

    fn at(project_root: &Path) -> Folder {
        Folder {
            layout: Layout {
                root: project_root.to_owned(),
            },
            here: Arc::default(),
        }
    }

    /// The project's root, as it was given.
    pub fn root(&self) -> &Path {
        &self.layout.root
    }

    /// `.agent/` itself.
    pub fn path(&self) -> PathBuf {
        self.layout.agent()
    }

    /// `.agent/episodic/AGENT_LEARNINGS.jsonl`, whether it exists or not.
    pub fn log_path(&self) -> PathBuf {
        self.layout.path(LOG)
    }

    /// `.agent/semantic/LESSONS.md`, whether it exists or not.
    pub fn lessons_path(&self) -> PathBuf {
        self.layout.path(LESSONS)
    }
}
