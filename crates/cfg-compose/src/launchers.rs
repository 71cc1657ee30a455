//! The programs that start others, and the programs that read configs: what the words at the beginning of a command start.

use super::command::{assignment, entrypoint};

/// A program that starts the one that its arguments name.
struct Launcher {
    names: &'static [&'static str],
    /// The options whose value is the next word.
    with_value: &'static [&'static str],
    /// The number of arguments before the other program.
    arguments: usize,
}

/// Programs that start the one that follows their options.
const LAUNCHERS: [Launcher; 16] = [
    // Words of a shell, and programs without options that take a value.
    launcher(
        &[
            "!",
            "builtin",
            "catchsegv",
            "caffeinate",
            "chronic",
            "command",
            "do",
            "else",
            "elif",
            "if",
            "nohup",
            "setsid",
            "then",
            "unbuffer",
            "until",
            "while",
        ],
        &[],
    ),
    launcher(&["env"], &["-u", "-C", "-S", "--unset", "--chdir"]),
    launcher(&["exec"], &["-a"]),
    launcher(&["time", "gtime"], &["-f", "-o"]),
    launcher(
        &["sudo", "doas"],
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir"],
    ),
    launcher(&["nice"], &["-n", "--adjustment"]),
    launcher(&["ionice"], &["-c", "-n", "-p"]),
    launcher(&["stdbuf"], &["-i", "-o", "-e"]),
    launcher(&["watch"], &["-n", "--interval"]),
    launcher(&["numactl"], &["-C", "-N", "-i", "-m", "-p", "--cpunodebind", "--membind", "--physcpubind"]),
    Launcher { names: &["timeout", "gtimeout"], with_value: &["-s", "-k", "--signal", "--kill-after"], arguments: 1 },
    Launcher { names: &["taskset", "chrt"], with_value: &[], arguments: 1 },
    launcher(
        &["srun"],
        &[
            "-A",
            "-C",
            "-D",
            "-G",
            "-J",
            "-M",
            "-N",
            "-c",
            "-e",
            "-i",
            "-m",
            "-n",
            "-o",
            "-p",
            "-q",
            "-t",
            "-w",
            "-x",
            "--account",
            "--container-image",
            "--container-mounts",
            "--container-name",
            "--container-workdir",
            "--chdir",
            "--constraint",
            "--cpus-per-task",
            "--error",
            "--export",
            "--gpus",
            "--gpus-per-node",
            "--gpus-per-task",
            "--gres",
            "--job-name",
            "--jobid",
            "--mem",
            "--nodelist",
            "--nodes",
            "--ntasks",
            "--ntasks-per-node",
            "--output",
            "--partition",
            "--qos",
            "--time",
        ],
    ),
    launcher(&["uvx"], &["--from", "--with", "--python", "-p"]),
    launcher(&["xvfb-run"], &["-n", "-s"]),
    launcher(&["systemd-run"], &["-p", "-u", "--property", "--unit", "-E", "--setenv", "--working-directory"]),
];

const fn launcher(names: &'static [&'static str], with_value: &'static [&'static str]) -> Launcher {
    Launcher { names, with_value, arguments: 0 }
}

/// Programs that start another one after the word `run`.
const RUNNERS: [&str; 11] =
    ["conda", "hatch", "mamba", "micromamba", "pdm", "pipenv", "pixi", "poetry", "rye", "singularity", "uv"];

/// Options of these that take the next word.
const OF_RUNNERS: [&str; 28] = [
    "--allow-insecure-host",
    "--cache-dir",
    "--config-file",
    "--cwd",
    "--directory",
    "--env-file",
    "--environment",
    "--extra",
    "--extra-index-url",
    "--find-links",
    "--from",
    "--group",
    "--index",
    "--index-url",
    "--manifest-path",
    "--name",
    "--no-extra",
    "--no-group",
    "--only-group",
    "--package",
    "--prefix",
    "--project",
    "--python",
    "--with",
    "--with-editable",
    "--with-requirements",
    "-n",
    "-p",
];

/// Programs that run a Python module or file with processes of its own.
const OF_PYTHON: [&str; 6] = ["accelerate", "debugpy", "deepspeed", "ncu", "nsys", "torchrun"];

/// What the words at the beginning of a command start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Started {
    /// An entrypoint of prime-rl: the index of the word that names it.
    PrimeRl(usize),
    /// Another program that reads configs or evaluates.
    Other(usize),
}

