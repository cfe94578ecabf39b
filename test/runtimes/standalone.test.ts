import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { timesOf } from "../../bench/runner/command.js";
import { mgmtProgram } from "../../bench/runner/paths.js";
import { temporaryFolder } from "../../packages/cli/test/folders.js";
import { programInPty } from "../../packages/cli/test/pty.js";
import type { Result } from "../../packages/cli/test/result.js";
import {
  run as runPackage,
  type RunOptions,
  runProgram,
  type Session,
  startSession,
} from "../../packages/cli/test/terminal.js";
import { manifestOf } from "../../scripts/release/pack.js";
import { buildArchive } from "../../scripts/standalone/archive.js";
import { blocksOf } from "../docs/markdown.js";
import { nodeProgram } from "./tools.js";

const { version } = manifestOf("packages/cli");
const folder = temporaryFolder();
/** The only folder in PATH: it has no Node.js. */
const programs = join(folder, "programs");

let session: Session;
let archive: string;
/** The extracted archive. */
let extracted: string;
let projectId: string;
beforeAll(async () => {
  archive = await buildArchive(nodeProgram("24"), version, folder);
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  extracted = join(folder, basename(archive, ".tar.gz"));
  mkdirSync(programs);
  symlinkSync("/bin/sh", join(programs, "sh"));
  writeScript("psql", 'printf "%s\\n" "$PGDATABASE" "$@"');
  writeScript("xdg-open", `echo "$@" > "${folder}/part"; /bin/mv "${folder}/part" "${folder}/opened"`);
  session = await startSession();
  const { id } = await session.server.engine.seed.project({ name: "shop" });
  projectId = id;
}, 240_000);
afterAll(() => session.close());

const writeScript = (name: string, script: string): void => {
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(programs, name), 0o755);
};

const mgmt = (): string => join(extracted, "mgmt");

/** Returns the environment of a user with an own home, in which nothing is stored yet. */
const userEnv = (name: string): NodeJS.ProcessEnv & { HOME: string } => {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return {
    ...session.env,
    PATH: programs,
    HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
    MGMT_CONFIG_DIR: join(home, "config"),
    MGMT_PROJECT_ID: projectId,
  };
};

const run = (words: readonly string[], { env, ...options }: RunOptions = {}): Promise<Result> =>
  runProgram(mgmt(), words, { env: { ...userEnv("user"), ...env }, cwd: folder, ...options });

/** Runs a command in a pseudo-terminal. `script`, which provides it, is not among the programs of the user. */
const screen = async (
  words: readonly string[],
  steps: Parameters<typeof programInPty>[1],
  env: NodeJS.ProcessEnv,
): Promise<string> => {
  const seen = await programInPty([mgmt(), ...words], steps, { ...env, PATH: process.env["PATH"] });
  expect(seen.status).toBe(0);
  return seen.screen;
};

const what = ({ status, stdout, stderr }: Result): unknown => ({ status, stdout, stderr });

