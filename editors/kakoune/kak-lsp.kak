# cfg in Kakoune, by way of kakoune-lsp 18 or later. To be added to ~/.config/kak/kakrc, behind `eval %sh{kak-lsp}`.

define-command -hidden cfg-serve %{
    set-option -add buffer lsp_servers %{
        [cfg]
        root_globs = ["cfg.toml", "registry.json", ".git"]
        command = "cfg"
        args = ["lsp"]
    }
}
hook -group cfg-filetype-toml global BufSetOption filetype=toml %{
    # A buffer may get its type more than once, but no server twice.
    evaluate-commands %sh{
        case "$kak_opt_lsp_servers" in
            *'[cfg]'*) ;;
            *) echo cfg-serve ;;
        esac
    }
}
hook -group cfg-filetype-toml global WinSetOption filetype=toml %{
    lsp-enable-window
}

# kakoune-lsp shows no documents of a server: these ask the program itself, of what is saved.
define-command -hidden cfg-show -params 1.. %{
    evaluate-commands %sh{
        folder=$(mktemp -d "${TMPDIR:-/tmp}/cfg-kak.XXXXXXXX")
        mkfifo "$folder/output"
        ( cfg "$@" > "$folder/output" 2>&1 & ) > /dev/null 2>&1 < /dev/null
        printf 'edit! -fifo %s *cfg*\n' "$folder/output"
        printf 'hook -always -once buffer BufCloseFifo .* %%{ nop %%sh{ rm -r %s } }\n' "$folder"
    }
}
define-command cfg-compile -docstring "show what prime-rl makes of this config" %{
    cfg-show compile --format toml %val{buffile}
}
define-command cfg-memory -docstring "show what each GPU and the disk have to hold" %{
    cfg-show memory %val{buffile}
}
define-command cfg-lineage -docstring "show which version of this config comes from which" %{
    cfg-show log --graph %val{buffile}
}
define-command cfg-bump -params 1 -docstring "cfg-bump <why>: make a version of this config" %{
    write
    cfg-show bump %val{buffile} -m %arg{1}
}
