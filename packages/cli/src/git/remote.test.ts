import { describe, expect, it } from "vitest";
import { isBranchPushed, listRemoteBranches } from "./remote.js";
import type { GitEnvironment } from "./run-git.js";
import { type RecordedPrograms, recordPrograms } from "../../test/recorded-programs.js";
import { type RecordedClone, recordedGit, withoutSettings } from "../../test/git/recorded-git.js";

const record = (
  clone: RecordedClone,
  variables: NodeJS.ProcessEnv = {},
): { environment: GitEnvironment; programs: RecordedPrograms } => {
  const programs = recordPrograms({ git: recordedGit(clone) });
  const { signal } = new AbortController();
  return {
    programs,
    environment: { cwd: "/srv/clone/src", env: { ...programs.env, ...variables }, signal },
  };
};

const url = "https://git.example/shop.git";
const clone = { remotes: { origin: url }, remoteBranches: { [url]: ["main", "feature/cart"] } };

/** Returns the call that reaches the remote. */
const remoteCall = ({ calls }: RecordedPrograms) => {
  const call = calls.find(({ args }) => withoutSettings(args)[0] === "ls-remote");
  if (!call) throw new Error("The remote was not asked");
  return call;
};

/** Returns the settings that git gets in variables. */
const settingsOf = (env: Readonly<Record<string, string>>): [string | undefined, string | undefined][] =>
  Array.from({ length: Number(env["GIT_CONFIG_COUNT"]) }, (_, index) => [
    env[`GIT_CONFIG_KEY_${String(index)}`],
    env[`GIT_CONFIG_VALUE_${String(index)}`],
  ]);

