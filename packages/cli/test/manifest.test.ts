import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import schema from "../mgmt.schema.json";
import { temporaryFolder } from "./folders.js";
import { inProcess } from "./in-process.js";
import type { Mgmt } from "./result.js";
import { type Session, startSession } from "./terminal.js";

const shop = `version: 1
projects:
  shop:
    name: Shop
    region: eu-central-1
    branches:
      main:
        databases:
          catalog: { name: Catalog, isDefault: true }
          reports:
            region: eu-west-3
            source: { type: database, databaseId: { database: catalog } }
        services:
          web: {}
      feature/cart:
        databases:
          catalog:
            source: { type: database, databaseId: { branch: main, database: catalog } }
`;

const root = temporaryFolder();
let session: Session;
let folder: string;
let mgmt: Mgmt;
let token: string;
beforeEach(async () => {
  session = await startSession();
  folder = mkdtempSync(join(root, "manifest-"));
  token = session.env["MGMT_TOKEN"] ?? "";
  mgmt = inProcess({ env: session.env, cwd: folder });
});
afterEach(() => session.close());

const write = (content: string, file = "mgmt.yaml"): void => writeFileSync(join(folder, file), content);

/** Returns the requests since a moment that change something. */
const writesSince = (before: number): string[] =>
  session.server.engine.requests
    .slice(before)
    .filter(({ method }) => method !== "GET")
    .map(({ operationId }) => operationId ?? "");

const countRequests = (): number => session.server.engine.requests.length;

const failureOf = (stderr: string): { code: string; message: string; hint?: string } =>
  (JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as { error: { code: string; message: string } }).error;

