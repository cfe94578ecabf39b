import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../package.json";
import { bin, ensureBuilt } from "./bin.js";
import { inProcess, runInProcess } from "./in-process.js";
import { run, type Session, startSession } from "./terminal.js";

let session: Session;
beforeAll(async () => {
  await ensureBuilt();
  session = await startSession();
});
afterAll(() => session.close());

describe("mgmt", () => {
  it("prints the version of its package", async () => {
    for (const flag of ["--version", "-V"]) {
      const { status, stdout, stderr } = await run([flag]);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
    }
  });

  it.each([["--version"], ["--help"], ["dev"], ["projects", "list"]])(
    "names the version of Node.js that it needs on an older one: mgmt %s",
    async (...words) => {
      const old = 'Object.defineProperty(process, "versions", { value: { node: "18.20.8" } });';
      const folder = mkdtempSync(join(tmpdir(), "mgmt-old-node-"));
      const file = join(folder, "old-node.cjs");
      writeFileSync(file, old);
      const child = spawn(process.execPath, ["--require", file, bin, ...words]);
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
      const [status] = (await once(child, "close")) as [number];
      rmSync(folder, { recursive: true });
      expect({ status, output }).toEqual({
        status: 1,
        output: "error: mgmt needs Node.js 20.19 or newer, but runs on Node.js 18.20.8.\n",
      });
    },
  );

  it("prints its help on standard output, with --help and without arguments", async () => {
    const help = await run(["--help"]);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    for (const words of ["Start here:", "Resources:", "mgmt help  "]) {
      expect(help.stdout).toContain(words);
    }
    expect((await run([])).stdout).toBe(help.stdout);
    expect((await runInProcess(["help"])).stdout).toBe(help.stdout);
    expect((await runInProcess(["help", "projects", "create"])).stdout).toBe(
      (await runInProcess(["projects", "create", "-h"])).stdout,
    );
  });

  it("prints the same table from the build as from the sources, with wide characters and colors", async () => {
    const other = await startSession();
    const { seed } = other.server.engine;
    for (const name of ["漢字", "e\u0301", "สวัสดี", "🫠", "plain"]) await seed.project({ name });
    const words = ["projects", "list", "--fields", "name,logicalId,id"];
    const env = { ...other.env, FORCE_COLOR: "1" };
    const built = await run(words, { env });
    expect(built.stdout).toContain("漢字");
    expect(built).toMatchObject({ status: 0, stderr: "" });
    expect(built.stdout).toBe((await runInProcess(words, { env })).stdout);
    await other.close();
  });

  it("prints the same overview from the build as from the sources", async () => {
    for (const words of [["--help"], ["-h"], []]) {
      expect((await run(words)).stdout).toBe((await runInProcess(words)).stdout);
    }
    expect((await run(["--help", "--output", "json"])).stdout).toBe(
      (await runInProcess(["--help", "--output", "json"])).stdout,
    );
  });

  it("reports an unknown command in one line with a suggestion, and exits with 2", async () => {
    const { status, stdout, stderr } = await run(["projcts", "list"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      "error: Unknown command: mgmt projcts (usage:invalid)\nhint: Did you mean mgmt projects list?\n",
    );
  });

  it("prefers --base-url to MGMT_BASE_URL, and --token-file to MGMT_TOKEN", async () => {
    const { server, env } = session;
    const valid = env["MGMT_TOKEN"] ?? "";
    const wrong = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "wrong" };
    const line = ["me", "--base-url", server.baseUrl, "--token-file", "-", "--output", "json"];
    const { status, json } = await run(line, { env: wrong, stdin: `${valid}\n` });
    expect(status).toBe(0);
    expect(json).toMatchObject({ workspace: { id: server.engine.defaults.workspace.id } });
  });

  it("accepts global flags before, between and after the words of a command", async () => {
    const mgmt = inProcess({ env: session.env });
    const expected = (await mgmt`projects list --output json`).stdout;
    expect(JSON.parse(expected)).toEqual([]);
    expect((await mgmt`--output json projects list`).stdout).toBe(expected);
    expect((await mgmt`projects -o json list`).stdout).toBe(expected);
    expect((await mgmt`--output=yaml projects list -o json`).stdout).toBe(expected);
  });

  it.skipIf(process.platform === "win32")("says that its working directory was deleted", async () => {
    const gone = mkdtempSync(join(tmpdir(), "mgmt-test-gone-"));
    const line = 'cd "$1" && rmdir "$1" && exec "$2" "$3" projects list -o json';
    const shell = spawn("/bin/sh", ["-c", line, "sh", gone, process.execPath, bin], { stdio: "pipe" });
    let stderr = "";
    shell.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [status] = (await once(shell, "close")) as [number];
    expect({ status, error: JSON.parse(stderr) as unknown }).toEqual({
      status: 1,
      error: {
        error: {
          code: "system:no_working_directory",
          message: "The working directory does not exist any more, or cannot be entered",
          hint: expect.stringContaining("Change to another folder"),
          next: [["mgmt", "--help"]],
        },
      },
    });
  });

  it("exits with 130 on Ctrl-C, with one clear line", async () => {
    const { server, env } = session;
    server.engine.faults.add({ operation: "me.get", latency: 20_000, times: 1 });
    const requested = new Promise<void>((resolve) => server.server.once("request", () => resolve()));
    const { status, stderr } = await run(["me"], {
      env,
      onStart: (child) => void requested.then(() => child.kill("SIGINT")),
    });
    expect({ status, stderr }).toEqual({ status: 130, stderr: "error: Interrupted (run:interrupted)\n" });
  });

  it("exits with 130 on Ctrl-C while it waits for standard input", async () => {
    const child = spawn(process.execPath, [bin, "projects", "create", "--body", "-"], { stdio: "pipe" });
    // The command is reading once the pipe has accepted all of this incomplete body.
    await new Promise<void>((resolve) =>
      child.stdin.write(`{"name":"${"x".repeat(5_000_000)}`, () => resolve()),
    );
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(130);
  });

  it.runIf(existsSync("/dev/full"))("reports a full disk in one line, and exits with 1", async () => {
    const shell = spawn("/bin/sh", ["-c", 'exec "$0" "$1" operations > /dev/full', process.execPath, bin]);
    let stderr = "";
    shell.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [status] = (await once(shell, "close")) as [number];
    expect(status).toBe(1);
    expect(stderr).toBe(
      "error: The output cannot be written (ENOSPC)\n" +
        "hint: Free some space, or write the output elsewhere. The command may have taken effect.\n",
    );
  });

  it.skipIf(process.platform === "win32")(
    "reports secrets that are lost because only part of a --secret-file could be written",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "mgmt-full-disk-"));
      const file = join(folder, "secret");
      const { id: projectId } = await session.server.engine.seed.project();
      const { id: database } = await session.server.engine.seed.database(projectId);
      // A file can have at most one block of 512 or 1,024 bytes. The writes after it fail, as on a full disk.
      const limited = 'trap "" XFSZ; ulimit -f 1; exec "$@"';
      const name = "漢".repeat(256);
      const words = ["connections", "create", "--database-id", database, "--name", name];
      const line = [process.execPath, bin, ...words, "--secret-file", file, "--output", "json"];
      const shell = spawn("/bin/sh", ["-c", limited, "sh", ...line], { env: session.env });
      let [stdout, stderr] = ["", ""];
      shell.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      shell.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      const [status] = (await once(shell, "close")) as [number];
      const exists = existsSync(file);
      rmSync(folder, { recursive: true, force: true });
      expect({ status, exists }, stderr).toEqual({ status: 1, exists: false });
      const { id } = JSON.parse(stdout) as { id: string };
      expect(stdout).toContain("********");
      expect(stderr).toContain("secret_file:secrets_lost");
      expect(stderr).toContain(`mgmt connections rotate ${id} --secret-file PATH`);
    },
  );

  it("exits quietly when the reader of its output is gone", async () => {
    const child = spawn(process.execPath, [bin, "operations", "--output", "json"], { stdio: "pipe" });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.destroy();
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  /** As Docker does, gives the command a namespace of processes, in which it is the first one. Few systems allow everyone to. */
  const isolated = ["--pid", "--fork", "--kill-child"];
  const isAllowed = spawnSync("unshare", [...isolated, "true"]).status === 0;

  it.skipIf(!isAllowed).each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "ends at %s as the first process of a container, which ignores it otherwise",
    async (signal, code) => {
      const silent = createServer().listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      const env = { ...session.env, MGMT_BASE_URL: `http://127.0.0.1:${String(port)}` };
      const requested = once(silent, "request");
      const parent = spawn("unshare", [...isolated, process.execPath, bin, "projects", "list"], { env });
      const ended = once(parent, "close");
      await requested;
      const pid = String(parent.pid);
      process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")), signal);
      expect((await ended)[0]).toBe(code);
      silent.closeAllConnections();
      silent.close();
    },
  );
});
