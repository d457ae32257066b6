//! Chat, mail, messages, and the hooks that post to them.

use super::{Shape, shape};
use crate::base64;
use crate::looks::{self, mixed};

/// Whether the first part of a bot token is a number, which is the account it is for.
fn bot(token: &str) -> bool {
    let account = token.split('.').next().unwrap_or_default();
    base64::decode(account).is_some_and(|number| number.len() >= 17 && number.iter().all(u8::is_ascii_digit))
}

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "slack-token",
        &[
            "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.xox", "xoxc-", "xoxd-",
        ],
        "xox(?:[abcdeoprs]-[A-Za-z0-9%-]{10,}|e\\.xox[bp]-[A-Za-z0-9-]{10,})",
    )
    .check(mixed),
    shape("slack-app-token", &["xapp-"], "xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    shape(
        "slack-webhook",
        &["hooks.slack"],
        "hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,})",
    ),
    shape(
        "discord-webhook",
        &["/webhooks/"],
        "/webhooks/[0-9]{15,21}/([A-Za-z0-9_-]{40,})",
    ),
    shape(
        "discord-bot-token",
        FIRST,
        "[MNO][A-Za-z0-9_-]{22,27}\\.[A-Za-z0-9_-]{6,7}\\.[A-Za-z0-9_-]{27,40}",
    )
    .check(bot),
    shape(
        "teams-webhook",
        &["webhook.office.com", "outlook.office.com/webhook"],
        "(?:webhook|outlook)\\.office\\.com/webhook(?:b2)?/([A-Za-z0-9@/-]{60,})",
    ),
    shape(
        "google-chat-webhook",
        &["chat.googleapis.com"],
        "chat\\.googleapis\\.com/v1/spaces/[A-Za-z0-9_-]+/messages\\?key=[A-Za-z0-9_-]+&token=([A-Za-z0-9_%-]{20,})",
    ),
    shape(
        "zapier-webhook",
        &["hooks.zapier.com"],
        "hooks\\.zapier\\.com/hooks/catch/([0-9]{5,}/[A-Za-z0-9]{5,})",
    ),
    shape(
        "make-webhook",
        &[".make.com/"],
        "[a-z0-9]{2,4}\\.make\\.com/([a-z0-9]{30,34})",
    )
    .led_by_up_to(4)
    .check(mixed),
    shape("mattermost-webhook", &["/hooks/"], "/hooks/([a-z0-9]{26})").check(mixed),
    shape("telegram-bot-token", &[":AA"], "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}").led_by_up_to(10),
    shape(
        "sendgrid-key",
        &["SG."],
        "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}",
    ),
    shape("mailgun-key", &["key-"], "key-[a-f0-9]{32}"),
    shape("mailchimp-key", &["-us"], "[a-f0-9]{32}-us[0-9]{1,2}").led_by(32),
    shape(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        "x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
    ),
    shape("resend-key", &["re_"], "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}").landmark(11, b'_'),
    shape("klaviyo-key", &["pk_"], "pk_[a-f0-9]{34}"),
    shape(
        "twilio-key",
        &[
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd",
            "SKe", "SKf",
        ],
        "SK[a-f0-9]{32}",
    ),
    shape("messagebird-key", &["live_"], "live_[A-Za-z0-9]{25}").check(mixed),
    shape("facebook-token", &["EAA"], "EAA[A-Za-z0-9]{80,}").check(|token| looks::entropy(token) >= 4.8),
    shape(
        "instagram-token",
        &["IGQV", "IGAA"],
        "IG(?:QV|AA)[A-Za-z0-9_-]{60,}",
    ),
    shape(
        "linkedin-secret",
        &["WPL_AP"],
        "WPL_AP[01]\\.[A-Za-z0-9]{16}\\.[A-Za-z0-9+/=]{6,10}",
    ),
    shape(
        "x-bearer-token",
        &["AAAAAAAAAAAAAAAAAAAA"],
        "A{20,}[A-Za-z0-9%]{30,}",
    )
    .check(|token| token.bytes().filter(|byte| *byte != b'A').count() > 30),
    shape("zoho-token", &["1000."], "1000\\.[a-f0-9]{32}\\.[a-f0-9]{32}"),
];

/// How a number of 17 digits or more begins in base64: the account of a bot.
const FIRST: &[&str] = &[
    "MTA", "MTE", "MTI", "MTM", "MTQ", "MTU", "MTY", "MTc", "MTg", "MTk", "MjA", "MjE", "MjI", "MjM", "MjQ",
    "MjU", "MjY", "Mjc", "Mjg", "Mjk", "MzA", "MzE", "MzI", "MzM", "MzQ", "MzU", "MzY", "Mzc", "Mzg", "Mzk",
    "NDA", "NDE", "NDI", "NDM", "NDQ", "NDU", "NDY", "NDc", "NDg", "NDk", "NTA", "NTE", "NTI", "NTM", "NTQ",
    "NTU", "NTY", "NTc", "NTg", "NTk", "NjA", "NjE", "NjI", "NjM", "NjQ", "NjU", "NjY", "Njc", "Njg", "Njk",
    "NzA", "NzE", "NzI", "NzM", "NzQ", "NzU", "NzY", "Nzc", "Nzg", "Nzk", "ODA", "ODE", "ODI", "ODM", "ODQ",
    "ODU", "ODY", "ODc", "ODg", "ODk", "OTA", "OTE", "OTI", "OTM", "OTQ", "OTU", "OTY", "OTc", "OTg", "OTk",
];
