//! Names with their values, in the forms of programs, settings, shells, tables and sentences.

use super::{Case, Draw};

/// Passwords as people choose them, joined from pieces.
fn passwords() -> Vec<String> {
    [
        ["hunter", "2", "secret!"],
        ["P@ss", "w0rd", "!9"],
        ["Summer", "2024", "!"],
        ["corr3ct", "-h0rse", "-9"],
        ["s3cr3t", "V4lue", ""],
        ["Tr0ub4", "dor", "&3"],
        ["qwerty", "123", "x"],
        ["x7Kp", "9mQ2", "vL"],
        ["mysq1", "Adm", "in"],
        ["pg", "R00t", "#44"],
    ]
    .iter()
    .map(|pieces| pieces.concat())
    .collect()
}

/// Contexts for a password; `{}` is where it stands. Names are cut by `~`, which is taken out.
const PASSWORDS: &[&str] = &[
    "pass~word: {}",
    "pass~word={}",
    "pass~word = \"{}\"",
    "pwd={}",
    "pass~wd: {}",
    "DB_PA~SS={}",
    "export DB_PASS~WORD='{}'",
    "{\"pass~word\": \"{}\"}",
    "{\"pass~word\":\"{}\",\"user\":\"bob\"}",
    "{\\\"pass~word\\\":\\\"{}\\\"}",
    "log: \\n\\tpass~word={}\\nnext",
    "<pass~word>{}</pass~word>",
    "Server=db;User Id=sa;Pass~word={};Encrypt=true",
    "the pass~word is {}",
    "The pass~word for the staging database is {}.",
    "pass~word for admin: {}",
    "I changed the pass~word to {} yesterday",
    "Pass~word: `{}`",
    "**Pass~word:** {}",
    "| pass~word | {} |",
    "spring.datasource.pass~word={}",
    "smtpPass~word: '{}'",
    "$pass~word = '{}';",
    "'pass~word' => '{}',",
    "let pass~word: &str = \"{}\";",
    "String dbPass~word = \"{}\";",
    "os.environ[\"DB_PASS~WORD\"] = \"{}\"",
    "os.getenv(\"DB_PASS~WORD\", \"{}\")",
    "- name: DB_PASS~WORD\n  value: {}\n",
    "{\"name\": \"DB_PASS~WORD\", \"value\": \"{}\"}",
    "<add key=\"DbPass~word\" value=\"{}\" />",
    "mysql --user=root --pass~word={} db",
    "tool --pass~word {} --verbose",
    "machine host.test login bob pass~word {}",
    "PGPASS~WORD={} psql -h db",
    "user: bob\npass~word: {}\n",
    "pass~word：{}",
    "密码：{}",
    "密码是{}",
    "パスワードは{}です",
    "비밀번호: {}",
    "contraseña: {}",
    "mot de passe : {}",
    "Pass~wort: {}",
    "пароль: {}",
    "pass~phrase: \"{}\"",
    "ALTER USER bob WITH PASS~WORD '{}';",
    "CREATE USER bob IDENT~IFIED BY '{}';",
    "https://bob:{}@host.test/path",
    "postgres://bob:{}@db.test:5432/app",
    "mongodb+srv://bob:{}@cluster.test/app?retryWrites=true",
    "redis://:{}@cache.test:6379/0",
    "amqps://svc:{}@queue.test",
    "curl -u bob:{} https://host.test",
    "${DB_PASS~WORD:-{}}",
    "https://host.test/?user=bob&pass~word={}&x=1",
    "connect(host='db', user='bob', pass~word='{}')",
    "PASS~WORD is {}, do not share it",
    "ADMIN_PASS: {}",
    "the root pw: {}",
];

/// Contexts for a value drawn by chance.
const SECRETS: &[&str] = &[
    "client_sec~ret: {}",
    "clientSec~ret = \"{}\"",
    "api ke~y: {}",
    "API_KE~Y={}",
    "api~key={}",
    "x-api-ke~y: {}",
    "{\"apiKe~y\":\"{}\"}",
    "access_tok~en: {}",
    "{\"access_tok~en\": \"{}\", \"expires_in\": 3600}",
    "AUTH_TOK~EN='{}'",
    "Authori~zation: Bear~er {}",
    "Authori~zation: tok~en {}",
    "\"Authori~zation\": \"Bear~er {}\"",
    "-H 'Authori~zation: ApiKey {}'",
    "//registry.test/:_authTok~en={}",
    "sec~ret: {}",
    "SEC~RET_KE~Y = '{}'",
    "aws_sec~ret_access_ke~y = {}",
    "use this tok~en: {}",
    "my api ke~y is {}, keep it safe",
    "tok~en = \"{}\"",
    "--tok~en {}",
    "--api-ke~y={}",
    "encryption_ke~y: \"{}\"",
    "STRIPE_KE~Y={}",
    "https://host.test/v1?api_ke~y={}&q=x",
    "Your api ke~y:\n\n    {}\n\nKeep it.",
    "the tok~en {} expires soon",
    "webhook_sec~ret = {}",
    "<apiKe~y>{}</apiKe~y>",
    "DATADOG_API_KE~Y={}",
    "session_tok~en: '{}'",
    "\\\"client_sec~ret\\\": \\\"{}\\\"",
    "private_ke~y = \"{}\"",
    "credenti~als: {}",
];

/// Every context with a value.
pub(crate) fn cases() -> Vec<Case> {
    let passwords = passwords();
    let mut cases = Vec::new();
    let mut add = |label: &str, context: &str, secret: String| {
        cases.push(Case {
            label: format!("{label} in {context:?}"),
            text: context.replace('~', "").replace("{}", &secret),
            secret,
            kind: None,
        });
    };
    for (at, context) in PASSWORDS.iter().enumerate() {
        for round in 0..2 {
            let mut secret = passwords[(at + round * 3) % passwords.len()].clone();
            if context.contains("://") || context.contains("curl") {
                secret = secret.replace(['@', '#', '&', '!'], "x");
            }
            add("password", context, secret);
        }
    }
    for (at, context) in SECRETS.iter().enumerate() {
        let mut draw = Draw::new(1000 + at as u64);
        add("letters and digits", context, draw.alnum(32));
        let by_chance = context.contains("STRIPE") || context.contains("expires soon");
        let other = match at % 3 {
            _ if by_chance => draw.url64(40),
            0 => draw.hex(40),
            1 => draw.url64(24),
            _ => draw.lower(20),
        };
        add("other", context, other);
    }
    // The secret beside the id of an access key has no name of its own.
    for seed in 0..4 {
        let mut draw = Draw::new(2000 + seed);
        let id = format!(
            "{}{}",
            concat!("AK", "IA"),
            draw.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
        );
        let secret = draw.base64(40);
        let context = [
            "{id} {}",
            "{id},{}",
            "id {id}\nthe other one {}",
            "[\"{id}\",\"{}\"]",
        ][seed as usize]
            .replace("{id}", &id);
        add("beside an id", &context, secret);
    }
    for encoded in ["Basic~ {}", "Authori~zation: Basic~ {}"] {
        let pair = format!("bob:{}", passwords[0]);
        add("basic", encoded, super::encode(pair.as_bytes()));
    }
    cases
}
