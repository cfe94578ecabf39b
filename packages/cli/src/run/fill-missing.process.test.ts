import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../test/bin.js";
import { runInProcess } from "../../test/in-process.js";
import { inPty, type Step } from "../../test/pty.js";
import { type Session, startSession } from "../../test/terminal.js";

let session: Session;
beforeAll(async () => {
  await ensureBuilt();
  session = await startSession();
});
afterAll(() => session.close());

const down = "\u001b[B";

/** Nothing listens at this address: a request would exit with 9. */
const nowhere = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "token" };

describe("missing input without a terminal", () => {
  it.each<[line: string, message: string, hint?: string]>([
    ["projects get", "Missing <project-id> (", "mgmt projects get --help"],
    ["projects get", "Missing <project-id> (", "mgmt link --project-id sets a default"],
    ["projects delete --yes", "Missing <project-id> ("],
    ["databases restore", "Missing <target-database-id>, --source-database-id, --source-backup-id ("],
    ["databases restore db_1", "Missing --source-database-id, --source-backup-id ("],
    ["integrations list", "Missing --workspace-id ("],
    ["services create", "Missing <display-name>, --project-id ("],
    ["services create web", "Missing --project-id (", "--project-id: The project to create the service in."],
    ["projects transfer", "Missing <project-id>, --recipient-access-token-file ("],
    ["connections create", "Missing <name>, --database-id ("],
    ["workspaces service-tokens delete wksp_1 --yes", "Missing <service-token-id> ("],
    [
      "projects databases create proj_1 --source-database-id db_1",
      "Missing --source-type (",
      "empty, backup",
    ],
    ["projects update proj_1", "No field is set", "--name"],
    ["apps promote cps_1", "Missing <deployment-id> (", "--deployment-id"],
    ["agent-approvals wait", "Missing <approval-id> (", "mgmt agent-approvals wait --help"],
  ])("exits with 3 and names everything before anything is sent: %s", async (line, message, hint = "") => {
    const { status, stdout, stderr } = await runInProcess(line.split(" "), { env: nowhere });
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    const [first, second] = stderr.split("\n");
    expect(first).toContain(message);
    expect(second).toMatch(/^hint: ./);
    expect(second).toContain(hint);
  });

  it.each([
    ["there is no terminal", {}, false, "there is no terminal"],
    ["CI is set", { CI: "true" }, true, "CI=true is set"],
    ["CI is set, and there is no terminal", { CI: "true" }, false, "CI=true is set"],
  ])("says why nothing was asked: %s", async (_, env, terminal, reason) => {
    const { status, stderr } = await runInProcess(["projects", "get"], {
      env: { ...nowhere, ...env },
      terminal,
    });
    expect(status).toBe(3);
    expect(stderr).toContain(`The command did not ask, because ${reason}.`);
  });

  it("asks nothing when a flag reads standard input", async () => {
    const { status, stderr } = await runInProcess(
      ["projects", "transfer", "--recipient-access-token-file", "-"],
      {
        env: nowhere,
        stdin: "token",
      },
    );
    expect(status).toBe(3);
    expect(stderr).toContain("Missing <project-id> (");
  });

  it("reports invalid values first, with exit code 2", async () => {
    const line = ["services", "create", "--region-id", "mars"];
    expect((await runInProcess(line, { env: nowhere })).status).toBe(2);
  });
});

