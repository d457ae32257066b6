use std::fmt::Display;
use std::path::Path;

use super::Trouble;

impl Trouble {
    /// Something that is not in force or not searched.
    pub(crate) fn error_at(path: &Path, error: &dyn Display) -> Trouble {
        Trouble {
            place: path.display().to_string(),
            severity: "error".to_owned(),
            message: error.to_string(),
        }
    }

    /// What the reader of edicts found.
    pub(crate) fn of_edicts(finding: &ken_edicts::Finding) -> Trouble {
        let message = match &finding.edict {
            Some(edict) => format!("{edict}: {}", finding.message),
            None => finding.message.clone(),
        };
        Trouble {
            place: format!("{}:{}:{}", finding.path.display(), finding.line, finding.column),
            severity: match finding.severity {
                ken_edicts::Severity::Error => "error",
                ken_edicts::Severity::Warning => "warning",
            }
            .to_owned(),
            message,
        }
    }
}
