import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { expectValid, schemaOf, withoutOtherFields } from "../../../test/command-schemas.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

const manifest = `version: 1
projects:
  shop:
    name: Shop
    branches:
      main:
        databases:
          catalog: { isDefault: true }
          copy: { source: { type: backup, databaseId: db_elsewhere1, backupId: bkp_elsewhere1 } }
`;

/** Stops at a failed rename, repeats the create of a database, and ignores what becomes of the service. */
const program = `
import { appendFileSync } from "node:fs";
const { MGMT_BASE_URL, MGMT_TOKEN, MGMT_PROJECT_ID: projectId } = process.env;
appendFileSync("seen.ndjson", JSON.stringify({ env: process.env, args: process.argv }) + "\\n");
const send = (method, path, body) =>
  fetch(MGMT_BASE_URL + path, {
    method,
    headers: { authorization: "Bearer " + MGMT_TOKEN, "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => ({ ok: false }));
const renamed = await send("PATCH", "/v1/projects/" + projectId, { name: "Store" });
if (!renamed.ok) process.exit(3);
for (let tries = 1; tries <= 2; tries += 1) {
  const { ok, status } = await send("POST", "/v1/databases", { projectId, logicalId: "reports" });
  if (ok || status === 409) break;
}
await send("POST", "/v1/services", { projectId, displayName: "web", logicalId: "web" });
`;

const root = temporaryFolder();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(root, "rehearse-"));
  writeFileSync(join(folder, "mgmt.yaml"), manifest);
  writeFileSync(join(folder, "provision.mjs"), program);
});

/** The real service cannot be reached. */
const real = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "real-token", MGMT_PROFILE: "real" };
const rehearse = (words: readonly string[]): Promise<Result> =>
  runInProcess(["rehearse", ...words], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...real },
    cwd: folder,
  });
const provision = ["--", process.execPath, "provision.mjs"];

describe("mgmt rehearse", () => {
  it("reports the changes, and how the command copes with each fault", async () => {
    const faults = [
      "projects.update:500",
      "databases.create:503:1",
      "databases.create:lost:1",
      "services.create:500",
      "databases.create:503:9",
    ];
    const flags = faults.flatMap((fault) => ["--fault", fault]);
    const { status, json, errors } = await rehearse([...flags, "-o", "json", ...provision]);
    expectValid(withoutOtherFields((await schemaOf("rehearse")).result), json);
    const create = { action: "create", path: ["shop", "main", "web"], resource: "service" };
    expect(json).toMatchObject({
      command: [process.execPath, "provision.mjs"],
      exitCode: 0,
      coped: false,
      changes: {
        steps: [
          { action: "create", resource: "database", path: ["shop", "main", "reports"] },
          create,
          {
            action: "update",
            resource: "project",
            path: ["shop"],
            changes: [{ field: "name", from: "Shop", to: "Store" }],
          },
        ],
        unnamed: {},
      },
    });
    const none = { steps: [], unnamed: {} };
    const same = { occurred: true, exitCode: 0, outcome: "recovered", difference: none };
    const { faults: reports } = json as { faults: unknown[] };
    expect(reports).toMatchObject([
      { operation: "projects.update", status: 500, nth: 1, occurred: true, exitCode: 3, outcome: "failed" },
      { status: 503, nth: 1, ...same },
      { status: "lost", ...same },
      {
        ...same,
        outcome: "wrong",
        difference: { steps: [{ ...create, action: "delete" }], unnamed: {} },
      },
      { nth: 9, ...same, occurred: false, outcome: "unused" },
    ]);
    expect(errors.at(-1)).toMatchObject({
      error: {
        code: "rehearsal:not_recovered",
        message: expect.stringContaining(
          "2 of 5 faults: projects.update:500:1, services.create:500:1. These did not occur: databases.create:503:9",
        ),
      },
    });
    expect(status).toBe(1);
    const runs = readFileSync(join(folder, "seen.ndjson"), "utf8").trim().split("\n");
    expect(runs).toHaveLength(6);
    for (const run of runs) {
      const { env, args } = JSON.parse(run) as { env: Record<string, string>; args: string[] };
      expect(env).not.toHaveProperty("MGMT_PROFILE");
      expect(env["MGMT_CONFIG_DIR"]).toContain("mgmt-rehearse-");
      expect(env["MGMT_TOKEN"]).not.toBe("real-token");
      expect(args.join(" ")).not.toContain(env["MGMT_TOKEN"]);
    }
  });

  it("fails if a fault does not occur, which no request of its own triggers", async () => {
    // The command sends neither; mgmt rehearse itself reads the projects and their branches to compare the results.
    const flags = ["--fault", "projects.list:403", "--fault", "projects.branches.list:lost"];
    const { status, stdout, stderr } = await rehearse([...flags, ...provision]);
    expect(status).toBe(1);
    expect(stdout).toContain(
      "\nprojects.list:403:1: did not occur: the command did not send that request (exit code 0)\n",
    );
    expect(stderr).toMatch(
      /2 of 2 faults did not occur.*: projects\.list:403:1, projects\.branches\.list:lost:1 \(rehearsal:fault_unused\)\nhint: Name an operation/,
    );
  });

  it("prints the changes as mgmt plan does, and does not try faults with a command that fails", async () => {
    writeFileSync(join(folder, "fail.mjs"), `${program}\nprocess.exit(4);`);
    const failing = ["--", process.execPath, "fail.mjs"];
    const { status, stdout, stderr } = await rehearse(["--fault", "projects.update:500", ...failing]);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^The command exited with 4\. It would make these changes:\n\n\+ database shop\/main\/reports\n/,
    );
    expect(stdout).toContain('    name: "Shop" → "Store"\n\nPlan: 2 to create, 1 to change, 0 to delete.\n');
    expect(stdout).not.toContain("projects.update");
    expect(stderr).toContain("rehearsal:command_failed");
    expect(stderr).toContain("The faults were not tried. Its messages are above.");
  });

  it.each([
    [
      "an unknown operation",
      ["--fault", "databases.creat:503"],
      /no operation databases\.creat\. Did you mean databases\.create/,
    ],
    ["no status", ["--fault", "databases.create"], /must be operation:status/],
    ["another status", ["--fault", "databases.create:200"], /from 400 to 599, or lost/],
    ["a number below 1", ["--fault", "databases.create:503:0"], /at least 1/],
    ["more parts", ["--fault", "databases.create:503:1:2"], /must be operation:status/],
    ["a missing file", ["-f", "nothing.yaml"], /nothing\.yaml/],
  ])("refuses %s before it starts anything", async (_, flags, message) => {
    const { status, stdout, stderr } = await rehearse([...flags, ...provision]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("Starting");
  });

  it("refuses a call without a command", async () => {
    const { status, stdout } = await rehearse([]);
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
  });

  it("reports a command that is not found", async () => {
    const { status, stdout, stderr } = await rehearse(["--", "no-such-program-of-mgmt"]);
    expect({ status, stdout }).toEqual({ status: 127, stdout: "" });
    expect(stderr).toContain("program:not_found");
  });
});
