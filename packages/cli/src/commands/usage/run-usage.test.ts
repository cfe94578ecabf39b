import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";
import { type Session, startSession } from "../../../test/terminal.js";
import { buildLogicalId } from "../../preview/record.js";

let session: Session;
let shop: { id: string; databaseId: string };
let bakery: { id: string; databaseId: string };
beforeEach(async () => {
  session = await startSession();
  const { seed } = session.server.engine;
  const seedProject = async (name: string): Promise<{ id: string; databaseId: string }> => {
    const { id, database } = await seed.project({ name });
    return { id, databaseId: database?.id ?? "" };
  };
  [shop, bakery] = [await seedProject("shop"), await seedProject("bakery")];
});
afterEach(() => session.close());

const run = (line: string, env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  runInProcess(line.split(" ").filter(Boolean), { env: { ...session.env, ...env } });
const usage = (flags = "", env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  run(`usage ${flags} -o json`, env);
interface Row {
  readonly id: string | null;
  readonly name: string | null;
  readonly project: { readonly name: string };
  readonly databases: number;
  readonly operations: { readonly used: number };
  readonly storage: { readonly used: number; readonly unit: string };
}
const rowsOf = ({ json }: { json: unknown }): Row[] => json as Row[];

describe("mgmt usage", () => {
  it("shows the databases of all projects, or of one", async () => {
    const all = await usage();
    expect(all.status, all.stderr).toBe(0);
    expect(rowsOf(all).map(({ id }) => id)).toEqual([shop.databaseId, bakery.databaseId]);
    const { json } = await session.mgmt`databases usage get ${shop.databaseId} -o json`;
    const { metrics } = json as { metrics: { storage: object } };
    expect(rowsOf(all)[0]).toMatchObject({
      databases: 1,
      project: { id: shop.id, name: "shop" },
      ...metrics,
    });
    for (const flags of ["--project-id bakery", `--project-id ${bakery.id}`])
      expect(rowsOf(await usage(flags)).map(({ id }) => id)).toEqual([bakery.databaseId]);
    const linked = { MGMT_PROJECT_ID: shop.id };
    expect(rowsOf(await usage("", linked))).toHaveLength(1);
    expect(rowsOf(await usage("--all-projects", linked))).toHaveLength(2);
  });

  it("adds up by project, branch, and preview", async () => {
    const { seed } = session.server.engine;
    const { id: branchId } = await seed.branch(shop.id, { gitName: "feature/cart" });
    const logicalId = buildLogicalId({ repository: null, branchId });
    const place = `--project-id ${shop.id} --branch-id ${branchId}`;
    await run(`databases create copy ${place} --logical-id ${logicalId}`);
    await run(`databases create other ${place}`);
    const databases = rowsOf(await usage("--project-id shop"));
    const sum = databases.reduce((total, { operations }) => total + operations.used, 0);
    const summarize = async (by: string): Promise<unknown[]> =>
      rowsOf(await usage(`--project-id shop --by ${by}`)).map(({ id, name, databases: count }) => [
        id,
        name,
        count,
      ]);
    expect(await summarize("project")).toEqual([[shop.id, "shop", 3]]);
    expect(rowsOf(await usage("--project-id shop --by project"))[0]?.operations.used).toBe(sum);
    expect(await summarize("branch")).toEqual([
      [expect.any(String), "main", 1],
      [branchId, "feature/cart", 2],
    ]);
    expect(await summarize("preview")).toEqual([
      [null, null, 2],
      [branchId, "feature/cart", 1],
    ]);
  });

  it("prints units and the period for people", async () => {
    await session.server.engine.clock.set(Date.now());
    const env = { MGMT_TOKEN: await session.server.engine.tokens.user() };
    const { stdout, stderr } = await run("usage --project-id shop --since 2w", env);
    expect(stdout).toMatch(/^ID +NAME +PROJECT +OPERATIONS +STORAGE \(GIB\)\n/);
    expect(stderr).toMatch(
      /^Requested: from \d{4}-\S+Z to \d{4}-\S+Z\. A service without a history counts since each database was created\.\n$/,
    );
    const csv = await run("usage --project-id shop --by project --output csv", env);
    expect(csv.stdout).toMatch(
      /^id,name,project\.name,databases,operations\.used,storage\.used\n\S+,shop,shop,1,/,
    );
  });

  it("says that mgmt dev keeps no history", async () => {
    const folder = temporaryFolder();
    const { baseUrl, engine } = session.server;
    await engine.clock.set(Date.now());
    const local = { baseUrl, controlUrl: `${baseUrl}/_control`, token: await engine.tokens.user() };
    writeFileSync(join(folder, "config.json"), JSON.stringify({ profiles: { local } }));
    const { stderr } = await run("usage --profile local --since 2w", { MGMT_CONFIG_DIR: folder });
    expect(stderr).toBe(
      "Operations since each database was created or last restored, because mgmt dev keeps no history.\n",
    );
  });

  it("leaves out what is deleted meanwhile, with a note", async () => {
    session.server.engine.faults.add({
      operation: "databases.usage.get",
      status: 404,
      code: "database:not_found",
      times: 1,
    });
    const result = await usage();
    expect(rowsOf(result)).toHaveLength(1);
    expect(result.stderr).toContain("usage:skipped");
  });

  it("asks for a few databases at a time, and goes on after a limit of requests", async () => {
    const { seed, faults } = session.server.engine;
    for (let index = 0; index < 20; index += 1) await seed.database(shop.id, { name: `d${String(index)}` });
    faults.add({ operation: "databases.usage.get", status: 429, times: 3 });
    expect(rowsOf(await usage())).toHaveLength(22);
  });

  it("prints nothing for a workspace without databases", async () => {
    for (const { id } of [shop, bakery]) await run(`projects delete ${id} --yes`);
    expect((await session.mgmt`usage -o json`).json).toEqual([]);
    expect((await session.mgmt`usage`).stderr).toBe("Nothing found.\n");
  });

  it("ends at the first other failure", async () => {
    session.server.engine.faults.add({
      operation: "databases.usage.get",
      status: 400,
      code: "usage:invalid_range",
    });
    expect(await usage()).toMatchObject({ status: 7, stdout: "" });
  });

  it.each([
    ["--since 0", 2, "usage:invalid_value"],
    ["--since soon", 2, "usage:invalid_value"],
    ["--by table", 2, "usage:invalid"],
    ["--project-id shop --all-projects", 2, "usage:invalid"],
    ["--project-id gone", 6, "name:not_found"],
    ["--output env", 2, "usage:invalid"],
    ["--fields id,storage.usd", 2, "Did you mean storage.used?"],
    ["--fields size -o json", 2, "Fields: id, name, project, databases, operations, storage, period."],
  ])("refuses %s", async (flags, status, code) => {
    const result = await run(`usage ${flags}`);
    expect(result).toMatchObject({ status, stdout: "", stderr: expect.stringContaining(code) });
  });
});
