import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../package.json";
import { bin } from "./bin.js";
import { run, type Session, startSession } from "./terminal.js";

let session: Session;
beforeAll(async () => {
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

  it("prints its help on standard output when it is asked for, and when nothing else is", async () => {
    const asked = await run(["--help"]);
    expect(asked).toMatchObject({ status: 0, stderr: "" });
    for (const words of ["Build:", "Exit codes:", "MGMT_BASE_URL", "projects create shop"]) {
      expect(asked.stdout).toContain(words);
    }
    expect((await run([])).stdout).toBe(asked.stdout);
    expect((await run(["help"])).stdout).toBe(asked.stdout);
    expect((await run(["help", "projects", "create"])).stdout).toBe(
      (await run(["projects", "create", "-h"])).stdout,
    );
  });

  it("says in one line that a command is unknown, what was meant, and ends with 2", async () => {
    const { status, stdout, stderr } = await run(["projcts", "list"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      "error: Unknown command: mgmt projcts (usage:invalid)\nhint: Did you mean mgmt projects?\n",
    );
  });

  it("takes the address from --base-url before MGMT_BASE_URL, and the token from --token-file before MGMT_TOKEN", async () => {
    const { server, env } = session;
    const good = env["MGMT_TOKEN"] ?? "";
    const wrong = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "wrong" };
    const line = ["me", "--base-url", server.baseUrl, "--token-file", "-", "--output", "json"];
    const { status, json } = await run(line, { env: wrong, stdin: `${good}\n` });
    expect(status).toBe(0);
    expect(json).toMatchObject({ workspace: { id: server.engine.residents.workspace.id } });
  });

  it("takes global flags before the command, between its words and behind it", async () => {
    const { mgmt } = session;
    const expected = (await mgmt`projects list --output json`).stdout;
    expect(JSON.parse(expected)).toEqual([]);
    expect((await mgmt`--output json projects list`).stdout).toBe(expected);
    expect((await mgmt`projects -o json list`).stdout).toBe(expected);
    expect((await mgmt`--output=yaml projects list -o json`).stdout).toBe(expected);
  });

  it("ends with 130 on Ctrl-C, with one clear line", async () => {
    const { server, env } = session;
    server.engine.faults.add({ operation: "me.get", latency: 20_000, times: 1 });
    const asked = new Promise<void>((resolve) => server.server.once("request", () => resolve()));
    const { status, stderr } = await run(["me"], {
      env,
      onStart: (child) => void asked.then(() => child.kill("SIGINT")),
    });
    expect({ status, stderr }).toEqual({ status: 130, stderr: "error: Interrupted (run:interrupted)\n" });
  });

  it("ends with 130 on Ctrl-C while it waits for standard input", async () => {
    const child = spawn(process.execPath, [bin, "projects", "create", "--body", "-"], { stdio: "pipe" });
    // Half a body: it is being read by the time that the pipe has taken all of it.
    await new Promise<void>((resolve) =>
      child.stdin.write(`{"name":"${"x".repeat(5_000_000)}`, () => resolve()),
    );
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(130);
  });

  it.runIf(existsSync("/dev/full"))("says in one line that the disk is full, and ends with 1", async () => {
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

  it("ends quietly when nobody reads its answer any more", async () => {
    const child = spawn(process.execPath, [bin, "operations", "--output", "json"], { stdio: "pipe" });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.destroy();
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
