import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import { type Result, type RunOptions, run } from "../../packages/cli/test/terminal.js";

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
  // The ready line is made for programs.
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
  // What this path answers.
  ((await control("/tokens", { kind: "agent" })) as { token: string }).token;

/** A process of its own, as each of these would be in a terminal of its own. */
const as = (token: string, line: string, options: RunOptions = {}): Promise<Result> => {
  const env = { MGMT_CONFIG_DIR: configDir, MGMT_BASE_URL: ready.baseUrl, MGMT_TOKEN: token };
  return run([...line.split(" "), "-o", "json"], { ...options, env });
};
const owner = (line: string): Promise<Result> => as(ready.token, line);
/** Finds the service by the profile that `mgmt dev` has registered: no token and no address is given. */
const sponsor = (line: string): Promise<Result> =>
  run(["dev", "approvals", ...line.split(" "), "-o", "json"], { env: { MGMT_CONFIG_DIR: configDir } });

/** A database that its project does not need. */
const spareDatabase = async (): Promise<string> => {
  const { id } = (await owner("projects create shop")).json as { id: string };
  const created = await owner(`databases create --project-id ${id} --name spare --wait`);
  return (created.json as { id: string }).id;
};
const exists = async (database: string): Promise<boolean> =>
  (await owner(`databases get ${database}`)).status === 0;

/** Runs the agent's command; gives the approval that it says it waits for, while it waits. */
const waits = async (line: string): Promise<{ approval: string; ended: Promise<Result> }> => {
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
    void ended.then(({ status }) => reject(new Error(`It did not wait: ${String(status)} ${stderr}`)));
  });
  if (!ended) throw new Error("Nothing was started");
  return { approval, ended };
};

describe("an agent's databases delete against mgmt dev (§ Agents and approvals)", () => {
  it("waits in one process, is approved in another, and goes through", async () => {
    const database = await spareDatabase();
    const { approval, ended } = await waits(`databases delete ${database} --yes --wait-approval`);
    expect((await sponsor("list")).json).toContainEqual(
      expect.objectContaining({ id: approval, status: "pending", operationId: "databases.delete" }),
    );
    expect(await exists(database)).toBe(true);
    expect((await sponsor(`approve ${approval}`)).json).toMatchObject({ status: "approved" });
    expect((await ended).status).toBe(0);
    expect(await exists(database)).toBe(false);
    expect((await as(agent, `agent-approvals get ${approval}`)).json).toMatchObject({ status: "consumed" });
  });

  it("is denied in another process, ends with 5, and deletes nothing; asked again, it is still denied", async () => {
    const database = await spareDatabase();
    const { approval, ended } = await waits(`databases delete ${database} --yes --wait-approval`);
    expect((await sponsor(`deny ${approval}`)).status).toBe(0);
    const { status, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 5, stderr: expect.stringContaining("approval:denied") });
    const again = await as(agent, `databases delete ${database} --yes --wait-approval`);
    expect(again).toMatchObject({ status: 5, stderr: expect.stringContaining("approval:denied") });
    expect(await exists(database)).toBe(true);
  });

  it("is interrupted while it waits, ends with 130, and leaves the approval to be used later", async () => {
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

  it("goes through without waiting inside a window, which the project's other databases share", async () => {
    const { id } = (await owner("projects create shop")).json as { id: string };
    const spare = async (): Promise<string> =>
      ((await owner(`databases create --project-id ${id} --name spare --wait`)).json as { id: string }).id;
    const [first, second] = [await spare(), await spare()];
    const { approval, ended } = await waits(`databases delete ${first} --yes --wait-approval`);
    expect((await sponsor(`approve ${approval} --window 1h`)).json).toMatchObject({
      status: "approved_window",
    });
    expect((await ended).status).toBe(0);
    expect((await as(agent, `databases delete ${second} --yes`)).status).toBe(0);
    const elsewhere = await as(agent, `databases delete ${await spareDatabase()} --yes`);
    expect(elsewhere).toMatchObject({ status: 8, stderr: expect.stringContaining("approval_required") });
  });

  it("is nothing that an agent approves itself: the control surface takes its secret alone", async () => {
    const database = await spareDatabase();
    const { approval, ended } = await waits(
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

  it("expires undecided while it waits, ends with 8, deletes nothing, and is asked for anew by the next", async () => {
    const database = await spareDatabase();
    const line = `databases delete ${database} --yes --wait-approval`;
    const { approval, ended } = await waits(line);
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
    const next = await waits(line);
    expect(next.approval).not.toBe(approval);
    expect((await sponsor(`approve ${next.approval}`)).status).toBe(0);
    expect((await next.ended).status).toBe(0);
    expect(await exists(database)).toBe(false);
  });
});
