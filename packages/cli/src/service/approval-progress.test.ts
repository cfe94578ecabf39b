import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { useAccount } from "../../test/commands/auth/account.js";

const account = useAccount();
let agent: { MGMT_TOKEN: string; MGMT_BASE_URL: string };
let sponsor: { MGMT_CONTROL_URL: string; MGMT_CONTROL_SECRET_FILE: string };
beforeEach(async () => {
  const { baseUrl, engine } = account.server;
  agent = { MGMT_TOKEN: await engine.tokens.agent(), MGMT_BASE_URL: baseUrl };
  const secretFile = join(dirname(account.file), "secret");
  writeFileSync(secretFile, "control-secret-of-the-test\n", { mode: 0o600 });
  sponsor = { MGMT_CONTROL_URL: `${baseUrl}/_control`, MGMT_CONTROL_SECRET_FILE: secretFile };
});

const asAgent = (line: string): Promise<Result> => account.run(line.split(" "), { env: agent });
const asSponsor = (line: string): Promise<Result> =>
  account.run(["dev", "approvals", ...line.split(" ")], { env: sponsor });

const project = async (): Promise<string> => (await account.server.engine.seed.project()).id;
const exists = (id: string): boolean => account.server.engine.rows.projects.get(id) !== undefined;

/** Returns the first approval, as soon as there is one. */
const firstApproval = async (): Promise<string> => {
  for (;;) {
    const [row] = account.server.engine.approvals.list();
    if (row) return row.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Runs a command of the agent that is refused, and returns the id of the approval that it needs. */
const refused = async (id: string): Promise<string> => {
  const { status } = await asAgent(`projects delete ${id} --yes`);
  expect(status).toBe(8);
  return firstApproval();
};

describe("--wait-approval", () => {
  it("waits until the sponsor approves, then runs", async () => {
    const id = await project();
    const waiting = asAgent(`projects delete ${id} --yes --wait-approval -o json`);
    const approval = await firstApproval();
    const listed = await asSponsor("list -o json");
    expect(listed.json).toEqual([
      expect.objectContaining({ id: approval, status: "pending", operationId: "projects.delete" }),
    ]);
    expect(exists(id)).toBe(true);
    expect((await asSponsor(`approve ${approval} -o json`)).json).toMatchObject({ status: "approved" });
    const { status, errors } = await waiting;
    expect(status).toBe(0);
    expect(exists(id)).toBe(false);
    expect(errors).toEqual([
      {
        notice: expect.objectContaining({
          code: "approval:waiting",
          approvalId: approval,
          approvalUrl: expect.stringMatching(/^http/),
        }),
      },
    ]);
  });

  it("prints without a terminal where the sponsor decides and how much time is left", async () => {
    const id = await project();
    const waiting = asAgent(`projects delete ${id} --yes --wait-approval`);
    await asSponsor(`approve ${await firstApproval()}`);
    const { stdout, stderr } = await waiting;
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      /^Waiting for the sponsor's approval apr_\S+, 1[45]:\d\d left: http\S+\nApproval apr_\S+ is approved\.\nDeleted project \S+\.\n$/,
    );
  });

  it("exits with 8 if the approval is still pending at the timeout, and changes nothing", async () => {
    const id = await project();
    const { status, stderr } = await asAgent(`projects delete ${id} --yes --wait-approval --timeout 300ms`);
    expect({ status, stderr }).toEqual({ status: 8, stderr: expect.stringContaining("wait:timeout") });
    expect(stderr).toContain("Run the same command again to keep waiting");
    expect(exists(id)).toBe(true);
  });

  it("exits with 5 if the sponsor denies", async () => {
    const id = await project();
    const waiting = asAgent(`projects delete ${id} --yes --wait-approval`);
    expect((await asSponsor(`deny ${await firstApproval()}`)).status).toBe(0);
    const { status, stderr } = await waiting;
    expect({ status, stderr }).toEqual({ status: 5, stderr: expect.stringContaining("approval:denied") });
    expect(exists(id)).toBe(true);
  });

  it("is an option of every gated command, and of no other", async () => {
    const updates = ["apps.update", "databases.update", "services.update"];
    const others = ["databases.restore", "projects.transfer", "connections.rotate", ...updates];
    const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
    const gated = definitions.filter(({ id, method }) => method === "DELETE" || others.includes(id));
    expect(gated.map(({ id }) => id)).toEqual(expect.arrayContaining([...others, "databases.delete"]));
    for (const definition of definitions) {
      const { stdout } = await runInProcess([...definition.commandPath, "--help"]);
      const waits = stdout.includes("--wait-approval") && stdout.includes("--timeout");
      expect({ id: definition.id, waits }).toEqual({ id: definition.id, waits: gated.includes(definition) });
    }
    const { status, stderr } = await asAgent("projects delete proj_1 --yes --timeout 5s");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("--timeout can only be used with --wait-approval "),
    });
  });
});

describe("mgmt agent-approvals wait", () => {
  it("prints the approval once it is granted, after which the same request succeeds", async () => {
    const id = await project();
    const approval = await refused(id);
    const waiting = asAgent(`agent-approvals wait ${approval} -o json`);
    await asSponsor(`approve ${approval}`);
    const { status, json } = await waiting;
    expect({ status, json }).toEqual({ status: 0, json: expect.objectContaining({ status: "approved" }) });
    expect((await asAgent(`projects delete ${id} --yes`)).status).toBe(0);
  });

  it("exits with 8 while pending, with 5 when denied, and with 6 for an approval of another agent", async () => {
    const approval = await refused(await project());
    expect((await asAgent(`agent-approvals wait ${approval} --timeout 200ms`)).status).toBe(8);
    await asSponsor(`deny ${approval}`);
    expect((await asAgent(`agent-approvals wait ${approval}`)).status).toBe(5);
    expect((await asAgent("agent-approvals wait apr_000000000000000000000000")).status).toBe(6);
  });

  it.each([
    ["agent-approvals wait ..", 2],
    ["agent-approvals wait apr_1 --timeout soon", 2],
    ["agent-approvals wait", 3],
  ])("refuses an invalid command line before anything is sent: %s", async (line, status) => {
    expect((await asAgent(line)).status).toBe(status);
    expect(account.server.engine.requests).toEqual([]);
  });
});

describe("mgmt dev approvals", () => {
  it("approves for a window", async () => {
    const approval = await refused(await project());
    const { json } = await asSponsor(`approve ${approval} --window 2h -o json`);
    expect(json).toMatchObject({ status: "approved_window", windowExpiresAt: expect.any(String) });
  });

  it("refuses a second decision, and an approval that does not exist", async () => {
    const approval = await refused(await project());
    await asSponsor(`deny ${approval}`);
    const again = await asSponsor(`approve ${approval}`);
    expect(again).toMatchObject({ status: 7, stderr: expect.stringContaining("only a pending one") });
    expect(again.stderr).toContain("decide a pending one");
    expect((await asSponsor("deny ../reset")).status).toBe(2);
    const unknown = await asSponsor("approve apr_000000000000000000000000 --profile local -o json");
    expect(unknown.status).toBe(6);
    expect(unknown.errors).toMatchObject([
      { error: { next: [["mgmt", "dev", "approvals", "list", "--profile", "local"]] } },
    ]);
  });
});
