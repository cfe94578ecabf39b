import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { inProcess, runInProcess } from "../../test/in-process.js";
import type { Mgmt } from "../../test/result.js";
import { useSession } from "../../test/terminal.js";

const folder = temporaryFolder();
const session = useSession({ validateResponses: false });
afterEach(() => session.server.engine.faults.clear());

const withInput = (...lines: string[]): Mgmt =>
  inProcess({ env: session.env, cwd: folder, stdin: lines.join("\n") });

const writesSince = (before: number): (string | null)[] =>
  session.server.engine.requests
    .slice(before)
    .filter(({ method }) => method !== "GET")
    .map(({ operationId }) => operationId);

interface Item {
  line?: number;
  id: string;
  status: string;
  resource?: { name: string };
  error?: { code: string };
}

describe("create --ndjson", () => {
  it("creates one for each line, with the flags for all, and prints a result for each", async () => {
    const { id } = await session.server.engine.seed.project();
    const mgmt = withInput('{"name":"one"}', "", '{"name":"two","region":"eu-west-3"}');
    const { status, json } = await mgmt`databases create --project-id ${id} --ndjson - -o json`;
    expect(status).toBe(0);
    const items = json as Item[];
    expect(items).toMatchObject([
      { line: 1, status: "created", resource: { name: "one" } },
      { line: 3, status: "created", resource: { name: "two", region: { id: "eu-west-3" } } },
    ]);
    for (const { id: created } of items) {
      expect(session.server.engine.rows.databases.get(created)?.projectId).toBe(id);
    }
  });

  it("reads a file, uses defaults that the lines do not replace, and finds what exists", async () => {
    const [first, second] = [
      await session.server.engine.seed.project(),
      await session.server.engine.seed.project(),
    ];
    const lines = ['{"gitName":"a"}', '{"gitName":"b"}', '{"gitName":"a"}'];
    const branches = await withInput(
      ...lines,
    )`projects branches create ${first.id} --if-not-exists --ndjson - -o json`;
    expect((branches.json as Item[]).map(({ status }) => status)).toEqual(["created", "created", "existed"]);
    const other = inProcess({
      env: { ...session.env, MGMT_PROJECT_ID: first.id },
      stdin: `{"displayName":"x"}\n{"displayName":"x","projectId":"${second.id}"}`,
    });
    const services = await other`services create --ndjson - -o json`;
    expect(services.json).toMatchObject([
      { resource: { projectId: first.id } },
      { resource: { projectId: second.id } },
    ]);
  });

  it("continues after a failure, and exits with 10", async () => {
    const mgmt = withInput('{"logicalId":"bulk-1"}', '{"logicalId":"bulk-1"}', '{"logicalId":"bulk-2"}');
    const { status, json, stderr } = await mgmt`projects create --no-create-database --ndjson - -o json`;
    expect(status).toBe(10);
    expect(json).toMatchObject([
      { line: 1, status: "created" },
      { line: 2, status: "failed", error: { code: "project:logical_id_conflict" } },
      { line: 3, status: "created" },
    ]);
    expect(stderr).toContain("bulk:partly_done");
  });

  it("exits with the first error's code if all fail, and says which outcome is unknown", async () => {
    session.server.engine.faults.add({ operation: "projects.create", drop: "after" });
    const { status, json } = await withInput(
      '{"logicalId":"lost"}',
    )`projects create --no-create-database --ndjson - -o json`;
    expect({ status, json }).toMatchObject({ status: 8, json: [{ error: { code: "outcome:unknown" } }] });
  });

  it("checks every line before it sends anything", async () => {
    const before = session.server.engine.requests.length;
    for (const [line, message] of [
      ["{", "line 2 is not JSON"],
      ["[]", "line 2 is not a JSON object"],
    ] as const) {
      const { status, stdout, stderr } = await withInput(
        '{"name":"one"}',
        line,
      )`projects create --ndjson - -o json`;
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(message);
    }
    expect((await withInput('{"name":"x"}')`connections create --ndjson - -o json`).stderr).toContain(
      "--database-id",
    );
    expect((await withInput("{}")`projects create --ndjson - --body ${"{}"} -o json`).status).toBe(2);
    expect((await withInput("{}")`projects create --ndjson missing.ndjson -o json`).status).toBe(2);
    expect(writesSince(before)).toEqual([]);
  });

  it("does not lose secrets in a table", async () => {
    const before = session.server.engine.requests.length;
    const { database } = await session.server.engine.seed.project();
    const mgmt = withInput('{"name":"one"}');
    const id = database?.id ?? "";
    const refused = await mgmt`connections create --database-id ${id} --ndjson -`;
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("--secret-file") });
    expect(writesSince(before)).toEqual([]);
    const written =
      await mgmt`connections create --database-id ${id} --ndjson - --secret-file secrets.ndjson`;
    expect(written).toMatchObject({ status: 0, stdout: "" });
    expect(readFileSync(join(folder, "secrets.ndjson"), "utf8")).toContain("postgres");
  });

  it("prints its requests with --dry-run", async () => {
    const before = session.server.engine.requests.length;
    const { json } = await withInput(
      '{"name":"one"}',
      '{"name":"two"}',
    )`projects create --ndjson - --dry-run`;
    expect(json).toMatchObject([{ body: { name: "one" } }, { body: { name: "two" } }]);
    expect(session.server.engine.requests).toHaveLength(before);
  });

  it("prints an empty list for no lines", async () => {
    expect(await withInput("", "")`projects create --ndjson - -o json`).toMatchObject({
      status: 0,
      stdout: "[]\n",
    });
    const { errors } = await withInput("", "")`projects create --ndjson - -o json`;
    expect(errors).toEqual([
      { notice: { code: "input:empty", message: "No lines were read from standard input." } },
    ]);
  });
});

