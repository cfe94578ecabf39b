import { describe, expect, it } from "vitest";
import { commitOf } from "../../../test/git/recorded-git.js";
import { useRecordedPlace } from "../../../test/commands/preview/place.js";

const { place, shop } = useRecordedPlace();

describe("mgmt preview list", () => {
  it("shows the branch, database, status, age, expiry, remote and connection of each preview", async () => {
    for (const branch of ["gone", "exists", "local"]) {
      shop.startBranch(branch, { push: branch !== "local" });
      await place.mgmt`preview up --expires 7d`;
    }
    shop.deleteRemoteBranch("gone");
    shop.isClone = false;
    await place.mgmt`preview up --branch manual`;
    shop.isClone = true;
    shop.checkOut("main");
    expect(await place.states()).toEqual({
      gone: "gone",
      exists: "exists",
      local: "not-pushed",
      manual: "unknown",
    });
    shop.checkOut("exists");
    expect(await place.states()).toMatchObject({ exists: "checked-out" });
    const { json } = await place.mgmt`preview list -o json`;
    const commit = commitOf("exists").slice(0, 12);
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
    const { stdout } = await place.mgmt`preview ls`;
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
    shop.useRemote("http://user:hidden@git.example/a.git");
    shop.startBranch("feature");
    await place.mgmt`preview up`;
    shop.checkOut("other");
    shop.remoteBranches = {};
    const { status, stderr } = await place.mgmt`preview list`;
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining("warning:") });
    expect(stderr).not.toContain("hidden");
    expect(await place.states()).toEqual({ feature: "unknown" });
  });
});
