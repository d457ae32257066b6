//! Lists of words: what names a credential, what leads to one, and what stands where one could, and is none.

/// A list of words in ASCII small letters or of other scripts, quick to say no.
pub(crate) struct WordList {
    words: &'static [&'static str],
    /// For each length, a bit for each letter that a word of that length begins with.
    begins: [u32; WordList::LONGEST + 1],
}

impl WordList {
    const LONGEST: usize = 24;

    const fn new(words: &'static [&'static str]) -> WordList {
        let mut begins = [0; WordList::LONGEST + 1];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            begins[word.len()] |= 1 << ((word[0] | 0x20) & 31);
            at += 1;
        }
        WordList { words, begins }
    }

    /// Whether a word is one of the list, whatever its case.
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        let (Some(first), Some(begins)) = (word.first(), self.begins.get(word.len())) else {
            return false;
        };
        begins >> ((first | 0x20) & 31) & 1 != 0
            && self
                .words
                .iter()
                .any(|other| word.eq_ignore_ascii_case(other.as_bytes()))
    }
}

/// Words with digits that name techniques.
#[rustfmt::skip]
pub(crate) static TECHNIQUES: WordList = WordList::new(&[
    "1password", "2fa", "365", "3des", "a11y", "aes128", "aes192", "aes256", "argon2", "argon2id", "auth0",
    "base32", "base58", "base62", "base64", "base64url", "bcrypt2", "blake2", "blake2b", "blake3",
    "curve25519", "ec2", "ed25519", "eddsa25519", "es256", "es384", "es512", "f32", "f64", "fido2",
    "float32", "float64", "gpt2", "gpt4", "gpt4o", "gpt5", "h264", "hs256", "hs384", "hs512", "http1",
    "http2", "http3", "i18n", "i32", "i64", "int16", "int32", "int64", "int8", "ipv4", "ipv6", "k3s", "k8s",
    "l10n", "latin1", "llama2", "llama3", "log4j", "md4", "md5", "mp3", "mp4", "neo4j", "ntlmv2", "oauth1",
    "oauth2", "oidc2", "p12", "p256", "p384", "p521", "pbkdf2", "pkcs1", "pkcs11", "pkcs12", "pkcs7",
    "pkcs8", "ps256", "python2", "python3", "rfc2898", "rs256", "rs384", "rs512", "rsa2048", "rsa4096",
    "s3", "saml2", "secp256k1", "sha1", "sha2", "sha224", "sha256", "sha3", "sha384", "sha512", "sql92",
    "ssha512", "tls1", "tls12", "tls13", "u16", "u2f", "u32", "u64", "u8", "uint16", "uint32", "uint64",
    "uint8", "utf16", "utf32", "utf8", "uuid4", "uuid7", "v1alpha1", "v1beta1", "v2beta1", "vt100", "web2",
    "web3", "win32", "win64", "x25519", "x509", "x64", "x86",
]);

/// How the names of files end.
#[rustfmt::skip]
pub(crate) static EXTENSIONS: WordList = WordList::new(&[
    "asc", "c", "cer", "cfg", "conf", "cpp", "crt", "cs", "db", "enc", "env", "go", "gpg", "gz", "h",
    "html", "ini", "java", "jks", "jpg", "js", "json", "jsx", "kdbx", "key", "lock", "log", "md", "p12",
    "pem", "pfx", "php", "png", "properties", "pub", "py", "rb", "rs", "sh", "svg", "toml", "ts", "tsx",
    "txt", "xml", "yaml", "yml", "zip",
]);

/// Words that say that a value is a stand-in.
#[rustfmt::skip]
pub(crate) static STAND_INS: WordList = WordList::new(&[
    "censored", "changeit", "changeme", "changethis", "dummy", "elided", "example", "examples", "fake",
    "fixme", "foobar", "goes", "hidden", "insert", "ipsum", "lorem", "masked", "mock", "notreal", "omitted",
    "placeholder", "redacted", "removed", "replace", "replaceme", "sample", "stub", "tbd", "todo", "your",
    "yourapikey", "yourkey", "yourpassword", "yoursecret", "yourtoken",
]);

