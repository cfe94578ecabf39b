import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../../test/commands/auth/account.js";
import { useShopFolder } from "../../../test/shop-folder.js";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { inPty } from "../../../test/pty.js";
import type { Result } from "../../../test/result.js";

const current = useShopFolder();
let account: Account;
let folder: string;
let projectId: string;
let databaseId: string;
beforeEach(() => {
  ({ account, folder, projectId, databaseId } = current());
});

const run = (line: string, env: NodeJS.ProcessEnv = {}): Promise<Result> => current().run(line, { env });
const read = (name = ".env"): string => readFileSync(join(folder, name), "utf8");
const write = (text: string, name = ".env"): void => writeFileSync(join(folder, name), text);

const variables = async (): Promise<NodeJS.ProcessEnv> => ({
  MGMT_BASE_URL: account.server.baseUrl,
  MGMT_TOKEN: await account.server.engine.tokens.user(),
  MGMT_PROJECT_ID: projectId,
});

const url = (): string => {
  const { rows } = account.server.engine;
  const connection = rows.connections.list({ databaseId })[0];
  return `postgresql://${connection?.user ?? ""}:${connection?.pass ?? ""}@`;
};

describe("mgmt run", () => {
  it("runs the command with the variable, without those of mgmt, and exits with its status", async () => {
    const script =
      "require('fs').writeFileSync('out', JSON.stringify([process.env.DATABASE_URL, ...Object.keys(process.env).filter((name) => /^mgmt_/i.test(name))])); process.exit(3)";
    const token = await account.server.engine.tokens.user();
    const env = {
      ...process.env,
      MGMT_PROJECT_ID: projectId,
      MGMT_TOKEN: token,
      MGMT_BASE_URL: account.server.baseUrl,
      MGMT_CONTROL_SECRET_FILE: "secret",
      mgmt_other: "1",
    };
    const line = ["run", "--", process.execPath, "-e", script];
    const { status, stdout, stderr } = await account.run(line, { cwd: folder, env });
    expect({ status, stdout, stderr }).toEqual({ status: 3, stdout: "", stderr: "" });
    expect(JSON.parse(read("out"))).toEqual([expect.stringContaining(url())]);
  });

  it("passes flags after the command to the command", async () => {
    const script = "require('fs').writeFileSync('out', JSON.stringify(process.argv.slice(1)))";
    const env = { PATH: process.env["PATH"], MGMT_PROJECT_ID: projectId };
    const line = ["run", process.execPath, "-e", script, "--", "--name", "x", "-o", "y"];
    expect((await account.run(line, { cwd: folder, env })).status).toBe(0);
    expect(JSON.parse(read("out"))).toEqual(["--name", "x", "-o", "y"]);
    write(script.replace("slice(1)", "slice(2)"), "program.js");
    await account.run(["run", process.execPath, "program.js", "-output", "y"], { cwd: folder, env });
    expect(JSON.parse(read("out"))).toEqual(["-output", "y"]);
  });

  it.each([
    ["Ctrl-C", "SIGINT", "\u0003"],
    ["Ctrl-\\", "SIGQUIT", "\u001C"],
  ])("leaves every %s of a terminal to the command, and ends with it", async (_, signal, key) => {
    await ensureBuilt();
    const script = `let count = 0;
      process.on("${signal}", () => (count += 1, console.log("Key " + count), count > 1 && process.exit(7)));
      setInterval(() => {}, 1_000);
      console.log("ready");`;
    write(script, "program.js");
    const { status, screen } = await inPty(
      ["run", "--", process.execPath, join(folder, "program.js")],
      [
        { when: /ready/, type: key },
        { when: /Key 1/, type: key },
      ],
      await variables(),
    );
    expect({ status, screen }).toEqual({ status: 7, screen: expect.stringMatching(/Key 2\s*$/) });
  });

  it.skipIf(process.platform === "win32")(
    "forwards every signal where no terminal sends it to the command, and ends with it",
    async () => {
      await ensureBuilt();
      const signals = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT"] as const;
      const script = `for (const name of new Set(${JSON.stringify(signals)})) process.on(name, () => console.log(name));
        process.stdin.resume().on("end", () => process.exit(7));
        console.log("ready");`;
      const words = [bin, "run", "--", process.execPath, "-e", script];
      // A session of its own has no terminal.
      const child = spawn(process.execPath, words, {
        env: { ...process.env, ...(await variables()) },
        detached: true,
        stdio: ["pipe", "pipe", "inherit"],
      });
      const lines: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        const signal = signals[lines.push(line) - 1];
        if (signal === undefined) child.stdin.end();
        else child.kill(signal);
      }
      const [status] = child.exitCode === null ? ((await once(child, "exit")) as [number]) : [child.exitCode];
      expect({ lines, status }).toEqual({ lines: ["ready", ...signals], status: 7 });
    },
  );

  it("exits with 128 and the number of the signal that ended the command", async () => {
    const line = ["run", "--", process.execPath, "-e", "process.kill(process.pid, 'SIGTERM')"];
    const env = { PATH: process.env["PATH"], MGMT_PROJECT_ID: projectId };
    expect((await account.run(line, { cwd: folder, env })).status).toBe(143);
  });

  it("reports a program that does not exist, and a missing command", async () => {
    const missing = await run("run -- no-such-program-here");
    expect(missing).toMatchObject({ status: 127, stderr: expect.stringContaining("program:not_found") });
    expect(missing.stderr).not.toContain("postgresql:");
    expect((await run("run")).status).toBe(3);
  });

  it.skipIf(process.platform === "win32")("exits with 126 for a program that cannot be started", async () => {
    write("echo started", "script");
    chmodSync(join(folder, "script"), 0o644);
    expect(await run("run -- ./script")).toMatchObject({
      status: 126,
      stderr: expect.stringMatching(/program:not_executable.*\nhint: Make it executable/s),
    });
    write("#!/no/such/interpreter\n", "script");
    chmodSync(join(folder, "script"), 0o755);
    expect(await run("run -- script", { PATH: folder })).toMatchObject({
      status: 126,
      stderr: expect.stringMatching(/interpreter in its first line was not found \(program:not_started\)/),
    });
  });

  it.skipIf(process.platform === "win32" || process.geteuid?.() === 0)(
    "exits with 127 if no folder of PATH that can be entered has the program",
    async () => {
      const closed = join(folder, "closed");
      mkdirSync(closed, { mode: 0o000 });
      const PATH = `${closed}:${process.env["PATH"] ?? ""}`;
      const missing = await run("run -- no-such-program-here", { PATH });
      chmodSync(closed, 0o700);
      expect(missing).toMatchObject({ status: 127, stderr: expect.stringContaining("program:not_found") });
    },
  );
});
