//! Checks that no process of an earlier run is still running.

use cfg_diag::{Diagnostic, codes};
use cfg_system::Process;

use super::{Answer, Situation};

/// The maximum number of processes that are listed.
const MAX_PROCESSES: usize = 8;

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let all = situation.machine.host().processes();
    let left: Vec<&Process> = all.iter().filter(|process| is_of_a_run(process)).collect();
    if left.is_empty() {
        return if all.is_empty() {
            Answer::Unknown("the processes can't be listed".to_owned())
        } else {
            Answer::Fine("no vLLM, torchrun or prime-rl is running".to_owned())
        };
    }
    let listed: Vec<String> =
        left.iter().take(MAX_PROCESSES).map(|process| format!("{} ({})", process.id, short(process))).collect();
    let ids: Vec<String> = left.iter().take(MAX_PROCESSES).map(|process| process.id.to_string()).collect();
    let more = if left.len() > MAX_PROCESSES { format!(", and {} more", left.len() - MAX_PROCESSES) } else { String::new() };
    let message = format!("processes of an earlier run are still running: {}{more}", listed.join(", "));
    let help = format!("if they are left over: `kill {}`; not `pkill python`, which kills everything", ids.join(" "));
    Answer::found(Diagnostic::new(&codes::STALE_PROCESSES, message).help(help))
}

/// Whether a process is prime-rl, vLLM or torchrun, rather than a process with such a name among its arguments.
fn is_of_a_run(process: &Process) -> bool {
    let Some(first) = process.words.first() else { return false };
    // vLLM sets the names of its processes, and since 2026 so does prime-rl.
    if first.starts_with("VLLM::") || first.starts_with("prime-rl::") || first.starts_with("PRIME-RL::") {
        return true;
    }
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let program = name(first);
    let runs_others = program.starts_with("python") || program == "uv" || program == "env";
    let is_entry = |word: &str| {
        let name = name(word);
        matches!(name.as_str(), "torchrun" | "vllm")
            || word.contains("prime_rl.")
            || word.contains("prime_rl/")
            || word.starts_with("vllm.entrypoints")
            || (word.contains("bin/") && matches!(name.as_str(), "rl" | "sft" | "trainer" | "orchestrator" | "inference"))
    };
    // An interpreter and its options are followed by the program; the remaining words are the program's arguments.
    let is_option = |word: &&String| word.starts_with('-') || word.contains('=') || matches!(word.as_str(), "run" | "env");
    let what = process.words.iter().skip(1).find(|word| !is_option(word));
    is_entry(first) || runs_others && what.is_some_and(|what| is_entry(what))
}

fn short(process: &Process) -> String {
    let line = process.words.join(" ");
    let mut characters = line.chars();
    let head: String = characters.by_ref().take(48).collect();
    if characters.next().is_some() { format!("{head}...") } else { head }
}

#[cfg(test)]
mod tests {
    use cfg_system::Process;

    use super::is_of_a_run;

    fn is(line: &str) -> bool {
        is_of_a_run(&Process { id: 1, words: line.split(' ').map(str::to_owned).collect() })
    }

    #[test]
    fn only_running_processes_are_reported() {
        assert!(is("VLLM::EngineCore"));
        assert!(is("/home/ada/prime-rl/.venv/bin/python3 -m prime_rl.trainer.rl.train @ t.toml"));
        assert!(is("/srv/.venv/bin/python /srv/.venv/bin/rl @ rl.toml"));
        assert!(is("uv run torchrun --nproc-per-node=1"));
        assert!(is("/usr/bin/vllm serve Qwen/Qwen3-8B"));
        assert!(!is("vim prime_rl/rl.py"));
        assert!(!is("grep -E vllm|prime_rl|torchrun"));
        assert!(!is("tail -f outputs/logs/trainer.log"));
        assert!(!is("python train.py --note vllm"));
        assert!(!is("bash"));
    }
}
