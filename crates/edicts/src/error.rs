use std::path::PathBuf;

use ken_files::FileError;

/// Why a question about edicts has no answer, or a change was not made. When a change fails, the file is as before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The disk or a lock.
    #[error(transparent)]
    File(#[from] FileError),
    /// The whole file is put aside: it is not one readable document of a known version.
    #[error("{path}:{line}:{column} {why}; {remedy}", path = path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u32,
        /// Column in characters, counted from 1.
        column: u32,
        /// What is wrong there.
        why: String,
        /// What to do.
        remedy: String,
    },
    /// There is no file.
    #[error("there is no {path}; make one with `ken edict init`, or by adding the first edict", path = path.display())]
    NoFile {
        /// The file.
        path: PathBuf,
    },
    /// A file stands there already.
    #[error("{path} exists already; it was left as it is", path = path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Links lead out of the folder that the file must stay in, or nowhere.
    #[error("{path} {why}; put the file itself there, or name the one you mean with --path", path = path.display())]
    Outside {
        /// The file as it was reached.
        path: PathBuf,
        /// Where it leads, as a clause.
        why: String,
    },
    /// Two edict files in one folder.
    #[error("both {first} and {second} are there; keep one, or name the one you mean with --path", first = first.display(), second = second.display())]
    TwoFiles {
        /// One of them.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// A value that was given cannot be used.
    #[error("{0}")]
    Validation(String),
    /// The texts of all edicts would be longer than `tokenBudget`.
    #[error(
        "this would make {needed} tokens of edict text, over the tokenBudget of {limit} (now {present}); shorten the text, remove an edict, or raise tokenBudget"
    )]
    Budget {
        /// The limit, in tokens.
        limit: usize,
        /// What the edicts in force take now.
        present: usize,
        /// What they would take.
        needed: usize,
    },
    /// There would be more edicts than `maxEdicts`.
    #[error("there are {present} edicts, and maxEdicts is {limit}; remove one, or raise maxEdicts")]
    Count {
        /// The limit.
        limit: usize,
        /// Edicts in force now.
        present: usize,
    },
    /// The category is not allowed.
    #[error("`{category}` is not one of the allowed categories ({allowed}); use one of them, or add it to config.categories", allowed = allowed.join(", "))]
    Category {
        /// The category, normalised.
        category: String,
        /// The allowed ones, normalised.
        allowed: Vec<String>,
    },
    /// A key or id that something else has.
    #[error("{0}")]
    Conflict(String),
    /// There is no such edict or history entry.
    #[error("there is no {what} `{id}`; {remedy}")]
    NotFound {
        /// `edict` or `history entry`.
        what: &'static str,
        /// What was asked for.
        id: String,
        /// How to see what there is.
        remedy: String,
    },
    /// The change cannot be made without touching what surrounds it.
    #[error(
        "{path}:{line} {why}, so the change cannot be made without rewriting the file; write that place plainly, or say --reformat (comments are lost)",
        path = path.display()
    )]
    NotInPlace {
        /// The file.
        path: PathBuf,
        /// The line of the list or edict that would have to be rewritten, counted from 1.
        line: u32,
        /// What stands in the way.
        why: String,
    },
    /// Somebody who does not know the lock kept changing the file.
    #[error("{path} was changed by another program {times} times while this change was being made; try again when it is done", path = path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// How often.
        times: usize,
    },
}
