import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { shop, useProvisioning } from "../../../test/provisioning.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

const failureOf = (stderr: string): { code: string; message: string; hint?: string } =>
  (JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as { error: { code: string; message: string } }).error;

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

  it("accepts another form of the same URL of the service", async () => {
    write(shop);
    await mgmt`plan --out plan.json`;
    const { baseUrl } = here.session.server;
    write(readFileSync(join(here.folder, "plan.json"), "utf8").replace(baseUrl, `${baseUrl}/`), "slash.json");
    expect(await mgmt`apply slash.json`).toMatchObject({ status: 0 });
  });

  it("refuses the plan of another service, other files, and other flags", async () => {
    write(shop);
    await mgmt`plan --out plan.json`;
    const text = readFileSync(join(here.folder, "plan.json"), "utf8");
    write(text.replace(here.session.server.baseUrl, "https://other.example.com"), "other.json");
    expect(await mgmt`apply other.json`).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("plan:other_service"),
    });
    for (const content of ["", shop, text.slice(0, -10)]) {
      write(content, "bad.json");
      expect(await mgmt`apply bad.json`).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("was not written by mgmt plan: it is not JSON, or it is cut off"),
      });
    }
    expect((await mgmt`apply mgmt.yaml -o json`).errors).toEqual([
      {
        error: expect.objectContaining({
          code: "plan:invalid",
          hint: expect.stringContaining("pass it with --file: mgmt apply --file mgmt.yaml"),
          next: [["mgmt", "plan", "--file", "mgmt.yaml"]],
        }),
      },
    ]);
    expect((await mgmt`apply plan.json --prune`).status).toBe(2);
    expect((await mgmt`apply missing.json`).stderr).toContain("usage:unreadable_file");
  });

  type Plan = {
    steps: Record<string, unknown>[];
    read: { resource: string; path: string[]; id: string }[];
  } & Record<string, unknown>;

  it.each<[string, string, (plan: Plan, other: string) => void]>([
    [
      "deletes another database under the name of one that it read",
      "has another id than the plan has read",
      ({ steps }, other) =>
        steps.push({ action: "delete", resource: "database", path: ["shop", "main", "reports"], id: other }),
    ],
    [
      "deletes what it has not read",
      "has another id than the plan has read",
      ({ steps }, other) =>
        steps.push({ action: "delete", resource: "database", path: ["shop", "main", "other"], id: other }),
    ],
    [
      "renames another database under the name of one that it read",
      "has another id than the plan has read",
      ({ steps }, other) =>
        steps.push({
          action: "update",
          resource: "database",
          path: ["shop", "main", "reports"],
          id: other,
          changes: [{ field: "name", from: "a", to: "b" }],
        }),
    ],
    [
      "claims to have read another id",
      "database shop/main/reports was replaced",
      ({ steps, read }, other) => {
        const entry = read.find(({ path }) => path.join("/") === "shop/main/reports");
        if (entry) entry.id = other;
        steps.push({ action: "delete", resource: "database", path: ["shop", "main", "reports"], id: other });
      },
    ],
    [
      "works in a project that it has not read",
      "is in a project that the plan has not read",
      ({ steps }) => steps.push({ action: "create", resource: "branch", path: ["victim", "x"], fields: {} }),
    ],
    [
      "creates in another project by way of a field",
      "sets projectId, which a manifest cannot do",
      ({ steps }, other) =>
        steps.push({
          action: "create",
          resource: "database",
          path: ["shop", "main", "fresh"],
          fields: { projectId: other },
        }),
    ],
    [
      "changes a field that a manifest does not have",
      "sets branchId, which a manifest cannot do",
      ({ steps, read }, other) => {
        const { id } = read.find(({ path }) => path.join("/") === "shop/main/reports") ?? { id: "" };
        const changes = [{ field: "branchId", from: null, to: other }];
        steps.push({
          action: "update",
          resource: "database",
          path: ["shop", "main", "reports"],
          id,
          changes,
        });
      },
    ],
    [
      "deletes a project",
      "deletes a project",
      ({ steps, read }) => {
        const { id } = read.find(({ resource }) => resource === "project") ?? { id: "" };
        steps.push({ action: "delete", resource: "project", path: ["shop"], id });
      },
    ],
    [
      "has a step without a name",
      "has an incomplete path",
      ({ steps }) => steps.push({ action: "create", resource: "database", path: ["shop"], fields: {} }),
    ],
    [
      "creates in a branch that does not exist",
      "is in a branch that does not exist",
      ({ steps }) =>
        steps.push({ action: "create", resource: "database", path: ["shop", "gone", "x"], fields: {} }),
    ],
  ])("refuses a file that %s, and sends nothing that changes something", async (_, problem, change) => {
    write(shop);
    await mgmt`apply`;
    const { id } = await here.session.server.engine.seed.project({ logicalId: "victim" });
    const { id: other } = await here.session.server.engine.seed.database(id, { name: "other" });
    await mgmt`plan --out plan.json`;
    const plan = JSON.parse(readFileSync(join(here.folder, "plan.json"), "utf8")) as Plan;
    change(plan, other);
    write(JSON.stringify(plan), "plan.json");
    const before = countRequests();
    const { status, stderr } = await mgmt`apply plan.json --yes`;
    expect({ status, stderr }).toEqual({
      status: problem.includes("replaced") ? 7 : 2,
      stderr: expect.stringContaining(problem),
    });
    expect(writesSince(before)).toEqual([]);
  });

  it("accepts every step that a plan has: new projects, changes, copies, and deletes", async () => {
    write(shop);
    await mgmt`apply`;
    write(
      `${shop.replace("          reports:", "          reports2:").replace("name: Catalog", "name: Renamed")}  diner:
    branches:
      main:
        databases:
          menu: { source: { type: database, databaseId: { project: shop, database: catalog } } }
      beta:
        services:
          web: {}
`,
    );
    expect((await mgmt`plan --prune --out plan.json`).status).toBe(0);
    expect(await mgmt`apply plan.json --yes -o json`).toMatchObject({ status: 0 });
    expect((await mgmt`plan --prune`).stdout).toBe("No changes.\n");
  });
});

describe("mgmt plan --out", () => {
  it("does not write to where a link of the repository leads", async () => {
    const other = join(temporaryFolder(), "profile");
    writeFileSync(other, "mine");
    symlinkSync(other, join(here.folder, "linked.json"));
    write(shop);
    expect(await mgmt`plan --out linked.json`).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("linked.json cannot be written"),
    });
    expect(readFileSync(other, "utf8")).toBe("mine");
  });

  it("replaces a plan of an earlier run", async () => {
    write("earlier", "again.json");
    write(shop);
    expect((await mgmt`plan --out again.json`).status).toBe(0);
    expect(JSON.parse(readFileSync(join(here.folder, "again.json"), "utf8"))).toMatchObject({ version: 1 });
  });
});
