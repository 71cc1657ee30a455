# cfg in Kakoune, by way of kakoune-lsp 18 or later. To be added to ~/.config/kak/kakrc, behind `eval %sh{kak-lsp}`.

hook -group cfg-filetype-toml global BufSetOption filetype=toml %{
    set-option -add buffer lsp_servers %{
        [cfg]
        root_globs = ["cfg.toml", "registry.json", ".git"]
        command = "cfg"
        args = ["lsp"]
    }
    lsp-enable-window
}

define-command cfg-compile -docstring "show what prime-rl makes of this config" %{
    lsp-execute-command cfg.compile "[""file://%val{buffile}""]"
}
define-command cfg-lineage -docstring "show which version of this config comes from which" %{
    lsp-execute-command cfg.lineage "[""file://%val{buffile}""]"
}
define-command cfg-memory -docstring "show what each GPU and the disk have to hold" %{
    lsp-execute-command cfg.memory "[""file://%val{buffile}""]"
}