/// Words that stand where a password could, and are none.
#[rustfmt::skip]
pub(crate) static STOP_WORDS: WordList = WordList::new(&[
    "a", "absent", "access", "admin", "all", "an", "and", "any", "api", "apikey", "are", "array", "as",
    "at", "auth", "authentication", "auto", "autocomplete", "be", "bearer", "bool", "boolean", "both",
    "bytes", "char", "characters", "chars", "click", "code", "confirm", "confirmation", "const",
    "contrasena", "correct", "create", "credential", "credentials", "current", "data", "default", "denied",
    "digits", "disabled", "empty", "enabled", "encrypted", "env", "environment", "error", "expired",
    "failed", "false", "field", "file", "for", "forgot", "forgotten", "from", "generate", "generated",
    "has", "hash", "hashed", "haslo", "heslo", "hide", "if", "in", "incorrect", "input", "int", "integer",
    "is", "it", "kennwort", "key", "keychain", "keyring", "label", "length", "letter", "letters", "local",
    "login", "lower", "lowercase", "manager", "mandatory", "match", "matches", "max", "maximum", "md",
    "min", "minimum", "mismatch", "missing", "mixed", "must", "name", "needed", "never", "new", "nil", "no",
    "none", "not", "null", "number", "numbers", "object", "of", "off", "ok", "old", "on", "only", "open",
    "optional", "or", "parola", "pass", "passcode", "passphrase", "passwd", "password", "passwords",
    "passwort", "plain", "plaintext", "please", "policy", "previous", "private", "prompt", "protected",
    "provided", "public", "pw", "pwd", "random", "read", "repeat", "required", "reset", "safe", "same",
    "sec", "secret", "secrets", "secure", "security", "see", "senha", "set", "show", "signin", "some",
    "str", "strength", "string", "strong", "submit", "symbol", "symbols", "text", "that", "the", "then",
    "this", "to", "token", "tokens", "too", "true", "type", "undefined", "unknown", "unset", "update",
    "updated", "upper", "uppercase", "use", "used", "user", "username", "valid", "validate", "value",
    "vault", "visible", "void", "wachtwoord", "was", "weak", "when", "which", "with", "wrong", "yes", "you",
]);

/// What may stand behind the word that decides: `password_prod`, `apiKey2`, `token_value`.
#[rustfmt::skip]
pub(crate) static TRAILING: WordList = WordList::new(&[
    "b", "backup", "base", "default", "dev", "development", "env", "eu", "live", "local", "main", "new",
    "old", "plain", "plaintext", "primary", "prod", "production", "raw", "sandbox", "secondary", "stage",
    "staging", "str", "string", "test", "testing", "text", "us", "v", "val", "value",
]);

/// Words before `key` that make it one that opens something.
#[rustfmt::skip]
pub(crate) static KEYS: WordList = WordList::new(&[
    "access", "account", "admin", "aes", "api", "apikey", "app", "application", "auth", "authentication",
    "authorization", "cipher", "client", "connection", "consumer", "cookie", "crypto", "dd", "decryption",
    "deploy", "encrypt", "encryption", "gpg", "hmac", "host", "ingest", "ingestion", "integration", "jwt",
    "licence", "license", "master", "organization", "passphrase", "pgp", "pre", "preshared", "priv",
    "private", "project", "read", "restricted", "root", "rsa", "secret", "server", "service", "shared",
    "sign", "signature", "signing", "ssh", "ssl", "storage", "subscription", "tls", "wallet", "webhook",
    "write",
]);

/// Words before `key` that make it one that opens nothing.
#[rustfmt::skip]
pub(crate) static NO_KEYS: WordList = WordList::new(&[
    "agent", "answer", "any", "arrow", "attr", "attribute", "blob", "cache", "column", "composite",
    "config", "dedup", "dedupe", "deduplication", "dict", "document", "edict", "enter", "entity", "escape",
    "event", "field", "foreign", "group", "hash", "host_public", "hot", "idempotency", "index", "issue",
    "item", "jira", "json", "label", "lookup", "map", "message", "metadata", "natural", "node", "object",
    "order", "partition", "press", "primary", "prop", "property", "pub", "public", "publishable", "range",
    "react", "registry", "return", "routing", "row", "s", "sentinel", "sha", "shard", "short", "sort",
    "state", "storage_path", "surrogate", "ticket", "topic", "translation", "unique", "verification",
    "verify", "yaml",
]);

