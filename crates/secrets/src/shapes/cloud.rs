//! Clouds, hosting, databases as a service.

use super::{Shape, shape};
use crate::looks::{mixed, random};

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "aws-access-key-id",
        &["AKIA", "ASIA", "ABIA", "ACCA", "A3T"],
        "(?:A(?:KIA|SIA|BIA|CCA)|A3T[A-Z0-9])[A-Z0-9]{16}",
    )
    .with_examples(),
    shape("aws-bedrock-key", &["ABSK"], "ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
    shape(
        "aws-mws-token",
        &["amzn.mws."],
        "amzn\\.mws\\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    shape(
        "aws-url-signature",
        &["X-Amz-Signature"],
        "X-Amz-Signature(?:=|%3D)([a-f0-9]{64})",
    ),
    shape("google-api-key", &["AIza"], "AIza[A-Za-z0-9_-]{35}"),
    shape("google-oauth-secret", &["GOCSPX-"], "GOCSPX-[A-Za-z0-9_-]{28}"),
    shape("google-access-token", &["ya29."], "ya29\\.[A-Za-z0-9_-]{20,}"),
    shape("google-refresh-token", &["1//0"], "1//0[A-Za-z0-9_-]{40,}"),
    shape(
        "google-url-signature",
        &["X-Goog-Signature"],
        "X-Goog-Signature=([a-f0-9]{64,})",
    ),
    shape(
        "azure-storage-key",
        &["AccountKey="],
        "AccountKey=([A-Za-z0-9+/]{86}==)",
    ),
    shape(
        "azure-shared-access-key",
        &["SharedAccessKey="],
        "SharedAccessKey=([A-Za-z0-9+/]{43}=)",
    ),
    shape(
        "azure-sas",
        &["sig="],
        "sig=([A-Za-z0-9+/_-]*(?:%2[BFbf][A-Za-z0-9+/_-]*)*(?:%3[Dd]|=){0,2})",
    )
    .check(|signature| signature.len() >= 40),
    shape(
        "azure-client-secret",
        &["6Q~", "7Q~", "8Q~", "9Q~"],
        "[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
    )
    .led_by(3),
    shape(
        "azure-devops-token",
        &["AZDO"],
        "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}",
    )
    .led_by(76),
    shape(
        "azure-service-key",
        &["JQQJ9"],
        "[A-Za-z0-9]{52}JQQJ9[A-Z0-9][A-Za-z0-9]{20,30}",
    )
    .led_by(52),
    shape(
        "azure-function-key",
        &["AzFu"],
        "[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{4,8}={0,2}",
    )
    .led_by(44),
    shape(
        "azure-search-key",
        &["AzSe"],
        "[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}",
    )
    .led_by(42),
    shape(
        "azure-registry-key",
        &["+ACR"],
        "[A-Za-z0-9+/]{42}\\+ACR[A-D][A-Za-z0-9]{5}",
    )
    .led_by(42),
    shape(
        "azure-cosmos-key",
        &["ACDb"],
        "[A-Za-z0-9+/]{76}ACDb[A-Za-z0-9+/]{6}==",
    )
    .led_by(76),
    shape("alibaba-access-key-id", &["LTAI"], "LTAI[A-Za-z0-9]{12,24}").check(mixed),
    shape("tencent-secret-id", &["AKID"], "AKID[A-Za-z0-9]{32}"),
    shape("yandex-api-key", &["AQVN"], "AQVN[A-Za-z0-9_-]{35,38}"),
    shape(
        "yandex-iam-token",
        &["t1."],
        "t1\\.[A-Za-z0-9_-]+={0,2}\\.[A-Za-z0-9_-]{86}={0,2}",
    ),
    shape(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        "do[opr]_v1_[a-f0-9]{64}",
    ),
    shape("heroku-api-key", &["HRKU-"], "HRKU-[A-Za-z0-9_-]{36,}"),
    shape(
        "fly-token",
        &["fo1_", "fm1r_", "fm1a_", "fm2_"],
        "(?:fo1_[A-Za-z0-9_-]{40,}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{60,}={0,3})",
    ),
    shape(
        "vercel-token",
        &["vercel_blob_rw_", "vcp_", "vci_", "vca_", "vcr_", "vck_"],
        "(?:vercel_blob_rw_[A-Za-z0-9]{10,}_[A-Za-z0-9]{20,}|vc[piark]_[A-Za-z0-9]{24,})",
    ),
    shape(
        "netlify-token",
        &["nfp_", "nfc_", "nfo_", "nfb_", "nfu_"],
        "nf[pcobu]_[A-Za-z0-9]{36}",
    ),
    shape(
        "cloudflare-origin-key",
        &["v1.0-"],
        "v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}",
    ),
    shape(
        "cloudflare-token",
        &["cfut_", "cfat_", "cfk_"],
        "cf(?:ut|at|k)_[A-Za-z0-9_-]{37,}",
    ),
    shape(
        "supabase-token",
        &["sbp_", "sb_secret_"],
        "(?:sbp_(?:v0_|oauth_)?[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})",
    ),
    shape(
        "planetscale-token",
        &["pscale_"],
        "pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_.=-]{32,}",
    ),
    shape("render-api-key", &["rnd_"], "rnd_[A-Za-z0-9]{28,}").check(mixed),
    shape(
        "databricks-token",
        &["dapi", "dose"],
        "(?:dapi|dose)[a-f0-9]{32}(?:-[0-9])?",
    ),
    shape("neon-api-key", &["napi_"], "napi_[a-z0-9]{40,}"),
    shape(
        "cockroach-api-key",
        &["CCDB1_"],
        "CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}",
    ),
    shape(
        "mongodb-atlas-secret",
        &["mdb_sa_sk_"],
        "mdb_sa_sk_[A-Za-z0-9_-]{40}",
    ),
    shape("aiven-password", &["AVNS_"], "AVNS_[A-Za-z0-9_-]{19}"),
    shape(
        "tailscale-key",
        &["tskey-"],
        "tskey-(?:[a-z]+-)?[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{20,})?",
    ),
    shape("scalingo-token", &["tk-us-"], "tk-us-[A-Za-z0-9_-]{48}"),
    shape("akamai-token", &["akab-"], "akab-[a-z0-9]{16}-[a-z0-9]{16}"),
    shape("openshift-token", &["sha256~"], "sha256~[A-Za-z0-9_-]{43}"),
    shape("pulumi-token", &["pul-"], "pul-[a-f0-9]{40}"),
    shape(
        "terraform-cloud-token",
        &[".atlasv1."],
        "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}",
    )
    .led_by(14),
    shape(
        "vault-token",
        &["hvs.", "hvb.", "hvr."],
        "hv[sbr]\\.[A-Za-z0-9_-]{20,}",
    ),
    shape(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}",
    ),
    shape(
        "infisical-token",
        &["st."],
        "st\\.[a-f0-9]{24}\\.[a-f0-9]{32}\\.[a-f0-9]{32}",
    )
    .landmark(27, b'.'),
    shape(
        "onepassword-token",
        &["ops_eyJ"],
        "ops_eyJ[A-Za-z0-9+/_-]{60,}={0,3}",
    ),
    shape(
        "onepassword-secret-key",
        &["A3-"],
        "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    shape(
        "age-secret-key",
        &["AGE-SECRET-KEY-", "AGE-PLUGIN-"],
        "AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,40})-(?:PQ-)?1[02-9AC-HJ-NP-Z]{50,}",
    ),
    shape(
        "minisign-secret-key",
        &["RWRTY0Iy"],
        "RWRTY0Iy[A-Za-z0-9+/]{200,204}={0,2}",
    ),
    shape(
        "harness-token",
        &["pat.", "sat."],
        "[ps]at\\.[A-Za-z0-9_-]{22}\\.[a-f0-9]{24}\\.[A-Za-z0-9]{20}",
    )
    .landmark(26, b'.'),
    shape("octopus-api-key", &["API-"], "API-[A-Z0-9]{26,32}").check(random),
    shape(
        "oracle-password",
        &["jdbc:oracle:"],
        "jdbc:oracle:(?:thin|oci8?):[A-Za-z0-9_$#.-]{1,64}/([^@/\\s\"']{1,128})@",
    )
    .check(|value| !crate::stand_ins::placeholder(value)),
];
