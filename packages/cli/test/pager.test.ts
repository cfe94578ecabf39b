import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startCannedServer } from "./canned-server.js";
import { temporaryFolder } from "./folders.js";
import { runInProcess } from "./in-process.js";

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

  it("is not needed: the list is printed if it cannot be run", async () => {
    const { status, stdout } = await list({ PAGER: "/no/such/pager 2> /dev/null" });
    expect(status).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(101);
  });
});
