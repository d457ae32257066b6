//! Package registries.

use super::{Shape, shape};
use crate::looks::{mixed, random};

pub(super) const SHAPES: &[Shape] = &[
    shape("npm-token", &["npm_"], "npm_[A-Za-z0-9]{36}"),
    shape("pypi-token", &["pypi-"], "pypi-[A-Za-z0-9_-]{50,}"),
    shape("crates-io-token", &["cio"], "cio[A-Za-z0-9]{32}").check(mixed),
    shape("rubygems-key", &["rubygems_"], "rubygems_[a-f0-9]{48}"),
    shape("nuget-key", &["oy2"], "oy2[a-z0-9]{43}"),
    shape(
        "docker-token",
        &["dckr_pat_", "dckr_oat_"],
        "dckr_[po]at_[A-Za-z0-9_-]{20,}",
    ),
    shape("clojars-token", &["CLOJARS_"], "CLOJARS_[a-f0-9]{60}"),
    shape("artifactory-key", &["AKCp", "AKCd"], "AKC[pd][A-Za-z0-9]{60,80}"),
    shape(
        "artifactory-token",
        &["cmVmdGtu"],
        "cmVmdGtu(?:Oj|Oi)[A-Za-z0-9+/]{50,}={0,2}",
    ),
    shape(
        "packagist-token",
        &["packagist_"],
        "packagist_[a-z]{3}_[a-f0-9]{68}",
    ),
    shape("ionic-token", &["ion_"], "ion_[A-Za-z0-9]{42}").check(random),
];
