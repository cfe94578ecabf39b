import { describe, expect, it } from "vitest";
import type { Context } from "../input/context.js";
import { resolveGitContext, requireGitBranch } from "./repository.js";
import { createRepositoryKey } from "./repository-key.js";
import { noGitError } from "../errors/preview-errors.js";
import { toGitProblem } from "./run-git.js";
import { recordPrograms } from "../../test/recorded-programs.js";
import { type RecordedClone, recordedGit } from "../../test/git/recorded-git.js";

const contextOf = (clone: RecordedClone, variables: NodeJS.ProcessEnv = {}): Context => {
  const { env } = recordPrograms({ git: recordedGit(clone) });
  // Git needs no more of a run.
  return {
    cwd: "/",
    env: { ...env, ...variables },
    signal: new AbortController().signal,
  } as Partial<Context> as Context;
};

const shop = "https://git.example/team/shop.git";
const fork = "https://git.example/ada/shop.git";
const keyOf = (address: string): string => createRepositoryKey(address, "/srv/clone");
const job = {
  GITHUB_ACTIONS: "true",
  GITHUB_REF: "refs/heads/pushed",
  GITHUB_SERVER_URL: "https://git.example",
};

describe("the repository of a command", () => {
  it.each<[string, RecordedClone, string | undefined, NodeJS.ProcessEnv, object | undefined]>([
    [
      "is that of origin",
      { remotes: { fork, origin: shop } },
      undefined,
      {},
      { key: keyOf(shop), remote: "origin" },
    ],
    [
      "is that of the only remote",
      { remotes: { fork } },
      undefined,
      {},
      { key: keyOf(fork), remote: "fork" },
    ],
    [
      "is that of --remote",
      { remotes: { fork, origin: shop } },
      "fork",
      {},
      { key: keyOf(fork), remote: "fork" },
    ],
    [
      "is an address of --remote",
      { remotes: { origin: shop } },
      fork,
      {},
      { key: keyOf(fork), remote: fork },
    ],
    ["is a path of --remote", { remotes: {} }, "../shop", {}, { key: keyOf("../shop"), remote: "../shop" }],
    [
      "is that of the CI job, with the name that the clone has for it",
      { remotes: { origin: fork, upstream: shop } },
      undefined,
      { ...job, GITHUB_REPOSITORY: "team/shop" },
      { key: keyOf(shop), remote: "upstream" },
    ],
    [
      "is the address of the CI job in a clone of another one",
      { remotes: { origin: fork } },
      undefined,
      { ...job, GITHUB_REPOSITORY: "team/shop" },
      { key: keyOf(shop), remote: "https://git.example/team/shop" },
    ],
    [
      "is that of --remote rather than of the CI job",
      { remotes: { origin: fork } },
      "origin",
      { ...job, GITHUB_REPOSITORY: "team/shop" },
      { key: keyOf(fork), remote: "origin" },
    ],
    ["is unknown without a remote", { remotes: {} }, undefined, {}, undefined],
    ["is unknown outside of a clone", { isClone: false }, undefined, {}, undefined],
  ])("%s", async (_, clone, remote, variables, repository) => {
    const context = await resolveGitContext(remote, contextOf(clone, variables));
    expect(context.repository).toEqual(repository);
    expect(context.problem).toBeUndefined();
  });

  it.each<[string, RecordedClone, string | undefined, string]>([
    [
      "several remotes without origin",
      { remotes: { fork, other: shop } },
      undefined,
      "preview:several_remotes",
    ],
    ["a name that is no remote", { remotes: { origin: shop } }, "upstream", "preview:unknown_remote"],
    [
      "a name where git refuses",
      { rejection: "detected dubious ownership" },
      "origin",
      "preview:git_refuses",
    ],
  ])("is refused: %s", async (_, clone, remote, code) => {
    await expect(resolveGitContext(remote, contextOf(clone))).rejects.toMatchObject({ code });
  });

  it("leaves out why git refuses the folder, for the command to decide", async () => {
    const rejection = "detected dubious ownership in repository at '/srv'";
    const { repository, problem } = await resolveGitContext(undefined, contextOf({ rejection }));
    expect(repository).toBeUndefined();
    expect(problem).toMatchObject({
      code: "preview:git_refuses",
      message: expect.stringContaining("dubious"),
    });
  });

  it("does without git", async () => {
    const { env } = recordPrograms({});
    const context = { ...contextOf({}), env };
    const { repository, problem } = await resolveGitContext(undefined, context);
    expect([repository, problem?.code]).toEqual([undefined, "preview:no_git"]);
  });

  it("ends with the signal, whatever git says", async () => {
    const context = contextOf({ remotes: { origin: shop } });
    await expect(
      resolveGitContext(undefined, { ...context, signal: AbortSignal.abort(new Error("stopped")) }),
    ).rejects.toThrow(/stopped|aborted/);
  });
});

describe("the branch of a command", () => {
  it.each<[string, RecordedClone, NodeJS.ProcessEnv, string]>([
    ["of the folder", { branch: "feature/cart" }, {}, "feature/cart"],
    ["of the CI job", { branch: "main" }, job, "pushed"],
  ])("is that %s", async (_, clone, variables, branch) => {
    const context = contextOf(clone, variables);
    expect(await requireGitBranch(await resolveGitContext(undefined, context), context)).toBe(branch);
  });

  it.each<[string, RecordedClone, NodeJS.ProcessEnv, string]>([
    ["outside of a clone", { isClone: false }, {}, "not in a git repository"],
    ["at a detached commit", { branch: null }, {}, "detached HEAD"],
    [
      "in a job for a tag",
      { branch: "main" },
      { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/tags/v1" },
      "for the tag v1",
    ],
    ["in an unknown CI system", { branch: "main" }, { CI: "true" }, "not one whose variables are known"],
  ])("is missing %s", async (_, clone, variables, message) => {
    const context = contextOf(clone, variables);
    const gitContext = await resolveGitContext(undefined, context);
    await expect(requireGitBranch(gitContext, context)).rejects.toMatchObject({
      code: "usage:missing",
      hint: expect.any(String),
      message: expect.stringContaining(message),
    });
  });
});

describe("a problem of git", () => {
  it("is no more than the reason of the signal once that has come", () => {
    const problem = noGitError();
    expect(toGitProblem(problem, { signal: new AbortController().signal })).toBe(problem);
    expect(() => toGitProblem(problem, { signal: AbortSignal.abort() })).toThrow(problem);
    expect(() => toGitProblem(new Error("stopped"), { signal: AbortSignal.abort() })).toThrow("stopped");
  });
});