describe("the standalone program", () => {
  it("comes with the license of everything that it contains, and the manual pages", () => {
    expect(readdirSync(extracted).sort()).toEqual(["LICENSE", "THIRD-PARTY-LICENSES", "man", "mgmt"]);
    const licenses = readFileSync(join(extracted, "THIRD-PARTY-LICENSES"), "utf8");
    expect(licenses).toMatch(/^Node\.js v24\.\d+\.\d+ \(MIT\)$/m);
    for (const name of ["@jmespath-community/jmespath", "@napi-rs/keyring", "commander", "yaml"])
      expect(licenses).toMatch(new RegExp(`^${name} \\d\\S* \\(.+\\)$`, "m"));
    expect(readdirSync(join(extracted, "man"))).toContain("mgmt.1.gz");
  });

  it("takes at most half as much processor time again to start as the command that npm installs", async () => {
    const processorTime = async (program: string, ...parameters: string[]): Promise<number> => {
      const [, processor] = await timesOf({
        program,
        parameters: [...parameters, "--version"],
        environment: { HOME: userEnv("start").HOME },
        check: (output) => expect(output.trim()).toBe(version),
      });
      return processor;
    };
    let [standalone, installed] = [Infinity, Infinity];
    for (let round = 0; round < 9; round += 1) {
      standalone = Math.min(standalone, await processorTime(mgmt()));
      installed = Math.min(installed, await processorTime(nodeProgram("24"), mgmtProgram));
    }
    expect(standalone / installed).toBeLessThanOrEqual(1.5);
  });

  it.concurrent.each([
    "--version",
    "version",
    "--help",
    "databases create --help",
    "help exit-codes",
    "help commands --output json",
    "completion bash",
    "completion zsh",
    "completion fish",
    "completion powershell",
    "complete -- databases l",
    "projcts list",
    "projects create --nmae shop --output json",
    "projects list --query [0].nme",
  ])("prints what the package prints: mgmt %s", async (line) => {
    const words = line.split(" ");
    const env = { ...userEnv("packaged"), PATH: process.env["PATH"] };
    expect(what(await run(words))).toEqual(what(await runPackage(words, { env, cwd: folder })));
  });

  it("creates, queries, and deletes", async () => {
    const created = await run(["projects", "create", "kiosk", "--wait", "--output", "json"]);
    expect(created).toMatchObject({ status: 0, json: { name: "kiosk", database: { status: "ready" } } });
    const query = ["projects", "list", "--query", "[?name=='kiosk'].name", "--output", "json"];
    expect((await run(query)).json).toEqual(["kiosk"]);
    expect(await run(["projects", "delete", "kiosk", "--yes"])).toMatchObject({ status: 0 });
    expect((await run(query)).json).toEqual([]);
  });

  it("asks on a terminal before it deletes", async () => {
    const { id } = await session.server.engine.seed.project({ name: "stall" });
    const steps = [{ when: /\? .*stall/s, type: "stall\r" }];
    const env = { ...userEnv("user"), MGMT_PROJECT_ID: "" };
    expect(await screen(["projects", "delete", id], steps, env)).toContain("stall");
    expect(session.server.engine.store.projects.get(id)).toBeUndefined();
  });

  it("runs programs with a connection, and ends as they end", async () => {
    const shell = (script: string) => run(["run", "--", "sh", "-c", script]);
    expect(what(await shell('printf %s "${DATABASE_URL%%:*}"; exit 7'))).toEqual({
      status: 7,
      stdout: "postgresql",
      stderr: "",
    });
    expect((await shell("kill -TERM $$")).status).toBe(143);
    expect(what(await run(["psql", "--", "--list"]))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\S+\n.*--list\n$/s),
    });
  });

  it("stops at a signal, and prints what it has", async () => {
    session.server.engine.faults.add({ operation: "databases.get", latency: 3_600_000, times: 1 });
    const line = ["databases", "create", "reports", "--wait", "--output", "json"];
    const result = await run(line, {
      onStart: (child) => {
        void vi
          .waitUntil(() => session.server.engine.faults.list().length === 0, { timeout: 60_000 })
          .then(() => child.kill("SIGINT"));
      },
    });
    expect(result).toMatchObject({ status: 130, json: { name: "reports" } });
    expect(result.errors).toContainEqual({ notice: expect.objectContaining({ code: "wait:interrupted" }) });
  });

  it("opens addresses with the program of the system", async () => {
    expect(await run(["open", "docs", "--browser", "--output", "json"])).toMatchObject({
      json: { opened: true },
    });
    await vi.waitUntil(() => existsSync(join(folder, "opened")), { timeout: 60_000 });
    expect(readFileSync(join(folder, "opened"), "utf8")).toBe(`${session.server.baseUrl}/v1/doc\n`);
  });

  it("asks a slow service in the background for names to complete", async () => {
    const env = userEnv("slow");
    // Longer than a shell waits, and shorter than the command waits in the background: either may get it on a busy machine.
    session.server.engine.faults.add({ operation: "projects.list", latency: 5_000, times: 1 });
    const complete = async () => (await run(["complete", "--", "projects", "get", "sh"], { env })).stdout;
    const stored = join(env.HOME, "config/completion.json");
    expect(await complete()).toBe("");
    await vi.waitUntil(() => readFileSync(stored, "utf8").includes("shop"), { timeout: 60_000 });
    expect(await complete()).toBe("shop\n");
  });

  it("says how to get what mgmt dev needs", async () => {
    const { status, stdout, errors } = await run(["dev", "--output", "json"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    const command = `npx --package @mgmt/cli@${version} --package @mgmt/platform@${version} mgmt dev`;
    expect(errors.at(-1)).toMatchObject({
      error: {
        code: "platform:not_installed",
        message: expect.stringContaining("is not part of the standalone program"),
        hint: `Install Node.js 20.19 or newer, which has npx. Then run: ${command}`,
      },
    });
  });

  it("tells where to download a newer version, and looks up none without npm", async () => {
    const env = { ...userEnv("notified"), MGMT_NO_UPDATE_NOTIFIER: "" };
    const stored = join(env.HOME, "cache/mgmt/latest-version");
    mkdirSync(join(env.HOME, "cache/mgmt"), { recursive: true, mode: 0o700 });
    writeFileSync(stored, "99.0.0\n", { mode: 0o600 });
    const seen = await screen(["help", "output"], [], env);
    expect(seen).toContain(
      `mgmt 99.0.0 is available, and this is ${version}. Download it from https://github.com/mgmt-sdk/mgmt/releases/tag/v99.0.0`,
    );
    expect(seen).not.toContain("npm install");
  });

  it("keeps compiled code for the next run among the caches of the user, and starts without them", async () => {
    const env = userEnv("cached");
    const files = (): string[] =>
      readdirSync(join(env.HOME, "cache/mgmt/code"), { recursive: true }).map(String);
    await run(["help", "output"], { env });
    const first = files();
    // A folder of this version of Node.js, with a file for each file that was loaded.
    expect(first.length).toBeGreaterThan(2);
    await run(["help", "output"], { env });
    expect(files()).toEqual(first);
    for (const more of [{ XDG_CACHE_HOME: mgmt() }, { NODE_DISABLE_COMPILE_CACHE: "1" }])
      expect(await run(["help", "output"], { env: { ...env, ...more } })).toMatchObject({
        status: 0,
        stderr: "",
      });
  });

  describe("with --store keyring", () => {
    const login = (env: NodeJS.ProcessEnv): Promise<Result> => {
      const { MGMT_BASE_URL: baseUrl = "", MGMT_TOKEN: stdin = "" } = env;
      const line = ["login", "--with-token", "--store", "keyring", "--base-url", baseUrl, "--output", "json"];
      // There is no bus, so that the library finds no keyring.
      return run(line, { env: { ...env, MGMT_TOKEN: "" }, stdin });
    };
    const codeOf = ({ errors }: Result): unknown => (errors.at(-1)?.["error"] as { code: string }).code;

    it("loads the library that it contains, and replaces a file that was changed or that others can write", async () => {
      const env = userEnv("keyring");
      const native = join(env.HOME, "cache/mgmt/native");
      expect(codeOf(await login(env))).toBe("keyring:unavailable");
      const [name = ""] = readdirSync(native);
      const library = readFileSync(join(native, name));
      writeFileSync(join(native, name), library.subarray(0, 4_096));
      expect(codeOf(await login(env))).toBe("keyring:unavailable");
      chmodSync(join(native, name), 0o666);
      expect(codeOf(await login(env))).toBe("keyring:unavailable");
      expect(readFileSync(join(native, name)).equals(library)).toBe(true);
      expect(statSync(join(native, name)).mode & 0o777).toBe(0o600);
    });

    it("loads nothing from a folder that others can write", async () => {
      const env = userEnv("shared");
      const native = join(env.HOME, "cache/mgmt/native");
      mkdirSync(native, { recursive: true, mode: 0o700 });
      chmodSync(native, 0o777);
      const result = await login(env);
      expect(codeOf(result)).toBe("keyring:not_installed");
      expect(result.stderr).toContain(`Allow your user to write ${native}`);
      expect(readdirSync(native)).toEqual([]);
    });
  });

  describe("the commands of the installation page", () => {
    const [block] = blocksOf("docs/guides/install.md").filter(({ use }) => use === "standalone");

    /** Runs them with the files of a release, and returns the status and the installed program. */
    const install = (name: string, change: (content: Buffer) => Buffer) => {
      const home = join(folder, name);
      const release = join(home, "release");
      const bin = join(home, "bin");
      for (const each of [release, bin]) mkdirSync(each, { recursive: true });
      const content = readFileSync(archive);
      const hash = createHash("sha256").update(content).digest("hex");
      writeFileSync(join(release, basename(archive)), change(content));
      writeFileSync(join(release, "SHA256SUMS"), `${hash}  ${basename(archive)}\n`);
      // Stands for curl, which has no network here.
      const address = `https://github.com/mgmt-sdk/mgmt/releases/download/v${version}/`;
      const copy = `case "$word" in ${address}*) cp "${release}/\${word##*/}" . ;; https:*) exit 22 ;; esac`;
      writeFileSync(join(bin, "curl"), `#!/bin/sh\nfor word; do ${copy}; done\n`, { mode: 0o755 });
      const env = { HOME: home, PATH: `${bin}:${String(process.env["PATH"])}` };
      const { status } = spawnSync("bash", ["-c", block?.text ?? ""], { cwd: home, env });
      return { status, program: join(home, ".local/bin/mgmt") };
    };

    it("install the program", async () => {
      const { status, program } = install("installed", (content) => content);
      expect(status).toBe(0);
      expect((await runProgram(program, ["--version"])).stdout).toBe(`${version}\n`);
    });

    it("install nothing if the archive is not the published one", () => {
      const { status, program } = install("changed", (content) => Buffer.concat([content, Buffer.from("x")]));
      expect(status).toBe(1);
      expect(existsSync(program)).toBe(false);
    });
  });

  it("writes nothing beside the program", () => {
    expect(readdirSync(extracted).sort()).toEqual(["LICENSE", "THIRD-PARTY-LICENSES", "man", "mgmt"]);
  });
});
