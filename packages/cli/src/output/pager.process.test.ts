import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../test/bin.js";
import { startCannedServer } from "../../test/canned-server.js";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import { inPty } from "../../test/pty.js";

const file = join(temporaryFolder(), "paged");
const pager = `cat > '${file}'`;

let length = 100;
let server: Awaited<ReturnType<typeof startCannedServer>>;
beforeAll(async () => {
  server = await startCannedServer(() => {
    const data = Array.from({ length }, (_, index) => ({ id: `proj_${String(index)}`, name: "shop" }));
    return { body: { data, pagination: { nextCursor: null, hasMore: false } } };
  });
});
afterAll(() => server.close());
beforeEach(() => {
  length = 100;
  rmSync(file, { force: true });
});

const list = (env: NodeJS.ProcessEnv, more: readonly string[] = [], terminal = true) =>
  runInProcess(["projects", "list", ...more], { env: { ...server.env, ...env }, terminal });

describe("a pager", () => {
  it("gets a list that is longer than the terminal, with its colors", async () => {
    const { status, stdout } = await list({ PAGER: pager });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    const text = readFileSync(file, "utf8");
    expect(text.trimEnd().split("\n")).toHaveLength(101);
    expect(text).toContain("\u001b[1m");
  });

  it.each(["false", "FALSE", "0", ""])("gets it where CI is %j", async (value) => {
    const { stdout } = await list({ PAGER: pager, CI: value });
    expect({ stdout, isPaged: existsSync(file) }).toEqual({ stdout: "", isPaged: true });
  });

  it("does not get a list that fits on the terminal", async () => {
    length = 5;
    const { stdout } = await list({ PAGER: pager });
    expect(stdout.trimEnd().split("\n")).toHaveLength(6);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["with --no-pager", {}, ["--no-pager"], true],
    ["with NO_PAGER", { NO_PAGER: "1" }, [], true],
    ["in CI", { CI: "true" }, [], true],
    ["on a dumb terminal", { TERM: "dumb" }, [], true],
    ["without a terminal", {}, [], false],
    ["with an empty PAGER", { PAGER: "" }, [], true],
    ["for data", {}, ["-o", "ndjson"], true],
  ] as const)("is not used %s", async (_, env, more, terminal) => {
    const { stdout } = await list({ PAGER: pager, ...env }, more, terminal);
    expect(stdout.trimEnd().split("\n").length).toBeGreaterThanOrEqual(100);
    expect(existsSync(file)).toBe(false);
  });

  it.each(["/no/such/pager", "exec /no/such/pager 2> /dev/null"])(
    "is not needed: the list is printed if it cannot be run: %s",
    async (command) => {
      const { status, stdout } = await list({ PAGER: command });
      expect(status).toBe(0);
      expect(stdout.trimEnd().split("\n")).toHaveLength(101);
    },
  );

  it("gets every Ctrl-C, and keeps the terminal until the user leaves it", async () => {
    await ensureBuilt();
    // Like less, it does not end at Ctrl-C, and reads keys from the terminal. A shell can miss a signal that comes just before it reads.
    const pagerProgram = `
      process.on("SIGINT", () => console.log("interrupted"));
      console.log("paged");
      require("node:fs").createReadStream("/dev/tty").once("data", (line) => {
        console.log("left with", String(line).trim());
        process.exit();
      });`;
    const keys = `cat > "${file}"; exec "${process.execPath}" -e '${pagerProgram}'`;
    const { status, screen } = await inPty(
      ["projects", "list"],
      [
        { when: /paged/, type: "\u0003" },
        { when: /interrupted/, type: "\u0003" },
        { when: /interrupted/, type: "q\n" },
      ],
      { ...server.env, PAGER: keys },
    );
    expect(status).toBe(0);
    expect(screen).toContain("left with q");
  });

  it("gets none of the variables of mgmt", async () => {
    await list({ PAGER: `env > '${file}'`, MGMT_TOKEN: "CANARY" });
    expect(readFileSync(file, "utf8")).toContain("LESS=");
    expect(readFileSync(file, "utf8")).not.toContain("MGMT_");
  });
});
