import { describe, expect, it } from "vitest";
import { type Up, useRecordedPlace } from "../../test/commands/preview/place.js";
import { commitOf, type RecordedShop } from "../../test/git/recorded-git.js";

const { place, shop } = useRecordedPlace();

const preview = async () => (await place.databases()).at(-1);
const up = async (...flags: string[]): Promise<Up> =>
  (await place.mgmt`preview up -o json ${flags[0] ?? "--branch=a"}`).json as Up;

describe("the record of a preview", () => {
  it("changes with the commit, and with the first push", async () => {
    shop.startBranch("a", { push: false });
    await up();
    expect(await preview()).toMatchObject({
      name: `a (commit ${commitOf("a").slice(0, 12)})`,
      logicalId: expect.not.stringContaining("pushed"),
    });
    shop.refs["refs/heads/a"] = commitOf("b");
    shop.push("a");
    await up();
    expect(await preview()).toMatchObject({
      name: `a (commit ${commitOf("b").slice(0, 12)})`,
      logicalId: expect.stringMatching(/\.pushed$/),
    });
    // It was in the remote, whether it is there now or not.
    shop.deleteRemoteBranch("a");
    await up();
    expect((await preview())?.logicalId).toMatch(/\.pushed$/);
  });

  it.each<[string, (shop: RecordedShop) => void, NodeJS.ProcessEnv, string]>([
    [
      "of the CI job rather than of the clone",
      () => undefined,
      { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/a", GITHUB_SHA: "f".repeat(40) },
      "a (commit ffffffffffff)",
    ],
    [
      "of the clone if the CI job is for another branch",
      () => undefined,
      { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/b", GITHUB_SHA: "f".repeat(40) },
      `a (commit ${commitOf("a").slice(0, 12)})`,
    ],
    ["that is known from before", (shop) => (shop.refs = {}), {}, `a (commit ${commitOf("a").slice(0, 12)})`],
    [
      "that is known from before, if git says something else",
      (shop) => (shop.refs = { "refs/heads/a": "ref: x" }),
      {},
      `a (commit ${commitOf("a").slice(0, 12)})`,
    ],
  ])("has the commit %s", async (_, change, variables, name) => {
    shop.startBranch("a", { push: false });
    await up();
    change(shop);
    expect((await place.mgmtIn(place.folder, variables)`preview up --branch a`).status).toBe(0);
    expect((await preview())?.name).toBe(name);
  });

  it("is not sent if it is stored already", async () => {
    await up();
    const before = place.requestCount;
    await up();
    expect(place.writesSince(before)).toEqual([]);
  });

  it("is no reason to fail if the preview is deleted meanwhile, unlike any other refusal", async () => {
    await up();
    const { faults } = place.session.server.engine;
    faults.add({ operation: "databases.update", status: 404, code: "database:not_found", times: 1 });
    expect((await place.mgmt`preview up --branch a --expires 7d`).status).toBe(0);
    faults.add({ operation: "databases.update", status: 403, code: "scope:missing" });
    expect((await place.mgmt`preview up --branch a --expires 7d`).status).toBe(5);
  });

  it("is stored where the service does not say whose credential it is", async () => {
    place.session.server.engine.faults.add({ operation: "me.get", status: 404 });
    expect((await up("--branch=a")).expiresAt).toBeNull();
    const { json } = await place.mgmt`preview up --branch a --expires 7d -o json`;
    expect((json as Up).expiresAt).not.toBeNull();
    expect((await preview())?.logicalId).toContain(".expires-");
  });
});
