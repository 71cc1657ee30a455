//! A prime-rl whose trainer's config class, and a check of it, are Python as the bytes choose: reading and running it ends without a panic, within two
//! seconds and 300 MiB (`-timeout=2 -rss_limit_mb=400`).

#![no_main]

use std::path::PathBuf;

use cfg_fuzz::python::Choices;
use cfg_meter::{Allowance, Meter};
use cfg_schema::{Assigned, CheckCode as _, CheckedTable, History, Kind, Seen, ValueSegment};
use cfg_system::MemorySystem;
use libfuzzer_sys::fuzz_target;

/// A config with some values, which a check can't change.
struct Table;

impl CheckedTable for Table {
    fn get(&self, path: &[ValueSegment]) -> Seen {
        match path {
            [ValueSegment::Field(name)] => match &**name {
                "n" => Seen::Int(2),
                "s" => Seen::Str("a".into()),
                "d" => Seen::Map(vec!["a".into()]),
                "xs" => Seen::List(2),
                _ => Seen::Missing,
            },
            [ValueSegment::Field(_), ValueSegment::Key(_) | ValueSegment::Item(_)] => Seen::Str("ab".into()),
            _ => Seen::Missing,
        }
    }

    fn assign(&mut self, _: &[ValueSegment], _: Assigned, _: Option<&[ValueSegment]>) {}

    fn remove(&mut self, _: &[ValueSegment]) {}
}

fuzz_target!(|bytes: &[u8]| {
    let system = MemorySystem::default();
    for (module, class) in
        [("rl", "RLConfig"), ("orchestrator", "OrchestratorConfig"), ("inference", "InferenceConfig"), ("sft", "SFTConfig")]
    {
        let text = format!("from pydantic import BaseModel\nclass {class}(BaseModel):\n    x: int = 1\n");
        system.put(format!("/s/prime_rl/configs/{module}.py").as_ref(), &text);
    }
    let text = Choices::of(bytes).module();
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{text}");
    }
    system.put("/s/prime_rl/configs/trainer.py".as_ref(), &text);
    let newest = History::built_in().newest();
    let _budget = cfg_fuzz::command();
    let Ok(declared) = cfg_python::read(&system, vec![PathBuf::from("/s")], Some(newest.into())) else { return };
    // Declarations with more fields than a schema may have are refused.
    let Ok(history) = cfg_schema::compiler::compile(&declared.kinds, &[], newest) else { return };
    let code = declared.code.of_history(history, |path| path.display().to_string());
    let _meter = Meter::begin(Allowance::CONFIG);
    code.run(history.root(Kind::Trainer), "check", &mut Table);
});
