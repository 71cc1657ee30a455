-- cfg in Neovim. From init.lua: dofile("/path/to/editors/neovim/cfg.lua"), or copy it to ~/.config/nvim/plugin/cfg.lua.
--
-- It runs beside taplo or tombi: files that are no prime-rl configs get nothing from cfg, and it leaves formatting to the other server.

local M = {}

-- The command; set vim.g.cfg_command before this file is loaded to use another one.
M.command = vim.g.cfg_command or { "cfg", "lsp" }

-- Where the workspace begins: the nearest folder upwards that has one of these.
local function root_of(file)
  local marks = { "cfg.toml", "registry.json", ".git" }
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local at = folder
  while at ~= "/" and at ~= "" do
    for _, mark in ipairs(marks) do
      if vim.fn.getftype(at .. "/" .. mark) ~= "" then
        return at
      end
    end
    local above = vim.fn.fnamemodify(at, ":h")
    if above == at then
      break
    end
    at = above
  end
  return folder
end

-- Shows the document with which a command answers in a split.
local function show(result)
  if not result or not result.text then
    return
  end
  vim.cmd("new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(result.text, "\n"))
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = result.language == "toml" and "toml" or ""
end

local clients = {}

function M.attach(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local config = {
    name = "cfg",
    cmd = M.command,
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    init_options = { virtualDocuments = true },
  }
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  -- Before Neovim 0.8.
  clients[root] = clients[root] or vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, clients[root])
  return clients[root]
end

-- Asks the server for a document about this buffer: compile, memory, curriculum or lineage.
function M.run(name)
  local params = { command = "cfg." .. name, arguments = { vim.uri_from_bufnr(0) } }
  vim.lsp.buf_request(0, "workspace/executeCommand", params, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.WARN)
    else
      show(result)
    end
  end)
end

-- Makes what is saved a version, and reads the file that holds it.
function M.bump(why)
  vim.cmd("update")
  local params = { command = "cfg.bump", arguments = { vim.uri_from_bufnr(0), why } }
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_request(buffer, "workspace/executeCommand", params, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.WARN)
    else
      -- The server says what was made; that stays in sight.
      vim.api.nvim_buf_call(buffer, function()
        vim.cmd("silent edit")
      end)
    end
  end)
end

-- What the program itself says, with other words in place of those of the server, and its exit status.
local function output(words)
  local command = {}
  for _, word in ipairs(M.command) do
    if word == "lsp" then
      break
    end
    table.insert(command, word)
  end
  local text = vim.fn.system(vim.list_extend(command, words))
  return vim.trim(text), vim.v.shell_error
end

-- The action that leads there shows what the version will record, as `cfg bump` and `cfg diff` say it, and asks for the reason.
vim.lsp.commands["cfg.bump"] = function()
  vim.cmd("update")
  local file = vim.api.nvim_buf_get_name(0)
  local window = vim.api.nvim_get_current_win()
  local version, status = output({ "bump", "--dry-run", "--color=never", "--", file })
  if status ~= 0 then
    -- There is no version to be made, for the reason that it says.
    vim.notify(version, vim.log.levels.WARN)
    return
  end
  -- A config that has no version yet has no changes; and a difference is no failure.
  local changes, found = output({ "diff", "--color=never", "--", file })
  show({ text = found <= 1 and changes ~= "" and version .. "\n\n" .. changes or version })
  local shown = vim.api.nvim_get_current_win()
  vim.api.nvim_set_current_win(window)
  vim.cmd("redraw")
  vim.ui.input({ prompt = "What was changed, and why? " }, function(why)
    if vim.api.nvim_win_is_valid(shown) then
      vim.api.nvim_win_close(shown, true)
    end
    if why and why ~= "" then
      vim.api.nvim_win_call(window, function()
        M.bump(why)
      end)
    end
  end)
end

for _, name in ipairs({ "compile", "memory", "curriculum", "lineage" }) do
  -- What stands behind a lens.
  vim.lsp.commands["cfg." .. name] = function()
    M.run(name)
  end
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "toml",
  callback = function(event)
    M.attach(event.buf)
  end,
})

-- Beside another server that formats, cfg does not.
if vim.fn.exists("##LspAttach") == 1 then
  vim.api.nvim_create_autocmd("LspAttach", {
    callback = function(event)
      local own, others
      for _, client in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)({ bufnr = event.buf })) do
        if client.name == "cfg" then
          own = client.server_capabilities
        elseif client.server_capabilities.documentFormattingProvider then
          others = true
        end
      end
      if own and others then
        own.documentFormattingProvider = false
        own.documentRangeFormattingProvider = false
      end
    end,
  })
end

-- Neovim before 0.9 has no type for *.toml.
if vim.fn.has("nvim-0.9") == 0 then
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*.toml", command = "setfiletype toml" })
end

vim.api.nvim_create_user_command("CfgBump", function(words)
  M.bump(words.args)
end, { nargs = "+" })

local shown = { CfgCompile = "compile", CfgMemory = "memory", CfgCurriculum = "curriculum", CfgLineage = "lineage" }
for command, name in pairs(shown) do
  vim.api.nvim_create_user_command(command, function()
    M.run(name)
  end, {})
end

return M
