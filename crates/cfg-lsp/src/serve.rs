//! A session with one client.

use std::sync::Arc;

use cfg_system::{System, WritableSystem};
use tower_lsp_server::LspService;

use crate::{
    backend::{Backend, Parts, Shared},
    lanes::Budgets,
    scratch::Scratch,
    surroundings::Overrides,
    transport::{self, Ended},
    versions::Versions,
};

/// Serves one client over the standard streams until it disconnects. `versions` provides the registries around the documents; `overrides` applies to all
/// documents.
///
/// # Errors
///
/// If the runtime, or a thread for a stream, can't be started.
pub fn serve(system: &Arc<dyn WritableSystem>, versions: Arc<dyn Versions>, overrides: Overrides) -> std::io::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let (gone, budgets) = (transport::Gone::default(), Arc::<Budgets>::default());
    let files: Arc<dyn System> = Arc::<dyn WritableSystem>::clone(system);
    let scratch = Arc::new(Scratch::new(Arc::clone(system)));
    let parts = Parts {
        shared: Arc::new(Shared::with_overrides(&files, overrides)),
        gone: Arc::clone(&gone),
        budgets: Arc::clone(&budgets),
        versions,
        system: Arc::clone(&files),
        scratch: Arc::clone(&scratch),
    };
    let outlet = transport::Outlet::new(files.host().output_stream());
    let to_publish = outlet.clone();
    let (service, socket) = LspService::new(|client| Backend::new(client, to_publish, parts));
    let input = files.host().input_stream();
    let ended = runtime.block_on(transport::serve(input, outlet, service, socket, gone, Arc::clone(&budgets)));
    // Threads that are still waiting must not keep the process alive.
    budgets.stop();
    runtime.shutdown_background();
    scratch.clean_up();
    ended
}
