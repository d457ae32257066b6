use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

use ken_files::{Clock, NewFile, create_folder, replace};
use ken_secrets::Redacted;

use crate::model::Edicts;
use crate::source::Document;
use crate::{Error, Store, load};

/// What stands for a project: its edicts, or the last ones that could be read.
#[derive(Debug)]
pub struct Standing {
    /// The edicts; those of the last good copy when the file is put aside.
    pub edicts: Edicts,
    /// Why the file is put aside, for the warning that must go with the copy.
    pub problem: Option<Error>,
}

impl Standing {
    /// What must be said wherever these edicts are: one sentence each, without the file's own words.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(problem) = &self.problem {
            let at = match problem {
                Error::Parse { line, .. } => format!(" (line {line})"),
                _ => String::new(),
            };
            warnings.push(format!(
                "warning: the edicts file cannot be read{at}; these are from the last copy that could be, and may be \
                 out of date. Tell the person to run `ken edict validate`."
            ));
        }
        match self.edicts.set_aside.len() {
            0 => {}
            1 => warnings.push("warning: 1 edict cannot be read and is missing here. Tell the person to run `ken edict validate`.".to_owned()),
            aside => warnings.push(format!("warning: {aside} edicts cannot be read and are missing here. Tell the person to run `ken edict validate`.")),
        }
        warnings
    }
}

impl Store {
    /// The edicts for a prompt. Of a file that is put aside the last good copy is given, with the problem. Without a
    /// copy the problem is the error.
    pub fn standing(&self, clock: &Clock) -> Result<Standing, Error> {
        match self.load(clock) {
            Ok(edicts) => Ok(Standing {
                edicts,
                problem: None,
            }),
            Err(problem @ Error::Parse { .. }) => match self.last_good(clock) {
                Some(edicts) => Ok(Standing {
                    edicts,
                    problem: Some(problem),
                }),
                None => Err(problem),
            },
            Err(other) => Err(other),
        }
    }

    /// The edicts of the last good copy, where there is one that can be read.
    pub fn last_good(&self, clock: &Clock) -> Option<Edicts> {
        let copy = fs::read(self.copy_path()?).ok()?;
        let end = copy.iter().position(|byte| *byte == b'\n')?;
        let document = Document::read(self.path(), copy.get(end + 1..)?.to_vec()).ok()?;
        let mut edicts = load::edicts(self.path(), &document, clock);
        // Places in the copy mean nothing to a person.
        edicts.findings.clear();
        Some(edicts)
    }

    /// Keeps a copy of a file that can be read, unless the one that is kept is of the same text: the text itself, without
    /// credentials, below a line that says of what it is. A copy that cannot be kept is no reason to fail: it serves
    /// only the day when the file is broken.
    pub(crate) fn remember(&self, edicts: &Edicts) {
        // Of a file with edicts that cannot be read the copy would lose what it still has of them.
        if !edicts.set_aside.is_empty() {
            return;
        }
        let Some(path) = self.copy_path() else { return };
        let head = format!("{}\n", blake3::Hash::from(edicts.digest).to_hex());
        let mut kept = vec![0; head.len()];
        let same = File::open(&path)
            .and_then(|mut file| file.read_exact(&mut kept))
            .is_ok()
            && kept == head.as_bytes();
        if same {
            return;
        }
        let Ok(Some(bytes)) = self.bytes() else { return };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return;
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // Another program may have changed it since it was read.
        if blake3::hash(text.as_bytes()) != blake3::Hash::from(edicts.digest) {
            return;
        }
        let (text, found) = Redacted::new(text.to_owned());
        // What stands in place of a credential must not have made another document of it.
        if !found.is_empty() && Document::read(self.path(), text.as_bytes().to_vec()).is_err() {
            return;
        }
        if let Some(folder) = path.parent()
            && create_folder(folder, NewFile::Private).is_ok()
        {
            let _ = replace(&path, (head + &text).as_bytes(), NewFile::Private);
        }
    }

    fn copy_path(&self) -> Option<PathBuf> {
        Some(self.state()?.join("edicts").join(format!("{}.good", self.mark())))
    }
}
