//! Both rates on the labelled set, and that redaction leaves nothing of what was found.

use ken_secrets::{redact, scan};

#[test]
fn known_credentials_are_found() {
    let cases = crate::cases::credentials();
    assert!(cases.len() >= 400, "{}", cases.len());
    let mut misses = Vec::new();
    for case in &cases {
        let (clean, found) = redact(&case.text);
        let gone = !clean.contains(&case.secret);
        if found.is_empty() || !gone {
            misses.push(format!("{}\n    {:?}\n    {clean:?}", case.label, case.text));
        }
    }
    let found = 100.0 * (cases.len() - misses.len()) as f64 / cases.len() as f64;
    println!("found {found:.1} % of {}", cases.len());
    assert!(
        found >= 99.0,
        "{found:.1} % of {} found; missed:\n{}",
        cases.len(),
        misses.join("\n")
    );
}

#[test]
fn look_alikes_are_left_alone() {
    let texts = crate::cases::look_alikes();
    assert!(texts.len() >= 200, "{}", texts.len());
    let mut alarms = Vec::new();
    for text in &texts {
        let found = scan(text);
        if !found.is_empty() {
            alarms.push(format!("{text:?}: {found:?}"));
        }
    }
    let rate = 100.0 * alarms.len() as f64 / texts.len() as f64;
    println!("{rate:.1} % false alarms on {}", texts.len());
    assert!(
        rate <= 1.0,
        "{rate:.1} % false alarms on {}:\n{}",
        texts.len(),
        alarms.join("\n")
    );
}

#[test]
fn tokens_of_known_issuers_have_their_kind() {
    let mut wrong = Vec::new();
    for case in crate::cases::credentials() {
        if let Some(kind) = case.kind {
            let kinds: Vec<&str> = scan(&case.text).iter().map(|finding| finding.kind).collect();
            if !kinds.contains(&kind) {
                wrong.push(format!("{}: {kinds:?} in {:?}", case.label, case.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn redacting_twice_is_redacting_once() {
    for case in crate::cases::credentials() {
        let (clean, _) = redact(&case.text);
        assert_eq!(scan(&clean), [], "{}: {clean:?}", case.label);
    }
}
