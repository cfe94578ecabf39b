import { beforeEach, describe, expect, it } from "vitest";
import { type Place, type Up, usePlace } from "./place.js";

const current = usePlace();
let place: Place;
beforeEach(() => {
  place = current();
});

describe("mgmt preview list", () => {
  it("shows the branch, database, status, age, expiry, remote and connection of each preview", async () => {
    const clone = place.clone(place.bareRepository("shop.git"), "clone");
    for (const branch of ["gone", "exists", "local"]) {
      place.startBranch(clone, branch, { push: branch !== "local" });
      await place.mgmtIn(clone)`preview up --expires 7d`;
    }
    place.git(clone, "push", "--quiet", "origin", ":gone");
    await place.mgmt`preview up --branch manual`;
    place.git(clone, "checkout", "--quiet", "main");
    expect(await place.states(clone)).toEqual({
      gone: "gone",
      exists: "exists",
      local: "not-pushed",
      manual: "unknown",
    });
    place.git(clone, "checkout", "--quiet", "exists");
    expect(await place.states(clone)).toMatchObject({ exists: "checked-out" });
    const { json } = await place.mgmtIn(clone)`preview list -o json`;
    const commit = place.git(clone, "rev-parse", "--short=12", "exists");
    const [, database] = (json as { databaseId: string }[]).map(({ databaseId }) => databaseId);
    expect((json as object[])[1]).toEqual({
      branch: "exists",
      databaseId: database,
      branchId: expect.stringMatching(/^br_/),
      status: "ready",
      region: "eu-central-1",
      createdAt: expect.any(String),
      expiresAt: expect.stringMatching(/^\d{4}-.*:00Z$/),
      remote: "checked-out",
      repository: expect.stringMatching(/^shop-[0-9a-f]{16}$/),
      commit,
      setupPending: false,
      connectionId: expect.stringMatching(/^con_/),
    });
    const { stdout } = await place.mgmtIn(clone)`preview ls`;
    expect(stdout.split("\n")[0]?.split(/\s{2,}/)).toEqual([
      "BRANCH",
      "DATABASE",
      "STATUS",
      "CREATED",
      "EXPIRES",
      "REMOTE",
      "CONNECTION",
    ]);
  });

  it("shows everything else if the remote cannot be reached", async () => {
    place.git(place.folder, "init", "--quiet", "--initial-branch", "feature");
    place.git(place.folder, "remote", "add", "origin", "http://user:hidden@127.0.0.1:1/a.git");
    await place.mgmt`preview up`;
    place.git(place.folder, "checkout", "--quiet", "--orphan", "other");
    const { status, stderr } = await place.mgmt`preview list`;
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining("warning:") });
    expect(stderr).not.toContain("hidden");
    expect(await place.states()).toEqual({ feature: "unknown" });
  });
});

describe("--expires", () => {
  it("is stored, kept, moved and removed", async () => {
    const expiryOf = async (flags: string): Promise<string | null> =>
      ((await place.mgmt`preview up --branch a -o json ${flags}`).json as Up).expiresAt;
    const before = Date.now();
    const first = await expiryOf("--expires=7d");
    expect(Date.parse(first ?? "") - before).toBeGreaterThanOrEqual(7 * 86_400_000);
    expect(Date.parse(first ?? "") - Date.now()).toBeLessThanOrEqual(7 * 86_400_000 + 60_000);
    expect(await expiryOf("--timeout=5m")).toBe(first);
    expect(Date.parse((await expiryOf("--expires=2w")) ?? "")).toBeGreaterThan(Date.parse(first ?? ""));
    expect(await expiryOf("--expires=never")).toBeNull();
    expect((await place.databases()).at(-1)?.name).toBe("a");
  });

  it.each(["soon", "0", "", "7", "2y", "800d", "-1d"])("cannot be %j", async (value) => {
    const before = place.requestCount;
    const { status } = await place.mgmt`preview up --branch a ${`--expires=${value}`}`;
    expect(status).toBe(2);
    expect(place.writesSince(before)).toEqual([]);
  });
});