describe("missing input on a terminal", () => {
  it("is asked for, with choices from the service", async () => {
    const { seed } = session.server.engine;
    const [first, second] = [await seed.project({ name: "alpha" }), await seed.project({ name: "beta" })];
    const choose: Step = { when: /Project:[\s\S]*alpha[\s\S]*beta/, type: `${down}\r` };
    const { status, screen } = await inPty(["projects", "get", "-o", "json"], [choose], session.env);
    expect(status).toBe(0);
    expect(screen).toContain(`"id": "${second.id}"`);
    expect(screen).not.toContain(`"id": "${first.id}"`);
  });

  it("is asked for in the order of the command, and each question depends on the previous ones", async () => {
    const { seed } = session.server.engine;
    const { database } = await seed.project({ name: "restored" });
    const backup = await seed.backup(database?.id ?? "");
    const id = database?.id ?? "";
    const steps: Step[] = [
      { when: /Source database:/, type: "restored\r" },
      { when: /Source backup:[\s\S]*full/, type: "\r" },
      { when: /Continue\?/, type: "n\r" },
    ];
    const { status, screen } = await inPty(["databases", "restore", id], steps, session.env);
    expect(status).toBe(3);
    expect(screen).toContain(backup.id);
  });

  it("is asked for as text, which is checked", async () => {
    const { seed } = session.server.engine;
    const { id } = await seed.project({ name: "services" });
    const steps: Step[] = [
      { when: /Display name:/, type: "\r" },
      { when: /must not be empty/, type: "web\r" },
    ];
    const words = ["services", "create", "--project-id", id, "-o", "json"];
    const { status, screen } = await inPty(words, steps, session.env);
    expect(status).toBe(0);
    expect(screen).toContain('"name": "web"');
  });

  it("is searched in a long list, by name and by id", async () => {
    const long = await startSession();
    const { seed } = long.server.engine;
    for (let index = 0; index < 30; index += 1) await seed.project({ name: `shop-${String(index)}` });
    const { id } = await seed.project({ name: "needle \u001b[31m" });
    const steps: Step[] = [
      { when: /Project:[\s\S]*shop-5/, type: "needle" },
      { when: /needle[\s\S]*needle/, type: "\r" },
    ];
    const { status, screen, raw } = await inPty(["projects", "get", "-o", "json"], steps, long.env);
    expect(status).toBe(0);
    expect(screen).toContain(`"id": "${id}"`);
    expect(raw).not.toContain("needle \u001b[31m");
    await long.close();
  });

  it("is asked for with the resources of the one that it belongs to", async () => {
    const { defaults } = session.server.engine;
    await session.mgmt`workspaces service-tokens create ${defaults.workspace.id} robot`;
    const steps: Step[] = [
      { when: /Workspace:/, type: "\r" },
      { when: /Service token:[\s\S]*robot/, type: "\r" },
      { when: /Type robot to confirm:/, type: "robot\r" },
    ];
    const { status } = await inPty(["workspaces", "service-tokens", "delete"], steps, session.env);
    expect(status).toBe(0);
  });

  it("is reported when there is nothing to choose", async () => {
    const empty = await startSession();
    const { status, screen } = await inPty(["projects", "get"], [], empty.env);
    expect(status).toBe(3);
    expect(screen).toContain("There is no project to choose");
    await empty.close();
  });

  it("is asked for without showing a secret", async () => {
    const { seed, tokens, rows } = session.server.engine;
    const { id } = await seed.project();
    const token = await tokens.otherUser();
    const steps: Step[] = [
      { when: /Recipient access token:/, type: `${token}\r` },
      { when: /Continue\?/, type: "y\r" },
    ];
    const { status, raw } = await inPty(["projects", "transfer", id], steps, session.env);
    expect(status).toBe(0);
    expect(raw).not.toContain(token.slice(0, 20));
    expect(rows.projects.get(id)?.workspaceId).not.toBe(session.server.engine.defaults.workspace.id);
  });

  it.each([
    ["a choice", ["projects", "delete"], /Project:/],
    ["a search", ["databases", "delete"], /Database:/],
    ["a string", ["services", "create"], /Display name:/],
    ["a secret", ["projects", "transfer", "proj_1"], /Recipient access token:/],
  ])("ends with 130 and a clean line after Ctrl-C at %s", async (_, words, when) => {
    const { seed } = session.server.engine;
    await seed.project();
    const { status, screen } = await inPty(words, [{ when, type: "\u0003" }], session.env);
    expect(status).toBe(130);
    expect(screen).toMatch(/\n(error: )Interrupted \(run:interrupted\)\s*$/);
  });
});
