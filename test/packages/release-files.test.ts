import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../packages/cli/test/folders.js";
import { describeStandaloneUpdate } from "../../packages/cli/src/installation/installation.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { manifestOf } from "../../scripts/release/pack.js";
import { archiveName, type Target, targets } from "../../scripts/release/targets.js";

const { version } = manifestOf("packages/cli");
const repository = "https://github.com/mgmt-sdk/mgmt";
const folder = temporaryFolder();
const archives = join(folder, "archives");
const out = join(folder, "out");

const writeArchives = (path: string, names: readonly string[]): void => {
  mkdirSync(path, { recursive: true });
  for (const name of names) writeFileSync(join(path, name), `content of ${name}`);
};

const names = targets.map((target) => archiveName(version, target));
const program = [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "scripts/release/files.ts")];
const write = (...words: string[]) =>
  promisify(execFile)(process.execPath, [...program, ...words], { cwd: folder }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );

const read = (name: string): string => readFileSync(join(out, name), "utf8");
const hashOf = (target: Target): string =>
  createHash("sha256")
    .update(`content of ${archiveName(version, target)}`)
    .digest("hex");
const urlOf = (target: Target): string =>
  `${repository}/releases/download/v${version}/${archiveName(version, target)}`;

/** Returns what does not match a schema. */
const problemsIn = (value: unknown, schema: object): unknown => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  validate(value);
  return validate.errors ?? [];
};

beforeAll(async () => {
  writeArchives(archives, names);
  const { code, stdout } = await write("--archives", archives, "--out", out);
  expect({ code, files: stdout.trim().split("\n").length }).toEqual({ code: 0, files: 6 });
}, 60_000);

