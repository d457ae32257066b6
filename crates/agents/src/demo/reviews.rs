//! What was said and done with Codex in the month of the story: reviews, the database, the night builds.

use super::story::Place::{Gangplank, Pay};
use super::story::Talk;
use super::story::Turn::{Asks, Edits, Reads, Runs, Says, Tasks, Thinks};

/// Oldest first.
pub(super) const SESSIONS: &[Talk] = &[
    Talk {
        ago: 25,
        at: (11, 10),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("people type O for 0 in booking references: teach the matcher to read one as the other"),
            Edits("src/matcher/reference.rs"),
            Runs(
                "cargo nextest run matcher",
                "Summary [0.301s] 12 tests run: 12 passed",
            ),
            Runs(
                "git commit -am 'matcher: read O as 0 in references'",
                "[main 9d20c11]",
            ),
        ],
    },
    Talk {
        ago: 23,
        at: (17, 0),
        place: Gangplank,
        branch: "main",
        turns: &[
            Asks("review the canary's memory check before it goes out"),
            Reads("gangplank/canary.py", "SOAK_MINUTES = 20"),
            Says("Resident memory is read once; it has to be read at the end of the soak, too."),
            Edits("gangplank/canary.py"),
            Runs("uv run pytest -q", "59 passed in 3.20s"),
        ],
    },
    Talk {
        ago: 21,
        at: (9, 40),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks(
                "settlement.cents is an int, and group bookings overflow it: change it to bigint before the backfill runs",
            ),
            Edits("migrations/0042_split_settlements.sql"),
            Runs(
                "sqlx migrate run --source migrations",
                "Applied 42/migrate split settlements",
            ),
        ],
    },
    Talk {
        ago: 20,
        at: (15, 25),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks("review the backfill of the settlements migration: can it be stopped at any row?"),
            Reads("src/backfill/cursor.rs", "pub struct Cursor { last: OrderId }"),
            Says("It can: the cursor is written in the same transaction as the batch."),
        ],
    },
    Talk {
        ago: 16,
        at: (10, 5),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("an importer test fails every tenth night: find out why"),
            Runs(
                "cargo nextest run importer --retries 0",
                "1 failed: reads_all_files",
            ),
            Says("The folder's listing has no order. Sorted, the test is quiet."),
            Edits("src/import.rs"),
            Edits("tests/import.rs"),
            Runs("git commit -am 'import: sort the listing'", "[main 31aa0c2]"),
        ],
    },
    Talk {
        ago: 15,
        at: (8, 50),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks("explain the deadlock between backfill and importer from the server's log"),
            Thinks("Both lock orders and settlements, in opposite order."),
            Says(
                "The importer locks the order first, the backfill the settlement. One order for both ends it.",
            ),
        ],
    },
    Talk {
        ago: 12,
        at: (13, 30),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("measure the streaming parser on a statement of 2 GB"),
            Edits("benches/statement.rs"),
            Runs(
                "cargo bench -p brinepay --bench statement",
                "time: [6.11 s 6.14 s 6.19 s]",
            ),
        ],
    },
    Talk {
        ago: 11,
        at: (16, 15),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("move the night build to another time zone, so that tests that believe in one fail there"),
            Edits(".ci/night.yaml"),
            Runs("git push", "To git.example:brine-ferries/brinepay.git"),
        ],
    },
    Talk {
        ago: 8,
        at: (11, 20),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("reproduce the double booking against the gateway's sandbox"),
            Runs(
                "cargo nextest run gateway --features sandbox",
                "1 failed: pays_once",
            ),
            Says("A timeout may have booked; the retry came with a new idempotency key."),
            Edits("src/gateway/client.rs"),
            Runs(
                "git commit -am 'gateway: wait 60 seconds before giving up'",
                "[main 5c9e7d0]",
            ),
        ],
    },
    Talk {
        ago: 6,
        at: (14, 10),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks("review the switch of the settlements reads; when does the flag settlements_table go?"),
            Says("The switch is right. Give the flag a date, or it stays."),
        ],
    },
    Talk {
        ago: 4,
        at: (9, 15),
        place: Pay,
        branch: "tax-export",
        turns: &[
            Asks(
                "before the last step of the migration, look for readers of orders.settled_cents in all repositories",
            ),
            Runs(
                "rg -n settled_cents ~/code",
                "brinepay/src/export/tax.rs:41: settled_cents,",
            ),
            Says("One is left: the yearly tax export. The old column has to wait for it."),
            Edits("docs/settlement-readers.md"),
            Tasks(
                &[
                    "List the readers of the old column",
                    "Move the tax export to the new table",
                    "Drop the old column",
                ],
                1,
            ),
        ],
    },
    Talk {
        ago: 3,
        at: (10, 45),
        place: Pay,
        branch: "main",
        turns: &[
            Asks(
                "review the parser's UTF-16 support, and add files of Vellum Bank without a byte order mark to its tests",
            ),
            Edits("tests/encodings.rs"),
            Edits("testdata/vellum-002.txt"),
            Runs(
                "cargo nextest run encodings",
                "Summary [0.212s] 9 tests run: 9 passed",
            ),
        ],
    },
    Talk {
        ago: 2,
        at: (15, 35),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks(
                "review the index for settlements by order, and compare the plans of all readers of the settlement table",
            ),
            Edits("migrations/0045_settlement_order_index.sql"),
            Says("Every reader uses the index now; the tax export is the slowest, with 300 ms."),
        ],
    },
];

/// Codex's memories of the month: project, scope, what it knows; `{12}` is the day twelve days ago.
pub(super) const MEMORIES: &[(super::story::Place, &str, &[&str])] = &[
    (
        Pay,
        "Payments of the ferry line: statement parser, matcher, ledger, card gateway",
        &[
            "{8}: the double booking came from a retry with a new idempotency key; nothing in the gateway's documents says that a timeout may have booked",
            "{15}: staging has a tenth of production's rows; every time measured there has to be multiplied",
            "{4}: the yearly tax export is the last reader of orders.settled_cents, the old column waits for it",
            "{3}: Vellum Bank sends statements in UTF-16, older ones without a byte order mark",
        ],
    ),
    (
        Gangplank,
        "Rollouts to the servers; one line of JSON a step in the log",
        &["{23}: memory is read at the end of the canary's soak, not only at its beginning"],
    ),
];
