//! Tool calls: whether the inference server finds them, and whether there is room for them.

pub(crate) mod tool_call_budget;
pub(crate) mod tool_choice_off;
pub(crate) mod tool_parser;
pub(crate) mod unknown_engine_value;
