import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { formats } from "../src/output/output.js";
import { type CannedResponse, startCannedServer } from "./canned-server.js";
import { runInProcess } from "./in-process.js";

/** A name that clears the screen in several ways, sets the title, reverses the text, and starts a line of its own. */
const hostile = "a\u001b[2J\u0007\u007fb\u009b2J\u009d0;title\u009c\u202ec\u2066d\u061c\u200f\r\ne\u2028f";

/** Everything that a terminal may act on, except line breaks and the escape sequences for colors and spinners that we print. */
const unsafe =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const withoutColors = (text: string): string => text.replaceAll(/\u001b\[\d+m|\r\u001b\[K/g, "");

const listFormats = formats.filter((format) => format !== "env");

let response: CannedResponse;
let server: Awaited<ReturnType<typeof startCannedServer>>;
beforeAll(async () => {
  server = await startCannedServer(() => response);
});
afterAll(() => server.close());

const run = (line: string, ...more: string[]) =>
  runInProcess([...line.split(" "), ...more], { env: { ...server.env, NO_PAGER: "1" }, terminal: true });

const project = { id: "proj_1", type: "project", name: hostile, [hostile]: hostile };
const list = { data: [project], pagination: { nextCursor: null, hasMore: false } };

describe("a name with control characters", () => {
  it.each(listFormats)("does not reach a terminal raw in a list with --output %s", async (format) => {
    response = { body: list };
    const { status, stdout, stderr } = await run("projects list --all -o", format);
    expect(status).toBe(0);
    expect(stdout).toContain("proj_1");
    expect(withoutColors(stdout + stderr)).not.toMatch(unsafe);
  });

  it.each(formats)("does not reach a terminal raw in a resource with --output %s", async (format) => {
    response = { body: { data: project } };
    const { stdout, stderr } = await run("projects get proj_1 -o", format);
    expect(withoutColors(stdout + stderr)).not.toMatch(unsafe);
  });

  it("is the same name for programs that read JSON or YAML", async () => {
    response = { body: list };
    const read = async (format: string) =>
      (await runInProcess(["projects", "list", "-o", format], { env: server.env })).stdout;
    expect(JSON.parse(await read("json"))).toEqual([project]);
    expect(parse(await read("yaml"))).toEqual([project]);
  });
});

describe("a message with control characters", () => {
  it.each(listFormats)("does not reach a terminal raw in an error with --output %s", async (format) => {
    const issues = [{ path: hostile, message: hostile, code: hostile }];
    const error = { code: hostile, message: hostile, hint: hostile, requestId: hostile, issues };
    response = { status: 422, body: { error } };
    const { status, stderr } = await run("projects list -o", format);
    expect(status).toBe(7);
    expect(withoutColors(stderr)).not.toMatch(unsafe);
  });

  it.each(listFormats)("does not reach a terminal raw in a notice with --output %s", async (format) => {
    response = { body: { data: [project], pagination: { nextCursor: hostile, hasMore: true } } };
    const { stderr } = await run("projects list -o", format);
    expect(withoutColors(stderr)).not.toMatch(unsafe);
  });

  it("does not reach a terminal raw in a message about a deleted resource", async () => {
    response = { status: 204, body: "" };
    const { stderr } = await run("projects delete --yes", hostile);
    expect(stderr).toContain("Deleted project a");
    expect(withoutColors(stderr)).not.toMatch(unsafe);
  });

  it("does not reach a terminal raw from the command line itself", async () => {
    for (const line of [[hostile], ["projects", hostile], ["projects", "list", `--${hostile}`, hostile]]) {
      const { status, stdout, stderr } = await runInProcess(line, { terminal: true });
      expect(status).toBe(2);
      expect(withoutColors(stdout + stderr)).not.toMatch(unsafe);
    }
  });

  it("does not reach a terminal raw from the state of a database that is waited for", async () => {
    const database = { id: "db_1", status: hostile, connections: [] };
    response = { body: { data: database } };
    const { stderr } = await run("databases create --project-id proj_1 --wait --timeout 50ms");
    expect(stderr).toContain("Waiting until it is ready.");
    expect(withoutColors(stderr)).not.toMatch(unsafe);
  });
});