describe("the files beside the archives", () => {
  it("have checksums that sha256sum accepts", () => {
    writeFileSync(join(archives, "SHA256SUMS"), read("SHA256SUMS"));
    const printed = execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: archives, encoding: "utf8" });
    expect(printed.trim().split("\n")).toEqual(names.map((name) => `${name}: OK`));
  });

  it("name no host but the one of the repository, and those of schemas", () => {
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
    const hosts = new Set([...text.matchAll(/https?:\/\/([^/"\s]+)/g)].map(([, host]) => host));
    expect([...hosts].sort()).toEqual(["aka.ms", "github.com"]);
  });

  it("are not written if an archive is missing, or has another version", async () => {
    const incomplete = join(folder, "incomplete");
    writeArchives(incomplete, [...names.slice(1), "mgmt-0.0.1-linux-x64.tar.gz"]);
    const { code, stderr } = await write("--archives", incomplete, "--out", join(folder, "none"));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${incomplete} lacks ${String(names[0])}. Nothing was written.\n`,
    });
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  it("are not written with an unknown option, which prints the usage", async () => {
    expect(await write("--push")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--push.*npx tsx scripts\/release\/files/s),
    });
  });
});

describe("the formula for Homebrew", () => {
  /** The lines inside `on_<system> do` and `on_<processor> do`. */
  const archiveIn = (system: string, processor: string): string => {
    const [, inside = ""] = read("homebrew/mgmt.rb").split(`  on_${system} do\n`);
    const [, lines = ""] = (inside.split("\n  end\n")[0] ?? "").split(`    on_${processor} do\n`);
    return lines.split("    end")[0] ?? "";
  };

  it.each([
    ["macos", "arm", "macos-arm64"],
    ["macos", "intel", "macos-x64"],
    ["linux", "arm", "linux-arm64"],
    ["linux", "intel", "linux-x64"],
  ] as const)("downloads the archive of on_%s and on_%s", (system, processor, target) => {
    expect(archiveIn(system, processor)).toBe(
      `      url "${urlOf(target)}"\n      sha256 "${hashOf(target)}"\n`,
    );
  });

  it("has a description that brew audit accepts", () => {
    const [, description = ""] = /^ {2}desc "(.+)"$/m.exec(read("homebrew/mgmt.rb")) ?? [];
    expect(description.length).toBeLessThanOrEqual(80);
    expect(description).not.toMatch(/^(an?|the) |^mgmt|[.]$/i);
  });

  it("opens as many blocks as it ends", () => {
    const lines = read("homebrew/mgmt.rb").split("\n");
    const opened = lines.filter((line) => /^\s*(class|def) | do$/.test(line));
    expect(lines.filter((line) => line.trim() === "end")).toHaveLength(opened.length);
  });

  it.skipIf(spawnSync("ruby", ["--version"]).error !== undefined)("is Ruby", () => {
    execFileSync("ruby", ["-c", join(out, "homebrew/mgmt.rb")]);
  });
});

describe("the manifest for Scoop", () => {
  const url = { type: "string", pattern: "^https://.+\\.zip$" };
  const part = (properties: object): object => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const architecture = (properties: object): object =>
    part({ "64bit": part(properties), arm64: part(properties) });
  /** The parts of Scoop's `schema.json` that the manifest uses. */
  const schema = part({
    version: { type: "string", pattern: "^[\\w.\\-+]+$" },
    description: { type: "string", minLength: 1 },
    homepage: { type: "string", pattern: "^https://" },
    license: { type: "string", minLength: 1 },
    architecture: architecture({
      url,
      hash: { type: "string", pattern: "^[a-fA-F0-9]{64}$" },
      extract_dir: { type: "string" },
    }),
    bin: { type: "string" },
    checkver: part({ github: { type: "string", pattern: "^https://github\\.com/[^/]+/[^/]+$" } }),
    autoupdate: part({
      architecture: architecture({ url, extract_dir: { type: "string" } }),
      hash: part({ url: { type: "string" } }),
    }),
  });

  it("matches the schema, and downloads the archives", () => {
    const manifest = JSON.parse(read("scoop/mgmt.json"));
    expect(problemsIn(manifest, schema)).toEqual([]);
    expect(manifest).toMatchObject({
      version,
      architecture: {
        "64bit": {
          url: urlOf("windows-x64"),
          hash: hashOf("windows-x64"),
          extract_dir: `mgmt-${version}-windows-x64`,
        },
        arm64: { url: urlOf("windows-arm64"), hash: hashOf("windows-arm64") },
      },
    });
  });

  it("finds the next version by the same names", () => {
    const { architecture, autoupdate } = JSON.parse(read("scoop/mgmt.json"));
    const current = JSON.stringify(autoupdate.architecture).replaceAll("$version", version);
    for (const name of ["64bit", "arm64"])
      expect(architecture[name]).toMatchObject(JSON.parse(current)[name] as object);
    expect(autoupdate.hash.url.replace("$baseurl", "")).toBe("/SHA256SUMS");
  });
});

describe("the manifests for winget", () => {
  const id = "MgmtSdk.Mgmt";
  const text = (maxLength: number, minLength = 1): object => ({ type: "string", minLength, maxLength });
  const address = { type: "string", pattern: "^https?://.+", maxLength: 2048 };
  const file = (type: string, properties: object): object => ({
    type: "object",
    properties: {
      PackageIdentifier: {
        type: "string",
        pattern: '^[^\\.\\s/:*?"<>|]{1,32}(\\.[^\\.\\s/:*?"<>|]{1,32}){1,7}$',
      },
      PackageVersion: { type: "string", pattern: '^[^\\\\/:*?"<>|]+$', maxLength: 128 },
      ...properties,
      ManifestType: { const: type },
      ManifestVersion: { const: "1.10.0" },
    },
    additionalProperties: false,
    required: [
      "PackageIdentifier",
      "PackageVersion",
      ...Object.keys(properties),
      "ManifestType",
      "ManifestVersion",
    ],
  });
  const locale = { type: "string", pattern: "^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$" };
  const nested = {
    type: "object",
    properties: { RelativeFilePath: text(512), PortableCommandAlias: text(40) },
    required: ["RelativeFilePath"],
    additionalProperties: false,
  };
  const installer = {
    type: "object",
    properties: {
      Architecture: { enum: ["x86", "x64", "arm", "arm64", "neutral"] },
      InstallerUrl: address,
      InstallerSha256: { type: "string", pattern: "^[A-Fa-f0-9]{64}$" },
      NestedInstallerFiles: { type: "array", items: nested, minItems: 1, uniqueItems: true },
    },
    required: ["Architecture", "InstallerUrl", "InstallerSha256", "NestedInstallerFiles"],
    additionalProperties: false,
  };
  /** The parts of the published schemas that the manifests use. */
  const schemas: Record<string, object> = {
    [`${id}.yaml`]: file("version", { DefaultLocale: locale }),
    [`${id}.installer.yaml`]: file("installer", {
      InstallerType: { const: "zip" },
      NestedInstallerType: { const: "portable" },
      Commands: { type: "array", items: text(40), maxItems: 16 },
      Installers: { type: "array", items: installer, minItems: 1, maxItems: 1024 },
    }),
    [`${id}.locale.en-US.yaml`]: file("defaultLocale", {
      PackageLocale: locale,
      Publisher: text(256, 2),
      PublisherUrl: address,
      PublisherSupportUrl: address,
      PackageName: text(256, 2),
      PackageUrl: address,
      License: text(512, 3),
      LicenseUrl: address,
      ShortDescription: text(256, 3),
      Moniker: text(40),
      Tags: { type: "array", items: text(40), maxItems: 16, uniqueItems: true },
      ReleaseNotesUrl: address,
    }),
  };

  it.each(Object.keys(schemas))("match the schema: %s", (name) => {
    expect(readdirSync(join(out, "winget")).sort()).toEqual(Object.keys(schemas).sort());
    const manifest: { ManifestType: string } = parse(read(`winget/${name}`));
    expect(problemsIn(manifest, schemas[name] ?? {})).toEqual([]);
    expect(manifest).toMatchObject({ PackageIdentifier: id, PackageVersion: version });
    expect(read(`winget/${name}`)).toContain(
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${manifest.ManifestType}.1.10.0.schema.json\n`,
    );
  });

  it("download the archives, and start the program in each", () => {
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
  });

  it("have the identifier that the update notice names", () => {
    expect(describeStandaloneUpdate("C:\\WinGet\\Packages\\x\\mgmt.exe", "9.9.9")).toBe(
      `To update, run: winget upgrade ${id}`,
    );
  });
});
