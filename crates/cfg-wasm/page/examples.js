// What the page begins with.

export const examples = [
  {
    title: "three problems",
    target: "0.4.0",
    gpu: "2x H100",
    text: `max_steps = 200

[model]
name = "Qwen/Qwen3-8B"

[trainer.model]
seq_len = 16384

[orchestrator]
seq_len = 4096
rollouts_per_exmaple = 16

[orchestrator.sampling]
max_tokens = 4096

[inference.model]
max_model_len = 4096
`,
  },
  {
    title: "adapters on one card",
    target: "0.4.0",
    gpu: "1x H100",
    text: `inference_gpu_ids = [0]
trainer_gpu_ids = [0]

[model]
name = "Qwen/Qwen2.5-7B-Instruct"

[trainer.model]
seq_len = 2048

[trainer.model.lora]
rank = 8

[orchestrator]
seq_len = 2048

[inference]
gpu_memory_utilization = 0.37

[inference.model]
max_model_len = 4096
enforce_eager = true
`,
  },
  {
    title: "supervised fine-tuning",
    target: "0.4.0",
    gpu: "1x H100",
    text: `max_steps = 100

[model]
name = "Qwen/Qwen3-0.6B"

[data]
name = "PrimeIntellect/Reverse-Text-SFT"
seq_len = 4096
batch_size = 32
`,
  },
];
