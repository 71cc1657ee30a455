//! Tells Zed how to start `cfg lsp`.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree, settings::LspSettings};

struct Cfg;

impl zed::Extension for Cfg {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, server: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree).ok().and_then(|settings| settings.binary);
        let (path, arguments) = settings.map_or((None, None), |binary| (binary.path, binary.arguments));
        let command = path.or_else(|| worktree.which("cfg")).ok_or("`cfg` is not in the path")?;
        Ok(Command { command, args: arguments.unwrap_or_else(|| vec!["lsp".to_owned()]), env: worktree.shell_env() })
    }
}

zed::register_extension!(Cfg);
