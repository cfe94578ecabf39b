import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRepositoryKey } from "../../../src/git/repository-key.js";
import { type Up, usePlace } from "./place.js";

const place = usePlace();

/** Runs `preview up` and returns the new database. */
const up = async (
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ branch: string; repository: string | undefined; pushed: boolean; name: string }> => {
  const result = await place.mgmtIn(cwd, env)`preview up -o json`;
  expect(result.status, result.stderr).toBe(0);
  const { databaseId, branch } = result.json as Up & { branch: string };
  const database = (await place.databases()).find(({ id }) => id === databaseId);
  const { logicalId, name = "" } = database ?? {};
  return { branch, repository: repositoryIn(logicalId), pushed: /\.pushed\b/.test(logicalId ?? ""), name };
};

/** A job of GitHub Actions. */
const gitHub = { GITHUB_ACTIONS: "true" };

/** Returns the repository in the logical id of a preview. */
const repositoryIn = (logicalId: string | null | undefined): string | undefined =>
  /^preview\.([\w-]+)\.br_/.exec(logicalId ?? "")?.[1];

const shopOf = (address: string): string => createRepositoryKey(address, "/");

describe("the git branch and repository of a preview", () => {
  it("are those of the clone, with the commit, and whether the branch is in the remote", async () => {
    const origin = place.bareRepository("shop.git");
    const clone = place.clone(origin, "clone");
    place.startBranch(clone, "feature/cart", { push: false });
    const commit = place.git(clone, "rev-parse", "--short=12", "HEAD");
    const first = await up(clone);
    expect(first).toEqual({
      branch: "feature/cart",
      repository: shopOf(origin),
      pushed: false,
      name: `feature/cart (commit ${commit})`,
    });
    place.git(clone, "push", "--quiet", origin, "feature/cart");
    // The clone has not fetched the branch, so the remote is asked.
    expect(await up(clone)).toEqual({ ...first, pushed: true });
    mkdirSync(join(clone, "deep"));
    expect((await up(join(clone, "deep"))).repository).toBe(shopOf(origin));
  });

  it("are the same on all machines, however their clones reach the remote", async () => {
    const env = { ...gitHub, GITHUB_REPOSITORY: "acme/shop", GITHUB_REF_NAME: "feature" };
    const ofJob = await up(place.folder, env);
    place.git(place.folder, "init", "--quiet", "--initial-branch", "feature");
    place.git(place.folder, "remote", "add", "origin", "git@github.com:acme/shop.git");
    // Nothing is sent: the program that git would call for ssh fails.
    const ofLaptop = await up(place.folder, { GIT_SSH_COMMAND: "false" });
    expect(ofLaptop.repository).toBe(ofJob.repository);
    expect(await place.databases()).toHaveLength(2);
  });

  it("contain no credentials of the remote", async () => {
    place.git(place.folder, "init", "--quiet", "--initial-branch", "feature");
    place.git(
      place.folder,
      "remote",
      "add",
      "origin",
      "http://alice:hidden-password@127.0.0.1:1/acme/shop.git",
    );
    const { stderr, stdout } = await place.mgmt`preview up --debug -o json`;
    expect(JSON.stringify(place.session.server.engine.requests) + stderr + stdout).not.toContain(
      "hidden-password",
    );
    const { logicalId } = (await place.databases()).at(-1) ?? {};
    expect(repositoryIn(logicalId)).toBe(shopOf("http://127.0.0.1:1/acme/shop"));
  });

  it.each([
    ["GitHub Actions", { ...gitHub, GITHUB_REF: "refs/heads/feature" }],
    ["GitLab CI", { GITLAB_CI: "true", CI_COMMIT_BRANCH: "feature" }],
  ])("are those of the CI job where the commit is checked out without a branch: %s", async (_, env) => {
    const origin = place.bareRepository("shop.git");
    const work = place.clone(origin, "clone");
    place.startBranch(work, "feature");
    const shallow = place.clone(`file://${origin}`, "shallow", "--depth", "1");
    place.git(shallow, "checkout", "--quiet", "--detach");
    expect(await up(shallow, env)).toMatchObject({
      branch: "feature",
      repository: shopOf(origin),
      pushed: true,
    });
  });

  it("are asked for at a commit without a branch, and outside of a repository", async () => {
    expect(await place.mgmt`preview up`).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("Missing --branch: the folder is not in a git repository"),
    });
    const clone = place.clone(place.bareRepository("shop.git"), "clone");
    place.git(clone, "checkout", "--quiet", "--detach");
    expect(await place.mgmtIn(clone)`preview up`).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("Missing --branch: the folder is at a commit, not on a branch"),
    });
    expect(await place.mgmtIn(clone)`status -o json`).toMatchObject({ status: 0, json: { preview: null } });
  });

  it.each([["many/parts/of-a/name"], ["größe/數據庫/🎉"], ["x".repeat(200)], ['#1-it\'s-"quoted"-$HOME']])(
    "may have any name: %s",
    async (branch) => {
      const clone = place.clone(place.bareRepository("shop.git"), "clone");
      place.startBranch(clone, branch);
      expect((await up(clone)).branch).toBe(branch);
      expect((await up(clone)).pushed).toBe(true);
      expect(await place.branches()).toEqual(["main", branch]);
      expect(await place.mgmtIn(clone)`preview down --yes`).toMatchObject({ status: 0 });
      expect(await place.branches()).toEqual(["main"]);
    },
  );

  it("are those of a worktree", async () => {
    const clone = place.clone(place.bareRepository("shop.git"), "clone");
    place.git(clone, "worktree", "add", "--quiet", "-b", "beside", "../tree");
    expect((await up(join(place.base, "tree"))).branch).toBe("beside");
  });

  it("need git, unless flags or the CI job name the branch", async () => {
    place.git(place.folder, "init", "--quiet", "--initial-branch", "feature");
    const withoutGit = place.mgmtIn(place.folder, { PATH: place.folder });
    expect(await withoutGit`preview up`).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /git was not found \(preview:no_git\)\nhint: .*Install git.*--branch NAME/,
      ),
    });
    expect(await withoutGit`preview up --branch other`).toMatchObject({ status: 0 });
    const inJob = { PATH: place.folder, ...gitHub, GITHUB_REF_NAME: "third" };
    expect(await up(place.folder, inJob)).toMatchObject({ branch: "third" });
    expect(await withoutGit`preview list`).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("git was not found"),
    });
    for (const { status, stderr } of [
      await withoutGit`preview prune --yes`,
      await withoutGit`preview up --branch other --remote fork`,
    ]) {
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("preview:no_git") });
    }
    expect(await withoutGit`status -o json`).toMatchObject({ status: 0, stderr: "" });
  });

  it.each([
    [
      `fatal: detected dubious ownership in repository at '/shop'\nTo add an exception, call:\n\n\tgit config --global --add safe.directory /shop\n`,
      "detected dubious ownership in repository at '/shop'",
      "If you trust the folder, run git config --global --add safe.directory /shop,",
    ],
    ["fatal: bad config line 1 in file .git/config\n", "bad config line 1 in file .git/config", "Repair"],
    [
      "fatal: not a git repository: /shop/.git/worktrees/tree\n",
      "not a git repository: /shop/.git/worktrees/tree",
      "Repair",
    ],
    ["", "it does not say why", "Repair"],
  ])("are not guessed where git does not read the repository: %j", async (said, problem, remedy) => {
    const programs = join(place.base, "programs");
    mkdirSync(programs);
    writeFileSync(join(programs, "said"), said);
    writeFileSync(join(programs, "git"), `#!/bin/sh\n/bin/cat ${join(programs, "said")} >&2\nexit 128\n`);
    chmodSync(join(programs, "git"), 0o755);
    const refused = place.mgmtIn(place.folder, { PATH: programs });
    const before = place.requestCount;
    for (const { status, stderr } of [
      await refused`preview up`,
      await refused`preview up --branch feature`,
      await refused`preview down --branch feature --yes`,
      await refused`preview prune --yes`,
      await refused`preview prune --remote http://127.0.0.1:1/shop.git --yes`,
    ]) {
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(problem) });
      expect(stderr).toContain(remedy);
      expect(stderr).toContain("--branch NAME and --remote ADDRESS");
    }
    expect(place.writesSince(before)).toEqual([]);
    for (const { status, stderr } of [await refused`preview list`, await refused`status`])
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining(problem) });
    const job = {
      PATH: programs,
      ...gitHub,
      GITHUB_REF_NAME: "feature",
      GITHUB_REPOSITORY: "acme/shop",
    };
    expect((await up(place.folder, job)).repository).toBe(shopOf("https://github.com/acme/shop"));
  });
});