/// What the command that begins with the word at `at` starts; `None` if it is unknown.
pub(crate) fn started<W: AsRef<str>>(words: &[W], at: usize) -> Option<Started> {
    let mut at = at;
    let word = |at: usize| words.get(at).map(AsRef::as_ref);
    loop {
        while word(at).is_some_and(|word| assignment(word).is_some()) {
            at += 1;
        }
        let program = word(at)?;
        if program.starts_with(['-', '@']) && program != "--" {
            return None;
        }
        if entrypoint(words, at).is_some() {
            return Some(Started::PrimeRl(at));
        }
        if is_other(words, at) {
            return Some(Started::Other(at));
        }
        if program == "--" {
            at += 1;
            continue;
        }
        let name = program.rsplit('/').next().unwrap_or_default();
        let next = if let Some(known) = LAUNCHERS.iter().find(|known| known.names.contains(&name)) {
            behind_options(words, at + 1, known.with_value) + known.arguments
        } else if RUNNERS.contains(&name) {
            let command = behind_options(words, at + 1, &OF_RUNNERS);
            if word(command) == Some("tool") && word(command + 1) == Some("run") {
                behind_options(words, command + 2, &OF_RUNNERS)
            } else if word(command) == Some("run") {
                behind_options(words, command + 1, &OF_RUNNERS)
            } else {
                return None;
            }
        } else if is_python(name) || OF_PYTHON.contains(&name) {
            return of_python(words, at + 1).map(Started::PrimeRl);
        } else {
            return None;
        };
        // A module, as in `uv run -m prime_rl.entrypoints.rl`.
        if word(next - 1) == Some("-m") && entrypoint(words, next).is_some() {
            return Some(Started::PrimeRl(next));
        }
        at = next;
    }
}

/// Whether a word names a program that is not prime-rl's and reads configs of this program, or evaluates.
pub(crate) fn is_other<W: AsRef<str>>(words: &[W], at: usize) -> bool {
    let program = words[at].as_ref();
    let name = match program.rsplit_once('/') {
        Some((folder, name)) if folder == "bin" || folder.ends_with("/bin") => name,
        Some(_) => return false,
        None => program,
    };
    match name {
        "vf-eval" | "lm_eval" | "lm-eval" => true,
        "prime" => words.get(at + 1).is_some_and(|word| matches!(word.as_ref(), "train" | "eval")),
        _ => false,
    }
}

/// The index behind the options at `at`; of those in `with_value`, also behind the value.
fn behind_options<W: AsRef<str>>(words: &[W], mut at: usize, with_value: &[&str]) -> usize {
    while let Some(option) = words.get(at).map(AsRef::as_ref).filter(|word| word.starts_with('-')) {
        let has_value = with_value.contains(&option);
        at += if has_value { 2 } else { 1 };
        if !has_value && matches!(option, "--" | "-m" | "--module") {
            break;
        }
    }
    at
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// The module or the file of prime-rl among the arguments of a Python interpreter.
fn of_python<W: AsRef<str>>(words: &[W], from: usize) -> Option<usize> {
    let is_python_code = |at: &usize| words[at - 1].as_ref() == "-m" || words[*at].as_ref().strip_suffix(".py").is_some();
    let first = (from..words.len()).take_while(|at| !words[*at].as_ref().starts_with('@')).find(is_python_code)?;
    // `python -m torch.distributed.run -m prime_rl...`, `python -m debugpy prime_rl/...`.
    (first..words.len()).filter(is_python_code).find(|&at| entrypoint(words, at).is_some())
}

#[cfg(test)]
mod tests {
    use super::{Started, started};

    #[test]
    fn the_started_program_is_behind_launchers_and_their_options() {
        let program = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            match started(&words, 0) {
                Some(Started::PrimeRl(at) | Started::Other(at)) => words[at..].join(" "),
                None => String::new(),
            }
        };
        for line in [
            "rl @ x",
            ".venv/bin/rl @ x",
            "A=1 B= rl @ x",
            "env -u C A=b timeout -s INT 3h nice -n 5 uv run --group sft rl @ x",
            "sudo -E -u sft rl @ x",
            "uv --directory sft run --with eval --frozen rl @ x",
            "conda run -n rl --no-capture-output rl @ x",
            "srun -J sft --nodes 2 --gpus=8 rl @ x",
            "nohup time -f sft rl @ x",
            "taskset -c 0-7 rl @ x",
            "uv tool run --from prime-rl rl @ x",
            "then rl @ x",
            "numactl -m 0 -N 0 -- rl @ x",
        ] {
            let end = program(line);
            assert!(end == "rl @ x" || end == ".venv/bin/rl @ x", "{line}: {end}");
        }
        for line in [
            "python -m prime_rl.entrypoints.rl @ x",
            "uv run python3.12 -u -m prime_rl.entrypoints.rl @ x",
            "uv run -m prime_rl.entrypoints.rl @ x",
            "torchrun --nproc-per-node 8 -m prime_rl.entrypoints.rl @ x",
            "accelerate launch --num_processes 8 -m prime_rl.entrypoints.rl @ x",
            "python -m torch.distributed.run --nnodes 2 -m prime_rl.entrypoints.rl @ x",
        ] {
            assert_eq!(program(line), "prime_rl.entrypoints.rl @ x", "{line}");
        }
        assert_eq!(program("timeout 3h vf-eval x.toml"), "vf-eval x.toml");
        for line in
            ["./start.sh rl @ x", "uv sync", "python x.py rl @ x", "cat vf-eval/x.toml", "--x rl", "", "uv run", "prime login"]
        {
            assert_eq!(program(line), "", "{line}");
        }
    }
}
