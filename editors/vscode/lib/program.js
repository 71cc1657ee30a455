// Finds the program `cfg`. A folder that was opened to be looked at must not decide what runs: the program is never taken from the workspace,
// except from its `.venv` where the user has allowed that and trusts the workspace.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

/** The path with all links followed; the path itself where there is nothing. */
function real(file) {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

/** Whether a path is a folder or lies in it. */
function isWithin(file, folder) {
  const relative = path.relative(folder, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** A folder, and the repository around it: whoever made the one could have made the other. */
function withRepository(folder) {
  const found = [real(folder)];
  for (let at = found[0]; path.dirname(at) !== at; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, ".git"))) {
      found.push(at);
      break;
    }
  }
  return found;
}

/** Whether this is a file that can be started. */
function canRun(file, platform) {
  try {
    if (!fs.statSync(file).isFile()) {
      return false;
    }
    fs.accessSync(file, platform === "win32" ? fs.constants.F_OK : fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The program in the extension's own folder. An installer may have lost its permission to run. */
function bundled({ extension, platform, arch, name }) {
  const file = path.join(extension, "bin", `${platform}-${arch}`, name);
  if (fs.existsSync(file) && !canRun(file, platform)) {
    try {
      fs.chmodSync(file, 0o755);
    } catch {
      return undefined;
    }
  }
  return canRun(file, platform) ? file : undefined;
}

/** The first program of that name in the folders of PATH, and where installers put programs, that doesn't lie in the workspace. */
function inPath(name, { env, home, platform, folders }, looked) {
  const foreign = folders.flatMap(withRepository);
  // Windows writes the name of the variable as it likes.
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH");
  const listed = (key === undefined ? "" : env[key]).split(platform === "win32" ? ";" : ":");
  const usual = home ? [path.join(home, ".local", "bin"), path.join(home, ".cargo", "bin")] : [];
  for (const folder of [...listed, ...usual].filter((folder) => path.isAbsolute(folder))) {
    const file = path.join(folder, name);
    if (!canRun(file, platform)) {
      continue;
    }
    if (foreign.some((root) => isWithin(file, root) || isWithin(real(file), root))) {
      looked.push(`${file}: not used, as it lies in the workspace`);
      continue;
    }
    return file;
  }
  looked.push(`PATH: no ${name} in ${listed.join(", ") || "it, it is empty"}`);
  looked.push("PATH is that of the shell that started VS Code, on a remote machine that of its server: what .bashrc adds later is not in it. Set cfg.path, or start the server again");
  return undefined;
}

/**
 * Finds the program. Answers with `{ program, from }`; where there is none with `{ looked }`, a line for each place, and with `{ wrong }` where the
 * setting names something that can't be started: then nothing else is tried.
 *
 * @param {object} at
 * @param {string} at.setting what `cfg.path` says: an absolute path, a name to be looked for in PATH, or nothing
 * @param {string} at.extension the extension's own folder
 * @param {string[]} at.folders the folders of the workspace
 * @param {boolean} at.mayUseVenv whether the user allows programs in `.venv`, and trusts the workspace
 * @param {NodeJS.ProcessEnv} at.env
 * @param {string} at.home
 * @param {string} at.platform
 * @param {string} at.arch
 */
function findProgram(at) {
  const name = at.platform === "win32" ? "cfg.exe" : "cfg";
  const looked = [];
  const setting = at.setting.trim();
  if (setting !== "") {
    const named = setting.startsWith("~/") && at.home ? path.join(at.home, setting.slice(2)) : setting;
    if (path.isAbsolute(named)) {
      return canRun(named, at.platform) ? { program: named, from: "cfg.path" } : { looked, wrong: `cfg.path names ${named}, which is no program` };
    }
    if (/[\\/]/.test(named)) {
      return { looked, wrong: `cfg.path is "${named}": write an absolute path, or a name alone` };
    }
    const found = inPath(named, at, looked);
    return found ? { program: found, from: "cfg.path" } : { looked, wrong: `cfg.path names "${named}", which is not in PATH` };
  }
  const own = bundled({ ...at, name });
  if (own !== undefined) {
    return { program: own, from: "the extension" };
  }
  looked.push(`the extension: made without a program for ${at.platform}-${at.arch}`);
  for (const folder of at.folders) {
    const file = path.join(folder, ".venv", at.platform === "win32" ? "Scripts" : "bin", name);
    if (!canRun(file, at.platform)) {
      continue;
    }
    if (at.mayUseVenv) {
      return { program: file, from: "the workspace's .venv" };
    }
    looked.push(`${file}: not used without cfg.useVenv, or in a workspace that is not trusted`);
  }
  const found = inPath(name, at, looked);
  return found ? { program: found, from: "PATH" } : { looked };
}

module.exports = { findProgram, isWithin };
