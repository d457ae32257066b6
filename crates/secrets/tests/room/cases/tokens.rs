//! Tokens of known issuers, each in one of the contexts that they are met in.

use super::{Case, Draw, encode};

/// The contexts; `{}` is where the token stands.
const CONTEXTS: &[&str] = &[
    "{}",
    "use {} for the staging cluster",
    "export SOMETHING={}\n",
    "{\"result\":\"{}\"}",
    "(see {})",
    "line one\r\n{}\r\nline three",
    "\\n{}\\n",
    "中文{}中文",
    "header = \"{}\";",
    "https://host.test/path?x={}&y=1",
    "\u{1b}[32m{}\u{1b}[0m",
    "- `{}`: found in the log",
    "a\t{}\tb",
    "\\\"{}\\\"",
    "x={},y=2",
];

type Make = fn(&mut Draw) -> String;

/// A kind, and how a token of that kind is made. The beginnings are written in two pieces.
const TOKENS: &[(&str, Make)] = &[
    ("aws-access-key-id", |d| {
        format!(
            "{}{}",
            concat!("AK", "IA"),
            d.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
        )
    }),
    ("aws-access-key-id", |d| {
        format!(
            "{}{}",
            concat!("AS", "IA"),
            d.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
        )
    }),
    ("aws-bedrock-key", |d| {
        format!("{}{}", concat!("AB", "SK"), d.base64(128))
    }),
    ("aws-mws-token", |d| {
        format!("{}{}", concat!("amzn.", "mws."), d.uuid())
    }),
    ("google-api-key", |d| {
        format!("{}{}", concat!("AI", "za"), d.url64(35))
    }),
    ("google-oauth-secret", |d| {
        format!("{}{}", concat!("GOC", "SPX-"), d.url64(28))
    }),
    ("google-access-token", |d| {
        format!("{}{}", concat!("ya", "29."), d.url64(120))
    }),
    ("google-refresh-token", |d| {
        format!("{}{}", concat!("1/", "/0"), d.url64(60))
    }),
    ("azure-storage-key", |d| {
        format!(
            "DefaultEndpointsProtocol=https;AccountName=a;{}{}==",
            concat!("Account", "Key="),
            d.base64(86)
        )
    }),
    ("azure-client-secret", |d| {
        format!("{}{}{}", d.alnum(3), concat!("8", "Q~"), d.alnum(34))
    }),
    ("azure-devops-token", |d| {
        format!("{}{}{}", d.alnum(76), concat!("AZ", "DO"), d.alnum(4))
    }),
    ("azure-shared-access-key", |d| {
        format!("{}{}=", concat!("Shared", "AccessKey="), d.base64(43))
    }),
    ("azure-cosmos-key", |d| {
        format!("{}{}{}==", d.base64(76), concat!("AC", "Db"), d.base64(6))
    }),
    ("alibaba-access-key-id", |d| {
        format!("{}{}", concat!("LT", "AI"), d.alnum(20))
    }),
    ("tencent-secret-id", |d| {
        format!("{}{}", concat!("AK", "ID"), d.alnum(32))
    }),
    ("yandex-api-key", |d| {
        format!("{}{}", concat!("AQ", "VN"), d.url64(36))
    }),
    ("digitalocean-token", |d| {
        format!("{}{}", concat!("dop", "_v1_"), d.hex(64))
    }),
    ("heroku-api-key", |d| {
        format!("{}{}", concat!("HR", "KU-"), d.uuid())
    }),
    ("fly-token", |d| format!("{}{}", concat!("fo", "1_"), d.url64(43))),
    ("fly-token", |d| {
        format!("{}{}", concat!("fm", "2_"), d.base64(200))
    }),
    ("netlify-token", |d| {
        format!("{}{}", concat!("nf", "p_"), d.alnum(36))
    }),
    ("vercel-token", |d| {
        format!(
            "{}{}_{}",
            concat!("vercel_blob", "_rw_"),
            d.alnum(16),
            d.alnum(30)
        )
    }),
    ("cloudflare-origin-key", |d| {
        format!("{}{}-{}", concat!("v1", ".0-"), d.hex(24), d.hex(146))
    }),
    ("supabase-token", |d| {
        format!("{}{}", concat!("sb", "p_"), d.hex(40))
    }),
    ("supabase-token", |d| {
        format!("{}{}", concat!("sb_", "secret_"), d.url64(31))
    }),
    ("planetscale-token", |d| {
        format!("{}{}", concat!("pscale", "_tkn_"), d.alnum(43))
    }),
    ("planetscale-token", |d| {
        format!("{}{}", concat!("pscale", "_pw_"), d.alnum(43))
    }),
    ("render-api-key", |d| {
        format!("{}{}", concat!("rn", "d_"), d.alnum(32))
    }),
    ("databricks-token", |d| {
        format!("{}{}", concat!("da", "pi"), d.hex(32))
    }),
    ("neon-api-key", |d| {
        format!("{}{}", concat!("na", "pi_"), d.lower(64))
    }),
    ("cockroach-api-key", |d| {
        format!("{}{}_{}", concat!("CC", "DB1_"), d.alnum(22), d.alnum(40))
    }),
    ("tailscale-key", |d| {
        format!("{}{}-{}", concat!("ts", "key-auth-"), d.alnum(12), d.alnum(32))
    }),
    ("aiven-password", |d| {
        format!("{}{}", concat!("AV", "NS_"), d.url64(19))
    }),
    ("pulumi-token", |d| {
        format!("{}{}", concat!("pu", "l-"), d.hex(40))
    }),
    ("terraform-cloud-token", |d| {
        format!("{}{}{}", d.alnum(14), concat!(".atl", "asv1."), d.alnum(67))
    }),
    ("vault-token", |d| {
        format!("{}{}", concat!("hv", "s."), d.url64(92))
    }),
    ("doppler-token", |d| {
        format!("{}{}", concat!("dp.", "pt."), d.alnum(43))
    }),
    ("doppler-token", |d| {
        format!("{}prod.{}", concat!("dp.", "st."), d.alnum(43))
    }),
    ("onepassword-token", |d| {
        format!("{}{}", concat!("ops", "_eyJ"), d.base64(300))
    }),
    ("onepassword-secret-key", |d| {
        format!(
            "{}{}-{}-{}-{}-{}",
            concat!("A", "3-"),
            d.upper(6),
            d.upper(11),
            d.upper(5),
            d.upper(5),
            d.upper(5)
        )
    }),
    ("age-secret-key", |d| {
        format!(
            "{}{}",
            concat!("AGE-", "SECRET-KEY-1"),
            d.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)
        )
    }),
    ("github-token", |d| {
        format!("{}{}", concat!("gh", "p_"), d.alnum(36))
    }),
    ("github-token", |d| {
        format!("{}{}", concat!("gh", "o_"), d.alnum(36))
    }),
    ("github-token", |d| {
        format!("{}{}", concat!("gh", "u_"), d.alnum(36))
    }),
    ("github-token", |d| {
        format!("{}{}", concat!("gh", "s_"), d.alnum(36))
    }),
    ("github-token", |d| {
        format!("{}{}", concat!("gh", "r_"), d.alnum(76))
    }),
    ("github-fine-grained-token", |d| {
        format!("{}{}_{}", concat!("github", "_pat_"), d.alnum(22), d.alnum(59))
    }),
    ("gitlab-token", |d| {
        format!("{}{}", concat!("gl", "pat-"), d.url64(20))
    }),
    ("gitlab-token", |d| {
        format!("{}{}.01.{}", concat!("gl", "pat-"), d.url64(38), d.lower(9))
    }),
    ("gitlab-token", |d| {
        format!("{}{}", concat!("gl", "rt-"), d.url64(20))
    }),
    ("gitlab-token", |d| {
        format!("{}{}", concat!("gl", "dt-"), d.url64(20))
    }),
    ("gitlab-runner-token", |d| {
        format!("{}{}", concat!("GR", "1348941"), d.url64(20))
    }),
    ("atlassian-token", |d| {
        format!("{}{}={}", concat!("AT", "ATT3xFfGF0"), d.url64(180), d.upper(8))
    }),
    ("bitbucket-token", |d| {
        format!("{}{}", concat!("AT", "BB"), d.alnum(32))
    }),
    ("sourcegraph-token", |d| {
        format!("{}{}_{}", concat!("sg", "p_"), d.hex(16), d.hex(40))
    }),
    ("circleci-token", |d| {
        format!("{}{}_{}", concat!("CC", "IPAT_"), d.alnum(22), d.hex(40))
    }),
    ("buildkite-token", |d| {
        format!("{}{}", concat!("bk", "ua_"), d.lower(40))
    }),
    ("sonar-token", |d| format!("{}{}", concat!("sq", "u_"), d.hex(40))),
    ("linear-token", |d| {
        format!("{}{}", concat!("lin", "_api_"), d.alnum(40))
    }),
    ("postman-token", |d| {
        format!("{}{}-{}", concat!("PM", "AK-"), d.hex(24), d.hex(34))
    }),
    ("launchdarkly-key", |d| {
        format!("{}{}", concat!("sd", "k-"), d.uuid())
    }),
    ("slack-token", |d| {
        format!(
            "{}{}-{}-{}",
            concat!("xo", "xb-"),
            d.digits(12),
            d.digits(12),
            d.alnum(24)
        )
    }),
    ("slack-token", |d| {
        format!(
            "{}{}-{}-{}-{}",
            concat!("xo", "xp-"),
            d.digits(12),
            d.digits(12),
            d.digits(12),
            d.hex(32)
        )
    }),
    ("slack-token", |d| {
        format!("{}1-{}", concat!("xo", "xe.xoxp-"), d.alnum(146))
    }),
    ("slack-app-token", |d| {
        format!(
            "{}1-A{}-{}-{}",
            concat!("xa", "pp-"),
            d.upper(10),
            d.digits(13),
            d.hex(64)
        )
    }),
    ("slack-webhook", |d| {
        format!(
            "https://{}/services/T{}/B{}/{}",
            concat!("hooks.", "slack.com"),
            d.upper(10),
            d.upper(10),
            d.alnum(24)
        )
    }),
    ("discord-webhook", |d| {
        format!(
            "https://discord.com{}{}/{}",
            concat!("/api/", "webhooks/"),
            d.digits(18),
            d.url64(68)
        )
    }),
    ("discord-bot-token", |d| {
        format!(
            "{}.{}.{}",
            encode(d.digits(18).as_bytes()),
            d.alnum(6),
            d.url64(38)
        )
    }),
    ("teams-webhook", |d| {
        format!(
            "https://x.{}{}@{}/IncomingWebhook/{}/{}",
            concat!("webhook.", "office.com/webhookb2/"),
            d.uuid(),
            d.uuid(),
            d.hex(32),
            d.uuid()
        )
    }),
    ("telegram-bot-token", |d| {
        format!("{}:{}{}", d.digits(10), concat!("A", "A"), d.url64(33))
    }),
    ("sendgrid-key", |d| {
        format!("{}{}.{}", concat!("S", "G."), d.url64(22), d.url64(43))
    }),
    ("mailgun-key", |d| format!("{}{}", concat!("ke", "y-"), d.hex(32))),
    ("mailchimp-key", |d| {
        format!("{}{}", d.hex(32), concat!("-u", "s14"))
    }),
    ("brevo-key", |d| {
        format!("{}{}-{}", concat!("xkey", "sib-"), d.hex(64), d.alnum(16))
    }),
    ("resend-key", |d| {
        format!("{}{}_{}", concat!("r", "e_"), d.alnum(8), d.alnum(24))
    }),
    ("twilio-key", |d| format!("{}{}", concat!("S", "K"), d.hex(32))),
    ("facebook-token", |d| {
        format!("{}{}", concat!("EA", "A"), d.alnum(160))
    }),
    ("x-bearer-token", |d| {
        format!("{}{}%{}", "A".repeat(22), d.alnum(40), d.alnum(40))
    }),
    ("openai-key", |d| {
        format!("{}{}", concat!("sk", "-proj-"), d.url64(156))
    }),
    ("openai-key", |d| {
        format!(
            "{}{}{}{}",
            concat!("s", "k-"),
            d.alnum(20),
            concat!("T3Blbk", "FJ"),
            d.alnum(20)
        )
    }),
    ("openai-key", |d| {
        format!("{}{}", concat!("sk", "-svcacct-"), d.url64(120))
    }),
    ("anthropic-key", |d| {
        format!("{}{}AA", concat!("sk", "-ant-api03-"), d.url64(93))
    }),
    ("anthropic-key", |d| {
        format!("{}{}", concat!("sk", "-ant-oat01-"), d.url64(93))
    }),
    ("openrouter-key", |d| {
        format!("{}{}", concat!("sk", "-or-v1-"), d.hex(64))
    }),
    ("openai-key", |d| format!("{}{}", concat!("s", "k-"), d.hex(32))),
    ("hugging-face-token", |d| {
        format!("{}{}", concat!("h", "f_"), d.alnum(34))
    }),
    ("groq-key", |d| format!("{}{}", concat!("gs", "k_"), d.alnum(52))),
    ("replicate-token", |d| {
        format!("{}{}", concat!("r", "8_"), d.alnum(37))
    }),
    ("perplexity-key", |d| {
        format!("{}{}", concat!("pp", "lx-"), d.alnum(48))
    }),
    ("xai-key", |d| format!("{}{}", concat!("xa", "i-"), d.alnum(80))),
    ("together-key", |d| {
        format!("{}{}", concat!("tgp", "_v1_"), d.url64(43))
    }),
    ("fireworks-key", |d| {
        format!("{}{}", concat!("f", "w_"), d.alnum(24))
    }),
    ("cerebras-key", |d| {
        format!("{}{}", concat!("cs", "k-"), d.lower(48))
    }),
    ("nvidia-key", |d| {
        format!("{}{}", concat!("nv", "api-"), d.url64(64))
    }),
    ("elevenlabs-key", |d| {
        format!("{}{}", concat!("s", "k_"), d.hex(48))
    }),
    ("langsmith-key", |d| {
        format!("{}{}_{}", concat!("lsv", "2_pt_"), d.hex(32), d.hex(10))
    }),
    ("langfuse-key", |d| {
        format!("{}{}", concat!("sk", "-lf-"), d.uuid())
    }),
    ("tavily-key", |d| {
        format!("{}{}", concat!("tv", "ly-"), d.alnum(32))
    }),
    ("pinecone-key", |d| {
        format!("{}{}_{}", concat!("pc", "sk_"), d.alnum(6), d.alnum(63))
    }),
    ("e2b-key", |d| format!("{}{}", concat!("e2", "b_"), d.hex(40))),
    ("npm-token", |d| format!("{}{}", concat!("np", "m_"), d.alnum(36))),
    ("pypi-token", |d| {
        format!("{}{}", concat!("py", "pi-AgEIcHlwaS5vcmc"), d.url64(150))
    }),
    ("crates-io-token", |d| {
        format!("{}{}", concat!("ci", "o"), d.alnum(32))
    }),
    ("rubygems-key", |d| {
        format!("{}{}", concat!("ruby", "gems_"), d.hex(48))
    }),
    ("nuget-key", |d| format!("{}{}", concat!("oy", "2"), d.lower(43))),
    ("docker-token", |d| {
        format!("{}{}", concat!("dckr", "_pat_"), d.url64(27))
    }),
    ("clojars-token", |d| {
        format!("{}{}", concat!("CLO", "JARS_"), d.hex(60))
    }),
    ("artifactory-key", |d| {
        format!("{}{}", concat!("AK", "Cp"), d.alnum(69))
    }),
    ("stripe-key", |d| {
        format!("{}{}", concat!("sk", "_live_"), d.alnum(24))
    }),
    ("stripe-key", |d| {
        format!("{}{}", concat!("rk", "_test_"), d.alnum(99))
    }),
    ("stripe-webhook-secret", |d| {
        format!("{}{}", concat!("wh", "sec_"), d.alnum(32))
    }),
    ("square-token", |d| {
        format!("{}{}", concat!("sq0", "csp-"), d.url64(43))
    }),
    ("square-access-token", |d| {
        format!("{}{}", concat!("EA", "AA"), d.url64(60))
    }),
    ("braintree-token", |d| {
        format!(
            "{}{}${}",
            concat!("access", "_token$production$"),
            d.lower(16),
            d.hex(32)
        )
    }),
    ("shopify-token", |d| {
        format!("{}{}", concat!("sh", "pat_"), d.hex(32))
    }),
    ("razorpay-key", |d| {
        format!("{}{}", concat!("rzp", "_live_"), d.alnum(14))
    }),
    ("plaid-token", |d| {
        format!("{}{}", concat!("access", "-sandbox-"), d.uuid())
    }),
    ("new-relic-key", |d| {
        format!("{}{}", concat!("NR", "AK-"), d.upper(27))
    }),
    ("sentry-token", |d| {
        format!("{}{}", concat!("sntry", "u_"), d.hex(64))
    }),
    ("grafana-token", |d| {
        format!("{}{}_{}", concat!("gl", "sa_"), d.alnum(32), d.hex(8))
    }),
    ("dynatrace-token", |d| {
        format!("{}{}.{}", concat!("dt0", "c01."), d.upper(24), d.upper(64))
    }),
    ("posthog-key", |d| {
        format!("{}{}", concat!("ph", "x_"), d.alnum(43))
    }),
    ("notion-token", |d| {
        format!("{}{}", concat!("nt", "n_"), d.alnum(46))
    }),
    ("notion-token", |d| {
        format!("{}{}", concat!("sec", "ret_"), d.alnum(43))
    }),
    ("figma-token", |d| {
        format!("{}{}", concat!("fi", "gd_"), d.url64(40))
    }),
    ("airtable-token", |d| {
        format!("{}{}.{}", concat!("p", "at"), d.alnum(14), d.hex(64))
    }),
    ("asana-token", |d| {
        format!(
            "{}{}/{}:{}",
            concat!("2", "/1"),
            d.digits(15),
            d.digits(16),
            d.hex(32)
        )
    }),
    ("contentful-token", |d| {
        format!("{}{}", concat!("CF", "PAT-"), d.url64(43))
    }),
    ("mapbox-token", |d| {
        format!("{}{}.{}", concat!("sk.", "eyJ"), d.alnum(80), d.url64(22))
    }),
    ("dropbox-token", |d| {
        format!("{}{}", concat!("sl.", "u."), d.url64(140))
    }),
    ("hubspot-token", |d| {
        format!("{}{}", concat!("pa", "t-na1-"), d.uuid())
    }),
    ("typeform-token", |d| {
        format!("{}{}", concat!("tf", "p_"), d.url64(59))
    }),
    ("salesforce-token", |d| {
        format!("{}{}!{}", concat!("00", "D"), d.alnum(15), d.alnum(96))
    }),
    ("okta-token", |d| {
        format!("{}00{}", concat!("SS", "WS "), d.url64(40))
    }),
    ("wireguard-key", |d| {
        format!("{}{}=", concat!("Private", "Key = "), d.base64(43))
    }),
    ("bitcoin-private-key", |d| {
        format!(
            "{}{}",
            concat!("xp", "rv9"),
            d.of("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 106)
        )
    }),
    ("jwt", |d| {
        let payload = encode(br#"{"sub":"1234567890","iat":1516239022}"#);
        format!(
            "{}.{payload}.{}",
            encode(br#"{"alg":"HS256","typ":"JWT"}"#),
            d.url64(43)
        )
    }),
    ("private-key", |d| pem(d, "RSA PRIVATE KEY")),
    ("private-key", |d| pem(d, "OPENSSH PRIVATE KEY")),
    ("private-key", |d| pem(d, "EC PRIVATE KEY").replace('\n', "\\n")),
    ("pgp-private-key", |d| pem(d, "PGP PRIVATE KEY BLOCK")),
];

fn pem(draw: &mut Draw, label: &str) -> String {
    let dashes = "-".repeat(5);
    let lines: Vec<String> = (0..6).map(|_| draw.base64(64)).collect();
    format!(
        "{dashes}BEGIN {label}{dashes}\n{}\n{dashes}END {label}{dashes}",
        lines.join("\n")
    )
}

/// Every token, each in two of the contexts.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (at, (kind, make)) in TOKENS.iter().enumerate() {
        for round in 0..2 {
            let token = make(&mut Draw::new(1 + at as u64 * 7 + round as u64));
            let context = CONTEXTS[(at * 2 + round * 7) % CONTEXTS.len()];
            // The part that is the secret: the longest that no sign cuts.
            let secret = token
                .rsplit(['/', ' ', '='])
                .find(|part| part.len() > 16)
                .unwrap_or(&token)
                .to_owned();
            cases.push(Case {
                label: format!("{kind} in {context:?}"),
                text: context.replace("{}", &token),
                secret,
                kind: Some(kind),
            });
        }
    }
    cases
}
