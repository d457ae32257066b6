//! What the three agents of the story learned in the payments project.

use std::path::Path;

use ken_dotagent::{Folder, Observation, Origin};

use super::Error;
use super::story::Calendar;

/// An observation: days ago, hour, minute, who wrote it, whose words they are, pain, importance, skill, text, tags.
#[rustfmt::skip]
struct Seen(i32, i8, i8, &'static str, Origin, f64, f64, &'static str, &'static str, &'static [&'static str]);

use Origin::{Agent, Tool, User};

/// Oldest first. Some say again what was said before: that is what recurrence counts.
#[rustfmt::skip]
const SEEN: &[Seen] = &[
    Seen(29, 9, 50, "claude-code", Agent, 3.0, 7.0, "parser::statement", "The statement parser lives in src/parser: mod.rs for lines, amount.rs for amounts with a decimal comma.", &["parser"]),
    Seen(29, 10, 5, "claude-code", Agent, 4.0, 6.0, "parser::encoding", "Northquay's statement files are Latin-1: reading them as UTF-8 turned umlauts in names into question marks.", &["parser", "bank"]),
    Seen(29, 16, 20, "codex", Agent, 2.0, 5.0, "review::style", "Reviews go faster when a change is one thought: split the parser's amounts from its lines into two commits.", &[]),
    Seen(28, 9, 30, "codex", Agent, 5.0, 6.0, "tests::database", "Tests that need the database want `docker compose up -d db` first; without it they fail with `connection refused` after 30 seconds.", &["tests"]),
    Seen(28, 14, 40, "cursor", Agent, 3.0, 4.0, "web::fonts", "The booking page's timetable jumps when fonts arrive late; rows need a reserved height.", &["web"]),
    Seen(27, 10, 55, "claude-code", Agent, 7.0, 8.0, "parser::statement", "The parser dropped the last line of a statement when the file had no newline at its end: one payment was missing in the import.", &["parser", "bug"]),
    Seen(27, 11, 10, "claude-code", User, 4.0, 7.0, "parser::errors", "Errors of the parser name the file, the line and the column, and what to do.", &["parser"]),
    Seen(27, 15, 0, "codex", Agent, 5.0, 5.0, "tests::fixtures", "Statement fixtures with real names were about to be committed; testdata holds made-up references only.", &["tests", "privacy"]),
    Seen(26, 9, 15, "codex", Agent, 4.0, 6.0, "ledger::posting", "A posting whose lines do not add up to zero is refused by the ledger; round on the line, not on the sum.", &["ledger"]),
    Seen(26, 13, 30, "cursor", Agent, 2.0, 4.0, "web::bundle", "The cabin plan as inline SVG saved 90 kB of the first load.", &["web"]),
    Seen(25, 10, 45, "codex", Agent, 6.0, 7.0, "matcher::reference", "Customers type the booking reference with O for 0; the matcher tries both and marks such matches for review.", &["matcher"]),
    Seen(25, 16, 10, "cursor", User, 3.0, 6.0, "web::language", "Button texts are sentences in the imperative, no exclamation marks.", &["web", "style"]),
    Seen(24, 9, 25, "claude-code", Agent, 7.0, 8.0, "parser::amount", "Fuzzing the statement parser found an overflow: amounts of more than fifteen digits are refused with line and column now.", &["parser", "fuzz"]),
    Seen(24, 9, 40, "claude-code", Tool, 3.0, 4.0, "parser::fuzz", "cargo fuzz needs the nightly toolchain; `cargo +nightly fuzz run statement` works in the container.", &["fuzz"]),
    Seen(24, 15, 5, "codex", Agent, 5.0, 6.0, "tests::database", "Tests that need the database want `docker compose up -d db` first; without it they fail with `connection refused` after 30 seconds.", &["tests"]),
    Seen(23, 15, 50, "claude-code", Agent, 8.0, 8.0, "deploy::canary", "Five minutes of canary are too few: the memory leak took twelve minutes to show. gangplank soaks for twenty and watches resident memory.", &["deploy"]),
    Seen(23, 17, 0, "codex", Agent, 4.0, 5.0, "deploy::log", "gangplank writes one JSON line a step to /var/log/gangplank.jsonl; grep for `\"step\":\"canary\"`.", &["deploy"]),
    Seen(22, 9, 45, "claude-code", User, 5.0, 9.0, "database::migration", "Migrations go in four steps: expand, backfill, switch the reads, contract. No maintenance windows.", &["migration"]),
    Seen(22, 10, 30, "codex", Agent, 5.0, 7.0, "database::migration", "Eleven queries read orders.settled_cents; the list is in docs/settlement-readers.md.", &["migration"]),
    Seen(21, 9, 20, "codex", Agent, 6.0, 6.0, "database::types", "settlement.cents is bigint: the sum of a month does not fit into a 32-bit integer.", &["migration"]),
    Seen(21, 14, 15, "cursor", Agent, 4.0, 5.0, "web::checkout", "The checkout calls the payment service only after the cabin is held, else two people buy one cabin.", &["web", "checkout"]),
    Seen(20, 11, 30, "claude-code", Agent, 5.0, 7.0, "database::backfill", "The settlements backfill keeps its cursor in a table: it can be stopped at any batch and goes on there.", &["migration"]),
    Seen(20, 16, 40, "codex", Agent, 3.0, 5.0, "review::sql", "Every new index is created `concurrently`; the migration tool needs `-- no-transaction` in the first line for it.", &["migration"]),
    Seen(19, 10, 10, "codex", Agent, 6.0, 7.0, "gateway::timeout", "The card gateway's timeout is 30 seconds.", &["gateway"]),
    Seen(19, 17, 15, "cursor", Agent, 3.0, 5.0, "web::checkout", "The two-step checkout keeps the payment call where it was; only the form in front of it changed.", &["web", "checkout"]),
    Seen(18, 9, 35, "codex", Agent, 4.0, 6.0, "ci::cache", "The night build is slow when Cargo.lock changed: the cache key holds its hash, so the first build after a change is cold.", &["ci"]),
    Seen(18, 13, 20, "cursor", Tool, 2.0, 3.0, "web::lint", "eslint warns of a missing key in the timetable's rows; it is set by the row component.", &["web"]),
    Seen(17, 10, 20, "claude-code", Agent, 8.0, 9.0, "tests::flaky", "The three flaky matcher tests read the system clock twice, and at night the day changed in between. Tests take a pinned clock as an argument.", &["tests", "flaky"]),
    Seen(17, 10, 35, "claude-code", User, 6.0, 8.0, "tests::flaky", "Do not retry a flaky test: find the cause.", &["tests", "flaky"]),
    Seen(16, 9, 40, "codex", Agent, 5.0, 6.0, "tests::flaky", "A test of the importer was flaky because it listed a folder without sorting it.", &["tests", "flaky"]),
    Seen(16, 13, 40, "cursor", Agent, 6.0, 7.0, "web::e2e", "Playwright's cabin test clicked before the price list had arrived; waiting for the price instead of a second made it pass a hundred times.", &["web", "flaky"]),
    Seen(15, 10, 30, "claude-code", Agent, 8.0, 8.0, "database::locks", "Deadlock on staging: the backfill locked orders by id, the importer in file order. The backfill locks by id in batches of 200 now.", &["migration", "incident"]),
    Seen(15, 11, 0, "claude-code", User, 5.0, 7.0, "database::locks", "Keep the importer as it is; the migration has to adapt.", &["migration"]),
    Seen(15, 16, 30, "codex", Agent, 4.0, 5.0, "database::staging", "Staging's database has a tenth of production's rows: multiply backfill times by ten.", &["migration"]),
    Seen(14, 9, 10, "codex", Agent, 5.0, 6.0, "matcher::same_day", "Payments and orders of the same day match by amount only when there is exactly one candidate; two candidates go to review.", &["matcher"]),
    Seen(14, 17, 40, "claude-code", Agent, 4.0, 7.0, "deploy::rollback", "`gangplank rollback SERVICE --reason TEXT` takes one service back to the release before.", &["deploy"]),
    Seen(13, 11, 25, "cursor", Agent, 3.0, 5.0, "web::prices", "Prices come in cents and are formatted once, in formatPrice; two formatters had drifted apart.", &["web", "money"]),
    Seen(12, 9, 30, "claude-code", Agent, 9.0, 9.0, "deploy::memory", "0.9.0 was rolled back from pay-1: the import read statement files whole and memory grew by a hundred megabytes a minute.", &["deploy", "incident"]),
    Seen(12, 14, 20, "claude-code", Agent, 6.0, 8.0, "parser::stream", "The parser reads statements as a stream now: a file of 2 GB needs 21 MB and three seconds.", &["parser", "memory"]),
    Seen(12, 15, 10, "codex", Agent, 5.0, 6.0, "parser::bench", "cargo bench statement makes its 2 GB file in /tmp; a small /tmp fails with `no space left`, set TMPDIR.", &["parser", "bench"]),
    Seen(11, 10, 10, "claude-code", Agent, 3.0, 6.0, "deploy::canary", "0.9.1 went through the canary with flat memory at 44 MB.", &["deploy"]),
    Seen(11, 14, 0, "codex", Agent, 5.0, 6.0, "ci::night", "The night build runs with TZ=Asia/Tokyo on purpose: it finds code that believes in one time zone.", &["ci", "tests"]),
    Seen(10, 11, 40, "cursor", Agent, 5.0, 6.0, "web::a11y", "Focus left the cabin dialog by keyboard; the dialog traps it and gives it back to the button that opened it.", &["web"]),
    Seen(10, 15, 30, "codex", Agent, 6.0, 7.0, "tests::database", "Tests that need the database want `docker compose up -d db` first; without it they fail with `connection refused` after 30 seconds.", &["tests"]),
    Seen(9, 9, 55, "codex", Agent, 5.0, 6.0, "gateway::sandbox", "The card gateway's sandbox refuses amounts that end in 13 cents on purpose; do not use them in fixtures.", &["gateway", "tests"]),
    Seen(8, 10, 15, "claude-code", Agent, 9.0, 9.0, "gateway::idempotency", "A retried payment was booked twice: the idempotency key belongs to the order, not to the attempt, and survives a restart.", &["gateway", "incident"]),
    Seen(8, 10, 40, "codex", Agent, 7.0, 8.0, "gateway::timeout", "The card gateway's timeout is 60 seconds now; after it the payment may have been booked all the same.", &["gateway"]),
    Seen(8, 16, 0, "cursor", Agent, 4.0, 5.0, "web::checkout", "The pay button is disabled until the answer is there; a second click had sent a second request.", &["web", "checkout"]),
    Seen(7, 15, 20, "claude-code", Agent, 6.0, 7.0, "deploy::health", "Health checks gave up after 30 seconds while brinepay replayed its journal for 50. gangplank waits 60.", &["deploy"]),
    Seen(7, 17, 5, "codex", Agent, 4.0, 5.0, "ledger::journal", "Replaying the journal takes one second for every 40,000 postings.", &["ledger"]),
    Seen(6, 10, 50, "claude-code", Agent, 5.0, 8.0, "database::migration", "Reads of the settlements migration are switched behind the flag settlements_table; four of its five steps are done.", &["migration"]),
    Seen(6, 14, 30, "codex", Agent, 5.0, 6.0, "review::flags", "A flag without a date of removal stays for ever: settlements_table is to go with release 0.11.", &["migration"]),
    Seen(5, 16, 40, "claude-code", Agent, 4.0, 7.0, "docs::runbook", "The runbook for a failed statement import is docs/runbooks/statement-import.md; every command in it was run.", &["docs", "parser"]),
    Seen(5, 17, 10, "cursor", Tool, 2.0, 3.0, "web::deps", "npm audit reports a build-time package only; nothing of it reaches the page.", &["web"]),
    Seen(4, 9, 40, "cursor", Agent, 5.0, 6.0, "web::checkout", "Drafts of the checkout live in sessionStorage: going back from the payment step keeps what was typed.", &["web", "checkout"]),
    Seen(4, 15, 0, "codex", Agent, 6.0, 7.0, "export::tax", "The yearly tax export still reads orders.settled_cents.", &["migration"]),
    Seen(3, 10, 50, "claude-code", Agent, 6.0, 8.0, "parser::encoding", "Vellum Bank sends UTF-16 with a byte order mark; the parser tells the encoding by the first bytes.", &["parser", "bank"]),
    Seen(3, 11, 30, "codex", Agent, 4.0, 6.0, "parser::encoding", "Old Vellum files have no byte order mark: every second byte is zero, which tells UTF-16 as well.", &["parser", "bank"]),
    Seen(2, 15, 0, "claude-code", Agent, 7.0, 8.0, "database::index", "The daily report took 70 seconds after the settlements split: settlement.order_id had no index. With it, four.", &["migration", "report"]),
    Seen(2, 16, 20, "codex", Agent, 4.0, 6.0, "review::sql", "After a table is split, look at the plans of all its readers, not only at those that changed.", &["migration"]),
    Seen(1, 9, 50, "claude-code", Agent, 6.0, 8.0, "database::migration", "One reader of the old settlements column is left, the yearly tax export; the column stays until that is changed.", &["migration"]),
    Seen(1, 16, 5, "claude-code", User, 5.0, 7.0, "deploy::freeze", "No deploys on Friday after noon.", &["deploy"]),
];

/// Writes the log on its days; answers how many observations there are.
pub(super) fn learn(project: &Path, calendar: &Calendar) -> Result<usize, Error> {
    let (folder, _) = Folder::init(project)?;
    for Seen(ago, hour, minute, harness, origin, pain, importance, skill, text, tags) in SEEN {
        let mut observation = Observation::new(*text, *harness);
        observation.origin = Some(*origin);
        observation.pain = *pain;
        observation.importance = *importance;
        observation.skill_action = Some((*skill).to_owned());
        observation.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        folder.learn(observation, &calendar.clock_at(*ago, *hour, *minute))?;
    }
    Ok(SEEN.len())
}
