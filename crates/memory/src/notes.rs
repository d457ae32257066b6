//! What a reader is told beside an answer. Only the person hears what stands in a file that cannot be read: its text
//! may be private, and nobody can tell.

use ken_library::{AccessLevel, Place};

use crate::Memory;
use crate::sources::{EdictsRead, LibraryRead};

impl Memory {
    /// Sentences on manifests that cannot be read.
    pub(crate) fn notes_of(&self, library: &LibraryRead) -> Vec<String> {
        match library.troubles.as_slice() {
            [] => Vec::new(),
            troubles if self.hears_everything() => {
                troubles.iter().map(|trouble| trouble.message.clone()).collect()
            }
            [_] if self.is_local() => {
                vec!["1 manifest of the library cannot be read; `ken library validate` says why".to_owned()]
            }
            troubles if self.is_local() => vec![format!(
                "{} manifests of the library cannot be read; `ken library validate` says why",
                troubles.len()
            )],
            _ => Vec::new(),
        }
    }

    /// A sentence on an edicts file that is not in force as it stands.
    pub(crate) fn edict_notes(&self, read: &EdictsRead) -> Vec<String> {
        if !self.reaches_team() {
            return Vec::new();
        }
        let Some(broken) = &read.broken else {
            let aside = read.edicts.as_ref().map_or(0, |edicts| edicts.set_aside.len());
            let (edicts, are) = if aside == 1 {
                ("edict", "is")
            } else {
                ("edicts", "are")
            };
            let note = format!(
                "{aside} {edicts} cannot be read and {are} not in force; `ken edict validate` says why"
            );
            return (aside > 0).then_some(note).into_iter().collect();
        };
        let copy = if read.edicts.is_some() {
            "its last good copy is in force"
        } else {
            "none of its facts is in force"
        };
        vec![self.file_note(
            &format!("{broken} ({copy})"),
            &format!("the edicts file cannot be read, and {copy}; `ken edict validate` says why"),
        )]
    }

    /// What is wrong with a file, for those who may hear it, else that something is.
    pub(crate) fn file_note(&self, detail: &str, plain: &str) -> String {
        if self.hears_everything() { detail } else { plain }.to_owned()
    }

    pub(crate) fn is_local(&self) -> bool {
        self.setting.caller.place() == Place::Local
    }

    pub(crate) fn hears_everything(&self) -> bool {
        self.is_local() && self.setting.caller.level() == AccessLevel::Private
    }
}
