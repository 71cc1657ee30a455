-- Writes a config by completion alone, with Neovim's own completion (0.11 and later): each step types the beginning of a word and accepts an item.
-- Run by editors/main.rs:
--   nvim --headless --clean -n -S
-- The environment names the server (CFG), the folder of the editors (CFG_EDITORS), the config (CFG_FILE), its prime-rl (CFG_RELEASE) and its kind
-- (CFG_KIND); and, if pictures are wanted, the program that takes one of the list at every fifth step (CFG_PICTURE, with the number of the step).

local function say(words)
  io.stdout:write(words .. "\n")
end

if vim.fn.has("nvim-0.11") == 0 then
  say("skipped: this Neovim has no completion of its own")
  vim.cmd("qall!")
  return
end

vim.g.cfg_command = { vim.env.CFG, "lsp" }
dofile(vim.env.CFG_EDITORS .. "/neovim/cfg.lua")
vim.o.completeopt = "menuone,noselect,popup"
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.CFG_FILE))
vim.bo.filetype = "toml"
vim.o.autoindent = false

local release, kind = vim.env.CFG_RELEASE, vim.env.CFG_KIND

-- What is typed, and the label of the item that is accepted. Beside the beginnings of words, only keys that move the cursor or begin a line are pressed.
local steps = {
  { "i# ", "# /// config" },
  { '<Esc>ggj0f"ci"' .. release:sub(1, 3), '"' .. release .. '"' },
  { "<Esc>O# ha", "hardware" },
  { "<Esc>O# ki", "kind" },
  { '<Esc>0f"ci"' .. kind:sub(1, 2), '"' .. kind .. '"' },
}

local function add(more)
  vim.list_extend(steps, more)
end

local model = { "Qwen3-0", '"Qwen/Qwen3-0.6B"' }

local bodies = {
  rl = function()
    add({
      { "<Esc>Go<CR>max_s", "max_steps" },
      { "<Esc>oseq", "seq_len" },
      { "<Esc>o<CR>[mod", "model" },
      { "<Esc>ona", "name" },
      model,
      { "<Esc>o<CR>[op", "trainer.optim" },
      { "<Esc>olr", "lr" },
      { "<Esc>o<CR>[orch", "orchestrator" },
      { "<Esc>obatch", "batch_size" },
    })
    if release == "0.4.0" then
      add({
        { "<Esc>orollouts", "rollouts_per_example" },
        { "<Esc>o<CR>[sam", "orchestrator.sampling" },
        { "<Esc>omax_t", "max_tokens" },
        { "<Esc>o<CR>[[env", "orchestrator.env" },
        { "<Esc>oid", "id" },
      })
    else
      add({
        { "<Esc>ogro", "group_size" },
        { "<Esc>o<CR>[sam", "orchestrator.train.sampling" },
        { "<Esc>omax_com", "max_completion_tokens" },
        { "<Esc>o<CR>[[sou", "orchestrator.train.source" },
      })
      if release == "main" then
        add({ { "<Esc>oenv.ta", "taskset" }, { "id", "id" } })
      else
        add({ { "<Esc>oleg", "legacy" }, { "id", "id" } })
      end
    end
    add({ { "reverse", '"reverse-text"' }, { "<Esc>Go<CR>[inf", "inference" } })
  end,
  sft = function()
    add({
      { "<Esc>Go<CR>max_s", "max_steps" },
      { "<Esc>o<CR>[mod", "model" },
      { "<Esc>ona", "name" },
      model,
      { "<Esc>o<CR>[da", "data" },
      { "<Esc>ona", "name" },
      { "Prime", '"PrimeIntellect/Reverse-Text-SFT"' },
      { "<Esc>o<CR>[opt", "optim" },
      { "<Esc>ol", "lr" },
      { "<Esc>o<CR>[ck", "ckpt" },
      { "<Esc>oint", "interval" },
    })
  end,
  inference = function()
    if release == "main" then
      add({ { "<Esc>Go<CR>[vl", "vllm" }, { "<Esc>omod", "model" } })
    else
      add({ { "<Esc>Go<CR>gpu_m", "gpu_memory_utilization" }, { "<Esc>o<CR>[mod", "model" }, { "<Esc>ona", "name" } })
    end
    add({ model, { "<Esc>omax_mo", "max_model_len" } })
  end,
}
bodies[kind]()

local function fail(words)
  say("failed: " .. words)
  say(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"))
  vim.cmd("cquit 1")
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "t", false)
end

-- Runs the rest once a condition holds.
local function once(what, holds, rest)
  local tries = 0
  local function look()
    tries = tries + 1
    local found = holds()
    if found then
      return rest(found)
    end
    if tries > 1200 then
      return fail("no " .. what)
    end
    vim.defer_fn(look, 25)
  end
  look()
end

local function index_of(label)
  for index, item in ipairs(vim.fn.complete_info({ "items" }).items) do
    if item.abbr == label or item.word == label then
      return index
    end
  end
end

local step
step = function(number)
  local wanted = steps[number]
  if not wanted then
    press("<Esc>")
    return once("verdict", function()
      for _, lens in ipairs(vim.lsp.codelens.get(0)) do
        if lens.command and lens.command.title:find("no problems; .* of .* GiB") then
          return lens.command.title
        end
      end
      vim.lsp.codelens.refresh({ bufnr = 0 })
    end, function(title)
      say(text())
      say("verdict: " .. title)
      vim.cmd("write")
      vim.cmd("qall!")
    end)
  end
  local keys, label = wanted[1], wanted[2]
  press(keys)
  vim.defer_fn(function()
    vim.lsp.completion.get()
    once("list with " .. label, function()
      return vim.fn.pumvisible() == 1 and index_of(label)
    end, function(index)
      if vim.env.CFG_PICTURE and number % 5 == 0 then
        vim.cmd("redraw")
        vim.fn.system({ vim.env.CFG_PICTURE, tostring(number) })
      end
      press(string.rep("<C-n>", index) .. "<C-y>")
      vim.defer_fn(function()
        say(number .. ": " .. label)
        -- A place of a snippet is left with its value selected.
        if vim.snippet.active() then
          vim.snippet.stop()
        end
        step(number + 1)
      end, 100)
    end)
  end, 50)
end

once("server", function()
  local client = vim.lsp.get_clients({ bufnr = 0, name = "cfg" })[1]
  return client and client.initialized and client
end, function(client)
  vim.lsp.completion.enable(true, client.id, 0, { autotrigger = false })
  step(1)
end)