describe("mgmt apply", () => {
  it("creates what the manifest describes, and then there are no changes", async () => {
    write(shop);
    const planned = await mgmt`plan`;
    expect(planned.stdout).toContain('+ project shop\n    name: "Shop"\n');
    expect(planned.stdout).toContain("+ database shop/feature/cart/catalog");
    expect(planned.stdout).toMatch(/Plan: 6 to create, 0 to change, 0 to delete\.\n$/);
    const applied = await mgmt`apply -o json`;
    expect(applied).toMatchObject({ status: 0, stderr: "" });
    expect(applied.json).toHaveLength(6);
    expect(await mgmt`plan`).toMatchObject({ status: 0, stdout: "No changes.\n", stderr: "" });
    const { store } = session.server.engine;
    const databases = [...store.databases.list({})];
    expect(databases.map(({ logicalId }) => logicalId).sort()).toEqual(["catalog", "catalog", "reports"]);
    expect(writesSince(0)).not.toContain("connections.create");
    expect(await mgmt`apply -o json`).toMatchObject({ status: 0, stdout: "[]\n" });
  });

  it("changes only what differs", async () => {
    write(shop);
    await mgmt`apply`;
    write(shop.replace("name: Shop", "name: Store").replace("web: {}", "web: { displayName: Website }"));
    const { stdout } = await mgmt`plan`;
    expect(stdout).toMatch(
      /^~ project shop \(proj_\w+\)\n {4}name: "Shop" → "Store"\n~ service shop\/main\/web/,
    );
    const before = countRequests();
    expect((await mgmt`apply`).status).toBe(0);
    expect(writesSince(before)).toEqual(["projects.update", "services.update"]);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });

  it("moves the default branch, and warns about what cannot be changed", async () => {
    write(shop);
    await mgmt`apply`;
    write(
      shop
        .replace("feature/cart:", "feature/cart:\n        isDefault: true")
        .replace("eu-west-3", "us-west-1"),
    );
    const { stdout, stderr } = await mgmt`plan`;
    expect(stdout).toContain("~ branch shop/feature/cart");
    expect(stdout).toContain("isDefault: false → true");
    expect(stderr).toContain('region is "eu-west-3" and cannot be changed to "us-west-1"');
    expect((await mgmt`apply`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });

  it("creates databases from backups", async () => {
    const { seed } = session.server.engine;
    const { database } = await seed.project();
    const backup = await seed.backup(database?.id ?? "");
    write(`version: 1
projects:
  copy:
    branches:
      main:
        databases:
          restored: { source: { type: backup, databaseId: ${database?.id ?? ""}, backupId: ${backup.id} } }
`);
    expect((await mgmt`apply`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
    const { stdout } = await mgmt`export copy`;
    expect(stdout).toContain(backup.id);
  });

  it("prints no secrets", async () => {
    write(shop);
    const { stdout, stderr } = await mgmt`apply -o json`;
    expect(stdout + stderr).not.toMatch(/postgres:\/\/|password|connectionString/);
  });

  it("reports every step if one fails, exits with 10, and continues the next time", async () => {
    write(shop);
    session.server.engine.faults.add({ operation: "services.create", status: 500, times: 9 });
    const failed = await mgmt`apply -o json`;
    expect(failed.status).toBe(10);
    expect(failureOf(failed.stderr)).toMatchObject({ code: "apply:partly_done" });
    const steps = failed.json as { status: string; resource: string; error?: { code: string } }[];
    expect(steps.find(({ status }) => status === "failed")).toMatchObject({
      resource: "service",
      error: { code: "internal:error" },
    });
    expect(steps.map(({ status }) => status)).toEqual(expect.arrayContaining(["done", "failed"]));
    session.server.engine.faults.clear();
    const done = steps.filter(({ status }) => status === "done").length;
    const again = await mgmt`apply -o json`;
    expect(again.status).toBe(0);
    expect(again.json).toHaveLength(6 - done);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });

  it("exits with the error's own code if nothing was done", async () => {
    write(shop);
    const agent = inProcess({
      env: { ...session.env, MGMT_TOKEN: await session.server.engine.tokens.withoutScope() },
      cwd: folder,
    });
    expect(await agent`apply`).toMatchObject({ status: 5, stdout: "" });
  });

  it("survives a lost response without creating anything twice", async () => {
    write(shop);
    session.server.engine.faults.add({ operation: "databases.create", drop: "after", times: 1 });
    expect((await mgmt`apply`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
    expect([...session.server.engine.store.databases.list({})]).toHaveLength(3);
  });
});

describe("mgmt apply of a saved plan", () => {
  it("applies it", async () => {
    write(shop);
    expect((await mgmt`plan --out plan.json`).stderr).toContain("mgmt apply plan.json");
    expect((await mgmt`apply plan.json`).status).toBe(0);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });

  it("refuses it after any change, exits with 7, and writes nothing", async () => {
    write(shop);
    await mgmt`apply`;
    write(shop.replace("name: Shop", "name: Store"));
    await mgmt`plan --out plan.json`;
    const [service] = (await mgmt`services list -o json`).json as { id: string }[];
    await mgmt`services update ${service?.id ?? ""} --display-name renamed`;
    const before = countRequests();
    const refused = await mgmt`apply plan.json -o json`;
    expect(refused).toMatchObject({ status: 7, stdout: "" });
    expect(failureOf(refused.stderr)).toMatchObject({
      code: "plan:outdated",
      message: expect.stringContaining("displayName of service shop/main/web has changed"),
    });
    expect(writesSince(before)).toEqual([]);
  });

  it("refuses what appeared, went away or was replaced", async () => {
    write(shop);
    await mgmt`plan --out new.json`;
    await mgmt`apply`;
    expect((await mgmt`apply new.json`).stderr).toContain("project shop is new");
    await mgmt`plan --out same.json`;
    const [database] = (await mgmt`databases list --logical-id reports -o json`).json as {
      id: string;
      project: { id: string };
    }[];
    await mgmt`databases delete ${database?.id ?? ""} --yes`;
    expect((await mgmt`apply same.json`).stderr).toContain("database shop/main/reports is gone");
    await mgmt`databases create --project-id ${database?.project.id ?? ""} --logical-id reports --region eu-west-3`;
    expect((await mgmt`apply same.json`).stderr).toContain("database shop/main/reports was replaced");
  });

  it("refuses the plan of another service, other files, and other flags", async () => {
    write(shop);
    await mgmt`plan --out plan.json`;
    const text = readFileSync(join(folder, "plan.json"), "utf8");
    write(text.replace(session.server.baseUrl, "https://other.example.com"), "other.json");
    expect(await mgmt`apply other.json`).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("plan:other_service"),
    });
    for (const content of [
      "",
      "[]",
      "{}",
      shop,
      text.replace('"version": 1', '"version": 2'),
      text.replaceAll('"database"', '"table"'),
    ]) {
      write(content, "bad.json");
      expect(await mgmt`apply bad.json`).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("plan:invalid"),
      });
    }
    expect((await mgmt`apply plan.json --prune`).status).toBe(2);
    expect((await mgmt`apply missing.json`).stderr).toContain("usage:unreadable_file");
  });
});

describe("--prune", () => {
  const smaller = `version: 1
projects:
  shop:
    name: Shop
    branches:
      main: { databases: { catalog: {} } }
`;

  it("needs a confirmation, and deletes what the manifest does not have", async () => {
    write(shop);
    await mgmt`apply`;
    write(smaller);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
    const { stdout } = await mgmt`plan --prune`;
    expect(stdout.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(4);
    const before = countRequests();
    const asked = await mgmt`apply --prune`;
    expect(asked).toMatchObject({ status: 3, stderr: expect.stringContaining("database shop/main/reports") });
    expect(writesSince(before)).toEqual([]);
    expect((await mgmt`apply --prune --yes`).status).toBe(0);
    expect((await mgmt`plan --prune`).stdout).toBe("No changes.\n");
    expect(writesSince(before).sort()).toEqual([
      "branches.delete",
      "databases.delete",
      "databases.delete",
      "services.delete",
    ]);
  });

  it("keeps the default database, branches with other resources, and other projects", async () => {
    const { seed } = session.server.engine;
    write(shop);
    await mgmt`apply`;
    const other = await seed.project({ logicalId: "other" });
    const [project] = (await mgmt`projects list --logical-id shop -o json`).json as { id: string }[];
    await seed.database(project?.id ?? "");
    await mgmt`databases create unnamed --project-id ${project?.id ?? ""} --branch-git-name feature/cart`;
    write("version: 1\nprojects: { shop: { branches: { main: } } }");
    const { stderr } = await mgmt`apply --prune --yes`;
    expect(stderr).toContain("database shop/main/catalog is not deleted, because it is the default");
    expect(stderr).toMatch(/branch shop\/feature\/cart is not deleted, because it contains the database db_/);
    expect(session.server.engine.store.projects.get(other.id)).toBeDefined();
    expect((await mgmt`plan --prune`).stdout).toBe("No changes.\n");
  });

  describe("as an agent", () => {
    let agent: Mgmt;
    beforeEach(async () => {
      write(shop);
      await mgmt`apply`;
      write(
        "version: 1\nprojects: { shop: { branches: { main: { databases: { catalog: } }, feature/cart: } } }",
      );
      const MGMT_TOKEN = await session.server.engine.tokens.agent();
      agent = inProcess({ env: { ...session.env, MGMT_TOKEN }, cwd: folder });
    });
    const pending = () => session.server.engine.approvals.list().filter(({ status }) => status === "pending");
    const allPending = async (): Promise<ReturnType<typeof pending>> => {
      for (;;) {
        if (pending().length === 3) return pending();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it("asks for all approvals at once, and needs one decision for all deletes of a kind in a project", async () => {
      const { approvals } = session.server.engine;
      const applying = agent`apply --prune --yes --wait-approval -o json`;
      const asked = await allPending();
      const operations = asked.map(({ operationId }) => operationId).sort();
      expect(operations).toEqual(["databases.delete", "databases.delete", "services.delete"]);
      for (const operation of ["databases.delete", "services.delete"]) {
        const one = asked.find(({ operationId }) => operationId === operation);
        await approvals.approveWindow(one?.id ?? "");
      }
      const { status, json, errors } = await applying;
      expect({ status, json }).toMatchObject({
        status: 0,
        json: [{ status: "done" }, { status: "done" }, { status: "done" }],
      });
      expect(approvals.list().filter(({ decidedAt }) => decidedAt !== null)).toHaveLength(2);
      const notices = errors.filter((line) => JSON.stringify(line).includes("approval:waiting"));
      expect(notices).toHaveLength(3);
    });

    it("continues while other approvals are pending, and stops at one that is denied", async () => {
      const { approvals, store } = session.server.engine;
      const applying = agent`apply --prune --yes --wait-approval -o json`;
      const asked = await allPending();
      const service = asked.find(({ operationId }) => operationId === "services.delete");
      await approvals.approve(service?.id ?? "");
      while (store.apps.list({}).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      const other = asked.find(({ operationId }) => operationId === "databases.delete");
      await approvals.deny(other?.id ?? "");
      const { status, json, stderr } = await applying;
      expect(status).toBe(10);
      const statuses = (json as { status: string }[]).map((step) => step.status).sort();
      expect(statuses).toEqual(["done", "failed", "skipped"]);
      expect(failureOf(stderr)).toMatchObject({
        code: "apply:partly_done",
        message: expect.stringContaining("approval:denied"),
      });
      expect(store.databases.list({})).toHaveLength(3);
    });

    it("names all approvals if it does not wait, and continues once they are given", async () => {
      const { approvals } = session.server.engine;
      const { status, json } = await agent`apply --prune --yes -o json`;
      expect(status).toBe(8);
      const needed = (json as { error: { code: string; details: { approvalId: string } } }[]).map(
        ({ error }) => error,
      );
      expect(needed.map(({ code }) => code)).toEqual(Array(3).fill("approval_required"));
      expect(needed.map(({ details }) => details.approvalId)).toEqual(pending().map(({ id }) => id));
      for (const { id } of pending()) await approvals.approve(id);
      expect((await agent`apply --prune --yes`).status).toBe(0);
      expect((await mgmt`plan --prune`).stdout).toBe("No changes.\n");
    });
  });
});

describe("mgmt export", () => {
  it("prints a manifest that needs no changes, and creates the same elsewhere", async () => {
    write(shop);
    await mgmt`apply`;
    const exported = await mgmt`export`;
    expect(exported).toMatchObject({ status: 0, stderr: "" });
    expect(exported.stdout).toMatch(/^# yaml-language-server: \$schema=.*mgmt\.schema\.json\nversion: 1\n/);
    write(exported.stdout);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");

    const elsewhere = await startSession();
    const there = inProcess({ env: elsewhere.env, cwd: folder });
    expect((await there`apply`).status).toBe(0);
    expect((await there`export`).stdout).toBe(exported.stdout);
    await elsewhere.close();
  });

  it("describes one project by its id or logical id, and says what is left out", async () => {
    const { seed } = session.server.engine;
    const named = await seed.project({ logicalId: "named", name: `"quoted": 🙂\u001b[2J` });
    const unnamed = await seed.project();
    const byId = await mgmt`export ${named.id} -o json`;
    expect(byId.json).toEqual((await mgmt`export named -o json`).json);
    expect(byId.json).toEqual({
      version: 1,
      projects: { named: { name: `"quoted": 🙂\u001b[2J`, branches: { main: { isDefault: true } } } },
    });
    expect(byId.stderr).toContain(named.database?.id);
    expect((await mgmt`export`).stdout).not.toContain("\u001b");
    expect(await mgmt`export ${unnamed.id}`).toMatchObject({ status: 6, stdout: "" });
    expect(await mgmt`export nothing`).toMatchObject({ status: 6, stdout: "" });
  });
});

describe("mgmt apply --dry-run", () => {
  it("prints the requests, and sends none that changes anything", async () => {
    write(shop);
    const before = countRequests();
    const { json } = await mgmt`apply --dry-run`;
    expect(writesSince(before)).toEqual([]);
    const requests = json as { method: string; url: string; id?: string }[];
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(6);
    expect(requests[1]?.url).toContain("/mgmt_id_1/");
  });

  it("prints a script for curl that has the same effect", async () => {
    write(shop);
    const { stdout } = await mgmt`apply --dry-run=curl`;
    expect(stdout).not.toContain(token);
    // The script does not wait until a database that is copied is ready.
    const script = stdout.replaceAll("\nmgmt_id", "\nsleep 0.3\nmgmt_id");
    await promisify(execFile)("bash", ["-c", script], { env: { ...process.env, ...session.env } });
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });
});

describe("an invalid manifest", () => {
  it.each([
    ["", "must be object"],
    ["version: 2", "mgmt.yaml:1:10: version must be 1"],
    ["projects: {}", "must have version"],
    ["version: 1\nprojects:\n  shop: { nmae: Shop }", "mgmt.yaml:3:17: projects.shop.nmae is not known here"],
    ["version: 1\nprojects:\n  shop: { region: mars }", "must be one of: us-east-1"],
    ["version: 1\nprojects: { 'a b': }", "as a key must match"],
    ["version: 1\nprojects: [shop]", "must be object, not array"],
    ["version: 1\nprojects: { shop: { name: 5 } }", "must be string, not number"],
    ["version: 1\nprojects: { shop: { branches: { main: { isDefault: false } } } }", "must be true"],
    ["version: 1\nprojects: {", "mgmt.yaml:2"],
    ["version: 1\nversion: 1", "mgmt.yaml:2:1"],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: tape } } } } } } }",
      "one of: empty, backup, database",
    ],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: backup } } } } } } }",
      "must have databaseId",
    ],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: database, databaseId: { database: c } } } } } } } }",
      "database a/main/b: there is no database a/main/c",
    ],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: database, databaseId: { database: b } } } } } } } }",
      "refer to each other",
    ],
  ])("is refused with its place, and nothing is sent that changes: %j", async (content, message) => {
    write(content);
    const before = countRequests();
    for (const result of [await mgmt`plan`, await mgmt`apply`]) {
      expect(result).toMatchObject({ status: 2, stdout: "" });
      expect(result.stderr).toContain(message);
      expect(result.stderr).toContain("manifest:invalid");
    }
    expect(writesSince(before)).toEqual([]);
  });

  it("is a missing file, or aliases that expand without bound", async () => {
    expect(await mgmt`plan`).toMatchObject({ status: 2, stderr: expect.stringContaining("mgmt.yaml") });
    const levels = Array.from(
      { length: 9 },
      (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(", ")}]`,
    );
    write(["a0: &a0 [x]", ...levels].join("\n"));
    expect((await mgmt`plan`).status).toBe(2);
  });

  it("can be read from standard input", async () => {
    const piped = inProcess({ env: session.env, stdin: "version: 1\nprojects: { shop: { nmae: } }" });
    expect((await piped`plan -f -`).stderr).toContain("standard input:2:");
  });
});

describe("mgmt.schema.json", () => {
  const validate = new Ajv2020({ strict: false }).compile(schema);

  it("accepts the example and refuses unknown fields, as mgmt plan does", () => {
    expect(validate(parse(shop))).toBe(true);
    expect(validate(parse(shop.replace("region:", "regoin:")))).toBe(false);
    expect(
      validate({
        version: 1,
        projects: { shop: { branches: { main: { databases: { d: { source: { type: "tape" } } } } } } },
      }),
    ).toBe(false);
  });
});
