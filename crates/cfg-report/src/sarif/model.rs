//! The objects of SARIF 2.1.0 that are written; the numbers are the sections of its specification.

use serde::Serialize;

/// 3.18
#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

/// The runAutomationDetails, 3.17. Runs with the same id are about the same files, so that a newer one replaces an older one.
#[derive(Serialize)]
pub(super) struct RunDetails<'a> {
    pub(super) id: &'a str,
}

/// A toolComponent, 3.19
#[derive(Serialize)]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) rules: Vec<Rule>,
}

/// A reportingDescriptor, 3.49
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Help,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<String>,
    pub(super) default_configuration: Configuration,
    pub(super) properties: RuleProperties,
}

/// A multiformatMessageString, 3.12
#[derive(Serialize)]
pub(super) struct Help {
    pub(super) text: &'static str,
    pub(super) markdown: &'static str,
}

/// 3.50
#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

/// Properties that SARIF does not define.
#[derive(Serialize)]
pub(super) struct RuleProperties {
    /// The path of the page in cfg's repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<String>,
}

/// 3.20
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
}

/// A message, 3.11
#[derive(Serialize)]
pub(super) struct Text {
    pub(super) text: String,
}

/// 3.27
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FindingResult<'a> {
    pub(super) rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: &'static str,
    pub(super) message: Text,
    pub(super) locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location<'a>>,
    pub(super) partial_fingerprints: PartialFingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixes: Vec<Fix<'a>>,
    pub(super) properties: ResultProperties<'a>,
}

/// 3.27.17
#[derive(Serialize)]
pub(super) struct PartialFingerprints {
    #[serde(rename = "cfgFinding/v1")]
    pub(super) finding: String,
}

/// Properties that SARIF does not define.
#[derive(Serialize)]
pub(super) struct ResultProperties<'a> {
    /// The entrypoint of the config.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'a str>,
    /// The prime-rl that it was checked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<&'a str>,
    /// prime-rl's own error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) native: Option<crate::json::Native<'a>>,
    /// Whether the fix is safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) applicability: Option<&'static str>,
}

/// 3.28
#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
#[serde(rename_all = "camelCase")]
pub(super) struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    pub(super) physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
}

/// 3.29
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

/// 3.4
#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

/// 3.30; the end column is the one after the last character.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) start_column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
}

/// 3.33
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation<'a> {
    pub(super) fully_qualified_name: &'a str,
    pub(super) kind: &'static str,
}

/// 3.55
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fix<'a> {
    pub(super) description: Text,
    pub(super) artifact_changes: Vec<ArtifactChange<'a>>,
}

/// 3.56
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange<'a> {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) replacements: Vec<Replacement<'a>>,
}

/// 3.57
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement<'a> {
    pub(super) deleted_region: Region,
    pub(super) inserted_content: Content<'a>,
}

/// An artifactContent, 3.3
#[derive(Serialize)]
pub(super) struct Content<'a> {
    pub(super) text: &'a str,
}
