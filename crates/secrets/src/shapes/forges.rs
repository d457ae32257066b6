//! Forges and what builds and checks code.

use super::{Shape, shape};

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        "gh[pousr]_[A-Za-z0-9]{30,255}",
    ),
    shape(
        "github-app-token",
        &["ghs_", "ghu_"],
        "gh[su]_[A-Za-z0-9]{1,40}_[A-Za-z0-9_.-]{36,}",
    ),
    shape(
        "github-fine-grained-token",
        &["github_pat_"],
        "github_pat_[A-Za-z0-9_]{36,255}",
    ),
    shape(
        "gitlab-token",
        &[
            "glpat-", "gloas-", "gldt-", "glrt-", "glrtr-", "glptt-", "glft-", "glimt-", "glagent-",
            "glsoat-", "glffct-", "glcbt-", "glwt-",
        ],
        "gl(?:pat|oas|dt|rtr?|ptt|ft|imt|agent|soat|ffct|cbt|wt)-[A-Za-z0-9_-]{20,300}(?:\\.[a-z0-9]{2}\\.[a-z0-9]{7,9})?",
    ),
    shape(
        "gitlab-runner-token",
        &["GR1348941"],
        "GR1348941[A-Za-z0-9_-]{20}",
    ),
    shape(
        "atlassian-token",
        &["ATATT3", "ATCTT3", "ATSTT3"],
        "AT[ACS]TT3[A-Za-z0-9_=-]{30,}",
    ),
    shape("bitbucket-token", &["ATBB"], "ATBB[A-Za-z0-9_=.-]{24,}"),
    shape(
        "sourcegraph-token",
        &["sgp_", "sgd_", "slk_"],
        "(?:sgp_(?:(?:local|[a-f0-9]{16})_)?[a-f0-9]{40}|sgd_[a-f0-9]{64}|slk_[a-f0-9]{64})",
    ),
    shape(
        "circleci-token",
        &["CCIPAT_", "CCIPRJ_"],
        "CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}",
    ),
    shape(
        "buildkite-token",
        &["bkua_", "bkat_", "bkct_", "bkpt_", "bkaj_"],
        "bk(?:ua|at|ct|pt|aj)_[A-Za-z0-9]{40,}",
    ),
    shape("sonar-token", &["squ_", "sqp_", "sqa_"], "sq[upa]_[a-f0-9]{40}"),
    shape(
        "snyk-token",
        &["snyk_"],
        "snyk_(?:uat|sat)\\.[a-f0-9]{8}\\.[A-Za-z0-9_.-]{40,}",
    ),
    shape(
        "linear-token",
        &["lin_api_", "lin_oauth_"],
        "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}",
    ),
    shape("postman-token", &["PMAK-"], "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    shape("prefect-token", &["pnu_", "pnb_"], "pn[ub]_[A-Za-z0-9]{36}"),
    shape(
        "launchdarkly-key",
        &["sdk-", "mob-", "api-"],
        "(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    )
    .landmark(12, b'-'),
    shape(
        "trigger-token",
        &["tr_dev_", "tr_prod_", "tr_stg_", "tr_pat_"],
        "tr_(?:dev|prod|stg|pat)_[A-Za-z0-9]{20,}",
    ),
];
