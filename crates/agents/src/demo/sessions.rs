//! What was said and done with Claude Code in the month of the story.

use super::story::Place::{Allotment, Gangplank, Pay, Web};
use super::story::Talk;
use super::story::Turn::{Asks, Edits, Interrupts, Reads, Runs, Says, Sends, Shows, Tasks, Thinks};

/// Oldest first.
pub(super) const SESSIONS: &[Talk] = &[
    Talk {
        ago: 29,
        at: (9, 12),
        place: Pay,
        branch: "statement-parser",
        turns: &[
            Asks(
                "write the parser for Northquay's statement files: reference and amount separated by semicolons, amounts with a decimal comma, one payment a line",
            ),
            Thinks(
                "The files come from a mainframe; I should look at an example before deciding on the encoding.",
            ),
            Reads(
                "testdata/northquay-small.txt",
                "BRN-1001;12,50\nBRN-1002;1.204,00\n",
            ),
            Says(
                "I put the statement parser into its own module, with amounts apart, because the next bank will write them differently.",
            ),
            Edits("src/parser/mod.rs"),
            Edits("src/parser/amount.rs"),
            Edits("tests/statement.rs"),
            Runs(
                "cargo nextest run -p brinepay 2>&1 | tail -20",
                "Summary [0.412s] 31 tests run: 31 passed, 0 skipped",
            ),
            Runs(
                "git add -A && git commit -m \"parser: read Northquay's statement files\"",
                "[statement-parser 4f1c2aa] parser: read Northquay's statement files",
            ),
        ],
    },
    Talk {
        ago: 28,
        at: (14, 3),
        place: Web,
        branch: "main",
        turns: &[
            Asks("the timetable jumps when fonts load, find out why and stop it"),
            Runs("npm run build", "dist/assets/index.js 214.18 kB"),
            Edits("src/timetable/Timetable.tsx"),
            Edits("src/fonts.css"),
            Runs("npm test", "Test Files 41 passed (41)"),
            Runs(
                "git commit -am 'timetable: reserve the rows before fonts arrive'",
                "[main 0aa19d3]",
            ),
        ],
    },
    Talk {
        ago: 27,
        at: (10, 40),
        place: Pay,
        branch: "statement-parser",
        turns: &[
            Asks(
                "one payment is missing in yesterday's import: the parser drops the last line of a statement when it has no newline at its end",
            ),
            Reads("src/parser/mod.rs", "while let Some(at) = memchr(b'\\n', rest) {"),
            Says("The loop ends when no newline is left, so the rest is never looked at."),
            Edits("src/parser/mod.rs"),
            Edits("tests/statement.rs"),
            Asks("also let the error name the file, the line and the column"),
            Edits("src/parser/error.rs"),
            Runs("cargo nextest run", "Summary [0.520s] 36 tests run: 36 passed"),
            Runs(
                "git commit -am \"parser: keep the last line without newline\"",
                "[statement-parser 77b01e5]",
            ),
            Runs("git push", "To git.example:brine-ferries/brinepay.git"),
        ],
    },
    Talk {
        ago: 25,
        at: (20, 15),
        place: Allotment,
        branch: "",
        turns: &[
            Asks("make a plan for the beds in spring, beans must not follow beans"),
            Edits("beds.md"),
        ],
    },
    Talk {
        ago: 24,
        at: (9, 5),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("fuzz the statement parser for ten minutes and fix what falls out"),
            Runs(
                "cargo fuzz run statement -- -max_total_time=600",
                "thread panicked at src/parser/amount.rs:9: attempt to multiply with overflow",
            ),
            Thinks(
                "An amount of more than 18 digits. A refusal with the column is right, saturating would book a wrong sum.",
            ),
            Edits("src/parser/amount.rs"),
            Edits("fuzz/fuzz_targets/statement.rs"),
            Says(
                "Amounts of more than fifteen digits are refused with line and column; the fuzzer has found nothing since.",
            ),
            Runs(
                "git commit -am 'parser: refuse amounts that overflow'",
                "[main c3d8e11]",
            ),
        ],
    },
    Talk {
        ago: 23,
        at: (15, 30),
        place: Gangplank,
        branch: "main",
        turns: &[
            Asks(
                "the canary waits five minutes before it goes on, the memory leak of last week took twelve to show. What would you change?",
            ),
            Reads("gangplank/canary.py", "SOAK_MINUTES = 5"),
            Says("Twenty minutes, and a look at resident memory beside the error rate."),
            Edits("gangplank/canary.py"),
            Edits("tests/test_canary.py"),
            Runs("uv run pytest -q", "58 passed in 3.11s"),
            Runs(
                "git commit -am 'canary: soak twenty minutes and watch memory'",
                "[main 81c0ffa]",
            ),
        ],
    },
    Talk {
        ago: 22,
        at: (9, 20),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks(
                "plan the migration that takes settlements out of the orders table into one of their own, without a maintenance window",
            ),
            Thinks(
                "Expand, backfill, switch reads, contract. The old column stays until the last reader is gone.",
            ),
            Says(
                "Four steps: create the new table, write to both, backfill, switch the reads; the old column goes last.",
            ),
            Tasks(
                &[
                    "Create the settlement table",
                    "Write to both",
                    "Backfill old rows",
                    "Switch the reads",
                    "Drop the old column",
                ],
                0,
            ),
            Edits("migrations/0042_split_settlements.sql"),
            Edits("docs/settlements-split.md"),
            Sends(
                "Read every query that touches orders.settled_cents and list the readers",
                &["docs/settlement-readers.md"],
            ),
        ],
    },
    Talk {
        ago: 20,
        at: (11, 2),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks(
                "write the backfill for the settlements migration, in batches, so that it can be stopped and started again",
            ),
            Edits("src/backfill/settlements.rs"),
            Edits("src/backfill/cursor.rs"),
            Runs(
                "cargo nextest run backfill",
                "Summary [2.910s] 9 tests run: 9 passed",
            ),
            Runs(
                "./scripts/backfill.sh --dry-run --batch 500",
                "would move 1284311 rows in 2569 batches",
            ),
            Tasks(
                &[
                    "Create the settlement table",
                    "Write to both",
                    "Backfill old rows",
                    "Switch the reads",
                    "Drop the old column",
                ],
                2,
            ),
            Runs(
                "git commit -am 'backfill: settlements in batches of 500 with a cursor'",
                "[settlements-split 19fe044]",
            ),
        ],
    },
    Talk {
        ago: 19,
        at: (16, 45),
        place: Web,
        branch: "checkout-two-steps",
        turns: &[
            Shows(
                "this is the sketch of the new checkout, two steps instead of five. Build it without touching the payment call",
            ),
            Edits("src/checkout/Checkout.tsx"),
            Edits("src/checkout/StepPassengers.tsx"),
            Edits("src/checkout/StepPay.tsx"),
            Sends(
                "Write the tests for the checkout's two steps",
                &["src/checkout/Checkout.test.tsx"],
            ),
            Tasks(
                &[
                    "Passengers and cabin in one step",
                    "Payment in one step",
                    "Keep what was typed on the way back",
                    "Measure with ten people",
                ],
                2,
            ),
            Runs("npm test -- checkout", "Test Files 4 passed (4)"),
        ],
    },
    Talk {
        ago: 17,
        at: (9, 50),
        place: Pay,
        branch: "main",
        turns: &[
            Asks(
                "three tests of the matcher are flaky, they fail only in the night builds. Find the cause, do not just retry them",
            ),
            Runs(
                "cargo nextest run matcher --retries 0 -j 8",
                "FAIL matcher::same_day::matches_across_midnight",
            ),
            Thinks("They take the real clock. At night the day changes between two calls."),
            Says(
                "The flaky tests read the system clock twice; between the calls the day changed. They take a pinned clock now.",
            ),
            Edits("src/matcher/same_day.rs"),
            Edits("tests/matcher.rs"),
            Edits("src/clock.rs"),
            Runs(
                "for i in $(seq 200); do cargo nextest run matcher; done",
                "200 of 200 passed",
            ),
            Runs(
                "git commit -am \"matcher: take the clock as an argument\"",
                "[main 5e77d20]",
            ),
        ],
    },
    Talk {
        ago: 16,
        at: (13, 10),
        place: Web,
        branch: "main",
        turns: &[
            Asks("playwright fails on the cabin page about once in ten runs, look into it"),
            Runs(
                "npx playwright test cabin --repeat-each 30",
                "2 failed, 28 passed",
            ),
            Says(
                "The test clicks before the price list has arrived; it must wait for the price, not for a second.",
            ),
            Edits("e2e/cabin.spec.ts"),
            Runs("npx playwright test cabin --repeat-each 100", "100 passed"),
            Runs(
                "git commit -am 'e2e: wait for the price, not for a second'",
                "[main aa4c9d1]",
            ),
        ],
    },
    Talk {
        ago: 15,
        at: (10, 0),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks("run the settlements backfill on staging and watch the locks"),
            Runs(
                "./scripts/backfill.sh --env staging --batch 500",
                "ERROR: deadlock detected while updating orders",
            ),
            Thinks("The importer locks orders in file order, the backfill by id."),
            Says(
                "Backfill and statement import lock the same orders in different order. Both go by id now, and batches are 200.",
            ),
            Interrupts,
            Asks("keep the importer as it is, only change the backfill"),
            Edits("src/backfill/settlements.rs"),
            Runs(
                "./scripts/backfill.sh --env staging --batch 200",
                "moved 1284311 rows in 6422 batches, 0 deadlocks",
            ),
            Runs(
                "git commit -am 'backfill: lock by id, batches of 200'",
                "[settlements-split 2d6a7b9]",
            ),
        ],
    },
    Talk {
        ago: 14,
        at: (17, 20),
        place: Gangplank,
        branch: "main",
        turns: &[
            Asks(
                "add a command that rolls one service back to the release before, with a reason that goes to the log",
            ),
            Edits("gangplank/rollback.py"),
            Edits("gangplank/cli.py"),
            Edits("tests/test_rollback.py"),
            Runs("uv run pytest -q", "64 passed in 3.40s"),
            Runs(
                "git commit -am 'rollback: one service, with a reason'",
                "[main e01b7c2]",
            ),
        ],
    },
    Talk {
        ago: 12,
        at: (8, 55),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("deploy 0.9.0 with gangplank and stay with it until the canary is through"),
            Runs(
                "gangplank deploy brinepay 0.9.0",
                "canary on pay-1: resident memory 1.9 GB and rising",
            ),
            Says(
                "The canary grows by a hundred megabytes a minute since the statement files are read whole. I take it back.",
            ),
            Runs(
                "gangplank rollback brinepay --reason 'memory of the statement import'",
                "pay-1 is on 0.8.7",
            ),
            Edits("docs/incidents/0007-statement-memory.md"),
        ],
    },
    Talk {
        ago: 12,
        at: (13, 30),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("make the parser stream: a statement of 2 GB must not need more than 64 MB"),
            Reads("src/import.rs", "let bytes = std::fs::read(path)?;"),
            Edits("src/parser/stream.rs"),
            Edits("src/parser/mod.rs"),
            Edits("src/import.rs"),
            Runs(
                "cargo bench -p brinepay statement",
                "statement/2GB time: 3.1 s, peak 21 MB",
            ),
            Runs(
                "git commit -am 'parser: read statements as a stream'",
                "[main 90b1d55]",
            ),
            Runs("git tag v0.9.1", ""),
        ],
    },
    Talk {
        ago: 11,
        at: (9, 30),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("deploy 0.9.1, same as yesterday"),
            Runs(
                "gangplank deploy brinepay 0.9.1",
                "canary on pay-1: 20 minutes, memory flat at 44 MB; all four servers done",
            ),
            Says("0.9.1 is on all four servers, memory is flat."),
        ],
    },
    Talk {
        ago: 10,
        at: (11, 11),
        place: Web,
        branch: "main",
        turns: &[
            Asks(
                "the checkout button cannot be reached by keyboard in the cabin dialog, and the contrast of the price is too low",
            ),
            Edits("src/cabin/CabinDialog.tsx"),
            Edits("src/theme.css"),
            Runs("npm test", "Test Files 43 passed (43)"),
            Runs(
                "git commit -am 'cabin: focus stays in the dialog; darker prices'",
                "[main 3fe2a90]",
            ),
        ],
    },
    Talk {
        ago: 8,
        at: (9, 41),
        place: Pay,
        branch: "main",
        turns: &[
            Asks(
                "a retried payment was booked twice on Sunday. Give every call to the card gateway an idempotency key and test that a retry books once",
            ),
            Thinks(
                "The key must survive a restart of the worker, so it belongs to the order, not to the attempt.",
            ),
            Edits("src/gateway/idempotency.rs"),
            Edits("src/gateway/client.rs"),
            Edits("tests/gateway_retry.rs"),
            Runs(
                "cargo nextest run gateway",
                "Summary [1.204s] 18 tests run: 18 passed",
            ),
            Runs(
                "git commit -am 'gateway: an idempotency key per order'",
                "[main d4417aa]",
            ),
            Runs("git push", ""),
        ],
    },
    Talk {
        ago: 7,
        at: (15, 0),
        place: Gangplank,
        branch: "main",
        turns: &[
            Asks(
                "health checks give up after 30 seconds, brinepay needs up to 50 when it replays the journal. Make it 60 and say so in the log",
            ),
            Edits("gangplank/health.py"),
            Runs("uv run pytest -q tests/test_health.py", "12 passed in 0.80s"),
            Runs(
                "git commit -am 'health: wait 60 seconds, and say for what'",
                "[main b77e004]",
            ),
        ],
    },
    Talk {
        ago: 6,
        at: (10, 25),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks("switch the reads of the settlements migration to the new table, behind the flag"),
            Edits("src/ledger/settlements.rs"),
            Edits("src/flags.rs"),
            Edits("src/report/daily.rs"),
            Runs(
                "cargo nextest run ledger report",
                "Summary [3.002s] 47 tests run: 47 passed",
            ),
            Tasks(
                &[
                    "Create the settlement table",
                    "Write to both",
                    "Backfill old rows",
                    "Switch the reads",
                    "Drop the old column",
                ],
                4,
            ),
            Runs(
                "git commit -am 'ledger: read settlements from their own table'",
                "[settlements-split 66c1fd8]",
            ),
        ],
    },
    Talk {
        ago: 5,
        at: (16, 10),
        place: Pay,
        branch: "main",
        turns: &[
            Asks("write the runbook for a failed statement import, for somebody who is woken at three"),
            Edits("docs/runbooks/statement-import.md"),
            Sends(
                "Check every command of the runbook against the scripts folder",
                &["docs/runbooks/statement-import.md"],
            ),
            Runs(
                "git commit -am 'docs: what to do when an import fails'",
                "[main 7a90e3c]",
            ),
        ],
    },
    Talk {
        ago: 4,
        at: (9, 15),
        place: Web,
        branch: "checkout-two-steps",
        turns: &[
            Asks("what was typed in step one is gone when people go back from the payment step. Keep it"),
            Edits("src/checkout/useDraft.ts"),
            Edits("src/checkout/StepPassengers.tsx"),
            Tasks(
                &[
                    "Passengers and cabin in one step",
                    "Payment in one step",
                    "Keep what was typed on the way back",
                    "Measure with ten people",
                ],
                3,
            ),
            Runs("npm test -- checkout", "Test Files 5 passed (5)"),
        ],
    },
    Talk {
        ago: 3,
        at: (10, 5),
        place: Pay,
        branch: "utf16-statements",
        turns: &[
            Asks(
                "Vellum Bank sends its statements as UTF-16 with a byte order mark. Teach the parser to tell the encoding by the first bytes",
            ),
            Reads("testdata/vellum-001.txt", "\\ufeffBRN-2001;80,00"),
            Says("The parser looks at the first bytes: UTF-16 either way round, UTF-8, else Latin-1."),
            Asks(
                "the token of the bucket with Vellum's test files is {token}, use it for this one test and put it nowhere",
            ),
            Edits("src/parser/encoding.rs"),
            Edits("src/parser/stream.rs"),
            Edits("tests/encodings.rs"),
            Tasks(
                &[
                    "Tell the encoding by the first bytes",
                    "Stream UTF-16",
                    "Ask Vellum for a file with umlauts",
                ],
                2,
            ),
            Runs(
                "cargo nextest run parser",
                "Summary [0.730s] 52 tests run: 52 passed",
            ),
            Runs(
                "git commit -am 'parser: statements in UTF-16'",
                "[utf16-statements 1c0de42]",
            ),
        ],
    },
    Talk {
        ago: 2,
        at: (14, 35),
        place: Pay,
        branch: "main",
        turns: &[
            Asks(
                "why is the daily report slow since the settlements split? it took 9 seconds before and takes 70 now",
            ),
            Runs(
                "psql -c 'explain analyze select * from settlement where order_id = 7'",
                "Seq Scan on settlement",
            ),
            Says("There is no index on settlement.order_id. With it the report takes four seconds."),
            Edits("migrations/0045_settlement_order_index.sql"),
            Edits("src/report/daily.rs"),
            Runs("sqlx migrate run", "Applied 45/migrate settlement order index"),
            Runs(
                "git commit -am 'report: an index for settlements by order'",
                "[main f00d1e5]",
            ),
        ],
    },
    Talk {
        ago: 1,
        at: (9, 30),
        place: Pay,
        branch: "settlements-split",
        turns: &[
            Asks(
                "what is left of the settlements migration? check that nobody reads the old column any more before we drop it",
            ),
            Runs(
                "rg -n settled_cents src",
                "src/export/tax.rs:88: row.settled_cents",
            ),
            Says(
                "One reader is left, the yearly tax export. The old column has to stay until that is changed.",
            ),
            Edits("docs/settlements-split.md"),
        ],
    },
    Talk {
        ago: 1,
        at: (15, 45),
        place: Gangplank,
        branch: "main",
        turns: &[
            Asks("no deploys on Friday after noon: let gangplank ask twice then, and let --yes not count"),
            Edits("gangplank/freeze.py"),
            Edits("tests/test_freeze.py"),
            Runs("uv run pytest -q", "71 passed in 3.52s"),
            Runs(
                "git commit -am 'freeze: ask twice on Friday afternoons'",
                "[main 0b5e55e]",
            ),
        ],
    },
];
