use crate::freshness::Stamp;
use crate::sources::Sources;
use crate::trust::TrustFile;
use crate::{Error, Setting, Trust};

/// The one question surface. Opening it opens nothing: each question reads what it needs, and reads it again when the
/// files changed, so that an answer always holds what any process wrote before it was asked.
///
/// It may be shared between threads.
#[derive(Debug)]
pub struct Memory {
    pub(crate) setting: Setting,
    pub(crate) sources: Sources,
}

impl Memory {
    /// Prepares to answer in this setting.
    ///
    /// # Errors
    /// None now; a setting that cannot work is an error here rather than at the first question.
    pub fn open(setting: Setting) -> Result<Memory, Error> {
        Ok(Memory {
            sources: Sources::default(),
            setting,
        })
    }

    /// Where, when and for whom this answers.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// Whether this answers where and for whom the other does: on the same paths, in the same project, for the same
    /// caller. Then what it has read serves for both.
    pub fn stands_as(&self, other: &Memory) -> bool {
        let place = |memory: &Memory| {
            let Setting {
                paths,
                clock: _,
                project,
                caller,
                agent,
                budgets,
                proposals,
            } = memory.setting.clone();
            (paths, project, caller, agent, budgets, proposals)
        };
        place(self) == place(other)
    }

    /// Trusts what this repository carries, for all its work trees, from now on. Durable when it returns.
    ///
    /// # Errors
    /// [`Error::NoProject`] outside any; [`Error::NotAllowed`] for a remote caller; [`Error::State`] when the file of
    /// decisions cannot be read; [`Error::File`] when it cannot be written.
    pub fn trust(&self) -> Result<Trust, Error> {
        self.decide(true)
    }

    /// Takes the trust back.
    ///
    /// # Errors
    /// As [`Memory::trust`].
    pub fn untrust(&self) -> Result<Trust, Error> {
        self.decide(false)
    }

    /// Whether what this repository carries is trusted; `None` outside any project. What cannot be read is not.
    pub fn is_trusted(&self) -> Option<bool> {
        let project = self.setting.project.as_ref()?;
        let file = self.trust_file();
        let now = Stamp::of(file.rests_on(project));
        let trusted = self
            .sources
            .trusted
            .get(now, || file.holds(project).unwrap_or(false));
        Some(*trusted)
    }

    pub(crate) fn trust_file(&self) -> TrustFile {
        TrustFile::new(&self.setting.paths.state)
    }

    fn decide(&self, trusted: bool) -> Result<Trust, Error> {
        self.refuse_remote("trusting a repository")?;
        let project = self.setting.project.as_ref().ok_or(Error::NoProject)?;
        self.trust_file().decide(project, trusted, &self.setting.clock)
    }

    pub(crate) fn refuse_remote(&self, deed: &'static str) -> Result<(), Error> {
        match self.setting.caller.place() {
            ken_library::Place::Local => Ok(()),
            ken_library::Place::Remote => Err(Error::NotAllowed { deed }),
        }
    }
}
