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
import { type Registry, startRegistry } from "../docs-e2e/registry.js";

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
    registry = await startRegistry([join(source, "mgmt-cli-9.8.7.tgz")]);
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
  it("installs the package without scripts and without files of the machine, and runs as an ordinary user", () => {
    const text = readFileSync(join(root, "packages/cli/Dockerfile"), "utf8");
    const lines = text.replaceAll(/\s*\\\n\s*/g, " ").split("\n");
    const instructions = lines.filter((line) => /^[A-Z]+ /.test(line));
    expect(instructions).toEqual([
      expect.stringMatching(/^FROM node:2[2-9]-/),
      `ARG VERSION=${version}`,
      expect.stringMatching(
        /^RUN npm install --global --ignore-scripts .*"@mgmt\/cli@\$\{VERSION\}".* && install -d -o node -g node (\S+)$/,
      ),
      "ENV MGMT_NO_UPDATE_NOTIFIER=1",
      "USER node",
      expect.stringMatching(/^WORKDIR /),
      'ENTRYPOINT ["mgmt"]',
    ]);
    const [run = "", folder = ""] = ["RUN ", "WORKDIR "].map((name) =>
      instructions.find((line) => line.startsWith(name)),
    );
    expect(run.split(" ").at(-1)).toBe(folder.split(" ").at(-1));
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
});
