//! The texts by which programs say that a process ended: the names of exceptions, the last lines of shells, schedulers, compilers and libraries.

use crate::{
    failure::FailureKind,
    prefix::{Level, Line},
};

/// Whether a message is an exception: `torch.OutOfMemoryError: CUDA out of memory`, `AssertionError`.
pub(crate) fn is_exception(message: &str) -> bool {
    const ENDS: [&str; 8] =
        ["Error", "Exception", "Interrupt", "Exit", "OutOfResources", "Timeout", "ExceptionGroup", "Iteration"];
    // Classes of the standard library that begin with a small letter.
    const SMALL: [&str; 5] = ["socket.gaierror", "socket.herror", "socket.timeout", "struct.error", "zlib.error"];
    let end = message.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
    let (name, rest) = message.split_at(end);
    // `ray.exceptions.RayTaskError(RuntimeError): ...` names the exception of the task.
    let rest = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, behind)| behind);
    let class = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_');
    // Those of libraries in other languages may begin with a small letter, too: `nixl._bindings.nixlBackendError`.
    let is_small = name.contains('.') && ENDS.iter().any(|known| class.ends_with(known));
    let is_class = class.as_bytes().first().is_some_and(u8::is_ascii_uppercase) || is_small || SMALL.contains(&name);
    let is_known = ENDS.iter().any(|known| class.ends_with(known)) || name.contains('.') && !class.ends_with("Warning");
    is_class && is_known && (rest.is_empty() || rest.starts_with(": ") || rest == ":")
}

/// What a line that was found by one of [`FATAL`] says, if it is the end of a process.
pub(crate) fn fatal(found: &Line<'_>) -> Option<FailureKind> {
    let text = found.text.trim();
    if is_exception(text) && !found.text.starts_with([' ', '\t', '|', '+']) {
        return (found.level != Level::Warning).then_some(FailureKind::Exception);
    }
    let lower = text.to_ascii_lowercase();
    let is_fatal = FATAL.iter().any(|(fatal, start)| match start {
        Start::Anywhere => lower.contains(fatal),
        Start::Line => lower.starts_with(fatal),
        // `/bin/sh: 1: nvcc: not found`.
        Start::Shell => lower.ends_with(fatal) && lower.contains("sh: "),
        // `[W808 19:28:13 TCPStore.cpp:125]` only warns.
        Start::Glog => {
            lower.contains(fatal) && lower.starts_with("[e") && lower.as_bytes().get(2).is_some_and(u8::is_ascii_digit)
        }
    });
    (is_fatal && !is_of_node(text) && !matches!(found.level, Level::Info | Level::Warning)).then_some(FailureKind::Fatal)
}

/// Whether a job writes of what its node lacks, and goes on without it: `slurmstepd: error: Unable to create TMPDIR [/scratch/me]: Permission denied`, or the
/// program by which prime-rl's own script looks for InfiniBand.
fn is_of_node(text: &str) -> bool {
    text.starts_with("slurmstepd: error: ") && text.contains("TMPDIR") || text.contains("ibv_devinfo: command not found")
}

/// Where in the message a fatal text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Anywhere,
    /// At its beginning.
    Line,
    /// At the end of a line of a shell.
    Shell,
    /// In a line of PyTorch's C++ code that is an error.
    Glog,
}

