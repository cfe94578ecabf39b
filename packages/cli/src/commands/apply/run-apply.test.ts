import { describe, expect, it } from "vitest";
import { inProcess } from "../../../test/in-process.js";
import { shop, useProvisioning } from "../../../test/provisioning.js";
import { buildLogicalId } from "../../preview/record.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

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
    expect(applied.status).toBe(0);
    expect(applied.errors).toMatchObject([{ notice: { code: "region:other", region: "eu-west-3" } }]);
    expect(applied.json).toHaveLength(6);
    expect(await mgmt`plan`).toMatchObject({ status: 0, stdout: "No changes.\n", stderr: "" });
    const { rows } = here.session.server.engine;
    const databases = [...rows.databases.list({})];
    expect(databases.map(({ logicalId }) => logicalId).sort()).toEqual(["catalog", "catalog", "reports"]);
    expect(writesSince(0)).not.toContain("connections.create");
    expect(await mgmt`apply -o json`).toMatchObject({ status: 0, stdout: "[]\n" });
  });

  it("takes a key as it was written, which can look like a number", async () => {
    const keys = ["1.1", "1.10", "5e1234", "0x10", "007", "12345678901234567890", "no", "true"];
    const databases = `{ databases: { 1.10: { isDefault: true } } }`;
    const lines = keys.map((key) => `      ${key}: ${key === "1.10" ? databases : "{}"}\n`);
    write(`version: 1\nprojects:\n  2.0:\n    createDatabase: false\n    branches:\n${lines.join("")}`);
    const { status, json } = await mgmt`plan -o json`;
    expect(status).toBe(0);
    const paths = (json as { steps: { path: string[] }[] }).steps.map(({ path }) => path.join("/"));
    expect(paths.sort()).toEqual(["2.0", "2.0/1.10/1.10", ...keys.map((key) => `2.0/${key}`)].sort());
    expect((await mgmt`apply`).status).toBe(0);
    expect(await mgmt`plan`).toMatchObject({ status: 0, stdout: "No changes.\n" });
    write((await mgmt`export`).stdout);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
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

  it("leaves previews alone, also with --prune, unless the manifest has them", async () => {
    write(shop.replace(/ +reports:\n.*\n.*\n/, ""));
    await mgmt`apply`;
    const { rows, seed } = here.session.server.engine;
    const projectId = [...rows.projects.list({})].find(({ logicalId }) => logicalId === "shop")?.id ?? "";
    const makePreview = async (gitName: string): Promise<{ id: string; logicalId: string }> => {
      const { id: branchId } = await seed.branch(projectId, { gitName });
      const logicalId = buildLogicalId({ repository: null, branchId }, { pushed: true });
      const place = `--project-id=${projectId} --branch-id=${branchId} --logical-id=${logicalId}`.split(" ");
      const [project = "", branch = "", id = ""] = place;
      const { json } = await mgmt`databases create ${gitName} ${project} ${branch} ${id} -o json`;
      return { id: (json as { id: string }).id, logicalId };
    };
    const preview = await makePreview("feature/x");
    const planned = await mgmt`plan --prune`;
    expect(planned.stdout).toBe("No changes.\n");
    expect(planned.stderr).toContain(
      `branch shop/feature/x is not deleted, because it has the preview ${preview.id}, which mgmt preview down deletes`,
    );
    const exported = await mgmt`export`;
    expect(exported.stderr).toContain(`database ${preview.id}`);
    expect(exported.stdout).not.toContain("preview.");
    const applied = await mgmt`apply --prune --yes`;
    expect(applied.status, applied.stderr).toBe(0);
    expect(rows.databases.get(preview.id)).toBeDefined();
    write(
      shop
        .replace(/ +reports:\n.*\n.*\n/, "")
        .replace(
          "      feature/cart:",
          `      feature/x: { databases: { ${preview.logicalId}: {} } }\n      feature/cart:`,
        ),
    );
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

  it("refuses a timeout of nothing", async () => {
    const { status, stderr } = await mgmt`apply --timeout 5m`;
    expect(status).toBe(2);
    expect(stderr).toContain("--wait or --wait-approval");
  });

  it("prints no secrets", async () => {
    write(shop);
    const { stdout, stderr } = await mgmt`apply -o json`;
    expect(stdout + stderr).not.toMatch(/postgres:\/\/|password|connectionString/);
  });

  it("reports every step if one fails, exits with 10, and continues the next time", async () => {
    write(shop);
    here.session.server.engine.faults.add({ operation: "services.create", status: 500, times: 9 });
    const failed = await mgmt`apply -o json`;
    expect(failed.status).toBe(10);
    expect(failureOf(failed.stderr)).toMatchObject({ code: "apply:partly_done" });
    const steps = failed.json as { status: string; resource: string; error?: { code: string } }[];
    expect(steps.find(({ status }) => status === "failed")).toMatchObject({
      resource: "service",
      error: { code: "internal:error" },
    });
    expect(steps.map(({ status }) => status)).toEqual(expect.arrayContaining(["done", "failed"]));
    here.session.server.engine.faults.clear();
    const done = steps.filter(({ status }) => status === "done").length;
    const again = await mgmt`apply -o json`;
    expect(again.status).toBe(0);
    expect(again.json).toHaveLength(6 - done);
    expect((await mgmt`plan`).stdout).toBe("No changes.\n");
  });

  it("exits with the error's own code if nothing was done", async () => {
    write(shop);
    const agent = inProcess({
      env: { ...here.session.env, MGMT_TOKEN: await here.session.server.engine.tokens.withoutScope() },
      cwd: here.folder,
    });
    expect(await agent`apply`).toMatchObject({ status: 5, stdout: "" });
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
});
