import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { inProcess, runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();
let shop: string;
/** With a `jq` in PATH. */
let env: NodeJS.ProcessEnv;
let mgmt: ReturnType<typeof inProcess>;
beforeAll(async () => {
  ({ id: shop } = await session.server.engine.seed.project({ name: "shop" }));
  await session.server.engine.seed.project({ name: "a\tb" });
  env = { ...session.env, PATH: process.env["PATH"] };
  mgmt = inProcess({ env });
});

const countRequests = (): number => session.server.engine.requests.length;

describe.skipIf(spawnSync("jq", ["--version"]).status !== 0)("--jq", () => {
  it("prints what jq prints, texts without quotes", async () => {
    expect((await mgmt`projects list --jq ${'.[] | select(.name == "shop") | .id'}`).stdout).toBe(
      `${shop}\n`,
    );
    expect((await mgmt`projects list --all --limit 1 --jq length`).stdout).toBe("2\n");
    expect((await mgmt`projects get ${shop} --jq ${"{name}"} --json`).json).toEqual({ name: "shop" });
    expect((await mgmt`api projects --jq ${".data[0].name"}`).stdout).toBe("shop\n");
    expect(await mgmt`projects list --jq ${".[] | select(false)"}`).toMatchObject({ status: 0, stdout: "" });
  });

  it("keeps tabs, and prints control characters as escapes on a terminal only", async () => {
    const filter = '.[0] | [.name, "\\u001b[2J"] | @tsv';
    expect((await mgmt`projects list --jq ${filter}`).stdout).toBe("shop\t\u001b[2J\n");
    const onTerminal = inProcess({ env, terminal: true });
    expect((await onTerminal`projects list --jq ${filter}`).stdout).toBe("shop\t\\u001b[2J\n");
  });

  it("filters what the command prints: masked secrets, and none of the variables of mgmt", async () => {
    const { stdout } = await mgmt`connections list --jq ${'[.[] | .. | strings] | join(" ")'}`;
    expect(stdout).toContain("********");
    expect(stdout).not.toMatch(/postgres:\/\/[^*]+:[^*]+@/);
    const variables =
      await mgmt`projects list --jq ${'$ENV | keys | map(select(startswith("MGMT_"))) | length'}`;
    expect(variables.stdout).toBe("0\n");
  });

  it.each([
    [["--jq", ".["], "--jq is not a valid filter"],
    [["--jq", "nosuch(.)"], "nosuch/1 is not defined"],
  ])("is refused before anything is sent: %j", async (flags, message) => {
    const before = countRequests();
    const { status, stdout, stderr } = await runInProcess(["projects", "create", "new", ...flags], { env });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(countRequests()).toBe(before);
  });

  it("prints all of a new resource if jq fails on it, with what is shown only once", async () => {
    const { status, stdout, stderr, json } = await mgmt`projects create late --jq ${".name | .first"}`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("jq:failed") });
    expect(json).toMatchObject({ name: "late" });
    expect(stdout).toContain("postgres://");
  });
});

describe("--jq without jq", () => {
  it("says how to get jq and what to use instead, before anything is sent", async () => {
    const before = countRequests();
    const without = inProcess({ env: { ...session.env, PATH: temporaryFolder() } });
    const { status, stdout, stderr } = await without`projects create new --jq .id`;
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("program:not_found");
    expect(stderr).toContain("--query");
    expect(countRequests()).toBe(before);
  });

  it("does not say that nothing was sent if jq is gone after the command", async () => {
    const folder = temporaryFolder();
    const jq = join(folder, "jq");
    writeFileSync(jq, `#!/bin/sh\n/bin/rm "$0"\n`);
    chmodSync(jq, 0o755);
    const before = countRequests();
    const { stderr } = await inProcess({
      env: { ...session.env, PATH: folder },
    })`projects get ${shop} --jq .id`;
    expect(countRequests()).toBeGreaterThan(before);
    expect(stderr).toContain("The command was carried out. Install jq");
    expect(stderr).not.toContain("Nothing was sent");
  });

  it("passes the data through standard input, not as arguments", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "bin"));
    const jq = join(folder, "bin", "jq");
    writeFileSync(jq, `#!/bin/sh\nprintf '%s|' "$@"\ncat\n`);
    chmodSync(jq, 0o755);
    const path = [join(folder, "bin"), process.env["PATH"]].join(delimiter);
    const { stdout } = await inProcess({ env: { ...session.env, PATH: path } })`projects get ${shop} --jq -1`;
    expect(stdout).toMatch(new RegExp(`^--raw-output\\| -1\\|\\{.*"id":"${shop}".*\\}\n$`));
  });
});
