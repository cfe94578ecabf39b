import { describe, expect, it } from "vitest";
import { runInProcess } from "../../../test/in-process.js";
import { createRepositoryKey } from "../../git/repository-key.js";
import { buildLogicalId } from "../../preview/record.js";
import { type Place, useRecordedPlace } from "../../../test/commands/preview/place.js";

const { place } = useRecordedPlace();

describe("mgmt preview down", () => {
  it("deletes the database and the branch, and succeeds if there is nothing left", async () => {
    await place.mgmt`preview up --branch feature/cart`;
    const first = await place.mgmt`preview down --branch feature/cart --yes`;
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Deleted branch feature/cart."),
    });
    const second = await place.mgmt`preview down --branch feature/cart --yes`;
    expect(second).toMatchObject({ status: 0, stderr: expect.stringContaining("nothing to delete") });
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId]);
    expect(await place.branches()).toEqual(["main"]);
  });

  it("keeps a branch with other databases, and never deletes those", async () => {
    await place.mgmt`preview up --branch a`;
    await place.mgmt`databases create other --project-id ${place.projectId} --branch-git-name a`;
    const { status, json } = await place.mgmt`preview down --branch a --yes -o json`;
    expect({ status, json }).toMatchObject({ status: 0, json: { branch: "a", branchId: null } });
    expect((await place.databases()).map(({ name }) => name)).toContain("other");
  });

  it("deletes only the database of its repository on a branch that others have too", async () => {
    const { seed } = place.session.server.engine;
    const { id: branchId } = await seed.branch(place.projectId, { gitName: "a" });
    const create = async (address: string): Promise<string> => {
      const logicalId = buildLogicalId({ repository: createRepositoryKey(address, place.folder), branchId });
      const line = ["databases", "create", "copy", "--project-id", place.projectId, "--branch-id", branchId];
      const { stdout } = await runInProcess([...line, "--logical-id", logicalId, "-o", "name"], {
        env: place.env,
      });
      return stdout.trim();
    };
    const other = await create("https://git.example/other.git");
    const own = await create("https://git.example/shop.git");
    const { status, json } = await place.mgmt`preview down --branch a --yes -o json`;
    expect({ status, json }).toEqual({ status: 0, json: { branch: "a", databaseId: own, branchId: null } });
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId, other]);
  });

  it("refuses the default branch, and prints its requests with --dry-run", async () => {
    await place.mgmt`preview up --branch a`;
    const before = place.requestCount;
    expect((await place.mgmt`preview down --branch main`).status).toBe(2);
    // The repository's default branch need not be that of the project.
    const job = { GITLAB_CI: "true", CI_COMMIT_BRANCH: "a", CI_DEFAULT_BRANCH: "a" };
    expect(await place.mgmtIn(place.folder, job)`preview down --yes`).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("preview:default_branch"),
    });
    const { json, stderr } = await place.mgmt`preview down --branch a --dry-run`;
    expect(json).toMatchObject([{ method: "DELETE" }, { method: "DELETE" }]);
    expect(stderr).not.toContain("Deleted");
    expect(place.writesSince(before)).toEqual([]);
  });

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