/// Texts, in lower case, of lines that say that a process ended.
pub(crate) const FATAL: [(&str, Start); 95] = [
    // SLURM.
    ("slurmstepd: error:", Start::Line),
    ("slurmstepd: fatal:", Start::Line),
    ("srun: error:", Start::Line),
    ("sbatch: error:", Start::Line),
    ("salloc: error:", Start::Line),
    ("srun: job step aborted", Start::Line),
    ("due to time limit", Start::Anywhere),
    ("srun: force terminated", Start::Line),
    // MPI.
    ("mpirun noticed that process", Start::Line),
    ("prterun noticed that process", Start::Line),
    ("has lost communication with a remote daemon", Start::Anywhere),
    ("*** process received signal ***", Start::Anywhere),
    // The shell, systemd and the kernel.
    (": command not found", Start::Anywhere),
    (": not found", Start::Shell),
    (": bad interpreter", Start::Anywhere),
    ("bus error", Start::Anywhere),
    ("segmentation fault", Start::Anywhere),
    ("(core dumped)", Start::Anywhere),
    (" killed     ", Start::Anywhere),
    (" aborted     ", Start::Anywhere),
    ("out of memory: killed process", Start::Anywhere),
    ("main process exited, code=", Start::Anywhere),
    ("failed with result '", Start::Anywhere),
    ("spot instance interruption", Start::Anywhere),
    ("ssh: connect to host", Start::Line),
    ("kex_exchange_identification", Start::Line),
    ("client_loop: send disconnect", Start::Line),
    (" closed by remote host", Start::Anywhere),
    ("timeout: sending signal", Start::Line),
    ("received termination signal", Start::Anywhere),
    ("/usr/bin/env: ", Start::Line),
    // Python and the C library.
    ("fatal python error", Start::Line),
    ("terminate called after throwing", Start::Line),
    ("terminate called without", Start::Line),
    ("error while loading shared libraries", Start::Anywhere),
    ("double free or corruption", Start::Anywhere),
    ("free(): invalid", Start::Anywhere),
    ("free(): double free", Start::Anywhere),
    ("malloc(): ", Start::Line),
    ("malloc_consolidate(): ", Start::Line),
    ("realloc(): ", Start::Line),
    ("munmap_chunk(): ", Start::Line),
    ("corrupted size vs. prev_size", Start::Line),
    ("corrupted double-linked list", Start::Line),
    ("*** stack smashing", Start::Line),
    ("*** buffer overflow", Start::Line),
    ("assertion `", Start::Anywhere),
    // CUDA and NCCL.
    ("cuda error:", Start::Anywhere),
    ("cuda error (", Start::Anywhere),
    ("cuda failure ", Start::Anywhere),
    ("cuda_error_", Start::Anywhere),
    ("cudaerror", Start::Anywhere),
    ("nccl error", Start::Anywhere),
    ("tcpstore.cpp", Start::Glog),
    ("processgroupnccl.cpp", Start::Glog),
    ("cuda initialization: ", Start::Anywhere),
    (" got completion from peer ", Start::Anywhere),
    ("nvshmem setup heap failed", Start::Anywhere),
    ("nvshmem error", Start::Anywhere),
    ("terminating the process after attempting to dump debug info", Start::Anywhere),
    // torchrun, and what other launchers say.
    ("failed (exitcode:", Start::Anywhere),
    ("exits with return code", Start::Anywhere),
    ("failed with return code list", Start::Anywhere),
    // vLLM, SGLang and ray.
    ("engine core initialization failed", Start::Anywhere),
    ("enginecore failed to start", Start::Anywhere),
    ("engine core proc", Start::Anywhere),
    ("enginecore encountered a fatal error", Start::Anywhere),
    ("workerproc failed to start", Start::Anywhere),
    ("application startup failed. exiting", Start::Anywhere),
    ("received sigquit from a child process", Start::Anywhere),
    ("killed due to memory pressure", Start::Anywhere),
    ("a worker died or was killed", Start::Anywhere),
    ("has been marked dead because", Start::Anywhere),
    // Containers.
    ("oomkilled", Start::Anywhere),
    ("back-off restarting failed container", Start::Anywhere),
    ("failedscheduling", Start::Anywhere),
    ("error from server (", Start::Line),
    ("rpc error: code = ", Start::Anywhere),
    ("error response from daemon", Start::Anywhere),
    ("container creation failed", Start::Anywhere),
    ("nvidia-container-cli: ", Start::Line),
    ("oci runtime create failed", Start::Anywhere),
    ("low on resource: ", Start::Anywhere),
    // Hydra.
    ("could not override '", Start::Line),
    (" is not in struct", Start::Anywhere),
    ("primary config module '", Start::Line),
    // Compilers and package managers.
    ("error: failed to spawn", Start::Line),
    ("× no solution found", Start::Line),
    ("× failed to ", Start::Line),
    ("ninja: build stopped", Start::Line),
    ("nvcc fatal ", Start::Line),
    ("llvm error:", Start::Anywhere),
    ("ld: cannot find", Start::Anywhere),
    // Rust and Go.
    (" panicked at ", Start::Anywhere),
    ("panic: runtime error", Start::Line),
];

/// Names of exceptions, in lower case, that are also looked for without a traceback before them.
pub(crate) const EXCEPTIONS: [&str; 34] = [
    "assertionerror",
    "attributeerror:",
    "brokenpipeerror",
    "calledprocesserror:",
    "connectionerror:",
    "connectionrefusederror",
    "connectionreseterror",
    "distbackenderror:",
    "distnetworkerror:",
    "diststoreerror:",
    "entrynotfounderror",
    "filenotfounderror:",
    "hfhubhttperror:",
    "httpstatuserror:",
    "importerror:",
    "indexerror:",
    "keyboardinterrupt",
    "keyerror:",
    "memoryerror",
    "modulenotfounderror:",
    "nameerror:",
    "notimplementederror",
    "oserror:",
    "outofmemoryerror:",
    "outofresources:",
    "permissionerror:",
    "recursionerror:",
    "runtimeerror:",
    "timeouterror",
    "typeerror:",
    "unboundlocalerror:",
    "unicodedecodeerror:",
    "unpicklingerror:",
    "valueerror:",
];

