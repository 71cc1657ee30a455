//! Steps of writing a config: the text before, the accepted item, and the text after.

/// What stands before the tables of a step.
pub(crate) const HEAD: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\n";

/// The text before, the accepted item, and the text after.
pub(crate) const STEPS: &[(&str, &str, &str)] = &[
    // The rest of a word goes, and blanks are as around it.
    ("[ckpt]\nkeep_^last=2\n", "keep_interval", "[ckpt]\nkeep_interval=2\n"),
    ("[trainer.model]\nfs^dp\n", "fsdp_cpu_offload", "[trainer.model]\nfsdp_cpu_offload = false\n"),
    ("[orchestrator.^train.sampling]\ntemperature = 1.0\n", "eval", "[orchestrator.eval.sampling]\ntemperature = 1.0\n"),
    ("[trainer.model]\nlora = {ra^\n", "rank", "[trainer.model]\nlora = {rank = 16}\n"),
    ("[trainer.model]\nlora = { ra^}\n", "rank", "[trainer.model]\nlora = { rank = 16 }\n"),
    ("[trainer.model]\nlora = { alpha = 1.0,^}\n", "rank", "[trainer.model]\nlora = { alpha = 1.0, rank = 16 }\n"),
    (
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\",^ \"v_proj\"]\n",
        "\"k_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"k_proj\", \"v_proj\"]\n",
    ),
    // Before a quote is typed, or with another one.
    ("[trainer.model]\nreduce_dtype = b^\n", "\"bfloat16\"", "[trainer.model]\nreduce_dtype = \"bfloat16\"\n"),
    ("[trainer.model]\nattn = 'fl^'\n", "\"flash_attention_2\"", "[trainer.model]\nattn = \"flash_attention_2\"\n"),
    ("[inference]\nquantization = \"f^\"\n", "\"fp8\"", "[inference]\nquantization = \"fp8\"\n"),
    // Tabs, comments, and what other lines leave open.
    ("[trainer.model]\n\tattn\t=\t^\n", "\"flash_attention_2\"", "[trainer.model]\n\tattn\t=\t\"flash_attention_2\"\n"),
    ("[ckpt] # [x]\n^# each\n", "interval", "[ckpt] # [x]\ninterval = 100 # each\n"),
    (
        "[trainer.model.lora]\ntarget_modules = [ # which\n  \"q_^\n]\n",
        "\"q_proj\"",
        "[trainer.model.lora]\ntarget_modules = [ # which\n  \"q_proj\"\n]\n",
    ),
    (
        "[model]\nname = \"Qwen/Qwen3-8B\n[trainer.model]\nattn = \"fl^\n",
        "\"flash_attention_2\"",
        "[model]\nname = \"Qwen/Qwen3-8B\n[trainer.model]\nattn = \"flash_attention_2\"\n",
    ),
    ("[trainer]\noptim = { type = \"mu^ }\n", "\"muon\"", "[trainer]\noptim = { type = \"muon\" }\n"),
    ("[trainer] # main\n# how\n[trainer.op^ # adam\n", "optim", "[trainer] # main\n# how\n[trainer.optim] # adam\n"),
    // A key with its value.
    ("[trainer.model]\nat^tn = \"auto\"\n", "cp", "[trainer.model]\ncp = \"auto\"\n"),
    ("[trainer.model]\n^attn = \"auto\"\n", "cp", "[trainer.model]\ncp = \"auto\"\n"),
    ("[trainer.model]\nattn^ = \"auto\"\n", "cp", "[trainer.model]\ncp = \"auto\"\n"),
    ("[trainer.model]\natt^n=\"auto\" # why\n", "cp", "[trainer.model]\ncp=\"auto\" # why\n"),
    ("[trainer]\nmod^el.name = \"x\"\n", "optim", "[trainer]\noptim.name = \"x\"\n"),
    ("trainer = { max_st^eps = 1 }\n", "log", "trainer = { log = 1 }\n"),
    // A key without one gets its default.
    ("[trainer.optim]\nl^\n", "lr", "[trainer.optim]\nlr = 1e-06\n"),
    ("[trainer.optim]\n^\n", "lr", "[trainer.optim]\nlr = 1e-06\n"),
    ("[trainer.model]\ntr^  # remote\n", "trust_remote_code", "[trainer.model]\ntrust_remote_code = false  # remote\n"),
    ("[model]\nna^\n", "name", "[model]\nname = \"\"\n"),
    ("trainer = { max_steps = 1, ^ }\n", "matmul_precision", "trainer = { max_steps = 1, matmul_precision = \"high\" }\n"),
    ("max_st^\n[trainer]\n", "max_steps", "max_steps = 20\n[trainer]\n"),
    // Headers.
    ("[[^]]\n", "orchestrator.train.source", "[[orchestrator.train.source]]\n"),
    ("[[^\n", "orchestrator.train.source", "[[orchestrator.train.source]]\n"),
    ("[[orch^]]\n", "orchestrator.train.source", "[[orchestrator.train.source]]\n"),
    ("[[orchestrator.^]]\n", "train.source", "[[orchestrator.train.source]]\n"),
    ("[orchestrator]\n[lora^\n", "trainer.model.lora", "[orchestrator]\n[trainer.model.lora]\n"),
    ("[lora^]\n", "trainer.model.lora", "[trainer.model.lora]\n"),
    ("[trainer.mod^el]\n", "optim", "[trainer.optim]\n"),
    ("[tr^ainer]\nmax_steps = 1\n", "orchestrator", "[orchestrator]\nmax_steps = 1\n"),
    ("[ck^  # kept\n", "ckpt", "[ckpt]  # kept\n"),
    ("[trainer]\nmax_steps = 1\nck^\n", "[ckpt]", "[trainer]\nmax_steps = 1\n[ckpt]\n\n"),
    ("[trainer]\nlor^", "[trainer.model.lora]", "[trainer]\n[trainer.model.lora]\n"),
    ("[trainer]\nop^", "optim", "[trainer]\n[trainer.optim]\n"),
    // Values.
    ("[trainer.model]\nattn = \"fl^ash\"\n", "\"flash_attention_2\"", "[trainer.model]\nattn = \"flash_attention_2\"\n"),
    ("[trainer.model]\nattn = ^\"sdpa\" # x\n", "\"flash_attention_2\"", "[trainer.model]\nattn = \"flash_attention_2\" # x\n"),
    ("[trainer.model]\nattn = ^\n", "\"flash_attention_3\"", "[trainer.model]\nattn = \"flash_attention_3\"\n"),
    ("[trainer.model]\nattn =^\n", "\"flash_attention_3\"", "[trainer.model]\nattn = \"flash_attention_3\"\n"),
    ("[trainer.model]\nattn=^\n", "\"flash_attention_3\"", "[trainer.model]\nattn=\"flash_attention_3\"\n"),
    ("[trainer.model]\ntrust_remote_code = tr^\n", "true", "[trainer.model]\ntrust_remote_code = true\n"),
    ("[trainer.model]\ntrust_remote_code = t^rue\n", "false", "[trainer.model]\ntrust_remote_code = false\n"),
    ("[model]\nname = \"Qwen/^\"\n", "\"Qwen/Qwen3-8B\"", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("[model]\nname = \"^\n", "\"Qwen/Qwen3-8B\"", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("[trainer.optim]\nlr = 1e^-5\n", "1e-06", "[trainer.optim]\nlr = 1e-06\n"),
    // What a first config needs.
    ("[model]\nname = \"Qwen/Qwen3-8^B\"\n", "\"Qwen/Qwen3-0.6B\"", "[model]\nname = \"Qwen/Qwen3-0.6B\"\n"),
    ("[model]\nname = \"Qwen3-0^\"\n", "\"Qwen/Qwen3-0.6B\"", "[model]\nname = \"Qwen/Qwen3-0.6B\"\n"),
    ("[model]\nname = 'Qwen/^'\n", "\"Qwen/Qwen3-8B\"", "[model]\nname = \"Qwen/Qwen3-8B\"\n"),
    ("[trainer.optim]\ntype = \"^\"\n", "\"muon\"", "[trainer.optim]\ntype = \"muon\"\n"),
    ("[trainer.optim]\nty^\n", "type", "[trainer.optim]\ntype = \"adamw\"\n"),
    ("[trainer]\noptim = { ty^ }\n", "type", "[trainer]\noptim = { type = \"adamw\" }\n"),
    ("[trainer]\noptim = { type = \"^\" }\n", "\"muon\"", "[trainer]\noptim = { type = \"muon\" }\n"),
    ("[trainer]\noptim.^\n", "lr", "[trainer]\noptim.lr = 1e-06\n"),
    ("[trainer]\noptim.l^r = 1.0\n", "weight_decay", "[trainer]\noptim.weight_decay = 1.0\n"),
    ("[trainer.model.lora]\ntarget_modules = [^]\n", "\"q_proj\"", "[trainer.model.lora]\ntarget_modules = [\"q_proj\"]\n"),
    (
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"^\"]\n",
        "\"k_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"k_proj\"]\n",
    ),
    ("[trainer.model.lora]\nra^ # how many\n", "rank", "[trainer.model.lora]\nrank = 16 # how many\n"),
    ("[orchestrator]\nbat^\n", "batch_size", "[orchestrator]\nbatch_size = 128\n"),
    ("[orchestrator]\ngroup^\n", "group_size", "[orchestrator]\ngroup_size = 16\n"),
    ("[orchestrator]\n\n^\n\n[trainer]\n", "batch_size", "[orchestrator]\n\nbatch_size = 128\n\n[trainer]\n"),
    ("[orchestrator]\nbatch_size = 1\n^", "seq_len", "[orchestrator]\nbatch_size = 1\nseq_len = 2048"),
    ("[orchestrator.tr^\n", "train", "[orchestrator.train]\n"),
    ("[orchestrator.train.sam^]\n", "sampling", "[orchestrator.train.sampling]\n"),
    ("[orchestrator.train.sampling]\ntem^\n", "temperature", "[orchestrator.train.sampling]\ntemperature = 1.0\n"),
    (
        "[orchestrator.train.sampling]\nmax_c^ompletion_tokens = 5\n",
        "temperature",
        "[orchestrator.train.sampling]\ntemperature = 5\n",
    ),
    ("[[orchestrator.train.source]]\nen^\n", "env", "[[orchestrator.train.source]]\n[orchestrator.train.source.env]\n\n"),
    ("[[orchestrator.train.source]]\nenv.taskset.i^\n", "id", "[[orchestrator.train.source]]\nenv.taskset.id = \"\"\n"),
    (
        "[[orchestrator.train.source]]\nenv.taskset.id = \"^\"\n",
        "\"reverse-text\"",
        "[[orchestrator.train.source]]\nenv.taskset.id = \"reverse-text\"\n",
    ),
    (
        "[[orchestrator.train.source]]\nenv.taskset.id = \"a\"\n^\n",
        "[[orchestrator.train.source]]",
        "[[orchestrator.train.source]]\nenv.taskset.id = \"a\"\n[[orchestrator.train.source]]\n\n",
    ),
    ("[infer^\n", "inference", "[inference]\n"),
    ("[inference]\ngpu^\n", "gpu_memory_utilization", "[inference]\ngpu_memory_utilization = 0.9\n"),
    ("[inference.model]\nmax_m^\n", "max_model_len", "[inference.model]\nmax_model_len = 8192\n"),
    ("[ckpt]\nin^\n", "interval", "[ckpt]\ninterval = 100\n"),
    ("[ckpt]\ninterval = 5\nke^\n", "keep_last", "[ckpt]\ninterval = 5\nkeep_last = 1\n"),
    ("[wandb]\npro^\n", "project", "[wandb]\nproject = \"\"\n"),
    ("[deployment]\ntype = ^\n", "\"multi_node\"", "[deployment]\ntype = \"multi_node\"\n"),
    ("[dep^\n", "deployment", "[deployment]\n"),
    ("seq^\n[trainer]\n[orchestrator]\n", "seq_len", "seq_len = 2048\n[trainer]\n[orchestrator]\n"),
    ("^\n[trainer]\n[orchestrator]\n", "max_steps", "max_steps = 20\n[trainer]\n[orchestrator]\n"),
    ("max_steps = 1\n\n[trainer]\n[orchestrator]\n\n^\n", "[ckpt]", "max_steps = 1\n\n[trainer]\n[orchestrator]\n\n[ckpt]\n\n"),
    ("[trainer.model]\nac = ^\n", "{  }", "[trainer.model]\nac = {  }\n"),
    ("[trainer.model]\nfsdp_cpu_offload = f^alse\n", "true", "[trainer.model]\nfsdp_cpu_offload = true\n"),
    // Open brackets and arrays of several lines.
    ("[trainer.model]\nlora = { ra^\n", "rank", "[trainer.model]\nlora = { rank = 16 }\n"),
    ("[trainer.model]\nlora = { rank = ^\n", "16", "[trainer.model]\nlora = { rank = 16 }\n"),
    ("trainer = { optim = { l^\n", "lr", "trainer = { optim = { lr = 1e-06 } }\n"),
    ("[trainer.model.lora]\ntarget_modules = [^\n", "\"q_proj\"", "[trainer.model.lora]\ntarget_modules = [\"q_proj\"]\n"),
    (
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"k^\n",
        "\"k_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"k_proj\"]\n",
    ),
    (
        "[trainer.model.lora]\ntarget_modules = [\n  \"q_proj\", # one\n  ^\n]\n",
        "\"k_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\n  \"q_proj\", # one\n  \"k_proj\"\n]\n",
    ),
    (
        "[trainer.model.lora]\ntarget_modules = [\n  \"q_proj\",\n  ^\n",
        "\"k_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\n  \"q_proj\",\n  \"k_proj\"]\n",
    ),
    (
        "[trainer.model.lora]\ntarget_modules = [\n  \"q_proj\",\n  \"^\",\n]\n",
        "\"v_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\n  \"q_proj\",\n  \"v_proj\",\n]\n",
    ),
    (
        "[trainer]\nmodel.lora.target_modules = [\n  \"q_proj\",\n  ^\n]\n",
        "\"o_proj\"",
        "[trainer]\nmodel.lora.target_modules = [\n  \"q_proj\",\n  \"o_proj\"\n]\n",
    ),
    (
        "[trainer.model.lora]\ntarget_modules = [\"q_^proj\", \"v_proj\"]\n",
        "\"k_proj\"",
        "[trainer.model.lora]\ntarget_modules = [\"k_proj\", \"v_proj\"]\n",
    ),
    // Lines that end in a carriage return and a line feed.
    ("[trainer.model]\r\nat^\r\n[orchestrator]\r\n", "attn", "[trainer.model]\r\nattn = \"auto\"\r\n[orchestrator]\r\n"),
    ("[trainer]\r\nop^\r\n", "optim", "[trainer]\r\n[trainer.optim]\r\n\r\n"),
    ("[trainer]\r\n\r\nck^\r\n", "[ckpt]", "[trainer]\r\n\r\n[ckpt]\r\n\r\n"),
    ("[trai^\r\n", "trainer", "[trainer]\r\n"),
    ("[trainer.model]\r\nattn = ^\r\n", "\"flash_attention_3\"", "[trainer.model]\r\nattn = \"flash_attention_3\"\r\n"),
    // Characters of several bytes before the cursor.
    ("# ü日本語🎉\n[model]\nname = \"é🎉^\" # x\n", "\"Qwen/Qwen3-8B\"", "# ü日本語🎉\n[model]\nname = \"Qwen/Qwen3-8B\" # x\n"),
    ("wandb = { name = \"é🎉\", pro^ }\n", "project", "wandb = { name = \"é🎉\", project = \"\" }\n"),
    ("[wandb] # é\nname = \"x\" # 🎉\npro^\n", "project", "[wandb] # é\nname = \"x\" # 🎉\nproject = \"\"\n"),
    // Quoted and dotted keys.
    ("[trainer.model]\n\"at^\n", "attn", "[trainer.model]\nattn = \"auto\"\n"),
    ("[trainer.model]\n\"at^tn\" = \"auto\"\n", "cp", "[trainer.model]\ncp = \"auto\"\n"),
    ("[\"trainer\".op^]\n", "optim", "[\"trainer\".optim]\n"),
    ("[ trainer . op^ ]\n", "optim", "[ trainer . optim ]\n"),
    ("[trainer]\nmodel.^\n", "attn", "[trainer]\nmodel.attn = \"auto\"\n"),
    ("trainer.model.at^\n", "attn", "trainer.model.attn = \"auto\"\n"),
    ("[trainer]\nmod^el.name = \"x\"\n", "optim", "[trainer]\noptim.name = \"x\"\n"),
    // Arrays of tables, in headers and inline.
    (
        "[[orchestrator.tr^\nname = \"a\"\n[orchestrator.train.source.env]\nid = \"b\"\n",
        "train.source",
        "[[orchestrator.train.source]]\nname = \"a\"\n[orchestrator.train.source.env]\nid = \"b\"\n",
    ),
    ("[[so^]]\nname = \"a\"\n", "orchestrator.train.source", "[[orchestrator.train.source]]\nname = \"a\"\n"),
    ("[orchestrator]\ntrain.source = [{ ^ }]\n", "env", "[orchestrator]\ntrain.source = [{ env = {  } }]\n"),
    ("[orchestrator]\ntrain.source = [^]\n", "{  }", "[orchestrator]\ntrain.source = [{  }]\n"),
    (
        "[[orchestrator.train.source]]\nenv = { taskset = { i^ } }\n",
        "id",
        "[[orchestrator.train.source]]\nenv = { taskset = { id = \"\" } }\n",
    ),
    // What is offered depends on what is there.
    (
        "[deployment]\ntype = \"multi_node\"\nnum^\n",
        "num_train_nodes",
        "[deployment]\ntype = \"multi_node\"\nnum_train_nodes = 1\n",
    ),
    ("[trainer.optim]\ntype = \"muon\"\nm^\n", "mu", "[trainer.optim]\ntype = \"muon\"\nmu = 0.95\n"),
    ("[trainer]\noptim = { type = \"muon\", ^ }\n", "mu", "[trainer]\noptim = { type = \"muon\", mu = 0.95 }\n"),
    ("[weight_broadcast]\ntype = \"nccl\"\n^\n", "port", "[weight_broadcast]\ntype = \"nccl\"\nport = 29501\n"),
    (
        "[model]\nname = \"my/model\"\n\n[inference.model]\nname = \"^\"\n",
        "\"my/model\"",
        "[model]\nname = \"my/model\"\n\n[inference.model]\nname = \"my/model\"\n",
    ),
    ("max_steps = ^", "20", "max_steps = 20"),
    // A short default, what vLLM has, and the tasksets of verifiers.
    (
        "[orchestrator.model.client]\nbase_u^\n",
        "base_url",
        "[orchestrator.model.client]\nbase_url = [\"http://localhost:8000/v1\"]\n",
    ),
    ("[inference.vllm_extra]\nmax_num_s^\n", "max_num_seqs", "[inference.vllm_extra]\nmax_num_seqs = 1\n"),
    ("[inference.model]\nreasoning_parser = \"q^\"\n", "\"qwen3\"", "[inference.model]\nreasoning_parser = \"qwen3\"\n"),
    (
        "[[orchestrator.train.source]]\nenv.taskset.id = \"gsm^\"\n",
        "\"gsm8k\"",
        "[[orchestrator.train.source]]\nenv.taskset.id = \"gsm8k\"\n",
    ),
    // Environments of the old kind are found under their new key.
    (
        "[[orchestrator.train.source]]\n[orchestrator.train.source.legacy]\nid = \"rev^\"\n",
        "\"reverse-text\"",
        "[[orchestrator.train.source]]\n[orchestrator.train.source.legacy]\nid = \"reverse-text\"\n",
    ),
    (
        "[[orchestrator.train.source]]\nlegacy = { id = ^ }\n",
        "\"reverse-text\"",
        "[[orchestrator.train.source]]\nlegacy = { id = \"reverse-text\" }\n",
    ),
    (
        "[[orchestrator.eval.source]]\nlegacy.id = 'rev^'\n",
        "\"reverse-text\"",
        "[[orchestrator.eval.source]]\nlegacy.id = \"reverse-text\"\n",
    ),
];

/// Cursors at which nothing can be written, or nothing is known.
pub(crate) const NOTHING: &[&str] = &[
    "max_steps = 1 # ^",
    "[trainer.optim] ^\n",
    "[trainer.model]\nattn = \"auto\" ^\n",
    "[wandb]\nname = \"\"\"\n^\"\"\"\n",
    "foo bar^\n",
];

/// Steps without a head: what is accepted before there is one.
pub(crate) const FIRST_STEPS: &[(&str, &str, &str)] = &[
    ("#^", "# /// config", "# /// config\n# prime_rl = \"0.8.0\"\n# ///"),
    ("# /// con^\nmax_steps = 1\n", "# /// config", "# /// config\n# prime_rl = \"0.8.0\"\n# ///\nmax_steps = 1\n"),
    ("# /// config\n# ^\n# ///\n", "prime_rl", "# /// config\n# prime_rl = \"0.8.0\"\n# ///\n"),
    ("# /// config\n^\n# ///\n", "hardware", "# /// config\n# hardware = \"2x H100\"\n# ///\n"),
    ("# /// config\n# prime_rl = \"0.^\"\n# ///\n", "\"0.6.0\"", "# /// config\n# prime_rl = \"0.6.0\"\n# ///\n"),
    (
        "# /// config\n# ki^\n# ///\n[trainer]\n[orchestrator]\n",
        "kind",
        "# /// config\n# kind = \"rl\"\n# ///\n[trainer]\n[orchestrator]\n",
    ),
    ("\u{feff}max_st^\n[trainer]\n", "max_steps", "\u{feff}max_steps = 20\n[trainer]\n"),
    ("\u{feff}[tr^\n", "trainer", "\u{feff}[trainer]\n"),
    ("# /// config\r\n# har^\r\n# ///\r\n", "hardware", "# /// config\r\n# hardware = \"2x H100\"\r\n# ///\r\n"),
    ("# /// config\n# kin^d = \"rl\"\n# ///\n", "name", "# /// config\n# name = \"rl\"\n# ///\n"),
];