describe("--setup", () => {
  it("does not run where it is not known whether it has, and says why after the connection string", async () => {
    const { status, json, stderr } = await place.mgmt`preview up --branch a -o json ${"--setup=exit 7"}`;
    expect({ status, json }).toMatchObject({ status: 9, json: { created: true, setup: "failed" } });
    expect(stderr).toContain("database:unreachable");
  });

  it("is refused if it is empty, or if --setup-again has none", async () => {
    expect((await place.mgmt`preview up --branch a ${"--setup= "}`).status).toBe(2);
    expect((await place.mgmt`preview up --branch a --setup-again`).status).toBe(2);
  });
});

describe("mgmt preview reset", () => {
  it("replaces the database by a fresh copy, and says that the connection string changes", async () => {
    const before = (await place.mgmt`preview up --branch a --expires 7d -o json`).json as Up;
    const refused = await place.mgmt`preview reset --branch a`;
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("confirmation:needed") });
    expect(refused.stderr).toMatch(/ a copy of \S+ in eu-central-1, with another connection string/);
    const { status, stderr, json } = await place.mgmt`preview reset --branch a --yes -o json`;
    expect(status, stderr).toBe(0);
    expect(json).toMatchObject({
      branch: "a",
      created: true,
      region: "eu-central-1",
      expiresAt: before.expiresAt,
      connectionsKept: false,
      deletedDatabaseId: before.databaseId,
    });
    const { databaseId, connectionString } = json as Up;
    expect(connectionString).not.toBe(before.connectionString);
    const all = await place.databases();
    expect(all.map(({ id }) => id)).toEqual([place.sourceId, databaseId]);
    expect(all.at(-1)?.source).toEqual({ type: "database", databaseId: place.sourceId });
    const again = await place.mgmt`preview reset --branch a --yes`;
    expect(again.stderr).toMatch(/was replaced by db_\w+, a copy of \S+ in eu-central-1\. Connection/);
  });

  it("keeps the connection string with --from-backup", async () => {
    const before = (await place.mgmt`preview up --branch a -o json`).json as Up;
    expect(await place.mgmt`preview reset --branch a --yes --from-backup`).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("preview:no_backup"),
    });
    const { id: backupId } = await place.session.server.engine.seed.backup(place.sourceId);
    const { json } = await place.mgmt`preview reset --branch a --yes --from-backup -o json`;
    expect(json).toMatchObject({
      databaseId: before.databaseId,
      created: false,
      connectionsKept: true,
      deletedDatabaseId: null,
      connectionString: before.connectionString,
    });
    expect((await place.databases()).at(-1)?.source).toEqual({
      type: "backup",
      databaseId: place.sourceId,
      backupId,
    });
    expect(await place.mgmt`preview reset --branch a --yes --from-backup bkp_000000000000`).toMatchObject({
      status: 6,
    });
  });

  it("changes nothing without a preview, without a source that is ready, or in a dry run", async () => {
    expect(await place.mgmt`preview reset --branch a --yes`).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("preview:not_found"),
    });
    await place.mgmt`preview up --branch a`;
    const before = place.requestCount;
    expect((await place.mgmt`preview reset --branch main --yes`).status).toBe(2);
    expect((await place.mgmt`preview reset --branch a --dry-run`).json).toMatchObject([
      { method: "DELETE" },
      { method: "POST", body: { logicalId: expect.stringMatching(/^preview\.br_\w+$/) } },
      { method: "POST" },
    ]);
    await place.session.server.engine.states.setDatabaseStatus(place.sourceId, "provisioning");
    expect((await place.mgmt`preview reset --branch a --yes --timeout 200ms`).status).toBe(8);
    expect(place.writesSince(before)).toEqual([]);
  });
});

describe("mgmt preview down", () => {
  it("needs --yes, or asks on a terminal", async () => {
    await place.mgmt`preview up --branch a`;
    const before = place.requestCount;
    expect(await place.mgmt`preview down --branch a`).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("confirmation:needed"),
    });
    const answering = (answer: string): Place["mgmt"] =>
      place.mgmtIn(
        place.folder,
        {},
        {
          terminal: true,
          reply: (stderr) => (stderr.includes("Continue?") ? answer : undefined),
        },
      );
    expect((await answering("n\n")`preview down --branch a`).status).toBe(3);
    expect(place.writesSince(before)).toEqual([]);
    expect((await answering("y\n")`preview down --branch a`).status).toBe(0);
    expect(await place.branches()).toEqual(["main"]);
    expect(await place.mgmt`preview down --branch a`).toMatchObject({ status: 0 });
  });
});
