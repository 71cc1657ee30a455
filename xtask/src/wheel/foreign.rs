//! `cargo xtask wheel --target TARGET`: the wheel for Linux on another processor, which zig links, and its program run by qemu.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use super::{answers_an_editor, build, maturin, may_have, refuse_folders, target};
use crate::{generate::root, say, tools};

/// What a user of Debian installs to run the programs of another processor.
const MISSING: &str =
    "qemu's user mode and the C library of that processor are needed (on Debian qemu-user and libc6-arm64-cross)";

/// Builds the wheel, looks at it and runs its program; says what is skipped where something for it can't be had.
pub(crate) fn write(triple: &str) -> Result<(), String> {
    if let Err(why) = tools::has_standard_library(triple).and_then(|()| maturin()) {
        say(&format!("skipped: no wheel for {triple} is built: {why}"));
        return Ok(());
    }
    let wheel = build("source", Some(triple), None)?;
    let size = may_have(&wheel, None)?;
    say(&format!("{}: {size} bytes", wheel.display()));
    let architecture = triple.split('-').next().unwrap_or_default();
    let cfg = unpacked(&wheel, architecture)?;
    refuse_folders(&cfg)?;
    let run = match emulator(architecture) {
        Ok((qemu, library)) => move || {
            let mut command = Command::new(&qemu);
            command.arg("-L").arg(&library).arg(&cfg);
            command
        },
        Err(why) => {
            say(&format!("skipped: the program of this wheel is not run: {why}"));
            return Ok(());
        }
    };
    tools::run(run().args(["check", "configs"]).current_dir(root()))?;
    answers_an_editor(run())?;
    say("in qemu, its program checked configs/ and answered an editor");
    Ok(())
}

/// Puts the files of a wheel for another processor into a folder; its program.
fn unpacked(wheel: &Path, architecture: &str) -> Result<PathBuf, String> {
    let environment = target()?.join("wheel/environment");
    tools::virtual_environment(&environment)?;
    let folder = target()?.join("wheel").join(format!("files-{architecture}"));
    drop(std::fs::remove_dir_all(&folder));
    let mut pip = Command::new(environment.join(tools::SCRIPTS).join("python"));
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--only-binary", ":all:", "--target"]).arg(&folder);
    for platform in platforms(wheel) {
        if !platform.ends_with(architecture) {
            return Err(format!("{} is not for {architecture}", wheel.display()));
        }
        pip.args(["--platform", &platform]);
    }
    tools::run(pip.arg(wheel))?;
    Ok(folder.join("bin/cfg"))
}

/// The platforms that the name of a wheel lists at its end.
fn platforms(wheel: &Path) -> Vec<String> {
    let name = wheel.file_stem().unwrap_or_default().to_string_lossy();
    name.rsplit('-').next().unwrap_or_default().split('.').map(str::to_owned).collect()
}

/// qemu's program for a processor, and the folder of that processor's C library.
fn emulator(architecture: &str) -> Result<(PathBuf, PathBuf), String> {
    let names = [format!("qemu-{architecture}"), format!("qemu-{architecture}-static")];
    // qemu itself reads this variable.
    let elsewhere = std::env::var_os("QEMU_LD_PREFIX").map(PathBuf::from);
    let library = elsewhere.unwrap_or_else(|| PathBuf::from(format!("/usr/{architecture}-linux-gnu")));
    tools::in_path(&names).filter(|_| library.is_dir()).map(|qemu| (qemu, library)).ok_or_else(|| MISSING.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::platforms;

    #[test]
    fn the_name_of_a_wheel_ends_with_its_platforms() {
        let wheel = Path::new("/x/cfg_prime_rl-0.1.0-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.whl");
        assert_eq!(platforms(wheel), ["manylinux_2_17_aarch64", "manylinux2014_aarch64"]);
    }
}
