//! The published schema against the reader: over generated documents, both find something wrong or neither does.

use jsonschema::Validator;
use ken_edicts::{Limits, Rule, SCHEMA, SCHEMA_ADDRESS, Severity};
use serde_json::Value;

use crate::documents::documents;
use crate::support::{Project, noon};

/// What the reader calls an error, and what the schema does not allow beyond that.
fn findings(document: &Value) -> (bool, Vec<String>) {
    let project = Project::yaml(&document.to_string());
    let report = project.store.validate(&Limits::default(), &noon()).unwrap();
    let errors = report.findings.iter().filter(|finding| {
        // What only the whole file shows.
        finding.severity == Severity::Error
            && !matches!(finding.rule, Rule::OverLimit | Rule::Category | Rule::Credential)
    });
    let (beyond, own): (Vec<_>, Vec<_>) = errors.partition(|finding| finding.rule == Rule::Schema);
    (!own.is_empty(), beyond.iter().map(ToString::to_string).collect())
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(schema["$id"], SCHEMA_ADDRESS);
    let validator: Validator = jsonschema::draft202012::new(&schema).unwrap();
    let documents = documents();
    assert!(documents.len() >= 300, "{}", documents.len());
    let (mut good, mut wrong) = (0, Vec::new());
    for document in &documents {
        let (refused, beyond) = findings(document);
        good += usize::from(!refused);
        assert!(beyond.is_empty(), "{document}: {beyond:?}");
        if validator.is_valid(document) == refused {
            wrong.push(format!(
                "{document}: the reader {}",
                if refused { "refuses" } else { "takes it" }
            ));
        }
    }
    assert!(
        good > 100 && good < documents.len() - 100,
        "{good} of {}",
        documents.len()
    );
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn everything_in_the_schema_is_described_and_known() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let described = |pointer: &str| -> Vec<String> {
        let properties = schema.pointer(pointer).unwrap().as_object().unwrap();
        for (name, property) in properties {
            assert!(
                property["description"]
                    .as_str()
                    .is_some_and(|text| text.ends_with('.')),
                "{pointer}/{name}"
            );
        }
        let mut names: Vec<String> = properties.keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(
        described("/properties"),
        ["$schema", "config", "edicts", "history", "version"]
    );
    assert_eq!(
        described("/properties/config/properties"),
        [
            "categories",
            "categoryLimits",
            "defaultCategoryLimit",
            "defaultEphemeralTtlSeconds",
            "maxEdicts",
            "staleThresholdDays",
            "tokenBudget"
        ]
    );
    assert_eq!(
        described("/$defs/edict/properties"),
        [
            "category",
            "confidence",
            "created",
            "expiresAt",
            "id",
            "key",
            "lastAccessed",
            "source",
            "tags",
            "text",
            "ttl",
            "updated"
        ]
    );
    described("/$defs/entry/properties");
}

#[test]
fn new_files_name_the_schema_and_keep_naming_it() {
    let project = Project::without_file("edicts.yaml");
    project.add(ken_edicts::NewEdict::new("a fact", "rule")).unwrap();
    let first = format!("# yaml-language-server: $schema={SCHEMA_ADDRESS}\n");
    assert!(project.text().starts_with(&first), "{}", project.text());
    let project = Project::without_file("edicts.json");
    project.add(ken_edicts::NewEdict::new("a fact", "rule")).unwrap();
    let document: Value = serde_json::from_str(&project.text()).unwrap();
    assert_eq!(document["$schema"], SCHEMA_ADDRESS);
    let report = project.store.validate(&Limits::default(), &noon()).unwrap();
    assert_eq!(report.findings, []);
}
