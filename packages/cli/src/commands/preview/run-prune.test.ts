import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runLine } from "../../../test/result.js";
import type { RecordedShop } from "../../../test/git/recorded-git.js";
import { useRecordedPlace } from "../../../test/commands/preview/place.js";

const { place, shop } = useRecordedPlace();

/** Creates a preview of a branch that is pushed, unless a test says otherwise, and is on `main` again. */
const addPreview = async (branch: string, { push = true, flags = "--timeout=5m" } = {}): Promise<string> => {
  shop.startBranch(branch, { push });
  const result = await place.mgmt`preview up -o json ${flags}`;
  expect(result.status, result.stderr).toBe(0);
  shop.checkOut("main");
  return (result.json as { databaseId: string }).databaseId;
};

const deletedBranches = async (line: Promise<{ json: unknown; stderr: string }>): Promise<string[]> => {
  const result = await line;
  return (result.json as { branch: string }[]).map(({ branch }) => branch);
};

describe("mgmt preview prune", () => {
  it("deletes what it has listed with reasons, once that is confirmed", async () => {
    await addPreview("alive");
    const gone = await addPreview("gone");
    shop.deleteRemoteBranch("gone");
    const before = place.requestCount;
    const result = await place.mgmt`preview prune --min-age 0`;
    expect(result).toMatchObject({ status: 3, stderr: expect.stringContaining("confirmation:needed") });
    expect(result.stderr).toContain(`Deletes ${gone} of gone: its branch is no longer in the git remote.`);
    expect(result.stderr).toContain("of alive: its branch is in the git remote.");
    const dry = await place.mgmt`preview prune --min-age 0 --dry-run`;
    expect(dry.json).toMatchObject([{ method: "DELETE" }, { method: "DELETE" }]);
    expect(place.writesSince(before)).toEqual([]);
    const { status, json } = await place.mgmt`preview prune --min-age 0 --yes -o json`;
    expect({ status, json }).toMatchObject({
      status: 0,
      json: [{ branch: "gone", databaseId: gone, reason: "gone" }],
    });
    expect(await place.branches()).toEqual(["main", "alive"]);
    expect(await place.mgmt`preview prune --min-age 0`).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Nothing to delete."),
    });
  });

  it("asks on a terminal, and does not delete what is used again meanwhile", async () => {
    const kept = await addPreview("back");
    const used = await addPreview("used");
    await place.expire(used);
    await addPreview("gone");
    shop.deleteRemoteBranch("back");
    shop.deleteRemoteBranch("gone");
    const reply = async (stderr: string): Promise<string | undefined> => {
      if (!stderr.includes("Continue?")) return undefined;
      shop.push("back");
      await place.mgmt`preview up --branch used --expires 7d`;
      return "y\n";
    };
    const result = await place.mgmtIn(place.folder, {}, { terminal: true, reply })`preview prune --min-age 0`;
    expect(result.stderr).toContain(`Deletes ${kept} of back`);
    expect(result.stderr).toContain(`Keeps ${kept} of back: its branch is in the git remote.`);
    expect(result.stderr).toContain(`Keeps ${used} of used: its branch is in the git remote.`);
    expect(result.status).toBe(0);
    expect(await place.branches()).toEqual(["main", "back", "used"]);
  });

  it("needs the number or the name of what it deletes in a protected folder, as down and reset do", async () => {
    await addPreview("gone");
    await addPreview("also-gone");
    for (const branch of ["gone", "also-gone"]) shop.deleteRemoteBranch(branch);
    mkdirSync(join(place.folder, ".mgmt"), { recursive: true });
    writeFileSync(join(place.folder, ".mgmt/link.json"), '{"protect":true}');
    for (const command of ["prune --min-age 0", "down --branch gone", "reset --branch gone"]) {
      for (const flags of ["--yes", "--yes --confirm other"]) {
        const result = await runLine(place.mgmt, ["preview", ...`${command} ${flags}`.split(" ")]);
        expect(result).toMatchObject({ status: 3, stderr: expect.stringContaining("confirmation:") });
      }
    }
    expect(await place.branches()).toEqual(["main", "gone", "also-gone"]);
    expect((await place.mgmt`preview reset --branch gone --confirm gone --timeout 5m`).status).toBe(0);
    expect((await place.mgmt`preview prune --min-age 0 --confirm 2`).status).toBe(0);
    expect(await place.branches()).toEqual(["main"]);
  });

  it("keeps what was never pushed, is checked out here or in another worktree, or is younger than a day", async () => {
    await addPreview("local", { push: false });
    await addPreview("young");
    await addPreview("current");
    await addPreview("elsewhere");
    for (const branch of ["young", "current", "elsewhere"]) shop.deleteRemoteBranch(branch);
    shop.checkOut("current");
    shop.worktrees = ["current", "elsewhere"];
    const { status, stderr } = await place.mgmt`preview prune --yes`;
    expect(status).toBe(0);
    expect(stderr).toContain("of local: its branch was never seen in the git remote.");
    expect(stderr).toContain("of young: it is younger than --min-age.");
    expect(stderr).toContain("of current: its branch is checked out.");
    expect(stderr).toContain("of elsewhere: its branch is checked out.");
    expect(await place.branches()).toEqual(["main", "local", "young", "current", "elsewhere"]);
  });

  it("deletes a preview that is as old as --min-age", async () => {
    const { clock } = place.session.server.engine;
    await clock.set(Date.now() - 26 * 3_600_000);
    await addPreview("gone");
    shop.deleteRemoteBranch("gone");
    const longer = place.mgmt`preview prune --min-age 2d --yes -o json`;
    expect(await deletedBranches(longer)).toEqual([]);
    expect(await deletedBranches(place.mgmt`preview prune --yes -o json`)).toEqual(["gone"]);
  });

  it("keeps the previews of another repository, also those of branches with the same name", async () => {
    const { address } = shop;
    const web = "https://git.example/web.git";
    shop.useRemote(web);
    const ofWeb = await addPreview("feature");
    shop.useRemote(address);
    const ofShop = await addPreview("feature");
    expect(ofShop).not.toBe(ofWeb);
    shop.deleteRemoteBranch("feature");
    const { stderr } = await place.mgmt`preview prune --min-age 0 --yes`;
    expect(stderr).toContain(`Keeps ${ofWeb} of feature: it is a preview of another git repository, web-`);
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId, ofWeb]);
    shop.useRemote(web);
    expect(await place.states()).toEqual({ feature: "exists" });
  });

  it("keeps the previews that were made without a git repository", async () => {
    shop.isClone = false;
    await place.mgmt`preview up --branch manual`;
    shop.isClone = true;
    const { stderr } = await place.mgmt`preview prune --min-age 0 --yes`;
    expect(stderr).toContain("of manual: it was made without a git repository");
    expect(await place.branches()).toEqual(["main", "manual"]);
  });

  it("does not depend on the names of databases, which everybody can change", async () => {
    const [renamed, kept] = [await addPreview("renamed"), await addPreview("kept")];
    shop.deleteRemoteBranch("renamed");
    await place.mgmt`databases update ${renamed} --name mine`;
    await place.mgmt`databases update ${kept} --name ${"kept (pushed, expires 2020-01-01T00:00Z)"}`;
    const line = place.mgmt`preview prune --min-age 0 --yes -o json`;
    expect(await deletedBranches(line)).toEqual(["renamed"]);
    expect(await place.branches()).toEqual(["main", "kept"]);
  });

  it("deletes nothing that an agent has made look like a preview", async () => {
    const preview = await addPreview("feature");
    const logicalId = (await place.databases()).at(-1)?.logicalId ?? "";
    const { seed } = place.session.server.engine;
    const [reports, orders] = [await seed.database(place.projectId), await seed.database(place.projectId)];
    const agent = await place.asAgent();
    const before = JSON.stringify(await place.databases());
    for (const line of [
      `databases update ${reports.id} --branch-git-name old`,
      `databases update ${reports.id} --logical-id ${logicalId}`,
      `databases update ${orders.id} --branch-git-name feature`,
      `databases update ${preview} --unset logical-id`,
      `databases update ${preview} --logical-id ${logicalId}.expires-20200101T0000Z`,
    ]) {
      expect(await runLine(agent, line.split(" "))).toMatchObject({ status: 8 });
    }
    expect(JSON.stringify(await place.databases())).toBe(before);
    // Not even the sponsor's own databases, where they have been moved since.
    await place.mgmt`databases update ${reports.id} --logical-id ${`${logicalId}.expires-20200101T0000Z`}`;
    await place.mgmt`databases update ${orders.id} --branch-git-name feature`;
    await place.mgmt`databases update ${orders.id} --logical-id ${`preview.${logicalId.split(".")[2] ?? ""}x`}`;
    for (const line of ["preview prune --yes --min-age 0", "preview down --yes --branch feature"]) {
      expect((await runLine(place.mgmt, line.split(" "))).status).toBe(0);
    }
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId, reports.id, orders.id]);
  });

  it("remembers a branch that was pushed after its preview was created", async () => {
    await addPreview("later", { push: false });
    shop.push("later");
    const dry = await place.mgmt`preview prune --dry-run`;
    expect(dry.json).toMatchObject([
      { method: "PATCH", body: { logicalId: expect.stringMatching(/\.pushed$/) } },
    ]);
    await place.mgmt`preview prune --min-age 0 --yes`;
    shop.deleteRemoteBranch("later");
    const line = place.mgmt`preview prune --min-age 0 --yes -o json`;
    expect(await deletedBranches(line)).toEqual(["later"]);
  });

  it("deletes a renamed branch's old preview once the old name is gone from the remote", async () => {
    await addPreview("old-name");
    shop.deleteRemoteBranch("old-name");
    shop.startBranch("new-name");
    await place.mgmt`preview up`;
    const line = place.mgmt`preview prune --min-age 0 --yes -o json`;
    expect(await deletedBranches(line)).toEqual(["old-name"]);
    expect(await place.branches()).toEqual(["main", "new-name"]);
  });

  it("deletes what has expired, whether its branch exists or not, unless it is checked out", async () => {
    for (const branch of ["expired", "current"]) await place.expire(await addPreview(branch));
    await addPreview("later", { flags: "--expires=7d" });
    shop.checkOut("current");
    const { json } = await place.mgmt`preview prune --yes -o json`;
    expect(json).toMatchObject([{ branch: "expired", reason: "expired" }]);
    expect(await place.branches()).toEqual(["main", "current", "later"]);
  });

  it("never deletes a database that is not a preview, or on the default branch", async () => {
    await addPreview("gone");
    shop.deleteRemoteBranch("gone");
    await place.mgmt`databases create mine --project-id ${place.projectId} --branch-git-name gone`;
    await place.mgmt`databases create --project-id ${place.projectId} --logical-id preview --name ${"main (expires 2020-01-01T00:00Z)"}`;
    const { stderr } = await place.mgmt`preview prune --min-age 0 --yes`;
    expect(stderr).toContain("Branch gone still has other databases or services and was not deleted.");
    const names = (await place.databases()).map(({ name }) => name);
    expect(names).toContain("mine");
    expect(names).toContain("main (expires 2020-01-01T00:00Z)");
    expect(await place.branches()).toEqual(["main", "gone"]);
  });

  it("keeps the preview of the branch that the CI job runs for, whose commit is detached", async () => {
    await addPreview("job");
    shop.deleteRemoteBranch("job");
    shop.checkOut(null);
    const { stderr } = await place.mgmtIn(place.folder, {
      GITLAB_CI: "true",
      CI_COMMIT_BRANCH: "job",
    })`preview prune --min-age 0 --yes`;
    expect(stderr).toContain("of job: its branch is checked out.");
  });

  it("prints what it has deleted before a request that fails", async () => {
    for (const branch of ["first", "second"]) {
      await addPreview(branch);
      shop.deleteRemoteBranch(branch);
    }
    const { faults } = place.session.server.engine;
    faults.add({ operation: "databases.delete", status: 500, skip: 1 });
    const { status, json } = await place.mgmt`preview prune --min-age 0 --yes -o json`;
    expect({ status, json }).toMatchObject({ status: 1, json: [{ branch: "first" }] });
    expect(await place.branches()).toEqual(["main", "second"]);
  });

  it("has no other name", async () => {
    const { status, errors } = await place.mgmt`preview gc -o json`;
    expect({ status, errors }).toMatchObject({ status: 2, errors: [{ error: { code: "usage:invalid" } }] });
    const { json } = await place.mgmt`preview prune --help -o json`;
    expect(json).toMatchObject({ command: "mgmt preview prune", aliases: [] });
  });

  it.each<[string, (shop: RecordedShop) => void, string, number, string]>([
    ["outside of a clone", (shop) => (shop.isClone = false), "-y", 3, "--remote"],
    ["for an unknown remote", () => undefined, "--remote=nowhere", 2, "preview:unknown_remote"],
    [
      "if the remote has none",
      (shop) => (shop.remoteBranches = { [shop.address]: [] }),
      "-y",
      1,
      "preview:no_git_branches",
    ],
    [
      "if the remote cannot be reached",
      () => undefined,
      "--remote=https://user:hidden@git.example/a",
      1,
      "preview:git_failed",
    ],
  ])("deletes nothing if the git branches are not known: %s", async (_, change, flag, status, text) => {
    await addPreview("gone");
    shop.deleteRemoteBranch("gone");
    change(shop);
    const before = place.requestCount;
    const result = await place.mgmt`preview prune --min-age 0 --yes ${flag}`;
    expect(result).toMatchObject({ status, stderr: expect.stringContaining(text) });
    expect(result.stderr).not.toContain("hidden");
    expect(place.writesSince(before)).toEqual([]);
  });

  it("deletes nothing without git", async () => {
    const { status, stderr } = await place.mgmtIn(place.folder, { PATH: place.folder })`preview prune --yes`;
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("preview:no_git"),
    });
  });

  it("asks the repository of the CI job, whatever else is cloned there", async () => {
    const github = {
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: "https://git.example",
      GITHUB_REPOSITORY: "acme/web",
    };
    shop.startBranch("feature");
    await place.mgmtIn(place.folder, { ...github, GITHUB_REF_NAME: "feature" })`preview up`;
    shop.deleteRemoteBranch("feature");
    shop.checkOut("main");
    const failed = await place.mgmtIn(place.folder, github)`preview prune --min-age 0 --yes`;
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining("preview:git_failed") });
    expect(await place.branches()).toEqual(["main", "feature"]);
  });

  it("says what is wrong with --min-age", async () => {
    expect(await place.mgmt`preview prune --min-age soon`).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("12h, 7d or 2w"),
    });
  });
});
