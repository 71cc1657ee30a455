//! What a clone states and how it names its files do not decide what `cfg run launch --exec` and `cfg run watch --exec` start.

use std::{fs, process::Command};

use crate::victim::{CLEAN, Victim};

/// Names that a shell, or a program, would take for something else.
const NAMES: [&str; 5] = ["a b;$(marker).toml", "`marker`.toml", "'\"$HOME.toml", "line\nmarker\n.toml", "-c.toml"];

/// A clone whose settings, metadata, variables and launches name other programs, on a machine with `uv` and a GPU.
fn clone() -> Victim {
    let config = CLEAN.replace("[inference]\n", "");
    let stated = "# /// config\n# kind = \"rl\"\n# usage = \"marker @ rl.toml\"\n# ///\n# marker @ rl.toml\n";
    let victim = Victim::with_clone(&[
        ("cfg.toml", "target = \"0.4.0\"\n"),
        (".env", "PATH=.\nLD_PRELOAD=./marker.so\n"),
        ("run.sh", "PATH=. marker uv run rl @ rl.toml\n"),
        ("pyproject.toml", "[project]\nname = \"x\"\n[project.scripts]\nrl = \"marker:main\"\n"),
    ]);
    for name in NAMES {
        victim.write(name, &format!("{stated}{config}"));
    }
    // Each word on a line of its own, with what a line break would hide.
    let uv = format!("#!/bin/sh\nfor word; do printf '<%s>\\n' \"$word\"; done > '{}'\n", victim.at("state/started").display());
    victim.program("programs/uv", &uv);
    let gpus = "#!/bin/sh\ncase \"$1\" in *compute-apps*) ;; *) echo '0, GPU-a, NVIDIA H100 80GB HBM3, 81559, 1';; esac\n";
    victim.program("programs/nvidia-smi", gpus);
    victim
}

fn path(victim: &Victim) -> String {
    format!("{}:/usr/bin:/bin", victim.at("programs").display())
}

#[test]
fn the_printed_script_starts_one_program_with_each_name_as_a_word() {
    let victim = clone();
    for name in NAMES {
        let script = victim.finish(&mut victim.command_with(["run", "launch", "--", name]), b"").stdout;
        let mut shell = victim.within(Command::new("bash"));
        let ended = shell.args(["-c", &script]).env("PATH", path(&victim)).output().expect("a shell");
        assert!(!victim.at("ran").exists(), "{name}: {script}{ended:?}");
        let started = fs::read_to_string(victim.at("state/started")).expect("it was started");
        assert!(started.starts_with("<run>\n<rl>\n<@>\n") && started.contains(&format!("<{name}>\n")), "{name}: {started}");
    }
}

#[test]
fn what_is_started_is_what_the_script_starts() {
    let victim = clone();
    for name in NAMES {
        let _ = fs::remove_file(victim.at("state/started"));
        let mut command = victim.command_with(["run", "launch", "--exec", "--", name]);
        let ended = victim.finish(command.env("PATH", path(&victim)), b"");
        // On a machine that is busy or full, nothing is started.
        let Ok(started) = fs::read_to_string(victim.at("state/started")) else {
            assert!(ended.stderr.contains("error["), "{name}: {ended:?}");
            continue;
        };
        assert!(started.starts_with("<run>\n<rl>\n<@>\n") && started.contains(&format!("<{name}>\n")), "{name}: {started}");
    }
}

/// Only the user's command is run, and what the clone names is a value of a variable.
#[test]
fn the_name_of_a_run_is_not_run() {
    let victim = clone();
    for name in ["$(marker)", "`marker`; marker", "line\nmarker"] {
        victim.write(&format!("{name}/logs/trainer.log"), "12:00:00    INFO Starting RL trainer\n");
        let mut command = victim.command_with(["run", "watch", "--once", "--exec", "printf '<%s>' \"$CFG_RUN\" > ../state/told"]);
        let ended = victim.finish(command.args(["--", name]).env("PATH", path(&victim)), b"");
        assert_eq!(fs::read_to_string(victim.at("state/told")).ok(), Some(format!("<{name}>")), "{ended:?}");
    }
}
