// Builds the extension. Needs Node 18 and npm, nothing else. The same sources give the same bytes.
//
//   node build.mjs                                       cfg-prime-rl-VERSION.vsix, which looks for the program on the machine
//   node build.mjs --program PATH                        cfg-prime-rl-PLATFORM-VERSION.vsix for this platform, with the program in it
//   node build.mjs --platform linux-x64 --program PATH   the same for another platform; both may be repeated, in pairs
//
// A THIRD-PARTY.md beside a program, with the notices of what is in it, is packed as well. `--offline` takes node_modules as they are,
// `--out FOLDER` says where the packages go.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as zlib from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

/** The platforms of VS Code for which there can be a package, each with what tells its programs: their format and processor. */
const PLATFORMS = {
  "linux-x64": (bytes) => isElf(bytes, 0x3e),
  "linux-arm64": (bytes) => isElf(bytes, 0xb7),
  "darwin-x64": (bytes) => isMachO(bytes, 0x01000007),
  "darwin-arm64": (bytes) => isMachO(bytes, 0x0100000c),
  "win32-x64": (bytes) => isPortableExecutable(bytes, 0x8664),
  "win32-arm64": (bytes) => isPortableExecutable(bytes, 0xaa64),
};

const isElf = (bytes, machine) => bytes.length > 20 && bytes.readUInt32BE(0) === 0x7f454c46 && bytes.readUInt16LE(18) === machine;
const isMachO = (bytes, machine) => bytes.length > 8 && bytes.readUInt32LE(0) === 0xfeedfacf && bytes.readUInt32LE(4) === machine;

function isPortableExecutable(bytes, machine) {
  const at = bytes.length > 64 && bytes.toString("latin1", 0, 2) === "MZ" ? bytes.readUInt32LE(60) : bytes.length;
  return at + 6 <= bytes.length && bytes.readUInt32BE(at) === 0x50450000 && bytes.readUInt16LE(at + 4) === machine;
}

function fail(why) {
  console.error(`build.mjs: ${why}`);
  process.exit(2);
}

/** What is to be packed, and where to: `{ platform, program }`, both undefined for the package that has no program. */
function wanted(words) {
  const packages = [];
  let folder = here;
  let platform;
  for (let at = 0; at < words.length; at += 1) {
    const value = words[at + 1];
    if (words[at] === "--offline") {
      continue;
    }
    if (!["--platform", "--program", "--out"].includes(words[at]) || value === undefined) {
      fail(`${words[at]}: write --platform NAME --program PATH, --out FOLDER or --offline`);
    }
    at += 1;
    if (words[at - 1] === "--out") {
      folder = resolve(value);
      continue;
    }
    if (words[at - 1] === "--platform") {
      platform = value;
      continue;
    }
    platform ??= `${process.platform}-${process.arch}`;
    if (!Object.hasOwn(PLATFORMS, platform)) {
      fail(`${platform} is no platform; there are ${Object.keys(PLATFORMS).join(", ")}`);
    }
    if (!existsSync(value) || !PLATFORMS[platform](readFileSync(value))) {
      fail(`${value} is no program for ${platform}`);
    }
    packages.push({ platform, program: resolve(value) });
    platform = undefined;
  }
  if (platform !== undefined) {
    fail(`--platform ${platform} is followed by no --program`);
  }
  return { folder, packages: packages.length > 0 ? packages : [{}] };
}

const { folder, packages } = wanted(process.argv.slice(2));
if (!process.argv.includes("--offline") || !existsSync(join(here, "node_modules"))) {
  // On Windows npm is a script.
  const shell = process.platform === "win32";
  execFileSync("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit", shell });
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const vsixManifest = (platform) => `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}"${platform ? ` TargetPlatform="${platform}"` : ""}/>
    <DisplayName>${escape(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${escape(manifest.description)}</Description>
    <Tags>${escape(manifest.keywords.join(","))}</Tags>
    <Categories>${escape(manifest.categories.join(","))}</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escape(manifest.engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="${manifest.extensionKind.join(",")}"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;

const contentTypes = (program) => `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="json" ContentType="application/json"/>
  <Default Extension="js" ContentType="application/javascript"/>
  <Default Extension="css" ContentType="text/css"/>
  <Default Extension="md" ContentType="text/markdown"/>
  <Default Extension="png" ContentType="image/png"/>
  <Default Extension="txt" ContentType="text/plain"/>
  <Default Extension="vsixmanifest" ContentType="text/xml"/>${program ? `\n  <Override PartName="/${program}" ContentType="application/octet-stream"/>` : ""}
