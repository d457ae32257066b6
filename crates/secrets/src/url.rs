//! Passwords in URLs: `scheme://user:PASSWORD@host`.

use std::ops::Range;

use crate::{looks, stand_ins};

/// How far an authority is read.
const LONGEST: usize = 512;

const DATABASES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mysql2",
    "mariadb",
    "mongodb",
    "mongodb+srv",
    "redis",
    "rediss",
    "valkey",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cassandra",
    "neo4j",
    "bolt",
    "cockroachdb",
    "oracle",
    "db2",
    "snowflake",
    "influxdb",
    "couchdb",
    "elasticsearch",
    "nats",
    "kafka",
    "libsql",
    "memcached",
    "ldap",
    "ldaps",
];

/// The password of the URL whose `://` stands at `colon`; of a URL whose user is the credential, the user.
pub(crate) fn find(text: &str, colon: usize) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let scheme = bytes[..colon]
        .iter()
        .rev()
        .take(40)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
        .count();
    if scheme == 0 {
        return None;
    }
    let scheme = &text[colon - scheme..colon];
    let database = DATABASES.iter().any(|name| ends_with_name(scheme, name));

    let start = colon + 3;
    let reach = &bytes[start..(start + LONGEST).min(bytes.len())];
    let ends =
        |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_control() || b"\"'`<>\\".contains(byte);
    let authority = reach
        .iter()
        .position(|byte| b"/?#".contains(byte) || ends(byte))
        .unwrap_or(reach.len());
    let at = match reach[..authority].iter().rposition(|byte| *byte == b'@') {
        Some(at) => at,
        // A password with a slash or the like, written without its escape.
        None if database => {
            let whole = reach.iter().position(ends).unwrap_or(reach.len());
            let user = reach[..authority].iter().position(|byte| *byte == b':')?;
            if reach[user + 1..authority].iter().all(u8::is_ascii_digit) {
                return None;
            }
            let at = authority + reach[authority..whole].iter().position(|byte| *byte == b'@')?;
            reach
                .get(at + 1)
                .filter(|byte| byte.is_ascii_alphanumeric() || **byte == b'[')?;
            at
        }
        None => return None,
    };
    let Some(user) = reach[..at].iter().position(|byte| *byte == b':') else {
        // A token as the user, and no password. Keys of error trackers stand there in public.
        let token = &text[start..start + at];
        let host = &reach[at..authority];
        let public = host.windows(6).any(|part| part == b"sentry");
        return (!public && token.len() >= 20 && looks::random(token))
            .then(|| ("url-token", start..start + at));
    };
    let span = start + user + 1..start + at;
    let password = &text[span.clone()];
    if matches!(password, "x-oauth-basic" | "x" | "X" | "") {
        let token = &text[start..start + user];
        return looks::random(token).then(|| ("url-token", start..start + user));
    }
    if stand_ins::placeholder(password) || looks::stop_word(password) {
        return None;
    }
    Some((
        if database {
            "database-password"
        } else {
            "url-password"
        },
        span,
    ))
}

/// Whether a scheme is `name`, also behind another one (`jdbc:` is no part of it) or with a driver (`mysql+pymysql`).
fn ends_with_name(scheme: &str, name: &str) -> bool {
    scheme == name
        || scheme
            .strip_prefix(name)
            .is_some_and(|driver| driver.starts_with('+'))
}