/// Whether a line at the end of a log that no logger wrote says that a process ended. `is_last`: no text follows it, so that it may be less clear.
pub(crate) fn is_last_word(text: &str, is_last: bool) -> bool {
    if is_of_node(text) {
        return false;
    }
    let is_clear = is_shell_end(text);
    is_clear
        || is_last
            && (is_refusal(text)
                || is_shell_message(text)
                || has_exit_code(text)
                || is_glog_error(text)
                || is_of_system(text)
                || is_end_of_program(text)
                || is_lost_connection(text) && !text.contains("retrying"))
}

/// Whether a script says that it was told to end: `Caught SIGTERM, copying checkpoints`. A pool says so of a worker that it replaces, and goes on.
pub(crate) fn is_trapped(text: &str) -> bool {
    const TRAPPED: &str = "caught sigterm";
    text.get(..TRAPPED.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(TRAPPED))
}

/// Whether a line after the last words of a process belongs to the terminal: its prompt, or the shell's own `exit` that `set -x` shows.
pub(crate) fn is_of_terminal(text: &str) -> bool {
    // What W&B, PyTorch and Python write while a process ends.
    const OF_EXIT: [&str; 4] =
        ["destroy_process_group() was not called", "resource_tracker: ", "leaked semaphore", "warnings.warn("];
    let is_of_exit = OF_EXIT.iter().any(|words| text.contains(words))
        || text.strip_prefix("wandb:").is_some_and(|text| !text.contains("ERROR"));
    text.is_empty() || is_of_exit || text.starts_with("+ ") || text.ends_with(['$', '#']) && text.contains([':', '@'])
}

/// The cause in a line below the last words of a program, as those in Rust write it: `  Caused by: operation timed out`.
pub(crate) fn cause(text: &str) -> Option<&str> {
    let cause = text.trim_start().strip_prefix("Caused by: ").filter(|_| text.starts_with(' '))?;
    Some(cause.trim())
}

/// Whether a line is the last of a program that refused to start: `error: Failed to parse`, `vllm serve: error: argument --x: invalid`,
/// `fatal: not a git repository`, `wandb: ERROR Run initialization has timed out`.
fn is_refusal(last: &str) -> bool {
    const WORDS: [&str; 7] = ["error: ", "ERROR: ", "fatal: ", "FATAL: ", "fatal error: ", "ERROR ", "panic: "];
    let is_name = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/'));
    WORDS.iter().any(|word| {
        let Some((program, _)) = last.split_once(word) else { return false };
        program.is_empty() && !word.ends_with("R ")
            || program
                .strip_suffix(": ")
                .is_some_and(|program| program.split(' ').count() <= 2 && program.split(' ').all(is_name))
    })
}

/// Whether a shell says why it could not run something: `bash: ./run.sh: Permission denied`, `job.sh: line 12: x: No such file or directory`.
fn is_shell_message(last: &str) -> bool {
    const SHELLS: [&str; 8] = ["bash: ", "-bash: ", "/bin/bash: ", "sh: ", "/bin/sh: ", "zsh: ", "fish: ", "make: *** "];
    let has_line = || {
        let behind = last.split_once(": line ").map_or("", |(_, behind)| behind);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && behind[digits..].starts_with(": ")
    };
    SHELLS.iter().any(|shell| last.starts_with(shell)) || has_line()
}

/// Whether a line ends with a reason in the words of the C library: `nohup: failed to run command 'uv': No such file or directory`.
fn is_of_system(last: &str) -> bool {
    const REASONS: [&str; 24] = [
        "No such file or directory",
        "Permission denied",
        "Operation not permitted",
        "Broken pipe",
        "Connection refused",
        "Connection reset by peer",
        "Connection timed out",
        "Network is unreachable",
        "No route to host",
        "Host is down",
        "Input/output error",
        "No space left on device",
        "Disk quota exceeded",
        "Read-only file system",
        "Stale file handle",
        "Transport endpoint is not connected",
        "Cannot allocate memory",
        "Resource temporarily unavailable",
        "Device or resource busy",
        "Too many open files",
        "Argument list too long",
        "Exec format error",
        "Is a directory",
        "Not a directory",
    ];
    let is_warning = last.to_ascii_lowercase().contains("warn");
    !is_warning && REASONS.iter().any(|reason| last.strip_suffix(reason).is_some_and(|head| head.ends_with(": ")))
}