/// Words before `token`, with a space between, that make it one that opens something.
#[rustfmt::skip]
pub(crate) static TOKENS: WordList = WordList::new(&[
    "access", "account", "admin", "api", "app", "auth", "authentication", "authorization", "bearer",
    "bootstrap", "bot", "ci", "client", "deploy", "device", "discord", "github", "gitlab", "id", "identity",
    "join", "jwt", "npm", "oauth", "personal", "private", "publish", "read", "refresh", "registration",
    "registry", "root", "runner", "secret", "security", "service", "session", "slack", "sso", "telegram",
    "upload", "user", "vault", "webhook", "write",
]);

/// Words before `token` that make it one that opens nothing.
#[rustfmt::skip]
pub(crate) static NO_TOKENS: WordList = WordList::new(&[
    "bos", "cancel", "cancellation", "cls", "color", "colour", "continuation", "csrf", "current", "cursor",
    "delimiter", "design", "each", "end", "eof", "eos", "expected", "first", "idempotency", "identifier",
    "image", "input", "keyword", "last", "lex", "line", "lookahead", "mask", "max", "min", "next", "num",
    "number", "output", "pad", "page", "parse", "peek", "per", "placeholder", "prev", "previous", "prompt",
    "sep", "special", "start", "stop", "string", "sync", "theme", "total", "unexpected", "unk", "xsrf",
]);

/// Words that lead to a value, and words that may stand between these and it.
#[rustfmt::skip]
pub(crate) static LEADS: WordList = WordList::new(&[
    "-", "--", ":", "=", "actually", "again", "are", "as", "be", "been", "called", "changed", "currently",
    "either", "equals", "es", "est", "following", "i.e.", "is", "ist", "it's", "its", "just", "lautet",
    "like", "namely", "now", "one", "reset", "set", "simply", "still", "string", "the", "this", "to", "use",
    "using", "was", "with", "è", "é", "это",
]);

/// Words behind a name that make it the name of something else.
#[rustfmt::skip]
pub(crate) static TURNS: WordList = WordList::new(&[
    "budget", "column", "count", "digest", "field", "file", "fingerprint", "hash", "hint", "id", "ids",
    "length", "limit", "manager", "name", "path", "policy", "rotation", "size", "storage", "store",
    "stream", "type", "types", "url", "usage", "window",
]);

/// Names of passwords that do not end in one of the words for it.
#[rustfmt::skip]
pub(crate) static PASSWORDS: WordList = WordList::new(&[
    "adminpass", "adminpwd", "bindpass", "dbpass", "dbpwd", "ftppass", "ldappass", "mailpass", "masterauth",
    "mypass", "psw", "pswd", "pw", "pwd", "redispass", "requirepass", "rootpass", "rootpwd", "smtppass",
    "sshpass", "userpass", "userpwd",
]);

/// Names of tokens written as one word.
#[rustfmt::skip]
pub(crate) static JOINED_TOKENS: WordList = WordList::new(&[
    "accesstoken", "apitoken", "authtoken", "bearertoken", "bottoken", "idtoken", "refreshtoken",
    "servicetoken", "sessiontoken", "usertoken",
]);

/// Names of keys written as one word.
#[rustfmt::skip]
pub(crate) static JOINED_KEYS: WordList = WordList::new(&[
    "accesskey", "accountkey", "apikey", "appkey", "authkey", "encryptionkey", "licensekey", "masterkey",
    "privatekey", "secretkey", "servicekey", "sharedkey", "signingkey", "storagekey",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_any_case_and_no_other() {
        for list in [
            &TECHNIQUES,
            &STOP_WORDS,
            &STAND_INS,
            &LEADS,
            &TURNS,
            &KEYS,
            &TOKENS,
        ] {
            for word in list.words {
                assert!(
                    list.has(word.as_bytes()) && list.has(word.to_ascii_uppercase().as_bytes()),
                    "{word}"
                );
            }
            for word in ["", "x9", "zzz", &"a".repeat(300)] {
                assert!(!list.has(word.as_bytes()), "{word}");
            }
        }
    }
}
