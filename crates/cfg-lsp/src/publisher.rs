//! Sends diagnostics to clients that do not request them.

use std::sync::Arc;

use cfg_meter::Budget;
use tower_lsp_server::ls_types::{Diagnostic, PublishDiagnosticsParams, Uri};

use crate::{
    backend::Shared,
    convert::View,
    lanes::{Lanes, attempt},
    transport::Outlet,
};

/// Checks changed documents, beside the loop.
pub(crate) struct Publisher {
    shared: Arc<Shared>,
    outlet: Outlet,
    lanes: Lanes,
}

impl Publisher {
    pub(crate) const fn new(shared: Arc<Shared>, outlet: Outlet, lanes: Lanes) -> Self {
        Self { shared, outlet, lanes }
    }

    /// Checks a document again, because it has changed.
    pub(crate) fn check_again(&self, uri: Uri) {
        let (shared, outlet) = (Arc::clone(&self.shared), self.outlet.clone());
        let document = uri.to_string();
        self.lanes.check(&document, move |budget| publish(&shared, &outlet, uri, budget));
    }
}

fn publish(shared: &Shared, outlet: &Outlet, uri: Uri, budget: Arc<Budget>) {
    let (snapshot, encoding, pages) = {
        let state = shared.state();
        (state.snapshot(uri.as_str()), state.encoding, Arc::clone(&state.pages))
    };
    let Some(snapshot) = snapshot else {
        // A closed document has no findings.
        send(outlet, uri, Vec::new(), None);
        return;
    };
    let found = || View { uri: &uri, analysis: snapshot.analysis(), encoding, pages: &pages }.diagnostics();
    let diagnostics = attempt(budget, found);
    let is_newest = shared.state().snapshot(uri.as_str()).is_some_and(|newest| Arc::ptr_eq(&newest, &snapshot));
    if let Ok(diagnostics) = diagnostics
        && is_newest
    {
        send(outlet, uri, diagnostics, Some(snapshot.version).filter(|_| pages.extras.versions));
    }
}

/// Sends diagnostics. An error is ignored: if the output is closed, answers to requests fail as well, which ends the session.
fn send(outlet: &Outlet, uri: Uri, diagnostics: Vec<Diagnostic>, version: Option<i32>) {
    let params = PublishDiagnosticsParams { uri, diagnostics, version };
    if let Ok(params) = serde_json::to_value(params) {
        let _ = outlet.notify("textDocument/publishDiagnostics", params);
    }
}
