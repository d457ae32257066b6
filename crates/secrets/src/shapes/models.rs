//! Providers of models, and what serves, traces and feeds them.

use super::{Shape, shape};
use crate::looks::mixed;

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-service-"],
        "sk-(?:proj|svcacct|admin|None|service)-[A-Za-z0-9_-]{16,}",
    )
    .check(mixed),
    shape("openai-key", &["sk-"], "sk-[A-Za-z0-9]{16,}").check(mixed),
    shape("anthropic-key", &["sk-ant-"], "sk-ant-[A-Za-z0-9_-]{16,}").check(mixed),
    shape(
        "openrouter-key",
        &["sk-or-"],
        "sk-or-(?:v[0-9]-)?[A-Za-z0-9]{20,}",
    )
    .check(mixed),
    shape(
        "langfuse-key",
        &["sk-lf-"],
        "sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    shape(
        "hugging-face-token",
        &["hf_", "api_org_"],
        "(?:hf|api_org)_[A-Za-z0-9]{30,}",
    ),
    shape("groq-key", &["gsk_"], "gsk_[A-Za-z0-9]{32,}"),
    shape("replicate-token", &["r8_"], "r8_[A-Za-z0-9]{36,40}"),
    shape("perplexity-key", &["pplx-"], "pplx-[A-Za-z0-9]{32,}"),
    shape("xai-key", &["xai-"], "xai-[A-Za-z0-9]{60,}"),
    shape("together-key", &["tgp_v1_"], "tgp_v1_[A-Za-z0-9_-]{40,}"),
    shape("fireworks-key", &["fw_"], "fw_[A-Za-z0-9]{20,}").check(mixed),
    shape("cerebras-key", &["csk-"], "csk-[a-z0-9]{40,}"),
    shape("nvidia-key", &["nvapi-"], "nvapi-[A-Za-z0-9_-]{40,}"),
    shape("elevenlabs-key", &["sk_"], "sk_[a-f0-9]{48}"),
    shape(
        "langsmith-key",
        &["lsv2_", "ls__"],
        "(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})",
    ),
    shape(
        "tavily-key",
        &["tvly-"],
        "tvly-(?:(?:dev|prod)-)?[A-Za-z0-9_-]{20,}",
    )
    .check(mixed),
    shape("jina-key", &["jina_"], "jina_[a-f0-9]{32}[A-Za-z0-9_-]{28}"),
    shape("voyage-key", &["pa-"], "pa-[A-Za-z0-9_-]{43}").check(crate::looks::random),
    shape(
        "pinecone-key",
        &["pcsk_"],
        "pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}",
    ),
    shape("firecrawl-key", &["fc-"], "fc-[a-f0-9]{32}"),
    shape("e2b-key", &["e2b_"], "e2b_[a-f0-9]{40}"),
    shape("runpod-key", &["rpa_"], "rpa_[A-Z0-9]{36,}[a-z0-9]*"),
    shape("wandb-key", &["wandb_v1_"], "wandb_v1_[A-Za-z0-9_]{40,}"),
    shape(
        "anyscale-key",
        &["esecret_", "aph0_"],
        "(?:esecret|aph0)_[A-Za-z0-9_-]{20,}",
    )
    .check(mixed),
    shape("modal-token", &["ak-", "as-"], "a[ks]-[A-Za-z0-9]{22}").check(crate::looks::random),
    shape("apify-token", &["apify_api_"], "apify_api_[A-Za-z0-9]{34,40}"),
    shape(
        "composio-key",
        &["sk-composio-"],
        "sk-composio-[A-Za-z0-9_-]{16,}",
    ),
    shape(
        "cursor-key",
        &["crsr_", "key_"],
        "(?:crsr_[a-f0-9]{60,}|key_[a-f0-9]{60,})",
    ),
    shape("letta-key", &["sk-let-"], "sk-let-[A-Za-z0-9+/=_-]{40,}"),
];
