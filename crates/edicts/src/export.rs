use std::fmt::Write;
use std::str::FromStr;

use ken_secrets::Redacted;
use serde_json::json;

use crate::change::Change;
use crate::draft::{history_record, record};
use crate::model::{Config, Edicts};
use crate::node::Style;
use crate::source::Format;
use crate::{rewrite, scalar};

/// The two forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// As `edicts.yaml`.
    Yaml,
    /// As `edicts.json`.
    Json,
}

impl FromStr for ExportFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<ExportFormat, String> {
        match text {
            "yaml" => Ok(ExportFormat::Yaml),
            "json" => Ok(ExportFormat::Json),
            _ => Err(format!("`{text}` is not a format; write yaml or json")),
        }
    }
}

/// A whole file with everything that was read: configuration, edicts with every default filled in, expired ones too,
/// and history. It can be read and imported again. What was set aside, comments and unknown keys are not in it, and
/// credentials are replaced.
pub fn export(edicts: &Edicts, format: ExportFormat) -> String {
    match format {
        ExportFormat::Json => {
            let (value, _) = Redacted::new(json!({
                "version": 1,
                "config": edicts.config,
                "edicts": edicts.edicts,
                "history": edicts.history,
            }));
            serde_json::to_string_pretty(&*value).unwrap_or_default() + "\n"
        }
        ExportFormat::Yaml => {
            let mut change = Change::default();
            change.edicts.appended = edicts.edicts.iter().map(record).collect();
            change.history.appended = edicts.history.iter().map(history_record).collect();
            let (change, _) = Redacted::new(change);
            let text = rewrite::whole_text(Format::Yaml, None, &change);
            let (version, lists) = text.split_once('\n').unwrap_or(("version: 1", ""));
            format!("{version}\n{}{lists}", config(&edicts.config))
        }
    }
}

fn config(config: &Config) -> String {
    let mut out = String::from("config:\n");
    let label = |label: &str, flow: bool| scalar::yaml(label, Style::Plain, flow);
    let categories: Vec<String> = config.categories.iter().map(|c| label(c, true)).collect();
    let _ = write!(
        out,
        "  maxEdicts: {}\n  tokenBudget: {}\n  categories: [{}]\n  staleThresholdDays: {}\n",
        config.max_edicts,
        config.token_budget,
        categories.join(", "),
        config.stale_threshold_days
    );
    if config.category_limits.is_empty() {
        out.push_str("  categoryLimits: {}\n");
    } else {
        out.push_str("  categoryLimits:\n");
        for (category, limit) in &config.category_limits {
            let _ = writeln!(out, "    {}: {limit}", label(category, false));
        }
    }
    let default = config
        .default_category_limit
        .map_or_else(|| "null".to_owned(), |limit| limit.to_string());
    let _ = writeln!(out, "  defaultCategoryLimit: {default}");
    let _ = writeln!(
        out,
        "  defaultEphemeralTtlSeconds: {}",
        config.default_ephemeral_ttl_seconds
    );
    out
}
