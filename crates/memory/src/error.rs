use std::path::PathBuf;

use ken_files::FileError;

/// What a question or a deed of this room can fail with. Each says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A kind of memory that does not exist.
    #[error(
        "`{given}` is not a kind of memory; use event, lesson, edict, entity, session, workstream or note"
    )]
    UnknownKind {
        /// What was given.
        given: String,
    },
    /// An order of hits that does not exist.
    #[error("`{given}` is not a rank; use relevance or salience")]
    UnknownRank {
        /// What was given.
        given: String,
    },
    /// A point in time that cannot be read.
    #[error("`{given}` is not a time; use a day such as 2026-01-31, or how long ago: 14d, 2h, 4w")]
    BadSince {
        /// What was given.
        given: String,
    },
    /// A cursor that no page of this program gave.
    #[error("the cursor cannot be read; ask for the first page, without one")]
    BadCursor,
    /// A deed that needs a project was asked for outside any.
    #[error("this is not in a project; go into a repository, or name one with --project")]
    NoProject,
    /// The project has no `.agent` folder to write to.
    #[error("{root} has no .agent folder; make one with `ken init`", root = root.display())]
    NoAgentFolder {
        /// The project's root.
        root: PathBuf,
    },
    /// A file of `ken`'s own state that cannot be read.
    #[error("{path}:{line}:{column}: {why}; repair it, or remove it to start anew", path = path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What the reader says.
        why: String,
    },
    /// The caller may not do this.
    #[error("{deed} is not allowed to a remote caller; ask on the machine itself")]
    NotAllowed {
        /// What was tried, as a noun.
        deed: &'static str,
    },
    /// A caller that may see no edicts would change them.
    #[error(
        "this access level has no part in the facts of a project; ask the person, who can raise it with `ken config`"
    )]
    BelowTeam,
    /// The edicts of a repository that nobody on this machine has trusted.
    #[error(
        "this repository is not trusted on this machine; the person says `ken trust` in it once they know what it carries"
    )]
    NotTrusted,
    /// Proposing facts was not allowed.
    #[error("proposing facts is not allowed; the person allows it with `ken config edicts.propose true`")]
    ProposalsOff,
    /// The edicts file cannot be read, and the caller may not hear why.
    #[error(
        "the edicts file cannot be read and was left as it is; the person sees why with `ken edict validate`"
    )]
    Unreadable,
    /// Something that the caller may not see stands in the way.
    #[error("it cannot be changed under that id or key; choose another, or ask the person")]
    Hidden,
    /// The edicts: a rule of the contract that is broken, or the disk.
    #[error(transparent)]
    Edicts(#[from] ken_edicts::Error),
    /// The `.agent` folder: a rule of the log that is broken, or the disk.
    #[error(transparent)]
    Agent(#[from] ken_dotagent::Error),
    /// The library: a question that it cannot answer as it was put.
    #[error(transparent)]
    Library(#[from] ken_library::Error),
    /// The disk.
    #[error(transparent)]
    File(#[from] FileError),
}
