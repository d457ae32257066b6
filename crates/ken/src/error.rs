use std::error::Error;
use std::fmt;

/// What kind of failure it was: it decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It could not be done, was not found, or its content is bad. Exit code 1.
    CouldNot,
    /// The command was used wrongly: an unknown flag, a value of the wrong kind or range. Exit code 2.
    Usage,
}

/// The one error that reaches the person: a sentence with place and remedy, and hints below it.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    pub(crate) hints: Vec<String>,
}

impl CommandError {
    /// It could not be done.
    pub(crate) fn could_not(message: impl Into<String>) -> Self {
        CommandError {
            kind: Kind::CouldNot,
            message: message.into(),
            hints: Vec::new(),
        }
    }

    /// The command was used wrongly.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        CommandError {
            kind: Kind::Usage,
            message: message.into(),
            hints: Vec::new(),
        }
    }

    /// Adds a line that says what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for CommandError {}

/// An error of a room below reaches the person as the sentence it is.
macro_rules! as_sentence {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                CommandError::could_not(error.to_string())
            }
        })*
    };
}

impl From<ken_edicts::Error> for CommandError {
    fn from(error: ken_edicts::Error) -> Self {
        let kind = match error {
            ken_edicts::Error::Validation(_) => Kind::Usage,
            _ => Kind::CouldNot,
        };
        CommandError {
            kind,
            message: error.to_string(),
            hints: Vec::new(),
        }
    }
}

/// What was asked for cannot be, whatever the state of the files: wrong usage.
impl From<ken_dotagent::Error> for CommandError {
    fn from(error: ken_dotagent::Error) -> Self {
        let kind = match error {
            ken_dotagent::Error::Refused(_) => Kind::Usage,
            _ => Kind::CouldNot,
        };
        CommandError {
            kind,
            message: error.to_string(),
            hints: Vec::new(),
        }
    }
}

impl From<ken_memory::Error> for CommandError {
    fn from(error: ken_memory::Error) -> Self {
        match error {
            ken_memory::Error::Agent(error) => error.into(),
            error => CommandError::could_not(error.to_string()),
        }
    }
}

as_sentence!(ken_files::FileError, ken_library::Error);
