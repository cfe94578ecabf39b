import { beforeAll, describe, expect, it } from "vitest";
import { listNextCommands } from "./add-next-commands.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { commandOf, nextOf } from "../../../test/run/next-commands.js";
import { useSession } from "../../../test/terminal.js";

const configDir = temporaryFolder();

const session = useSession({ validateResponses: false });
/** Keeps `mgmt login` from opening a browser. */
let env: NodeJS.ProcessEnv;
beforeAll(() => void (env = { ...session.env, MGMT_CONFIG_DIR: configDir, SSH_CONNECTION: "1" }));

describe("next of a failed command", () => {
  const failed = async (line: readonly string[]): Promise<{ hint: string; next: string[][] }> => {
    const { errors } = await runInProcess([...line, "-o", "json"], { env });
    const last = errors.filter((each) => "error" in each).at(-1);
    // The tests of the JSON Schema check its form.
    return (last as { error: { hint: string; next: string[][] } }).error;
  };

  it("starts with npx @mgmt/cli if npx has started the command, but not if it has started another program", async () => {
    const line = ["projects", "get", "proj_gone", "-o", "json"];
    const npxOf = (script: string): NodeJS.ProcessEnv => ({
      npm_command: "exec",
      npm_lifecycle_event: "npx",
      npm_lifecycle_script: script,
    });
    const run = async (script: string): Promise<string[][]> =>
      nextOf((await runInProcess(line, { env: { ...env, ...npxOf(script) } })).errors);
    // Versions of npm write the script differently.
    for (const script of ["mgmt", "'mgmt'", `"mgmt" "projects"`]) {
      const next = await run(script);
      expect(next.map((words) => words.slice(0, 2))).toEqual(next.map(() => ["npx", "@mgmt/cli"]));
    }
    for (const script of ["vitest run", "mgmt-mock"]) expect((await run(script))[0]?.[0]).toBe("mgmt");

    const stderrOf = async (...words: string[]): Promise<string> =>
      (await runInProcess(words, { env: { ...env, ...npxOf("mgmt") } })).stderr;
    expect(await stderrOf("projects", "get", "proj_gone")).toContain(
      "hint: Run npx @mgmt/cli projects list to",
    );
    expect(await stderrOf("projects", "lst")).toContain("hint: Did you mean npx @mgmt/cli projects list?");
    expect(await stderrOf("projects", "list", "extra")).toContain(
      " npx @mgmt/cli projects list --help shows",
    );
  });

  it("names nothing that the command has just deleted", async () => {
    const { seed } = session.server.engine;
    const [empty, full] = [await seed.project(), await seed.project()];
    await seed.database(full.id);
    const { hint, next } = await failed(["projects", "delete", empty.id, full.id, "--yes"]);
    expect(session.server.engine.rows.projects.get(empty.id)).toBeUndefined();
    expect(next).toEqual([
      ["mgmt", "projects", "list"],
      ["mgmt", "projects", "delete", "--help"],
    ]);
    expect(hint).toBe("Run mgmt projects list.");
  });

  it("is the same command, after a wait, where the service limits requests", async () => {
    const { faults } = session.server.engine;
    const fault = faults.add({ status: 429 });
    const { hint, next } = await failed(["projects", "list"]);
    faults.remove(fault.id);
    expect(next).toEqual([["mgmt", "projects", "list", "-o", "json"]]);
    expect(hint).toMatch(/Wait \d+ s, then run the same command again\.$/);
  });

  it("does not repeat a command that has read its standard input", async () => {
    const failure = { code: "rate_limit:exceeded", message: "Slow down", exitCode: 9, status: 429 };
    const line = ["projects", "create", "--ndjson", "-"];
    const next = await listNextCommands(failure, { ...commandOf("projects", "create"), line }, undefined);
    expect(next).not.toContainEqual(["mgmt", ...line]);
  });

  it("lists the operations where there is no such route", async () => {
    const { next, hint } = await failed(["api", "GET", "/v1/nothing"]);
    expect(next[0]).toEqual(["mgmt", "operations"]);
    expect(hint).toBe("mgmt operations lists the paths of all operations.");
  });
});

describe("following next", () => {
  const url = (): string => session.server.baseUrl;
  it.each<[state: string, env: () => NodeJS.ProcessEnv]>([
    ["nothing is set", () => ({})],
    ["there is no token", () => ({ MGMT_BASE_URL: url() })],
    ["the token is wrong", () => ({ MGMT_BASE_URL: url(), MGMT_TOKEN: "wrong" })],
    ["the profile does not exist", () => ({ MGMT_PROFILE: "nope" })],
    ["the address is wrong", () => ({ MGMT_BASE_URL: "nonsense", MGMT_TOKEN: "token" })],
    ["nothing listens at the address", () => ({ MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "token" })],
  ])("ends with a command that succeeds, and not in a circle, when %s", async (_, state) => {
    const own = { ...state(), MGMT_CONFIG_DIR: configDir, SSH_CONNECTION: "1" };
    const starts = [["projects", "list"], ["whoami"], ["auth", "status"], ["login"], ["export"]];
    const follow = async (start: string[]): Promise<void> => {
      const seen: string[] = [];
      let line = start;
      for (;;) {
        expect(seen).not.toContain(line.join(" "));
        seen.push(line.join(" "));
        // It runs the service until Ctrl-C.
        if (line[0] === "dev") return;
        const { status, errors } = await runInProcess([...line, "-o", "json"], { env: own });
        if (status === 0) return;
        line = nextOf(errors)[0]?.slice(1) ?? [];
      }
    };
    await Promise.all(starts.map(follow));
  });
});
