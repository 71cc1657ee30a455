//! Values that depend on the machine on which prime-rl checks a config.

use std::rc::Rc;

use cfg_schema::{Open, Reason};

use super::{
    object::{Object, Why},
    run::{Frame, Run},
};

/// The assumed number of GPUs, which is the same as in the known checks. A config alone does not determine it.
const GPUS: i64 = 8;

/// The environment variable with the GPUs that prime-rl sees.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

impl Run<'_> {
    /// A value that depends on the machine.
    pub(super) fn machine(&self, frame: &Frame, line: u32, why: impl Into<String>) -> Object {
        Object::Unknown(self.why_machine(frame, line, why.into()))
    }

    fn why_machine(&self, frame: &Frame, line: u32, why: String) -> Why {
        Rc::new(Open { why, place: self.code.place(&frame.module, line), reason: Reason::Machine })
    }

    /// The value of an environment variable.
    pub(super) fn variable(&self, frame: &Frame, line: u32, name: Option<&Object>) -> Object {
        match self.is_variable(frame, line, name) {
            Ok(_) => Object::str((0..GPUS).map(|gpu| gpu.to_string()).collect::<Vec<_>>().join(",")),
            Err(why) => Object::Unknown(why),
        }
    }

    /// Whether an environment variable exists; an error says why that is unknown.
    pub(super) fn is_variable(&self, frame: &Frame, line: u32, name: Option<&Object>) -> Result<bool, Why> {
        match name {
            Some(Object::Str(name)) if &**name == VISIBLE => Ok(true),
            Some(Object::Str(name)) => Err(self.why_machine(frame, line, format!("the environment variable `{name}`"))),
            _ => Err(self.why_machine(frame, line, "a variable of the environment".to_owned())),
        }
    }

    /// The result of a function that reads the machine; `None` if the function is not one of them.
    pub(super) fn of_machine(&self, frame: &Frame, line: u32, name: &str, objects: &[Object]) -> Option<Object> {
        match name {
            "os.getenv" | "os.environ.get" | "os.environ.__getitem__" => Some(self.variable(frame, line, objects.first())),
            "torch.cuda.device_count" => Some(Object::Int(GPUS)),
            _ if OF_THE_MACHINE.contains(&name.split('.').next().unwrap_or_default()) => {
                Some(self.machine(frame, line, format!("the result of `{name}` on the machine")))
            }
            _ => None,
        }
    }
}

/// Modules whose functions read the machine or the time. Their results are unknown, and they refuse nothing.
const OF_THE_MACHINE: [&str; 12] =
    ["os", "sys", "uuid", "time", "datetime", "socket", "random", "secrets", "platform", "getpass", "shutil", "torch"];