describe("delete -", () => {
  it("deletes the ids and objects on standard input, with a result for each", async () => {
    const { seed } = session.server.engine;
    const [one, two] = [await seed.project(), await seed.project()];
    const missing = "proj_000000000000000000000000";
    const mgmt = withInput(one.id, `{"id":"${two.id}","name":"x"}`, missing, "");
    expect(await mgmt`projects delete -`).toMatchObject({ status: 3, stdout: "" });
    const { status, json } = await mgmt`projects delete - --yes -o json`;
    expect(status).toBe(10);
    expect(json).toMatchObject([
      { id: one.id, status: "deleted" },
      { id: two.id, status: "deleted" },
      { id: missing, status: "failed", error: { code: "project:not_found" } },
    ]);
  });

  it("deletes nothing for no ids, which it says, and refuses lines without one", async () => {
    const before = session.server.engine.requests.length;
    expect(await withInput("")`projects delete - --yes -o json`).toMatchObject({ status: 0, stdout: "[]\n" });
    expect(await withInput("")`projects delete - --yes`).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "No ids were read from standard input.\n",
    });
    expect((await withInput('{"name":"x"}')`projects delete - --yes`).stderr).toContain("Line 1 has no id");
    expect((await withInput("..")`projects delete - --yes`).status).toBe(2);
    expect((await withInput("proj_1", "proj_2")`projects delete - --dry-run`).json).toHaveLength(2);
    expect(writesSince(before)).toEqual([]);
  });
});

describe("Ctrl-C", () => {
  /** Presses Ctrl-C as soon as the service has handled requests of the operation. */
  const interruptAfter = (operationId: string, count = 1): Promise<void> =>
    new Promise((resolve) => {
      let left = count;
      const unfollow = session.server.engine.followRequests((request) => {
        if (request.operationId !== operationId) return;
        left -= 1;
        if (left > 0) return;
        unfollow();
        resolve();
      });
    });

  it("stops creating, and reports no failures for the lines that are left", async () => {
    const { id } = await session.server.engine.seed.project();
    const before = session.server.engine.requests.length;
    const stdin = Array.from({ length: 20 }, (_, index) => `{"name":"line ${String(index)}"}`).join("\n");
    const { status, stdout, stderr } = await runInProcess(
      ["databases", "create", "--project-id", id, "--ndjson", "-", "-o", "ndjson"],
      { env: session.env, cwd: folder, stdin, interrupt: interruptAfter("databases.create") },
    );
    expect(status).toBe(130);
    expect(writesSince(before).length).toBeLessThan(20);
    expect(stdout).not.toContain("failed");
    expect(stderr).toContain("run:interrupted");
    expect(stderr).not.toContain("run:partly_done");
  });

  it("prints the secrets that were created, and names the line whose outcome is unknown", async () => {
    const { id } = await session.server.engine.seed.project();
    const database = await session.server.engine.seed.database(id);
    const stdin = Array.from({ length: 20 }, (_, index) => `{"name":"line ${String(index)}"}`).join("\n");
    const { status, json, errors } = await runInProcess(
      ["connections", "create", "--database-id", database.id, "--ndjson", "-", "-o", "json"],
      {
        env: session.env,
        cwd: folder,
        stdin,
        interrupt: interruptAfter("connections.create", 3),
      },
    );
    expect(status).toBe(130);
    const printed = json as { line: number; status: string; resource: unknown }[];
    expect(printed.length).toBeGreaterThanOrEqual(2);
    expect(printed.every((each) => each.status === "created")).toBe(true);
    expect(JSON.stringify(printed[0]?.resource)).toContain("postgres://");
    expect(errors).toContainEqual({
      notice: expect.objectContaining({ code: "create:interrupted", line: printed.length + 1 }),
    });
  });

  it("stops deleting, and reports no failures for the projects that are left", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push((await session.server.engine.seed.project()).id);
    const { status, stdout, stderr } = await runInProcess(
      ["projects", "delete", ...ids, "--yes", "-o", "ndjson"],
      {
        env: session.env,
        cwd: folder,
        interrupt: interruptAfter("projects.delete"),
      },
    );
    expect(status).toBe(130);
    expect(ids.filter((id) => session.server.engine.rows.projects.get(id)).length).toBeGreaterThan(0);
    expect(stdout).not.toContain("failed");
    const printed = stdout.split("\n").filter((line) => line !== "").length;
    expect(stderr).toContain(
      `"code":"delete:interrupted","message":"The deletion of project ${ids[printed]} `,
    );
    expect(stderr).not.toContain("run:partly_done");
  });
});
