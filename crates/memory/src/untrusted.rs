use std::sync::Arc;

use crate::Memory;
use crate::sources::{EdictsRead, LessonsRead};

/// The edicts and lessons that this repository carries, as far as they may speak up by themselves.
pub(crate) type Carried = (Arc<EdictsRead>, Arc<LessonsRead>);

impl Memory {
    /// What this repository carries: nothing as long as nobody on this machine has trusted it.
    pub(crate) fn carried(&self) -> Carried {
        self.carried_if(self.untrusted().is_none())
    }

    /// The same for those who know whether it may speak up.
    pub(crate) fn carried_if(&self, may_speak: bool) -> Carried {
        if !may_speak {
            (
                Arc::clone(&self.sources.no_edicts),
                Arc::clone(&self.sources.no_lessons),
            )
        } else {
            (self.edicts(), self.lessons())
        }
    }

    /// The one sentence that stands for what a repository carries while nobody on this machine has trusted it; `None`
    /// when it is trusted, carries nothing, or there is no project.
    pub(crate) fn untrusted(&self) -> Option<String> {
        let project = self.setting.project.as_ref()?;
        if self.is_trusted() == Some(true) {
            return None;
        }
        let edicts = self.edicts();
        let carries =
            edicts.path.is_some() || edicts.broken.is_some() || project.agent_root().join(".agent").is_dir();
        carries.then(|| SENTENCE.to_owned())
    }
}

const SENTENCE: &str = "the memory that this repository carries is not trusted on this machine; look at its edicts and lessons, then say `ken trust` in it";
