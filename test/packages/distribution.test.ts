import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/generate/contract/contract.js";
import { manifestOf } from "../../scripts/release/pack.js";
import { pinned, pinVersion } from "../../scripts/release/version.js";
import { newestPackages } from "../strangers/newest.js";
import { type Registry, startRegistry } from "../strangers/registry.js";

interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}
interface Action {
  inputs: { version: { default: string } };
  runs: { using: string; steps: Step[] };
}
const actionText = readFileSync(join(root, "setup-mgmt/action.yml"), "utf8");
const action: Action = parse(actionText);
const { version } = manifestOf("packages/cli");

const folder = mkdtempSync(join(tmpdir(), "mgmt-distribution-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the setup-mgmt action", () => {
  let registry: Registry;
  beforeAll(async () => {
    const source = join(folder, "source");
    mkdirSync(source);
    const manifest = { name: "@mgmt/cli", version: "9.8.7", bin: { mgmt: "mgmt.js" } };
    writeFileSync(join(source, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(source, "mgmt.js"), '#!/usr/bin/env node\nconsole.log("9.8.7");\n');
    spawnSync("npm", ["pack", "--silent"], { cwd: source });
    const tarballs = { "@mgmt/cli": join(source, "mgmt-cli-9.8.7.tgz") };
    const others = newestPackages("http://127.0.0.1:1/", join(folder, "npm"));
    registry = await startRegistry({ tarballs, others });
  }, 60_000);
  afterAll(() => registry.close());

  const jobPath = [dirname(process.execPath), process.env["PATH"]].join(delimiter);

  /** Runs the script of the action as a job does. */
  const install = async (wanted: string, address: string, temporary = "job", path = jobPath) => {
    const job = join(folder, temporary);
    mkdirSync(job, { recursive: true });
    const [added, outputs] = [join(job, "path"), join(job, "output")];
    const script = action.runs.steps.find(({ id }) => id === "install")?.run ?? "exit 3";
    const env = {
      PATH: path,
      HOME: job,
      RUNNER_TEMP: job,
      GITHUB_PATH: added,
      GITHUB_OUTPUT: outputs,
      VERSION: wanted,
      npm_config_registry: address,
      npm_config_cache: join(job, "npm"),
    };
    const { status, stdout } = await promisify(execFile)("bash", ["-e", "-c", script], {
      cwd: job,
      env,
    }).then(
      (ended) => ({ status: 0, stdout: ended.stdout }),
      (error: { code: number; stdout: string }) => ({ status: error.code, stdout: error.stdout }),
    );
    const text = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8").trim() : "");
    return { status, stdout, bin: text(added), output: text(outputs) };
  };

  it("installs the version that it is released with unless another is given", () => {
    expect(action.inputs.version.default).toBe(version);
  });

  it("asks for Node.js if the job has none", async () => {
    const withoutNpm = join(folder, "without-npm");
    mkdirSync(withoutNpm);
    symlinkSync("/bin/bash", join(withoutNpm, "bash"));
    const { status, stdout } = await install(version, registry.url, "bare", withoutNpm);
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: "::error::npm was not found. Run actions/setup-node before this action\n",
    });
  });

  it("puts mgmt into the PATH of the job, and installs nothing that the cache has", async () => {
    const { status, bin, output } = await install("9.8.7", registry.url);
    expect({ status, output }).toEqual({ status: 0, output: "version=9.8.7" });
    expect(spawnSync(join(bin, "mgmt"), { encoding: "utf8" }).stdout).toBe("9.8.7\n");
    expect((await install("9.8.7", "http://127.0.0.1:1/")).status).toBe(0);
  }, 120_000);

  it("fails without a change of PATH if the version does not exist, or is none", async () => {
    expect(await install("9.8.6", registry.url, "missing")).toMatchObject({ bin: "", output: "" });
    for (const wrong of ["", "latest", "9.8.7; touch x", "9.8.7\nx", "file:../x"]) {
      const { status, stdout, bin } = await install(wrong, registry.url, "wrong");
      expect({ status, bin }).toEqual({ status: 2, bin: "" });
      expect(stdout).toContain("::error::version must be a version of @mgmt/cli, such as 0.1.0");
    }
  }, 120_000);

  it("runs other actions only at a fixed commit, and stores each version apart", () => {
    const used = action.runs.steps.filter(({ uses }) => uses !== undefined);
    expect(used.map(({ uses }) => uses)).toEqual([expect.stringMatching(/^actions\/cache@[0-9a-f]{40}$/)]);
    for (const name of ["inputs.version", "runner.os", "runner.arch"])
      expect(used[0]?.with?.["key"]).toContain(`\${{ ${name} }}`);
    // An input in the script itself could run commands.
    expect(action.runs.steps.flatMap(({ run = "" }) => run.match(/\$\{\{/g) ?? [])).toEqual([]);
  });
});

describe("the image of the command", () => {
  const text = readFileSync(join(root, "packages/cli/Dockerfile"), "utf8");
  const lines = text.replaceAll(/\s*\\\n\s*/g, " ").split("\n");
  const argumentsOf = (instruction: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : []));

  it("starts a command of the package that it installs, on a supported Node.js, as an ordinary user", () => {
    const { bin }: { bin: Record<string, string> } = JSON.parse(
      readFileSync(join(root, "packages/cli/package.json"), "utf8"),
    );
    expect(Object.keys(bin)).toEqual(JSON.parse(argumentsOf("ENTRYPOINT")[0] ?? ""));
    expect(argumentsOf("RUN")[0]).toContain('"@mgmt/cli@${VERSION}"');
    expect(argumentsOf("ARG")).toEqual([`VERSION=${version}`]);
    expect(argumentsOf("USER")).toEqual(["node"]);
    expect(Number(/^node:(\d+)-/.exec(argumentsOf("FROM")[0] ?? "")?.[1])).toBeGreaterThanOrEqual(22);
  });

  it("runs no install script, and lets its user write in the folder that it starts in", () => {
    expect(argumentsOf("RUN")).toHaveLength(1);
    expect(argumentsOf("RUN")[0]).toMatch(
      /^npm install --global --ignore-scripts .* && install -d -o node -g node (\S+)$/,
    );
    expect(argumentsOf("RUN")[0]?.split(" ").at(-1)).toBe(argumentsOf("WORKDIR")[0]);
  });

  it("contains no file of the machine that builds it, and no secret", () => {
    const used = lines.flatMap((line) => /^[A-Z]+(?= )/.exec(line)?.[0] ?? []);
    expect(used).toEqual(["FROM", "ARG", "RUN", "ENV", "USER", "WORKDIR", "ENTRYPOINT"]);
    expect(argumentsOf("ENV")).toEqual(["MGMT_NO_UPDATE_NOTIFIER=1"]);
    // Names without values, which the list of processes would show.
    expect(text).toContain("--env MGMT_BASE_URL --env MGMT_TOKEN mgmt");
  });
});

describe("the version that the files install", () => {
  it.each(Object.entries(pinned))("is that of the package, and changes with it: %s", (name, pattern) => {
    const text = readFileSync(join(root, name), "utf8");
    expect(pattern.exec(text)?.[1]).toBe(version);
    const next = pinVersion(text, pattern, "9.8.7");
    expect(pattern.exec(next)?.[1]).toBe("9.8.7");
    expect(next).not.toContain(version);
  });

  it("is missing in no file", () => {
    expect(() => pinVersion("inputs: {}", /^version=(.+)$/m, "9.8.7")).toThrow("has no version to replace");
  });
});
