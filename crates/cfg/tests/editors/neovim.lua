-- Opens a broken config, expects the finding, applies the fix, saves. Run by editors/main.rs:
--   nvim --headless --clean -l, or -S before Neovim 0.9
-- The environment names the server (CFG), the folder of the editors (CFG_EDITORS) and the config (CFG_FILE).

local function say(words)
  io.stdout:write(words .. "\n")
end

local function fail(words)
  say("failed: " .. words)
  vim.cmd("cquit 1")
end

vim.g.cfg_command = { vim.env.CFG, "lsp" }
dofile(vim.env.CFG_EDITORS .. "/neovim/cfg.lua")
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.CFG_FILE))
if vim.bo.filetype ~= "toml" then
  vim.cmd("setfiletype toml")
end
say("opened " .. vim.fn.fnamemodify(vim.env.CFG_FILE, ":t"))

local function diagnostics_where(wanted)
  local found
  local is_there = vim.wait(120000, function()
    found = vim.diagnostic.get(0)
    return wanted(found)
  end, 20)
  return is_there, found
end

local is_there, found = diagnostics_where(function(all)
  return #all > 0
end)
if not is_there then
  return fail("no diagnostic came")
end
for _, one in ipairs(found) do
  say(string.format("%d:%d %s: %s", one.lnum + 1, one.col + 1, one.source or "", vim.split(one.message, "\n")[1]))
end

local at = found[1]
vim.api.nvim_win_set_cursor(0, { at.lnum + 1, at.col })
local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
params.context = { diagnostics = {} }
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 120000) or {}
-- Before Neovim 0.9 the client does not say that it knows of preferred actions, so none is marked: the first is taken.
local knows_preferred = vim.lsp.protocol.make_client_capabilities().textDocument.codeAction.isPreferredSupport
local action
for _, answer in pairs(answers) do
  for _, offered in ipairs(answer.result or {}) do
    say("offered: " .. offered.title)
    action = action or ((offered.isPreferred or not knows_preferred) and offered)
  end
end
if not action then
  return fail("no repair is offered")
end
vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
say("applied: " .. action.title)
if not diagnostics_where(function(all)
  return #all == 0
end) then
  return fail("it is still wrong")
end
vim.cmd("write")
say("saved, no findings")

local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(0, client.offset_encoding), 120000)
for _, answer in pairs(hover or {}) do
  if answer.result then
    say("hover: " .. vim.split(answer.result.contents.value, "\n")[1])
  end
end
local command = { command = "cfg.memory", arguments = { vim.uri_from_bufnr(0) } }
for _, answer in pairs(vim.lsp.buf_request_sync(0, "workspace/executeCommand", command, 120000) or {}) do
  if answer.result then
    say("memory: " .. vim.split(answer.result.text, "\n")[1])
  end
end

-- Makes a version of a copy; the result must be reported once.
local folder = vim.fn.fnamemodify(vim.env.CFG_FILE, ":h")
vim.fn.system({ vim.env.CFG, "registry", "init", folder })
local copy = vim.fn.fnameescape(folder .. "/copy.toml")
vim.cmd("write " .. copy)
vim.cmd("edit " .. copy)
vim.cmd("messages clear")
vim.cmd("CfgBump because of a test")
local function made()
  local words = vim.api.nvim_exec("messages", true)
  local _, count = words:gsub("copy%.toml: [^\n]*v1", "")
  return count, words
end
vim.wait(120000, function()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"):find('version = "v1"', 1, true) ~= nil
end, 20)
-- The message may come after the text.
vim.wait(10000, function()
  return made() > 0
end, 20)
local count, words = made()
if count ~= 1 then
  return fail("said " .. count .. " times what was made: " .. words)
end
say("bumped, reported once")

-- The action shows what the next version will record before it asks, and records nothing without a reason.
vim.fn.search("batch_size")
vim.api.nvim_set_current_line("batch_size = 128")
local shown
vim.ui.input = function(_, answer)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    shown = shown or (vim.bo[vim.api.nvim_win_get_buf(window)].buftype == "nofile" and table.concat(lines, "\n"))
  end
  answer(nil)
end
vim.lsp.commands["cfg.bump"]()
if not (shown and shown:find("batch_size = 128", 1, true)) or #vim.api.nvim_list_wins() ~= 1 then
  return fail("the changes are not shown before the reason is asked for: " .. tostring(shown))
end
say("shows the changes first")
vim.cmd("qall!")
