// Builds cfg-prime-rl-VERSION.vsix: `node build.mjs`. Needs Node 18 and npm, nothing else. The same sources give the same bytes.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as zlib from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

if (!process.argv.includes("--offline") || !existsSync(join(here, "node_modules"))) {
  execFileSync("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" });
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const vsixManifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}"/>
    <DisplayName>${escape(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${escape(manifest.description)}</Description>
    <Tags>${escape(manifest.keywords.join(","))}</Tags>
    <Categories>${escape(manifest.categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escape(manifest.engines.vscode)}"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
`;

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="json" ContentType="application/json"/>
  <Default Extension="js" ContentType="application/javascript"/>
  <Default Extension="md" ContentType="text/markdown"/>
  <Default Extension="txt" ContentType="text/plain"/>
  <Default Extension="vsixmanifest" ContentType="text/xml"/>
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

const entries = [
  ["extension.vsixmanifest", Buffer.from(vsixManifest)],
  ["[Content_Types].xml", Buffer.from(contentTypes)],
  ...["package.json", "extension.js", "README.md"].map((name) => [`extension/${name}`, readFileSync(join(here, name))]),
  ...files(join(here, "node_modules")).map((path) => [`extension/${relative(here, path).replaceAll("\\", "/")}`, readFileSync(path)]),
];

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  }
  return value >>> 0;
});
const crc32 = zlib.crc32 ?? ((bytes) => ~bytes.reduce((crc, byte) => table[(crc ^ byte) & 0xff] ^ (crc >>> 8), 0xffffffff) >>> 0);

/** A zip file. All files are of the first day that its format knows. */
function zip(list) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of list) {
    const packed = zlib.deflateRawSync(content, { level: 9 });
    const common = Buffer.alloc(26);
    [20, 0x0800, 8, 0, 0x21].forEach((value, at) => common.writeUInt16LE(value, at * 2));
    [crc32(content), packed.length, content.length].forEach((value, at) => common.writeUInt32LE(value, 10 + at * 4));
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, Buffer.from(name)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), common, rest, Buffer.from(name)]));
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  [list.length, list.length].forEach((value, at) => end.writeUInt16LE(value, 4 + at * 2));
  [central.length, offset].forEach((value, at) => end.writeUInt32LE(value, 8 + at * 4));
  return Buffer.concat([...parts, central, Buffer.from("PK\u0005\u0006"), end]);
}

const target = join(here, `${manifest.name}-${manifest.version}.vsix`);
writeFileSync(target, zip(entries));
console.log(`${relative(process.cwd(), target)}: ${entries.length} files, ${statSync(target).size} bytes`);
