import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import { shop, useProvisioning } from "../../../test/provisioning.js";
import type { Mgmt } from "../../../test/result.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

const failureOf = (stderr: string): { code: string; message: string; hint?: string } =>
  (JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as { error: { code: string; message: string } }).error;

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

  it("needs the number of deletions in a protected folder", async () => {
    write(shop);
    mkdirSync(join(here.folder, ".mgmt"), { recursive: true });
    writeFileSync(join(here.folder, ".mgmt/link.json"), '{"protect":true}');
    await mgmt`apply`;
    write(smaller);
    const before = countRequests();
    for (const flags of [["--yes"], ["--confirm", "3"]])
      expect(
        (await runInProcess(["apply", "--prune", ...flags], { env: here.session.env, cwd: here.folder }))
          .status,
      ).toBe(3);
    expect(writesSince(before)).toEqual([]);
    expect((await mgmt`apply --prune --confirm 4`).status).toBe(0);
  });

  it("keeps the default database, branches with other resources, and other projects", async () => {
    const { seed } = here.session.server.engine;
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
    expect(here.session.server.engine.rows.projects.get(other.id)).toBeDefined();
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
      const MGMT_TOKEN = await here.session.server.engine.tokens.agent();
      agent = inProcess({ env: { ...here.session.env, MGMT_TOKEN }, cwd: here.folder });
    });
    const pending = () =>
      here.session.server.engine.approvals.list().filter(({ status }) => status === "pending");
    const allPending = async (): Promise<ReturnType<typeof pending>> => {
      for (;;) {
        if (pending().length === 3) return pending();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it("asks for all approvals at once, and needs one decision for all deletes of a kind in a project", async () => {
      const { approvals } = here.session.server.engine;
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
      const { approvals, rows } = here.session.server.engine;
      const applying = agent`apply --prune --yes --wait-approval -o json`;
      const asked = await allPending();
      const service = asked.find(({ operationId }) => operationId === "services.delete");
      await approvals.approve(service?.id ?? "");
      while (rows.apps.list({}).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
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
      expect(rows.databases.list({})).toHaveLength(3);
    });

    it("names all approvals if it does not wait, and continues once they are given", async () => {
      const { approvals } = here.session.server.engine;
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

it("reports the step as unknown whose request Ctrl-C has left without a response, and later ones as skipped", async () => {
  write(shop);
  const { faults } = here.session.server.engine;
  faults.add({ operation: "services.create", latency: 600_000, times: 1 });
  const { status, json } = await runInProcess(["apply", "-o", "json"], {
    env: here.session.env,
    cwd: here.folder,
    interrupt: vi.waitFor(() => expect(faults.hasFaults).toBe(false), { timeout: 60_000 }),
  });
  expect(status).toBe(130);
  const statuses = (json as { status: string }[]).map((step) => step.status);
  expect(statuses.filter((status) => status !== "done")).toEqual(["unknown", "skipped", "skipped"]);
});
