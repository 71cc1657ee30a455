//! Turns a resolved config into typed facts that mean the same at every version of prime-rl.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod budget;
mod class;
mod environment;
mod fact;
mod facts;
mod inference;
mod layout;
mod learning_rate;
mod lower;
mod metadata;
mod orchestrator;
mod place;
mod plan;
mod reader;
mod rows;
mod run;
mod sockets;
mod table;
mod trainer;
mod value;
mod workload;

pub use environment::{Arg, Environment, EnvironmentSettings, Role, last_part};
pub use fact::{Fact, Key, Setting, State};
pub use inference::Inference;
pub use learning_rate::LearningRate;
pub use metadata::{Located, MEMBERS, Metadata, Remark, Usage, member_of};
pub use orchestrator::{Batch, Buffer, Eval, Orchestrator, Policy, Sampling, Teacher, Validation};
pub use plan::Plan;
pub use rows::Row;
pub use run::{Ckpt, Gpus, Run, Slurm, Wandb, WeightBroadcast};
pub use sockets::{Node, Socket};
pub use table::table;
pub use trainer::{
    ActivationCheckpointing, ActivationOffloading, FakeData, LmHead, Lora, Optim, SftData, Tokenizer, Trainer, TrainerModel,
};
pub use value::{Entries, FreeTable, IntOrWord};
pub use workload::workload;
