import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { type Result, type RunOptions, run } from "../../../test/terminal.js";

interface Ready {
  baseUrl: string;
  controlUrl: string;
  controlSecretFile: string;
  token: string;
}

const configDir = mkdtempSync(join(tmpdir(), "mgmt-approvals-"));
let dev: ChildProcess;
let ready: Ready;
let agent: string;
beforeAll(async () => {
  await ensureBuilt();
  const child = spawn(process.execPath, [bin, "dev", "--ephemeral", "--port", "0", "-o", "json"], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], MGMT_CONFIG_DIR: configDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  dev = child;
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    child.once("close", () => reject(new Error("mgmt dev ended before it was ready")));
  });
  // The ready line is JSON with these fields.
  ready = JSON.parse(line) as Ready;
  agent = await agentToken();
});
afterAll(async () => {
  if (dev.exitCode === null) {
    const closed = new Promise((resolve) => dev.once("close", resolve));
    dev.kill("SIGTERM");
    await closed;
  }
  rmSync(configDir, { recursive: true });
});

const control = async (path: string, body: object): Promise<unknown> => {
  const response = await fetch(ready.controlUrl + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-mgmt-control-secret": readFileSync(ready.controlSecretFile, "utf8").trim(),
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.json();
};

const agentToken = async (): Promise<string> =>
  // The type that this path returns.
  ((await control("/tokens", { kind: "agent" })) as { token: string }).token;

/** Runs a command in a separate process, as if in its own terminal. */
const as = (token: string, line: string, options: RunOptions = {}): Promise<Result> => {
  const env = { MGMT_CONFIG_DIR: configDir, MGMT_BASE_URL: ready.baseUrl, MGMT_TOKEN: token };
  return run([...line.split(" "), "-o", "json"], { ...options, env });
};
const owner = (line: string): Promise<Result> => as(ready.token, line);
/** Runs `mgmt dev approvals`, which finds the service by the profile that `mgmt dev` registered. */
const sponsor = (line: string): Promise<Result> =>
  run(["dev", "approvals", ...line.split(" "), "-o", "json"], { env: { MGMT_CONFIG_DIR: configDir } });

/** Creates a database that can be deleted. */
const spareDatabase = async (): Promise<string> => {
  const { id } = (await owner("projects create shop")).json as { id: string };
  const created = await owner(`databases create --project-id ${id} --name spare --wait`);
  return (created.json as { id: string }).id;
};
const exists = async (database: string): Promise<boolean> =>
  (await owner(`databases get ${database}`)).status === 0;

/** Runs the agent's command and returns, while it waits, the id of the approval that it waits for. */
const startWaiting = async (line: string): Promise<{ approval: string; ended: Promise<Result> }> => {
  let ended: Promise<Result> | undefined;
  const approval = await new Promise<string>((resolve, reject) => {
    let stderr = "";
    const onStart = (child: ChildProcess): void => {
      child.stderr?.on("data", (text: string) => {
        stderr += text;
        const [, id] = /"approvalId":\s*"(apr_[a-z0-9]+)"/.exec(stderr) ?? [];
        if (id !== undefined) resolve(id);
      });
    };
    ended = as(agent, line, { onStart });
    void ended.then(({ status }) =>
      reject(new Error(`The command did not wait: ${String(status)} ${stderr}`)),
    );
  });
  if (!ended) throw new Error("The command was not started");
  return { approval, ended };
};

describe("an agent's databases delete against mgmt dev", () => {
  it("waits in one process and succeeds once approved in another", async () => {
    const database = await spareDatabase();
    const { approval, ended } = await startWaiting(`databases delete ${database} --yes --wait-approval`);
    expect((await sponsor("list")).json).toContainEqual(
      expect.objectContaining({ id: approval, status: "pending", operationId: "databases.delete" }),
    );
    expect(await exists(database)).toBe(true);
    expect((await sponsor(`approve ${approval}`)).json).toMatchObject({ status: "approved" });
    expect((await ended).status).toBe(0);
    expect(await exists(database)).toBe(false);
    expect((await as(agent, `agent-approvals get ${approval}`)).json).toMatchObject({ status: "consumed" });
  });

  it("exits with 5 and deletes nothing if denied in another process, also when sent again", async () => {
    const database = await spareDatabase();
    const { approval, ended } = await startWaiting(`databases delete ${database} --yes --wait-approval`);
    expect((await sponsor(`deny ${approval}`)).status).toBe(0);
    const { status, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 5, stderr: expect.stringContaining("approval:denied") });
    const again = await as(agent, `databases delete ${database} --yes --wait-approval`);
    expect(again).toMatchObject({ status: 5, stderr: expect.stringContaining("approval:denied") });
    expect(await exists(database)).toBe(true);
  });

  it("exits with 130 if interrupted, and leaves the approval usable", async () => {
    const database = await spareDatabase();
    let agentProcess: ChildProcess | undefined;
    const line = `databases delete ${database} --yes --wait-approval`;
    const ended = as(agent, line, {
      onStart(child) {
        agentProcess = child;
        child.stderr?.once("data", () => child.kill("SIGINT"));
      },
    });
    expect((await ended).status).toBe(130);
    expect(agentProcess?.killed).toBe(true);
    const approvals = (await sponsor("list")).json as { id: string; status: string }[];
    const [pending] = approvals.filter(({ status }) => status === "pending");
    expect(approvals.filter(({ status }) => status === "pending")).toHaveLength(1);
    expect((await sponsor(`approve ${pending?.id ?? ""}`)).status).toBe(0);
    expect((await as(agent, `databases delete ${database} --yes`)).status).toBe(0);
    expect(await exists(database)).toBe(false);
  });

  it("succeeds without waiting within an approval window, also for other databases of the project", async () => {
    const { id } = (await owner("projects create shop")).json as { id: string };
    const spare = async (): Promise<string> =>
      ((await owner(`databases create --project-id ${id} --name spare --wait`)).json as { id: string }).id;
    const [first, second] = [await spare(), await spare()];
    const { approval, ended } = await startWaiting(`databases delete ${first} --yes --wait-approval`);
    expect((await sponsor(`approve ${approval} --window 1h`)).json).toMatchObject({
      status: "approved_window",
    });
    expect((await ended).status).toBe(0);
    expect((await as(agent, `databases delete ${second} --yes`)).status).toBe(0);
    const elsewhere = await as(agent, `databases delete ${await spareDatabase()} --yes`);
    expect(elsewhere).toMatchObject({ status: 8, stderr: expect.stringContaining("approval_required") });
  });

  it("cannot be approved by the agent itself, because the control surface requires its secret", async () => {
    const database = await spareDatabase();
    const { approval, ended } = await startWaiting(
      `databases delete ${database} --yes --wait-approval --timeout 10s`,
    );
    const response = await fetch(`${ready.controlUrl}/approvals/${approval}/approve`, {
      method: "POST",
      headers: { authorization: `Bearer ${agent}`, "x-mgmt-control-secret": agent },
    });
    expect(response.status).toBe(403);
    expect((await sponsor(`deny ${approval}`)).status).toBe(0);
    expect((await ended).status).toBe(5);
    expect(await exists(database)).toBe(true);
  });

  it("exits with 8 and deletes nothing if the approval expires, and requests a new approval the next time", async () => {
    const database = await spareDatabase();
    const line = `databases delete ${database} --yes --wait-approval`;
    const { approval, ended } = await startWaiting(line);
    await control("/clock/advance", { milliseconds: 15 * 60_000 });
    const { status, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 8, stderr: expect.stringContaining("approval:expired") });
    expect(stderr).toContain("Send the request again to ask for a new approval.");
    expect((await as(agent, `agent-approvals get ${approval}`)).json).toMatchObject({ status: "expired" });
    expect(await sponsor(`approve ${approval}`)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("only a pending one"),
    });
    expect(await exists(database)).toBe(true);
    const next = await startWaiting(line);
    expect(next.approval).not.toBe(approval);
    expect((await sponsor(`approve ${next.approval}`)).status).toBe(0);
    expect((await next.ended).status).toBe(0);
    expect(await exists(database)).toBe(false);
  });
});
