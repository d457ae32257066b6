//! What holds for every text.

use std::time::{Duration, Instant};

use ken_secrets::{redact, scan};
use proptest::prelude::*;

/// Pieces that rules look for, and what stands between them.
const PIECES: &[&str] = &[
    "password",
    "pass",
    "token",
    "key",
    "secret",
    "api",
    "DB_PASS",
    "is",
    "the",
    "for",
    "x1y2Z3",
    "hunter2!x",
    "Zx9Kq2Lm8Pv4Tn6Rw1Sd3",
    "=",
    ":",
    ": ",
    "\"",
    "'",
    "`",
    "\\\"",
    "\\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    ",",
    ";",
    "&",
    "|",
    "<",
    ">",
    "/",
    "//",
    "://",
    "@",
    "-",
    "_",
    ".",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "${",
    "%22",
    "%3D",
    "&quot;",
    "Bearer ",
    "Basic ",
    "Authorization",
    "curl -u ",
    "sk-",
    "sk-ant-",
    "ghp_",
    "AKIA",
    "eyJ",
    "eyJhbGciOiJIUzI1NiJ9",
    "-----BEGIN ",
    "PRIVATE KEY",
    "-----",
    "-----END ",
    "MIIEowIBAAKCAQEAx4UbaDzY5xjW6hc9",
    "[redacted:",
    "[redacted:password]",
    "redacted",
    "value",
    "name",
    "login",
    "中",
    "文",
    "：",
    "é",
    "\u{200b}",
    "\u{a0}",
    "“",
    "”",
    "🔑",
    "密码",
    "是",
    "пароль",
    "\u{1b}[0m",
    "0123456789",
    "abcdef",
    "ABCDEF",
    "=\"",
    "\": \"",
    "postgres",
    "https",
    "user:",
    "IDENTIFIED BY '",
    "A",
    "a1",
    "...",
    "xxxx",
    "\\",
    "\\\\\\",
    "--password ",
    "=x",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        2 => "[A-Za-z0-9+/_=-]{1,40}",
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn holds(text: &str) -> Result<(), TestCaseError> {
    let found = scan(text);
    let mut last = 0;
    for finding in &found {
        let span = &finding.span;
        prop_assert!(
            span.start >= last && span.start < span.end && span.end <= text.len(),
            "{found:?}"
        );
        prop_assert!(
            text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
            "{found:?}"
        );
        prop_assert!(
            !text[span.clone()].contains("[redacted:") || !text[span.clone()].starts_with("[redacted:"),
            "{found:?}"
        );
        last = span.end;
    }
    prop_assert_eq!(&scan(text), &found);
    let (clean, _) = redact(text);
    prop_assert_eq!(scan(&clean), [], "{:?}", clean);
    prop_assert_eq!(redact(&clean).0, clean.as_ref());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_in_order_and_redacting_twice_is_redacting_once(text in text()) {
        holds(&text)?;
    }

    #[test]
    fn any_text_at_all(text in "\\PC{0,200}") {
        holds(&text)?;
    }

    #[test]
    fn a_token_is_found_wherever_words_are_put_around_it(before in "([a-z]{1,8} ){0,6}", after in "( [a-z]{1,8}){0,6}", seed in 1_u64..1000) {
        let token = format!("{}{}", concat!("gh", "p_"), crate::cases::Draw::new(seed).alnum(36));
        let (clean, _) = redact(&format!("{before}{token}{after}")).0.split_once("[redacted:github-token]").map(|(a, b)| (a == before && b == after, ())).unwrap_or_default();
        prop_assert!(clean);
    }
}

/// A text cut anywhere is scanned without a panic: streams and caps cut where they like.
#[test]
fn cut_texts() {
    for case in crate::cases::credentials().iter().step_by(3) {
        for at in (0..case.text.len()).filter(|at| case.text.is_char_boundary(*at)) {
            scan(&case.text[..at]);
            scan(&case.text[at..]);
        }
    }
}

/// A rule that reads on to the end of the text from every place takes minutes for these.
#[test]
fn hostile_texts_take_time_linear_in_their_length() {
    let dashes = "-".repeat(5);
    let pieces = PIECES.iter().map(|piece| (*piece).to_owned()).chain([
        "password=".to_owned(),
        "password=\"".to_owned(),
        "password is ".to_owned(),
        "token ".to_owned(),
        "a://b:".to_owned(),
        "postgres://b:x".to_owned(),
        "eyJ.".to_owned(),
        "curl -u".to_owned(),
        format!("{dashes}BEGIN RSA PRIVATE KEY{dashes}\n"),
    ]);
    for piece in pieces {
        let text = piece.repeat(50_000 / piece.len());
        let start = Instant::now();
        scan(&text);
        let time = start.elapsed();
        assert!(time < Duration::from_secs(4), "{piece:?}: {time:?} for 50 KB");
    }
}
