//! Monitoring, documents, tasks, design, files: services of every other kind.

use super::{Shape, shape};
use crate::looks::mixed;

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "new-relic-key",
        &["NRAK-", "NRJS-", "NRII-", "NRAA-", "NRRA-", "NRSP-"],
        "NR(?:AK|JS|II|AA|RA|SP)-[A-Za-z0-9_-]{19,42}",
    ),
    shape("new-relic-license-key", &["FFFFNRAL"], "[A-Fa-f0-9]{32}FFFFNRAL").led_by(32),
    shape(
        "sentry-token",
        &["sntrys_", "sntryu_", "sntrya_"],
        "sntry(?:s_eyJ[A-Za-z0-9_=+/-]{40,}|[ua]_[a-f0-9]{64})",
    ),
    shape(
        "grafana-token",
        &["glsa_", "glc_eyJ", "eyJrIjoi"],
        "(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_eyJ[A-Za-z0-9+/_-]{30,}={0,2}|eyJrIjoi[A-Za-z0-9+/_-]{60,}={0,2})",
    ),
    shape(
        "dynatrace-token",
        &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s03.", "dt0s16."],
        "dt0[a-z][0-9]{2}\\.[A-Z0-9]{8,24}\\.[A-Z0-9]{64}",
    ),
    shape(
        "honeycomb-key",
        &["hcaik_", "hcbik_", "hcxik_", "hcalk_", "hcxlk_", "hcamk_"],
        "hc[abx](?:ik|lk|mk)_[a-z0-9]{40,}",
    ),
    shape("posthog-key", &["phx_", "phs_"], "ph[xs]_[A-Za-z0-9]{40,}"),
    shape("rootly-token", &["rootly_"], "rootly_[a-f0-9]{64}"),
    shape(
        "pagerduty-token",
        &["pdus+", "pdeu+"],
        "pd(?:us|eu)\\+_[A-Za-z0-9_+-]{20,}",
    ),
    shape(
        "notion-token",
        &["ntn_", "secret_"],
        "(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})",
    )
    .check(mixed),
    shape(
        "figma-token",
        &["figd_", "figo_", "figu_", "figp_"],
        "fig[doup]_[A-Za-z0-9_-]{36,}",
    ),
    shape("airtable-token", &["pat"], "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}").landmark(17, b'.'),
    shape(
        "asana-token",
        &["1/1", "0/1", "2/1"],
        "[0-2]/[0-9]{12,20}(?:/[0-9]{12,20})?:[a-f0-9]{32}",
    ),
    shape("contentful-token", &["CFPAT-"], "CFPAT-[A-Za-z0-9_-]{43}"),
    shape(
        "mapbox-token",
        &["sk.eyJ", "tk.eyJ"],
        "[st]k\\.eyJ[A-Za-z0-9_-]{20,}\\.[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "dropbox-token",
        &["sl.u.", "sl.A", "sl.B", "sl.C"],
        "sl\\.(?:u\\.)?[A-Za-z0-9_-]{100,}",
    ),
    shape(
        "hubspot-token",
        &["pat-"],
        "pat-(?:na|eu|ap)[0-9]-[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}",
    ),
    shape("typeform-token", &["tfp_"], "tfp_[A-Za-z0-9_.=-]{40,}"),
    shape("readme-key", &["rdme_"], "rdme_[a-z0-9]{60,}"),
    shape("frameio-token", &["fio-u-"], "fio-u-[A-Za-z0-9_=-]{64}"),
    shape(
        "salesforce-token",
        &["00D"],
        "00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{60,}",
    ),
    shape(
        "adobe-secret",
        &["p8e-", "p8-", "s-p8e-"],
        "(?:p8e-|p8-)[A-Za-z0-9_-]{32}",
    )
    .check(crate::looks::random),
    shape("maxmind-key", &["_mmk"], "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk").led_by(36),
    shape(
        "intra42-secret",
        &["s-s4t2ud-", "s-s4t2af-"],
        "s-s4t2(?:ud|af)-[a-f0-9]{64}",
    ),
    shape(
        "settlemint-token",
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        "sm_[aps]at_[A-Za-z0-9]{16,}",
    ),
    shape(
        "inngest-key",
        &["signkey-"],
        "signkey-(?:prod|test|branch)-[a-f0-9]{32,}",
    ),
    shape(
        "liveblocks-key",
        &["sk_dev_", "sk_prod_"],
        "sk_(?:dev|prod)_[A-Za-z0-9_-]{20,}",
    )
    .check(mixed),
    shape("onesignal-key", &["os_v2_"], "os_v2_(?:app|org)_[a-z0-9]{60,}"),
    shape("clickup-token", &["pk_"], "pk_[0-9]{5,10}_[A-Z0-9]{32}"),
    shape(
        "secret-token-uri",
        &["secret-token:"],
        "secret-token:([A-Za-z0-9._~!$&'()*+,;=:@%-]{8,})",
    ),
    shape("okta-token", &["SSWS "], "SSWS ([A-Za-z0-9_-]{30,})"),
    shape(
        "wireguard-key",
        &["PrivateKey = ", "PresharedKey = "],
        "(?:PrivateKey|PresharedKey) = ([A-Za-z0-9+/]{43}=)",
    ),
    shape(
        "bitcoin-private-key",
        &["xprv9", "zprv", "yprv", "tprv"],
        "[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}",
    ),
    shape(
        "putty-private-key",
        &["Private-Lines: "],
        "Private-Lines: [0-9]+\\r?\\n((?:[A-Za-z0-9+/=]+\\r?\\n)+)",
    ),
];