describe("the branches of a remote", () => {
  it.each(["origin", url])("are listed by its name or address: %s", async (remote) => {
    const { environment, programs } = record(clone);
    expect([...(await listRemoteBranches(remote, environment))]).toEqual(["main", "feature/cart"]);
    const { args, cwd, env } = remoteCall(programs);
    expect(withoutSettings(args)).toEqual(["ls-remote", "--heads", "--", url]);
    // Relative addresses are relative to the root of the clone, in which git may not run anything.
    expect([cwd, env["GIT_DIR"]]).toEqual(["/srv/clone", "/dev/null"]);
  });

  it.each<[string, RecordedClone, string, string]>([
    ["cannot be reached", { remotes: { origin: url } }, "preview:git_failed", "Could not resolve host"],
    [
      "has none, as if all were deleted",
      { ...clone, remoteBranches: { [url]: [] } },
      "preview:no_git_branches",
      "no branches",
    ],
  ])("are an error if it %s", async (_, recorded, code, message) => {
    await expect(listRemoteBranches("origin", record(recorded).environment)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it.each([
    [{}, "preview:git_failed"],
    [{ remoteBranches: { "https://ada:hidden@git.example/shop.git": [] } }, "preview:no_git_branches"],
  ])("are asked for without showing the password of the address: %j", async (more, code) => {
    const { environment } = record(more);
    const error: unknown = await listRemoteBranches(
      "https://ada:hidden@git.example/shop.git",
      environment,
    ).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining("git.example/shop.git") });
    expect(JSON.stringify({ ...(error as Error), message: (error as Error).message })).not.toContain(
      "hidden",
    );
  });

  it("are asked for with the headers and the proxy of the clone alone, and without questions", async () => {
    const settings = [
      ["local", "http.https://git.example/.extraheader\nAuthorization: Basic eDp5\nX: 1"],
      ["global", "http.extraheader\nglobal"],
      ["worktree", "http.proxy\nhttp://proxy.example"],
    ] as const;
    const { environment, programs } = record({ ...clone, settings });
    await listRemoteBranches("origin", environment);
    const { args, env } = remoteCall(programs);
    expect(settingsOf(env)).toEqual([
      ["http.https://git.example/.extraheader", "Authorization: Basic eDp5\nX: 1"],
      ["http.proxy", "http://proxy.example"],
      ["core.sshCommand", "ssh -o BatchMode=yes"],
    ]);
    expect(env).toMatchObject({ GIT_TERMINAL_PROMPT: "0", GCM_INTERACTIVE: "never", LC_ALL: "C" });
    expect(args.join(" ")).not.toContain("eDp5");
  });

  it.each<[string, RecordedClone, NodeJS.ProcessEnv]>([
    ["GIT_SSH_COMMAND", {}, { GIT_SSH_COMMAND: "ssh -i key" }],
    ["GIT_SSH", {}, { GIT_SSH: "plink" }],
    ["a setting of the user", { sshCommand: "ssh -i key" }, {}],
  ])("are asked for by the ssh of the user: %s", async (_, more, variables) => {
    const { environment, programs } = record({ ...clone, ...more }, variables);
    await listRemoteBranches("origin", environment);
    const { env } = remoteCall(programs);
    expect(settingsOf(env)).toEqual([]);
    expect(env).toMatchObject(variables);
  });

  it.each([
    ["2", 2],
    ["no number", 0],
    [undefined, 0],
  ])("are asked for with settings after those of the caller, of whom there are %s", async (count, first) => {
    const variables = count === undefined ? {} : { GIT_CONFIG_COUNT: count, GIT_CONFIG_KEY_0: "a.b" };
    const { environment, programs } = record(clone, variables);
    await listRemoteBranches("origin", environment);
    const { env } = remoteCall(programs);
    expect(env[`GIT_CONFIG_KEY_${String(first)}`]).toBe("core.sshCommand");
    expect(env["GIT_CONFIG_COUNT"]).toBe(String(first + 1));
  });

  it("are asked for without variables that choose a repository, name programs, or are of this command", async () => {
    const { environment, programs } = record(clone, {
      GIT_DIR: "/elsewhere",
      GIT_WORK_TREE: "/elsewhere",
      GIT_TRACE: "1",
      GIT_EXTERNAL_DIFF: "run-me",
      MGMT_TOKEN: "hidden",
      GIT_ALLOW_PROTOCOL: "https:ext:ssh",
      GIT_ASKPASS: "askpass",
      SSH_AUTH_SOCK: "/agent",
    });
    await listRemoteBranches("origin", environment);
    const remote = remoteCall(programs).env;
    for (const { env } of programs.calls) {
      for (const name of ["GIT_WORK_TREE", "GIT_TRACE", "GIT_EXTERNAL_DIFF", "MGMT_TOKEN"])
        expect(env).not.toHaveProperty(name);
      if (env !== remote) expect(env["GIT_DIR"] ?? "/dev/null").toBe("/dev/null");
    }
    expect(remote).toMatchObject({
      GIT_ALLOW_PROTOCOL: "https:ssh",
      GIT_ASKPASS: "askpass",
      SSH_AUTH_SOCK: "/agent",
    });
  });

  it("are asked for with settings that keep a folder from running programs", async () => {
    const { environment, programs } = record(clone);
    await listRemoteBranches("origin", environment);
    for (const { args } of programs.calls) {
      const settings = args.flatMap((word, index) => (word === "-c" ? [args[index + 1]] : []));
      expect(settings).toEqual([
        "safe.bareRepository=explicit",
        "protocol.ext.allow=never",
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
      ]);
    }
  });
});

describe("a branch was pushed", () => {
  it.each<[string, RecordedClone, boolean, boolean]>([
    ["if the clone has fetched it", { ...clone, refs: { "refs/remotes/origin/a": "1" } }, true, false],
    ["if the remote has it", { ...clone, remoteBranches: { [url]: ["a"] } }, true, true],
    ["not if the remote has another one", { ...clone, remoteBranches: { [url]: ["ab"] } }, false, true],
    ["not if the remote cannot be reached", { remotes: { origin: url } }, false, true],
  ])("%s", async (_, recorded, isPushed, asks) => {
    const { environment, programs } = record(recorded);
    expect(await isBranchPushed("a", "origin", environment)).toBe(isPushed);
    const hasListedRemote = programs.calls.some(({ args }) => withoutSettings(args)[0] === "ls-remote");
    expect(hasListedRemote).toBe(asks);
  });

  it("is not said after the signal", async () => {
    const { environment } = record(clone);
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(isBranchPushed("a", "origin", { ...environment, signal })).rejects.toThrow("stopped");
    await expect(listRemoteBranches("origin", { ...environment, signal })).rejects.toThrow("stopped");
  });
});