</Types>
`;

/** The files of a folder that are needed at run time. */
function files(folder) {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) {
        return name === "typings" || name === "test" ? [] : files(path);
      }
      return /\.(js|json)$/.test(name) || /^licen[cs]e/i.test(name) ? [path] : [];
    });
}

/** Both licences, as one text: an installer shows one file. */
function licences() {
  const read = (name) => readFileSync(join(here, "..", "..", name), "utf8").trim();
  const choice = "cfg for prime-rl may be used under the MIT licence or under the Apache License 2.0, as you like. Both follow.";
  return Buffer.from(`${choice}\n\n${read("LICENSE-MIT")}\n\n${read("LICENSE-APACHE")}\n`);
}

/** What a package holds: names, contents, and which are programs. */
function entries({ platform, program }) {
  const notices = program && join(dirname(program), "THIRD-PARTY.md");
  const inside = program && `extension/bin/${platform}/${platform.startsWith("win32") ? "cfg.exe" : "cfg"}`;
  const own = ["package.json", "extension.js", "README.md", "language-configuration.json", "syntaxes/toml.tmLanguage.json"];
  const listed = (folder) => readdirSync(join(here, folder)).sort().map((name) => `${folder}/${name}`);
  // The licences of what is used lie beside it; some have no ending.
  const named = (path) => relative(here, path).replaceAll("\\", "/").replace(/(^|\/)(licen[cs]e[^/.]*)$/i, "$1$2.txt");
  return [
    ["extension.vsixmanifest", Buffer.from(vsixManifest(platform))],
    ["[Content_Types].xml", Buffer.from(contentTypes(inside))],
    ["extension/LICENSE.txt", licences()],
    ...[...own, ...listed("lib"), ...listed("media"), ...listed("pictures")].map((name) => [`extension/${name}`, readFileSync(join(here, name))]),
    ...files(join(here, "node_modules")).map((path) => [`extension/${named(path)}`, readFileSync(path)]),
    ...(program ? [[inside, readFileSync(program), true]] : []),
    ...(notices && existsSync(notices) ? [[`${dirname(inside)}/THIRD-PARTY.md`, readFileSync(notices)]] : []),
  ];
}

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  }
  return value >>> 0;
});
const crc32 = zlib.crc32 ?? ((bytes) => ~bytes.reduce((crc, byte) => table[(crc ^ byte) & 0xff] ^ (crc >>> 8), 0xffffffff) >>> 0);

/** A zip file. All files are of the first day that its format knows; a program may be run where it is unpacked. */
function zip(list) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content, isProgram] of list) {
    const packed = zlib.deflateRawSync(content, { level: 9 });
    const common = Buffer.alloc(26);
    [20, 0x0800, 8, 0, 0x21].forEach((value, at) => common.writeUInt16LE(value, at * 2));
    [crc32(content), packed.length, content.length].forEach((value, at) => common.writeUInt32LE(value, 10 + at * 4));
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, Buffer.from(name)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((isProgram ? 0o100755 : 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    // Made as on Unix: the permissions count.
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0003"), common, rest, Buffer.from(name)]));
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  [list.length, list.length].forEach((value, at) => end.writeUInt16LE(value, 4 + at * 2));
  [central.length, offset].forEach((value, at) => end.writeUInt32LE(value, 8 + at * 4));
  return Buffer.concat([...parts, central, Buffer.from("PK\u0005\u0006"), end]);
}

for (const { platform, program } of packages) {
  const name = [manifest.name, ...(platform ? [platform] : []), manifest.version].join("-");
  const target = join(folder, `${name}.vsix`);
  const list = entries({ platform, program });
  writeFileSync(target, zip(list));
  console.log(`${relative(process.cwd(), target)}: ${list.length} files, ${statSync(target).size} bytes`);
}
