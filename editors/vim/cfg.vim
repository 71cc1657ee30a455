" cfg in Vim, by way of vim-lsp. To be sourced from ~/.vimrc.

if executable('cfg')
  augroup cfg_lsp
    autocmd!
    autocmd User lsp_setup call lsp#register_server({
          \ 'name': 'cfg',
          \ 'cmd': {server_info -> ['cfg', 'lsp']},
          \ 'allowlist': ['toml'],
          \ 'root_uri': {server_info -> lsp#utils#path_to_uri(
          \     lsp#utils#find_nearest_parent_file_directory(lsp#utils#get_buffer_path(), ['cfg.toml', 'registry.json', '.git/']))},
          \ })
    " Vim before 8.2.2106 has no type for *.toml.
    autocmd BufRead,BufNewFile *.toml setfiletype toml
  augroup END
endif
