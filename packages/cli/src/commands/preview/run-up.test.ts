import { describe, expect, it, vi } from "vitest";
import { inProcess } from "../../../test/in-process.js";
import { type Up, useRecordedPlace } from "../../../test/commands/preview/place.js";

const { place, shop } = useRecordedPlace();

describe("mgmt preview up", () => {
  it("creates one database however often it runs, and prints its connection string", async () => {
    const first = await place.mgmt`preview up --branch feature/cart -o json`;
    const second = await place.mgmt`preview up --branch feature/cart -o json`;
    expect([first.status, second.status]).toEqual([0, 0]);
    expect(first.json).toMatchObject({ branch: "feature/cart", created: true, region: "eu-central-1" });
    expect(second.json).toEqual({ ...(first.json as Up), created: false });
    const { databaseId, connectionString } = first.json as Up;
    const all = await place.databases();
    expect(all).toHaveLength(2);
    expect(all.find(({ id }) => id === databaseId)).toMatchObject({
      name: "feature/cart",
      source: { type: "database", databaseId: place.sourceId },
    });
    const { stdout } = await place.mgmt`preview up --branch feature/cart`;
    expect(stdout).toBe(`${connectionString}\n`);
  });

  it("takes the full reference of a branch for its name, and no other reference", async () => {
    const { databaseId } = (await place.mgmt`preview up --branch feature/cart -o json`).json as Up;
    const results = [
      await place.mgmt`preview up --branch refs/heads/feature/cart -o json`,
      await place.mgmt`preview reset --branch refs/heads/feature/cart --yes -o json`,
      await place.mgmt`preview down --branch refs/heads/feature/cart --yes -o json`,
    ].map(({ json }) => json);
    expect(results).toMatchObject(Array.from({ length: 3 }, () => ({ branch: "feature/cart" })));
    expect(results[0]).toMatchObject({ databaseId, created: false });
    for (const ref of ["refs/pull/7/merge", "refs/tags/v1", "refs/heads/", "refs/heads/refs/heads/a"]) {
      const { status, stderr } = await place.mgmt`preview up --branch ${ref}`;
      expect([status, stderr], ref).toEqual([2, expect.stringContaining("(usage:invalid")]);
    }
    expect(await place.databases()).toHaveLength(1);
  });

  it("finds the database whose creation lost its response", async () => {
    place.session.server.engine.faults.add({ operation: "databases.create", drop: "after", times: 1 });
    expect((await place.mgmt`preview up --branch feature/cart`).status).toBe(0);
    expect(await place.databases()).toHaveLength(2);
  });

  it("creates one database with one expiry if four jobs start at once", async () => {
    const jobs = [1, 2, 3, 4].map(
      (days) => place.mgmt`preview up --branch a -o json --expires ${`${String(days)}d`}`,
    );
    const results = await Promise.all(jobs);
    const ids = new Set(results.map(({ json }) => (json as Up).databaseId));
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    expect(ids.size).toBe(1);
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId, ...ids]);
  });

  it("uses the oldest of two databases that interrupted runs have left, and deletes both in the end", async () => {
    const { databaseId } = (await place.mgmt`preview up --branch a -o json --expires 7d`).json as Up;
    const { logicalId } = (await place.databases()).at(-1) ?? {};
    const base = logicalId?.replace(/\.expires.*/, "") ?? "";
    const branchId = base.split(".").at(-1) ?? "";
    await place.mgmt`databases create second --project-id ${place.projectId} --branch-id ${branchId} --logical-id ${base}`;
    expect((await place.mgmt`preview up --branch a -o json`).json).toMatchObject({
      databaseId,
      created: false,
    });
    const { json } = await place.mgmt`preview down --branch a --yes -o json`;
    expect(json).toMatchObject({ branch: "a", databaseId, branchId });
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId]);
  });

  it("works for an agent, which cannot store what decides about the deletion", async () => {
    const agent = await place.asAgent();
    const first = await agent`preview up --branch a --expires 7d -o json`;
    expect(first).toMatchObject({ status: 0, json: { created: true, expiresAt: null } });
    expect(first.errors).toContainEqual({
      notice: expect.objectContaining({
        code: "preview:expiry_not_stored",
        message: expect.stringContaining("does not expire: only the sponsor of an agent can change that"),
      }),
    });
    const { expiresAt } = (await place.mgmt`preview up --branch a --expires 7d -o json`).json as Up;
    const later = await agent`preview up --branch a --expires never -o json`;
    expect(later.json).toMatchObject({ created: false, expiresAt });
    expect(later.stderr).toContain(`expires at ${String(expiresAt)}, as before`);
    expect((await agent`preview up --branch a -o json`).stderr).toBe("");
    // The sponsor is asked for nothing.
    expect(place.session.server.engine.approvals.list()).toEqual([]);
  });

  it("keeps the name that somebody has given the database", async () => {
    const { databaseId } = (await place.mgmt`preview up --branch a -o json`).json as Up;
    await place.mgmt`databases update ${databaseId} --name mine`;
    const again = await place.mgmt`preview up --branch a --expires 7d -o json`;
    expect(again.json).toMatchObject({ databaseId, created: false, expiresAt: expect.any(String) });
    expect((await place.databases()).at(-1)?.name).toBe("mine");
  });

  it("uses the branch of the CI job, or of the folder", async () => {
    shop.startBranch("from-git", { push: false });
    const branchIn = async (variables: NodeJS.ProcessEnv): Promise<unknown> =>
      (await inProcess({ env: { ...place.env, ...variables }, cwd: place.folder })`preview up -o json`).json;
    expect(await branchIn({})).toMatchObject({ branch: "from-git" });
    const gitHub = { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/pushed" };
    expect(await branchIn(gitHub)).toMatchObject({ branch: "pushed" });
    const woodpecker = { CI: "woodpecker", CI_COMMIT_PULL_REQUEST: "7", CI_COMMIT_BRANCH: "develop" };
    expect(await branchIn({ ...woodpecker, CI_COMMIT_SOURCE_BRANCH: "merge" })).toMatchObject({
      branch: "merge",
    });
  });

  it("waits until the database that it copies is ready", async () => {
    await place.session.server.engine.states.setDatabaseStatus(place.sourceId, "provisioning");
    const { engine } = place.session.server;
    const running = place.mgmt`preview up --branch a`;
    const isAwaited = (): boolean =>
      engine.requests.some(({ operationId }) => operationId === "databases.get");
    await vi.waitFor(() => expect(isAwaited()).toBe(true), 60_000);
    await engine.states.setDatabaseStatus(place.sourceId, "ready");
    expect((await running).status).toBe(0);
  });

  it("exits with 8 if the database is not ready in time", async () => {
    await place.session.server.engine.states.setDatabaseStatus(place.sourceId, "provisioning");
    expect(await place.mgmt`preview up --branch a --timeout 200ms`).toMatchObject({ status: 8, stdout: "" });
  });

  it("prints its requests with --dry-run, and changes nothing", async () => {
    const before = place.requestCount;
    const { json } = await place.mgmt`preview up --branch a --dry-run`;
    expect(json).toMatchObject([
      { method: "POST", url: expect.stringContaining("/branches"), body: { gitName: "a" }, id: "mgmt_id_1" },
      {
        method: "POST",
        body: {
          projectId: place.projectId,
          branchId: "mgmt_id_1",
          logicalId: expect.stringMatching(/^preview\.shop-\w+\.mgmt_id_1$/),
        },
      },
      { method: "POST", url: expect.stringContaining("/connections"), body: { databaseId: "mgmt_id_2" } },
    ]);
    expect(place.writesSince(before)).toEqual([]);
    await place.mgmt`preview up --branch a`;
    expect((await place.mgmt`preview up --branch a --dry-run`).json).toEqual([]);
  });

  it("refuses the default branch, and says what is missing", async () => {
    const before = place.requestCount;
    expect(await place.mgmt`preview up --branch main`).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("preview:default_branch"),
    });
    shop.checkOut(null);
    expect(await place.mgmt`preview up`).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("--branch"),
    });
    const elsewhere = inProcess({ env: { ...place.env, MGMT_PROJECT_ID: undefined }, cwd: place.folder });
    expect(await elsewhere`preview up --branch a`).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("--project-id"),
    });
    expect((await place.mgmt`preview up --branch a --name 1A`).status).toBe(2);
    expect((await place.mgmt`preview up --branch a --timeout soon`).status).toBe(2);
    // Node.js 20 reads this flag itself, and fails before the command starts.
    expect((await place.mgmt`preview up --branch a --env-file b`).status).toBe(2);
    expect(place.writesSince(before)).toEqual([]);
    expect((await elsewhere`preview up --branch a --project-id proj_000000000000000000000000`).status).toBe(
      6,
    );
  });

  it("refuses a name that git refuses, with the reason, before it sends a request", async () => {
    const before = place.requestCount;
    const refused = { status: 2, stderr: expect.stringContaining("it contains a space") };
    expect(await place.mgmt`preview up --branch=${"a b"}`).toMatchObject(refused);
    expect(place.requestCount).toBe(before);
    expect((await place.mgmt`preview up --branch=${"ä/🙂"} --dry-run`).status).toBe(0);
  });

  it("refuses a preview that the service could not create, until it is reset", async () => {
    const { databaseId } = (await place.mgmt`preview up --branch a -o json`).json as Up;
    await place.session.server.engine.states.setDatabaseStatus(databaseId, "failure");
    const { status, errors } = await place.mgmt`preview up --branch a -o json`;
    expect({ status, errors }).toMatchObject({
      status: 1,
      errors: [{ error: { code: "preview:failed", next: [["mgmt", "preview", "reset", "--branch", "a"]] } }],
    });
    expect((await place.mgmt`preview reset --branch a --yes`).status).toBe(0);
    expect((await place.mgmt`preview up --branch a`).status).toBe(0);
  });

  it("refuses to guess which database to copy", async () => {
    const { seed } = place.session.server.engine;
    const { id } = await seed.project({ createDatabase: false });
    expect(await place.mgmt`preview up --branch a --project-id ${id}`).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("has no database"),
    });
    await seed.database(id);
    await seed.database(id);
    expect(await place.mgmt`preview up --branch a --project-id ${id}`).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("database:several"),
    });
  });
});
