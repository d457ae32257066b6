//! What is left of a text: the span alone goes, whatever stands around it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::cases::Draw;
use insta::assert_snapshot;
use ken_secrets::{Redacted, redact, scan};
use serde_json::json;

fn token() -> String {
    format!("{}{}", concat!("gh", "p_"), Draw::new(3).alnum(36))
}

fn key() -> String {
    let dashes = "-".repeat(5);
    let mut draw = Draw::new(4);
    let lines: Vec<String> = (0..3).map(|_| draw.base64(64)).collect();
    format!(
        "{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{}\n{dashes}END RSA PRIVATE KEY{dashes}",
        lines.join("\n")
    )
}

fn clean(text: &str) -> String {
    redact(text).0.into_owned()
}

/// `~` cuts names, so that the texts of this file are no findings.
fn with(text: &str, secret: &str) -> String {
    clean(&text.replace('~', "").replace("{}", secret))
}

const CHOSEN: &str = concat!("hunter", "2", "secret!");

#[test]
fn the_value_goes_and_the_name_stays() {
    assert_snapshot!(with("DB_PA~SS={}", CHOSEN), @"DB_PASS=[redacted:password]");
    assert_snapshot!(with("{\"pass~word\": \"{}\", \"user\": \"bob\"}", CHOSEN), @r#"{"password": "[redacted:password]", "user": "bob"}"#);
    assert_snapshot!(with(r#"{\"pass~word\":\"{}\"}"#, CHOSEN), @r#"{\"password\":\"[redacted:password]\"}"#);
    assert_snapshot!(with("<pass~word>{}</pass~word>", CHOSEN), @"<password>[redacted:password]</password>");
    assert_snapshot!(with("the pass~word is {}", CHOSEN), @"the password is [redacted:password]");
    assert_snapshot!(with("The pass~word for the staging database is {}. Bye.", "hunter2secret"), @"The password for the staging database is [redacted:password]. Bye.");
    assert_snapshot!(with("Authori~zation: Bear~er {}", &Draw::new(9).alnum(32)), @"Authorization: Bearer [redacted:bearer-token]");
    assert_snapshot!(with("Server=db;User Id=sa;Pass~word={};Encrypt=true", CHOSEN), @"Server=db;User Id=sa;Password=[redacted:password];Encrypt=true");
    assert_snapshot!(with("curl -u bob:{} https://host.test", "hunter2x"), @"curl -u bob:[redacted:password] https://host.test");
}

#[test]
fn of_a_url_the_password_goes() {
    assert_snapshot!(with("postgres://bob:{}@db.test:5432/app", "p4ss/w0rd"), @"postgres://bob:[redacted:database-password]@db.test:5432/app");
    assert_snapshot!(with("see https://bob:{}@host.test/x?y=1.", "s3cr3t"), @"see https://bob:[redacted:url-password]@host.test/x?y=1.");
    assert_snapshot!(with("https://{}@github.com/bob/repo.git", &token()), @"https://[redacted:github-token]@github.com/bob/repo.git");
    assert_snapshot!(with("https://{}:x-oauth-basic@github.com/bob/repo.git", &Draw::new(5).hex(40)), @"https://[redacted:url-token]:x-oauth-basic@github.com/bob/repo.git");
}

#[test]
fn of_a_block_all_goes_also_when_it_was_cut_off() {
    let key = key();
    let cut = &key[..key.len() - 40];
    assert_snapshot!(with("a\n{}\nb", &key), @r"
    a
    [redacted:private-key]
    b
    ");
    assert_snapshot!(with("a\r\n{}\r\nb", &key.replace('\n', "\r\n")), @r"
    a
    [redacted:private-key]
    b
    ");
    assert_snapshot!(with(r#"{"private_key": "{}\n", "x": 1}"#, &key.replace('\n', "\\n")), @r#"{"private_key": "[redacted:private-key]\n", "x": 1}"#);
    assert_snapshot!(with("a {}", cut), @"a [redacted:private-key]");
    assert_snapshot!(with("log: \"{}\" and more", &cut.replace('\n', "\\n")), @r#"log: "[redacted:private-key]" and more"#);
}

#[test]
fn several_in_one_text() {
    let (one, two) = (token(), Draw::new(8).alnum(24));
    let text = format!(
        "{one},{one} and {}{two}; {}: {CHOSEN}",
        concat!("sk", "_live_"),
        concat!("pass", "word")
    );
    assert_snapshot!(clean(&text), @"[redacted:github-token],[redacted:github-token] and [redacted:stripe-key]; password: [redacted:password]");
    let found = scan(&text);
    assert_eq!(found[0].fingerprint, found[1].fingerprint);
    assert_ne!(found[0].fingerprint, found[2].fingerprint);
    assert_eq!(found[0].fingerprint.len(), 12);
}

#[test]
fn a_known_token_behind_a_name_has_its_own_kind() {
    assert_snapshot!(with("GITHUB_TOK~EN={}", &token()), @"GITHUB_TOKEN=[redacted:github-token]");
    assert_snapshot!(with("Authori~zation: Bear~er {}", &token()), @"Authorization: Bearer [redacted:github-token]");
}

#[test]
fn at_the_ends_and_beside_other_scripts() {
    let token = token();
    for (before, after) in [
        ("", ""),
        ("", " x"),
        ("x ", ""),
        ("令牌", "，完"),
        ("é", "é"),
        ("🔑", "🔑"),
        ("\u{feff}", "\r\n"),
        ("токен:", "!"),
    ] {
        assert_eq!(
            clean(&format!("{before}{token}{after}")),
            format!("{before}[redacted:github-token]{after}")
        );
    }
}

#[test]
fn look_alike_characters_hide_nothing() {
    let name = concat!("pass", "word");
    for text in [
        format!("{name}：{CHOSEN}"),
        format!("{name}\u{a0}=\u{a0}{CHOSEN}"),
        format!("{name}\u{200b}: {CHOSEN}"),
        format!("pass\u{200d}word: {CHOSEN}"),
        format!("{name}: “{CHOSEN}”"),
        format!("{name} → {CHOSEN}"),
        format!("ｐａｓｓｗｏｒｄ＝{CHOSEN}"),
    ] {
        let clean = clean(&text);
        assert!(
            !clean.contains(CHOSEN) && clean.contains("[redacted:password]"),
            "{text:?}: {clean:?}"
        );
    }
    let token = token();
    let parted = format!("{}\u{200b}{}\u{ad}{}", &token[..10], &token[10..20], &token[20..]);
    assert_eq!(clean(&format!("a {parted} b")), "a [redacted:github-token] b");
    assert_eq!(scan(&parted)[0].fingerprint, scan(&token)[0].fingerprint);
}

#[test]
fn in_lines_of_a_megabyte() {
    let token = token();
    let words = "word ".repeat(200_000);
    let run = "w".repeat(1_000_000);
    for filler in [words, run] {
        let text = format!(
            "{filler} {token} {filler}{}={CHOSEN} {filler}",
            concat!("\nDB_PASS", "WORD")
        );
        let clean = clean(&text);
        assert!(!clean.contains(&token) && !clean.contains(CHOSEN));
        assert_eq!(clean.matches("[redacted:").count(), 2);
    }
    // A value that is longer than what is looked at goes as a whole.
    let long = Draw::new(6).alnum(20_000);
    assert_eq!(with("api_ke~y={} b", &long), "api_key=[redacted:api-key] b");
    assert_eq!(
        with("api_ke~y=\"{}\" b", &long),
        "api_key=\"[redacted:api-key]\" b"
    );
}

#[test]
fn text_without_findings_is_borrowed() {
    assert!(matches!(redact("nothing here"), (Cow::Borrowed("nothing here"), found) if found.is_empty()));
}

#[test]
fn every_string_of_a_value_is_scanned_with_its_name() {
    let token = token();
    let value = json!({
        "note": format!("use {token}"),
        "list": ["x", {"deep": token}],
        "db": {concat!("pass", "word"): CHOSEN, "port": 5432, "user": "bob"},
        "command": ["tool", concat!("--to", "ken"), Draw::new(7).alnum(32), "--verbose"],
        "id": "01JDXYZ8N3M4K5P6Q7R8S9T0V1",
        token.clone(): 1,
    });
    let (clean, found) = Redacted::new(value);
    assert_snapshot!(serde_json::to_string_pretty(&clean).expect("json"), @r#"
    {
      "note": "use [redacted:github-token]",
      "list": [
        "x",
        {
          "deep": "[redacted:github-token]"
        }
      ],
      "db": {
        "password": "[redacted:password]",
        "port": 5432,
        "user": "bob"
      },
      "command": [
        "tool",
        "--token",
        "[redacted:token]",
        "--verbose"
      ],
      "id": "01JDXYZ8N3M4K5P6Q7R8S9T0V1",
      "[redacted:github-token]": 1
    }
    "#);
    assert_eq!(found.len(), 5);
}

#[test]
fn names_without_credentials_change_nothing() {
    for value in [
        json!({"name": "password", "type": "topic", "summary": "how logins work"}),
        json!({"content": "token", "source_harness": "claude-code", "id": "01JDXYZ8N3M4K5P6Q7R8S9T0V1"}),
        json!({"key": "user_id", "token": "identifier", "tags": ["secret", "key", "api2"]}),
        json!([
            "api key",
            "2026-11-30T10:00:00Z",
            "secret",
            "6f1e3c1a-5b0e-4c33-9d57-0a4c2f6f1b11"
        ]),
    ] {
        let (clean, found) = Redacted::new(value.clone());
        assert_eq!((clean.into_inner(), found.len()), (value, 0));
    }
}

#[test]
fn no_entry_of_a_map_is_lost() {
    let tokens: Vec<String> = (0..3)
        .map(|seed| format!("{}{}", concat!("gh", "p_"), Draw::new(50 + seed).alnum(36)))
        .collect();
    let map: BTreeMap<String, String> = tokens
        .iter()
        .map(|token| (token.clone(), "x".to_owned()))
        .collect();
    let (clean, found) = Redacted::new(map);
    assert_eq!((clean.len(), found.len()), (3, 3));
    let object: serde_json::Map<String, serde_json::Value> =
        tokens.iter().map(|token| (token.clone(), json!(1))).collect();
    let (clean, _) = Redacted::new(object);
    assert_eq!(
        clean.keys().collect::<Vec<_>>(),
        [
            "[redacted:github-token]",
            "[redacted:github-token]-2",
            "[redacted:github-token]-3"
        ]
    );
}

#[test]
fn a_redacted_text_reads_as_one() {
    let (text, _) = Redacted::new("plain".to_owned());
    assert_eq!(text, "plain");
    assert_eq!(text.as_str(), "plain");
    assert_eq!(AsRef::<str>::as_ref(&text), "plain");
    assert_eq!(format!("{text:>7}"), "  plain");
    assert_eq!(Redacted::from_static("plain"), text);
    let (list, _) = Redacted::new(vec![Some("a".to_owned()), None]);
    let parts: Vec<Redacted<String>> = list.into_iter().filter_map(Redacted::transpose).collect();
    assert_eq!(parts, [Redacted::from_static("a")]);
}