/// Whether the last line of a log says that a program, a job or a machine ended, in the words of no program in particular.
fn is_end_of_program(last: &str) -> bool {
    const BEGINS: [&str; 4] = ["[error] ", "exiting", "killed: ", "npm err!"];
    const WORDS: [&str; 27] = [
        "runner failed",
        "signal: killed",
        "terminated by signal",
        "terminated by spot",
        "terminated by the ",
        "terminated by user",
        "was evicted",
        "is preempted",
        "been preempted",
        "was preempted",
        "dumped core",
        "lost server",
        "failed to run command",
        "fatal error",
        "could not load library",
        "cannot load lib",
        "backofflimitexceeded",
        "could not find conda environment",
        "a terminal is required",
        "has exited due to",
        "exiting improperly",
        "node is shutting down",
        "server is shutting down",
        "error #",
        "]: *** [",
        "] killed",
        "' failed",
    ];
    let lower = last.to_ascii_lowercase();
    // A sandbox of an environment may say one or the other, too.
    let is_container = ["container", "exceeded its memory limit", "and was terminated"].iter().all(|part| lower.contains(part));
    !lower.contains("warn")
        && (is_container || BEGINS.iter().any(|begin| lower.starts_with(begin)) || WORDS.iter().any(|word| lower.contains(word)))
}

/// Whether a line at the left of a traceback is its exception, of a class with any name: `GraderTimedOut: after 30 s`, `re.error: missing )`. Elsewhere such
/// lines are titles.
pub(crate) fn is_class(message: &str) -> bool {
    let end = message.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
    let (name, rest) = message.split_at(end);
    let class = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_');
    let is_camel =
        class.starts_with(|first: char| first.is_ascii_uppercase()) && class.contains(|c: char| c.is_ascii_lowercase());
    (is_camel || name.contains('.') && class.eq_ignore_ascii_case("error")) && (rest.is_empty() || rest.starts_with(": "))
}

/// Whether NCCL warns that it can't reach another process: `NCCL WARN Call to connect returned Connection timed out, retrying`. It warns of much else in
/// runs that are well.
pub(crate) fn is_lost_connection(text: &str) -> bool {
    const FAILED: [&str; 8] =
        ["failed", "timed out", "refused", "reset by peer", "no route to host", "unreachable", "aborted", "closed by"];
    const OF_CONNECTIONS: [&str; 7] = ["connect", "socket", "peer", " recv", " send", "bootstrap", "proxy"];
    let Some((_, message)) = text.split_once("NCCL WARN ") else { return false };
    let lower = message.to_ascii_lowercase();
    FAILED.iter().any(|word| lower.contains(word)) && OF_CONNECTIONS.iter().any(|word| lower.contains(word))
}

/// Whether a line states the code with which a process ended, other than 0: `training failed with exit code 1`, `+ exit 1`.
fn has_exit_code(last: &str) -> bool {
    const WORDS: [&str; 9] = [
        "exit code",
        "exit status",
        "exitcode",
        "return code",
        "exited with code",
        "exited with status",
        "exited with ",
        "code=exited",
        "+ exit",
    ];
    let lower = last.to_ascii_lowercase();
    WORDS.iter().any(|word| {
        let Some((_, behind)) = lower.split_once(word) else { return false };
        let code = behind.trim_start_matches([' ', ':', '=', '[', '(', '-']);
        let digits = code.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && code[..digits].bytes().any(|digit| digit != b'0')
    })
}

/// Whether a line is an error of Google's logger, as ray writes it: `[2026-07-01 10:00:00,123 E 12 12] core_worker.cc:500: ...`.
fn is_glog_error(last: &str) -> bool {
    // `F0902 10:00:00.123456 42 message.cc:348] ...`.
    let is_place = |head: &str| head.contains(".cc:") || head.contains(".cpp:");
    // Two libraries that bring the same plugin.
    if last.contains("Unable to register") {
        return false;
    }
    if last.starts_with(['E', 'F']) && last.split_once("] ").is_some_and(|(head, _)| is_place(head)) {
        return true;
    }
    let Some((head, _)) = last.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return false };
    let words: Vec<&str> = head.split(' ').collect();
    matches!(words.as_slice(), [_, _, "E" | "C" | "F", ..])
}

/// Whether the last line of a log is the shell's report of a process that was ended: nothing else is in that line.
fn is_shell_end(last: &str) -> bool {
    const ENDS: [&str; 10] = [
        "Killed",
        "Aborted",
        "Terminated",
        "Bus error",
        "Hangup",
        "Segmentation fault",
        "Illegal instruction",
        "Floating point exception",
        "Trace/breakpoint trap",
        "Quit",
    ];
    ENDS.iter().any(|end| last.trim_end_matches(" (core dumped)") == *end)
}
