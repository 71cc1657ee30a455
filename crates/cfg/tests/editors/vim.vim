" Opens a broken config, expects the finding, applies the fix, saves. Run by editors/main.rs: vim -N -u NONE -i NONE -n -es -S
" The environment names the server (CFG), the folder of the editors (CFG_EDITORS), the config (CFG_FILE) and vim-lsp (CFG_VIM_LSP).

set nocompatible hidden
let s:said = []

function! s:say(words) abort
  call add(s:said, a:words)
endfunction

function! s:end(code) abort
  call writefile(s:said, '/dev/stdout', 'a')
  execute a:code == 0 ? 'qall!' : 'cquit!'
endfunction

function! s:fail(words) abort
  call s:say('failed: ' . a:words)
  call s:end(1)
endfunction

" Waits until an expression is true; fails after a timeout.
function! s:wait(what, expression) abort
  let l:until = localtime() + 120
  while !eval(a:expression)
    if localtime() > l:until
      call s:fail(a:what)
    endif
    sleep 20m
  endwhile
endfunction

execute 'set runtimepath^=' . fnameescape($CFG_VIM_LSP)
" cfg.vim searches for the server in PATH.
let $PATH = fnamemodify($CFG, ':h') . ':' . $PATH
filetype plugin on
runtime plugin/lsp.vim
execute 'source ' . fnameescape($CFG_EDITORS . '/vim/cfg.vim')
let g:lsp_diagnostics_echo_cursor = 0
call lsp#enable()
execute 'edit ' . fnameescape($CFG_FILE)
setfiletype toml
call s:say('opened ' . expand('%:t'))

function! Found() abort
  let l:found = []
  for l:response in values(lsp#internal#diagnostics#state#_get_all_diagnostics_grouped_by_server_for_uri(lsp#utils#get_buffer_uri()))
    call extend(l:found, l:response['params']['diagnostics'])
  endfor
  return l:found
endfunction

call s:wait('no diagnostic came', '!empty(Found())')
let s:first = Found()[0]
let s:line = s:first['range']['start']['line'] + 1
let s:column = s:first['range']['start']['character'] + 1
call s:say(printf('%d:%d %s: %s', s:line, s:column, s:first['source'], split(s:first['message'], "\n")[0]))
call cursor(s:line, s:column)

let s:answer = {}
function! s:answered(data) abort
  let s:answer = a:data
endfunction
function! s:ask(method, params) abort
  let s:answer = {}
  call lsp#send_request('cfg', {'method': a:method, 'params': a:params, 'on_notification': function('s:answered')})
  call s:wait('no answer to ' . a:method, '!empty(' . expand('<SID>') . 'last())')
  return s:answer['response']['result']
endfunction
function! s:last() abort
  return s:answer
endfunction

let s:document = {'uri': lsp#utils#get_buffer_uri()}
let s:actions = s:ask('textDocument/codeAction',
      \ {'textDocument': s:document, 'range': s:first['range'], 'context': {'diagnostics': [s:first]}})
let s:repair = {}
for s:action in s:actions
  call s:say('offered: ' . s:action['title'])
  if empty(s:repair) && get(s:action, 'isPreferred', v:false)
    let s:repair = s:action
  endif
endfor
if empty(s:repair)
  call s:fail('no repair is offered')
endif
call lsp#utils#workspace_edit#apply_workspace_edit(s:repair['edit'])
call s:say('applied: ' . s:repair['title'])
doautocmd TextChanged
call s:wait('it is still wrong', 'empty(Found())')
write
call s:say('saved, no findings')
let s:memory = s:ask('workspace/executeCommand', {'command': 'cfg.memory', 'arguments': [s:document['uri']]})
call s:say('memory: ' . split(s:memory['text'], "\n")[0])
call s:end(0)
