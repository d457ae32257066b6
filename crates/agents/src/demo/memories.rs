//! Claude Code's auto-memory of the story's projects.

use std::path::Path;

use ken_files::FileError;

use super::put;
use super::story::{Calendar, Place};
use crate::claude_code::slug_of;

/// Project, file, text; `{12}` is the day twelve days ago.
const MEMORIES: &[(Place, &str, &str)] = &[
    (
        Place::Pay,
        "MEMORY.md",
        "# brinepay\n\n- [Settlements migration](project_settlements-migration.md) - where it stands\n- [Statement parser](statement-parser.md) - what the banks send\n- [Flaky matcher tests](feedback_pinned-clock.md) - why tests take the clock\n\n## Decided\n\n- {12}: statements are read as a stream, never whole\n- {8}: the idempotency key belongs to the order, not to the attempt\n",
    ),
    (
        Place::Pay,
        "statement-parser.md",
        "---\nname: statement-parser\ndescription: Reads the banks' statement files; Northquay writes Latin-1 with a decimal comma, Vellum UTF-16\nmetadata:\n  node_type: memory\n  type: project\n---\nThe encoding is told by the first bytes. Amounts of more than fifteen digits are refused.\n",
    ),
    (
        Place::Pay,
        "project_settlements-migration.md",
        "---\nname: settlements-migration\ndescription: Takes settlements out of the orders table in four steps without a maintenance window\nmetadata:\n  node_type: memory\n  type: project\n  modified: {6}T10:40:00Z\n---\nReads are switched behind the flag `settlements_table`. The old column stays until the tax export reads the new table.\n",
    ),
    (
        Place::Pay,
        "feedback_pinned-clock.md",
        "---\nname: pinned-clock\ndescription: Tests take the clock as an argument; retrying a flaky test is not a fix\nmetadata:\n  node_type: memory\n  type: feedback\n  modified: {17}T10:30:00Z\n---\nAsked for after three matcher tests failed only at night.\n",
    ),
    (
        Place::Pay,
        "user_profile.md",
        "---\nname: Robin\ndescription: Keeps the ferry line's books and shop; likes short answers\nmetadata:\n  node_type: memory\n  type: user\n---\nWorks mornings.\n",
    ),
    (
        Place::Web,
        "MEMORY.md",
        "# brine-web\n\n- Prices come late: a test waits for the price, never for a second\n- {19}: the checkout has two steps, passengers and cabin first, payment second\n",
    ),
    (
        Place::Gangplank,
        "MEMORY.md",
        "# gangplank\n\n- A canary soaks for twenty minutes and watches memory beside the error rate\n- {7}: health checks wait sixty seconds, because brinepay replays its journal\n",
    ),
];

/// Writes the files.
pub(super) fn write(home: &Path, calendar: &Calendar) -> Result<(), FileError> {
    for (place, file, text) in MEMORIES {
        let slug = slug_of(&home.join(place.folder()).to_string_lossy());
        let folder = home.join(".claude/projects").join(slug).join("memory");
        put(&folder.join(file), calendar.dated(text))?;
    }
    Ok(())
}
