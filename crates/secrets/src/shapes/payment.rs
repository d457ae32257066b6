//! Payment and shops.

use super::{Shape, shape};
use crate::looks::{mixed, random};

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        "[rs]k_(?:live|test)_[A-Za-z0-9]{10,}",
    ),
    shape("stripe-webhook-secret", &["whsec_"], "whsec_[A-Za-z0-9+/=]{20,}"),
    shape(
        "square-token",
        &["sq0atp-", "sq0csp-", "sq0idp-"],
        "sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}",
    ),
    shape("square-access-token", &["EAAA"], "EAAA[A-Za-z0-9_-]{60}"),
    shape(
        "braintree-token",
        &["access_token$"],
        "access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}",
    ),
    shape(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"],
        "shp(?:at|ca|pa|ss|ua|tka)_[A-Fa-f0-9]{32}",
    ),
    shape(
        "razorpay-key",
        &["rzp_live_", "rzp_test_"],
        "rzp_(?:live|test)_[A-Za-z0-9]{14,}",
    ),
    shape(
        "flutterwave-key",
        &["FLWSECK"],
        "FLWSECK(?:_TEST)?-[A-Za-z0-9]{32}(?:-[A-Za-z0-9]+)?(?:-X)?",
    ),
    shape(
        "plaid-token",
        &["access-sandbox-", "access-development-", "access-production-"],
        "access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    shape("mollie-key", &["live_", "test_"], "(?:live|test)_[A-Za-z0-9]{30}").check(random),
    shape(
        "lob-key",
        &["live_", "test_"],
        "(?:live|test)_(?:pub_)?[a-f0-9]{35}",
    ),
    shape(
        "gocardless-token",
        &["live_", "sandbox_"],
        "(?:live|sandbox)_[A-Za-z0-9_=-]{40}",
    )
    .check(random),
    shape("easypost-key", &["EZAK", "EZTK"], "EZ[AT]K[A-Za-z0-9]{54}"),
    shape(
        "shippo-token",
        &["shippo_live_", "shippo_test_"],
        "shippo_(?:live|test)_[a-f0-9]{40}",
    ),
    shape(
        "duffel-token",
        &["duffel_live_", "duffel_test_"],
        "duffel_(?:live|test)_[A-Za-z0-9_=-]{43}",
    ),
    shape(
        "adyen-key",
        &["AQE"],
        "AQE[A-Za-z0-9+/]{60,}={0,2}-[A-Za-z0-9+/=]{20,}-[^\\s\"'<>]{8,20}",
    )
    .check(mixed),
    shape(
        "paddle-key",
        &["pdl_live_", "pdl_sdbx_", "pdl_ntfset_"],
        "pdl_(?:(?:live|sdbx)_apikey|ntfset)_[a-z0-9]{26}_[A-Za-z0-9+/]{22,}(?:_[A-Za-z0-9]{3})?",
    ),
    shape(
        "polar-token",
        &["polar_oat_", "polar_pat_", "polar_whs_"],
        "polar_(?:oat|pat|whs)_[A-Za-z0-9]{20,}",
    ),
];
