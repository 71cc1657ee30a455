// Reports as the program prints them.
"use strict";

const MEMORY = `GPU 0 (H100, 79.2 GiB), vLLM: fits
  71.8 GiB before the first step, peak 71.8 GiB: 7.4 GiB left
  vLLM: takes 71.3 GiB
    weights              15.3 GiB ██████
    activations           4.9 GiB ██
    KV cache             50.7 GiB ███████████████████  369264 tokens, 22 x 16384
    other                 0.4 GiB adapters, outside PyTorch
    CUDA context          0.5 GiB
    free                  7.4 GiB ███
GPU 1 (H100, 79.2 GiB), trainer: fits
  31.8 GiB before the first step, peak 35.6 to 36.9 GiB: 42.3 to 43.6 GiB left
  trainer: 34.4 to 35.7 GiB
    weights              30.6 GiB ████████████
    layer work            4.1 GiB ██
    other                 0.6 GiB gradients, optimizer, activations, pools
    CUDA context          1.2 GiB
    free                 42.3 GiB ████████████████
Disk: 46.0 GiB per checkpoint, 12 kept and one being written: at most 599.3 GiB
Accuracy on 4 runs (current): mean error 1.5 %, worst 1.9 %; the range is that of 4 similar runs
  not measured: compiled layers
`;

const TOO_LARGE = `GPU 0 to 3 (RTX 4090, 23.5 GiB), trainer: out-of-memory
  20.0 GiB before the first step, peak 23.7 GiB: 0.2 GiB too much
  trainer: 23.7 GiB
    weights              20.0 GiB ########################
    activations           3.2 GiB ####
    CUDA context          0.5 GiB
Fits as it is on: L40S, A100-80
`;

const CURRICULUM = `seconds-0/beautiful-soup-env (orchestrator.env[0])
  It takes 64 samples for a step; a training step starts 64

  phase     as written      begins at  0                           1000  the run's steps
      1          0-150              0  █████                             easy 20 %, primer 80 %
      2        150-400        149-150      ░████████                     easy 60 %, medium 40 %
      3       400-2000           2000                                    never begins: hard 100 %
`;

const LINEAGE = `* configs/rl.toml:v1  2026-01-06  Four phases in one config
+ configs/rl.toml:v2  2026-01-06  More KV cache
: configs/rl.toml:v3  2026-11-21  the clock counts rollouts
  + configs/phase1.toml:v1  2026-11-21  the first phase
    + configs/phase2.toml:v1  2026-11-21

configs/rl.toml:v3  2026-11-21  (current)
    the clock counts rollouts
    based on configs/rl.toml:v2, prime-rl 0.3.0, environment 0.1.1, sha256 b43a797fb4a3

configs/rl.toml:v2  2026-01-06
    More KV cache
    based on configs/rl.toml:v1
`;

const LENSES = ["rl, prime-rl 0.8.0: no problems; 71.8 of 79.2 GiB"];

module.exports = { MEMORY, TOO_LARGE, CURRICULUM, LINEAGE, LENSES };
