//! Lists of words: what stands where a credential could, and is none.

/// Words with digits that name techniques.
#[rustfmt::skip]
pub(crate) const TECHNIQUES: &[&str] = &[
    "1password", "2fa", "365", "3des", "a11y", "aes128", "aes192", "aes256", "argon2", "argon2id", "auth0",
    "base32", "base58", "base62", "base64", "base64url", "bcrypt2", "blake2", "blake2b", "blake3",
    "curve25519", "ec2", "ed25519", "eddsa25519", "es256", "es384", "es512", "f32", "f64", "fido2",
    "float32", "float64", "gpt2", "gpt4", "gpt4o", "gpt5", "h264", "hs256", "hs384", "hs512", "http1",
    "http2", "http3", "i18n", "i32", "i64", "int32", "int64", "ipv4", "ipv6", "k3s", "k8s", "l10n",
    "latin1", "llama2", "llama3", "log4j", "md4", "md5", "mp3", "mp4", "neo4j", "ntlmv2", "oauth1",
    "oauth2", "oidc2", "p12", "p256", "p384", "p521", "pbkdf2", "pkcs1", "pkcs11", "pkcs12", "pkcs7",
    "pkcs8", "ps256", "python2", "python3", "rfc2898", "rs256", "rs384", "rs512", "rsa2048", "rsa4096",
    "s3", "saml2", "secp256k1", "sha1", "sha2", "sha224", "sha256", "sha3", "sha384", "sha512", "sql92",
    "ssha512", "tls1", "tls12", "tls13", "u16", "u2f", "u32", "u64", "u8", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "utf16", "utf32",
    "utf8", "uuid4", "uuid7", "v1alpha1", "v1beta1", "v2beta1", "vt100", "web2", "web3", "win32", "win64",
    "x25519", "x509", "x64", "x86",
];

/// How the names of files end.
#[rustfmt::skip]
pub(crate) const EXTENSIONS: &[&str] = &[
    "asc", "c", "cer", "cfg", "conf", "cpp", "crt", "cs", "db", "enc", "env", "go", "gpg", "gz", "h",
    "html", "ini", "java", "jks", "jpg", "js", "json", "jsx", "kdbx", "key", "lock", "log", "md", "p12",
    "pem", "pfx", "php", "png", "properties", "pub", "py", "rb", "rs", "sh", "svg", "toml", "ts", "tsx",
    "txt", "xml", "yaml", "yml", "zip",
];

/// Words that say that a value is a stand-in.
#[rustfmt::skip]
pub(crate) const STAND_INS: &[&str] = &[
    "censored", "changeit", "changeme", "changethis", "dummy", "elided", "example", "examples", "fake",
    "fixme", "foobar", "goes", "hidden", "insert", "ipsum", "lorem", "masked", "mock", "notreal", "omitted",
    "placeholder", "redacted", "removed", "replace", "replaceme", "sample", "stub", "tbd", "todo", "your",
    "yourapikey", "yourkey", "yourpassword", "yoursecret", "yourtoken",
];

/// Words that stand where a password could, and are none.
#[rustfmt::skip]
pub(crate) const STOP_WORDS: &[&str] = &[
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
];
