use crate::Memory;

impl Memory {
    /// The one sentence that stands for what a repository carries while nobody on this machine has trusted it; `None`
    /// when it is trusted, carries nothing, or there is no project.
    pub(crate) fn untrusted(&self) -> Option<String> {
        let project = self.setting.project.as_ref()?;
        if self.is_trusted() == Some(true) {
            return None;
        }
        let carries = self.edicts().path.is_some()
            || self.edicts().broken.is_some()
            || project.agent_root().join(".agent").is_dir();
        carries.then(|| SENTENCE.to_owned())
    }
}

const SENTENCE: &str = "the memory that this repository carries is not trusted on this machine; look at its edicts and lessons, then say `ken trust` in it";
