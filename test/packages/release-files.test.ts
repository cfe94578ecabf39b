import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { describeStandaloneUpdate } from "../../packages/cli/src/installation/installation.js";
import { temporaryFolder } from "../../packages/cli/test/folders.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { manifestOf } from "../../scripts/release/pack.js";
import { archiveName, type Target, targets } from "../../scripts/release/targets.js";

const { version } = manifestOf("packages/cli");
const folder = temporaryFolder();
const archives = join(folder, "archives");
const out = join(folder, "out");

const writeArchives = (path: string, names: readonly string[]): void => {
  mkdirSync(path, { recursive: true });
  for (const name of names) writeFileSync(join(path, name), `content of ${name}`);
};

const names = targets.map((target) => archiveName(version, target));
const program = [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "scripts/release/files.ts")];
const write = (...words: string[]) => promisify(execFile)(process.execPath, [...program, ...words]);

const read = (name: string): string => readFileSync(join(out, name), "utf8");
const hashOf = (target: Target): string =>
  createHash("sha256")
    .update(`content of ${archiveName(version, target)}`)
    .digest("hex");
const urlOf = (target: Target): string =>
  `https://github.com/mgmt-sdk/mgmt/releases/download/v${version}/${archiveName(version, target)}`;

beforeAll(async () => {
  writeArchives(archives, names);
  await write("--archives", archives, "--out", out);
}, 60_000);

describe("the files beside the archives", () => {
  it("have checksums that sha256sum accepts", () => {
    writeFileSync(join(archives, "SHA256SUMS"), read("SHA256SUMS"));
    const lines = execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: archives, encoding: "utf8" });
    expect(lines.trim().split("\n")).toEqual(names.map((name) => `${name}: OK`));
  });

  it("are not written if an archive is missing, or has another version", async () => {
    const incomplete = join(folder, "incomplete");
    writeArchives(incomplete, [...names.slice(1), "mgmt-0.0.1-linux-x64.tar.gz"]);
    await expect(write("--archives", incomplete, "--out", join(folder, "none"))).rejects.toMatchObject({
      code: 1,
      stderr: `${incomplete} lacks ${String(names[0])}. Nothing was written.\n`,
    });
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  it.each([
    ["macos", "arm", "macos-arm64"],
    ["macos", "intel", "macos-x64"],
    ["linux", "arm", "linux-arm64"],
    ["linux", "intel", "linux-x64"],
  ] as const)("are a formula that downloads the archive of on_%s and on_%s", (system, processor, target) => {
    const [, inside = ""] = read("homebrew/mgmt.rb").split(`  on_${system} do\n`);
    const [, lines = ""] = (inside.split("\n  end\n")[0] ?? "").split(`    on_${processor} do\n`);
    expect(lines.split("    end")[0]).toBe(
      `      url "${urlOf(target)}"\n      sha256 "${hashOf(target)}"\n`,
    );
  });

  it("are a manifest for Scoop that downloads them, and finds those of the next version", () => {
    const manifest = JSON.parse(read("scoop/mgmt.json"));
    const archiveOf = (target: Target) => ({
      url: urlOf(target),
      extract_dir: `mgmt-${version}-${target}`,
    });
    const [x64, arm64] = [archiveOf("windows-x64"), archiveOf("windows-arm64")];
    expect(manifest).toMatchObject({
      version,
      architecture: {
        "64bit": { ...x64, hash: hashOf("windows-x64") },
        arm64: { ...arm64, hash: hashOf("windows-arm64") },
      },
    });
    const { architecture, hash } = manifest.autoupdate;
    const current = JSON.parse(JSON.stringify(architecture).replaceAll("$version", version));
    expect(current).toEqual({ "64bit": x64, arm64 });
    expect(hash.url).toBe("$baseurl/SHA256SUMS");
  });

  it("are manifests for winget that download them, by the identifier that the update notice names", () => {
    const id = "MgmtSdk.Mgmt";
    for (const part of ["", ".installer", ".locale.en-US"]) {
      const manifest: unknown = parse(read(`winget/${id}${part}.yaml`));
      expect(manifest).toMatchObject({ PackageIdentifier: id, PackageVersion: version });
    }
    const { Installers } = parse(read(`winget/${id}.installer.yaml`)) as { Installers: unknown[] };
    expect(Installers).toEqual(
      (["x64", "arm64"] as const).map((processor) => ({
        Architecture: processor,
        InstallerUrl: urlOf(`windows-${processor}`),
        InstallerSha256: hashOf(`windows-${processor}`).toUpperCase(),
        NestedInstallerFiles: [
          {
            RelativeFilePath: `mgmt-${version}-windows-${processor}\\mgmt.exe`,
            PortableCommandAlias: "mgmt",
          },
        ],
      })),
    );
    expect(describeStandaloneUpdate("C:\\WinGet\\Packages\\x\\mgmt.exe", "9.9.9")).toBe(
      `To update, run: winget upgrade ${id}`,
    );
  });
});
