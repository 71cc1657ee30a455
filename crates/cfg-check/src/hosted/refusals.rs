//! Refusals by `prime train` itself, which do not depend on prime-rl.

use cfg_compose::{Node, Table, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_resolve::{Resolved, ResolvedTable, ResolvedValue, View};
use cfg_schema::{History, Kind, Schema, Target};
use cfg_syntax::Integer;

use super::{own::is_falsy, refusal};

/// Values that JSON does not support, in which a config is passed on: dates stop `prime train` immediately, infinite numbers at the end.
#[derive(Default)]
pub(super) struct NotInJson {
    pub(super) dates: Vec<Diagnostic>,
    pub(super) infinite: Vec<Diagnostic>,
}

impl NotInJson {
    /// Finds all such values below the keys of prime-rl.
    pub(super) fn of(root: &Table) -> Self {
        let mut found = Self::default();
        for entry in root.entries().iter().filter(|entry| History::keys_of_hosted_training().all(|own| *own != *entry.key)) {
            found.node(&entry.node, &entry.key);
        }
        found
    }

    fn node(&mut self, node: &Node, key: &str) {
        match &node.value {
            Value::Table(below) => {
                below.entries().iter().for_each(|entry| self.node(&entry.node, &format!("{key}.{}", entry.key)));
            }
            Value::List(items) => {
                items.iter().enumerate().for_each(|(index, item)| self.node(item, &format!("{key}[{index}]")));
            }
            Value::Datetime(_) => self.dates.push(not_in_json(node, key, "TypeError", "a date or time")),
            Value::Float(float) if float.is_infinite() => {
                self.infinite.push(not_in_json(node, key, "ValueError", "an infinite number"));
            }
            _ => {}
        }
    }
}

fn not_in_json(node: &Node, key: &str, exception: &'static str, what: &str) -> Diagnostic {
    let message = format!("`prime train` passes a config on as JSON, which can't represent {what}");
    let mut found = refusal(None, key, message).help("write it as a string or a finite number, or remove it");
    found.location = node.origin.place();
    if let Some(native) = &mut found.native {
        native.kind = exception.into();
        native.loc.clear();
    }
    found
}

/// Removes the tables that the process with prime-rl's classes removes first, and returns the refusals of these.
pub(super) fn of_request(root: &mut Table) -> Vec<Diagnostic> {
    let Some(entry) = root.remove("k8s") else { return Vec::new() };
    let help = "the platform sets these itself; remove the table";
    if is_falsy(&entry.node.value) {
        let mut dropped = Diagnostic::new(&codes::DROPPED_BY_HOSTED, "`prime train` drops the empty `k8s`").key("k8s");
        dropped.location = entry.key_origin.place();
        return vec![dropped.help(help)];
    }
    let mut refused = refusal(Some(&entry), "k8s", "hosted training does not accept `k8s`".to_owned());
    refused.location = entry.key_origin.place();
    vec![refused.help(help)]
}

/// Whether `prime train` can check an rl config with the classes of this prime-rl: it reads `clean` from each config.
pub(super) fn can_be_run(target: &Target) -> bool {
    target.schema(Kind::Rl).root().field("clean").is_some_and(|field| field.at(target.point).is_some())
}

/// Values that prime-rl accepts but hosted training can't run, in the order of its checks.
pub(super) fn unsupported(schema: Schema, accepted: &ResolvedTable) -> Vec<Diagnostic> {
    if schema.kind != Kind::Rl {
        return Vec::new();
    }
    let view = View::new(schema, accepted);
    let mut found = clean(&view);
    found.extend(disaggregated(&view));
    found.extend(no_inference(&view));
    found
}

/// As [`unsupported`], for a config that prime-rl does not accept, as far as its written values are valid.
pub(super) fn unsupported_as_written(schema: Schema, faulty: &ResolvedTable) -> Vec<Diagnostic> {
    if schema.kind != Kind::Rl {
        return Vec::new();
    }
    let view = View::new(schema, faulty);
    let mut found: Vec<Diagnostic> = clean(&view).into_iter().filter(|found| found.location.is_some()).collect();
    found.extend(disaggregated(&view));
    found
}

fn clean(view: &View<'_>) -> Vec<Diagnostic> {
    if !view.has_field("clean") {
        let message = "`prime train` can't check an rl config with this prime-rl, which has no `clean`";
        let diagnostic = Diagnostic::new(&codes::HOSTED_REFUSAL, message).native("AttributeError", Vec::new());
        return vec![diagnostic.help(
            "the platform runs prime-rl's main branch, unless `image_tag` or `source_ref` says \
            otherwise",
        )];
    }
    let clean = view.get("clean").filter(|clean| matches!(clean.value, ResolvedValue::Bool(true)));
    let message = || "hosted training does not accept `clean = true`: a run never starts in another run's folder".to_owned();
    let refused = |clean: &Resolved| at(clean, refusal(None, "clean", message())).help("remove it, and start a new run");
    clean.map(refused).into_iter().collect()
}

fn disaggregated(view: &View<'_>) -> Option<Diagnostic> {
    let ty = view.get("inference.deployment.type")?;
    let is_it = matches!(&ty.value, ResolvedValue::Str(ty) if **ty == *"disaggregated");
    let message = || "hosted training does not run prefill and decode on separate nodes".to_owned();
    is_it
        .then(|| at(ty, refusal(None, "inference.deployment.type", message())))
        .map(|found| found.help("remove the table; set the inference nodes in `[deployment]`"))
}

/// Hosted training starts the orchestrator beside its own inference pods, so an rl run without any has only the trainer.
fn no_inference(view: &View<'_>) -> Option<Diagnostic> {
    let is_single = matches!(&view.get("deployment.type")?.value, ResolvedValue::Str(ty) if **ty == *"single_node");
    if !is_single || view.has("trainer.data.fake") {
        return None;
    }
    let help = "add an `[inference]` table and give it GPUs, or train on fake data (`[trainer.data.fake]`)";
    if !view.has("inference") {
        let message = "a hosted rl run needs an inference server: there is no `[inference]` table";
        let mut found = refusal(None, "inference", message.to_owned()).help(help);
        found.location = ["inference", "orchestrator", "trainer"].iter().find_map(|key| view.origin(key)?.place());
        return Some(found);
    }
    let gpus = view.get("deployment.num_infer_gpus")?;
    let is_none = matches!(gpus.value, ResolvedValue::Int(Integer::Small(0)));
    let message = || "a hosted rl run needs GPUs for inference: `num_infer_gpus` is 0".to_owned();
    is_none.then(|| at(gpus, refusal(None, "deployment.num_infer_gpus", message())).help(help))
}

/// Whether a run has more than its trainer.
pub(super) fn has_inference(schema: Schema, resolved: &ResolvedTable) -> bool {
    let view = View::new(schema, resolved);
    let is_none = |key| view.get(key).is_some_and(|count| matches!(count.value, ResolvedValue::Int(Integer::Small(0))));
    view.has("inference") && !is_none("deployment.num_infer_gpus") && !is_none("deployment.num_infer_nodes")
}

fn at(value: &Resolved, mut found: Diagnostic) -> Diagnostic {
    found.location = value.origin.place();
    found
}
