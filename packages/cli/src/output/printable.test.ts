import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { outputFormats } from "./output-format.js";
import { isUnsafeText, toPrintable, toSafeJson } from "./printable.js";
import { type CannedResponse, startCannedServer } from "../../test/canned-server.js";
import { temporaryFolder } from "../../test/folders.js";
import { hostile, hostileError, hostileResponse, unsafe, withoutOwn } from "../../test/hostile.js";
import { runInProcess } from "../../test/in-process.js";
import { createSecretFile, definitions, validLine } from "../../test/operation-examples.js";
import type { Result } from "../../test/result.js";

const listFormats = outputFormats.filter((format) => format !== "env");
const secretFile = createSecretFile();
const cwd = temporaryFolder();

let respond: (request: Parameters<typeof hostileResponse>[0]) => CannedResponse;
let server: Awaited<ReturnType<typeof startCannedServer>>;
beforeAll(async () => {
  server = await startCannedServer((request) => respond(request));
});
afterAll(() => server.close());

const run = (words: readonly string[], terminal = true): Promise<Result> =>
  runInProcess(words, { env: { ...server.env, NO_PAGER: "1", CI: "1" }, terminal, cwd });

const expectSafe = (name: string, { stdout, stderr }: Result): void => {
  expect({ name, stdout: withoutOwn(stdout) }).not.toMatchObject({ stdout: expect.stringMatching(unsafe) });
  expect({ name, stderr: withoutOwn(stderr) }).not.toMatchObject({ stderr: expect.stringMatching(unsafe) });
};

/** Runs command lines at once. */
const expectAllSafe = async (lines: readonly (readonly string[])[], terminal = true): Promise<Result[]> => {
  const results = await Promise.all(lines.map((line) => run(line, terminal)));
  for (const [index, result] of results.entries()) expectSafe(lines[index]?.join(" ") ?? "", result);
  return results;
};

/** Command lines that are not of an operation, and read from the service. */
const porcelain = [
  ["whoami"],
  ["doctor"],
  ["auth", "status"],
  ["export"],
  ["open", "proj_1"],
  ["open", hostile],
  ["env", "db_1", "--file", "hostile.env"],
  ["psql", "db_1"],
  ["connection-string", "db_1"],
  ["init", "--project-id", "proj_1", "--no-env"],
  ["status", "--project-id", "proj_1"],
  ["db", "dump", "db_1"],
  ["db", "restore", "db_1", "--file", hostile],
  ["db", "copy", "db_1", hostile],
  ["connection-string", "db_1", "--format", "dsn"],
  ["run", "db_1", "--", "true"],
  ["preview", "up", "--branch", "main", "--project", "proj_1"],
  ["preview", "down", "--branch", "main", "--project", "proj_1"],
  ["agent-approvals", "wait", "apr_1", "--timeout", "50ms"],
  ["complete", "--refresh", "--", "projects", "get", ""],
  ["api", "GET", "/v1/projects", "--include"],
  ["api", "GET", "/v1/projects", "--query", "data[].name"],
  ["projects", "get", "shop"],
  ["projects", "list", "--fields", hostile],
  ["projects", "delete", hostile, "--yes"],
  ["projects", "create", hostile, "--dry-run", "curl"],
  ["projects", "create", hostile, "--dry-run", "json"],
  ["databases", "create", "--project-id", "proj_1", "--wait", "--timeout", "50ms"],
  [hostile],
  ["projects", hostile],
  ["projects", "list", `--${hostile}`, hostile],
  ["config", "get", hostile],
  ["config", "set", "base-url", hostile],
  ["help", hostile],
  ["schema", hostile],
  ["apply", "--file", hostile],
];

/** The command lines of all operations. Each has one of the formats, which do not depend on the operation. */
const linesWith = (formats: readonly string[], offset: number, ...flags: readonly string[]): string[][] =>
  definitions.map((definition, index) => [
    ...validLine(definition, secretFile),
    ...["--yes", "--output", formats[(index + offset) % formats.length] ?? "", ...flags],
  ]);

describe("a service that returns control characters in every text", () => {
  it.each([["table"], ["json"], outputFormats])(
    "does not get them to a terminal by any operation with --output %s",
    async (...formats) => {
      respond = hostileResponse;
      const results = await expectAllSafe(linesWith(formats, 0));
      expect(results.filter(({ status }) => status === 0).length).toBeGreaterThan(results.length / 3);
    },
  );

  it("does not get them there with --debug", async () => {
    respond = hostileResponse;
    await expectAllSafe(linesWith(["table", "json"], 0, "--debug"));
  });

  // Each command gets one of the statuses, which share the code that prints them.
  it.each([...[400, 404, 409, 422, 403].entries()])(
    "does not get them there by errors of a status (%i: %i)",
    async (index, status) => {
      respond = () => hostileError(status);
      const lines = [...linesWith(["table", "json"], status), ...porcelain];
      await expectAllSafe(lines.filter((_, at) => at % 5 === index));
    },
  );

  it.each(["table", "json", "yaml"])(
    "does not get them there by other commands with --output %s",
    async (format) => {
      respond = hostileResponse;
      await expectAllSafe(
        porcelain.map(([first = "", ...words]) => {
          const at = words.indexOf("--");
          const flags = ["--output", format];
          return at < 0
            ? [first, ...words, ...flags]
            : [first, ...words.slice(0, at), ...flags, ...words.slice(at)];
        }),
      );
    },
  );

  it("does not get them into a file or a pipe", async () => {
    respond = hostileResponse;
    for (const offset of [0, 1])
      await expectAllSafe(linesWith(["table", "json", "yaml", "ndjson", "name"], offset), false);
  });
});

describe("a string with control characters", () => {
  const project = { id: "proj_1", type: "project", name: hostile, [hostile]: hostile };
  const list = { data: [project], pagination: { nextCursor: null, hasMore: false } };

  it.each(listFormats)(
    "does not reach a terminal by the note that there are more, with --output %s",
    async (format) => {
      respond = () => ({ body: { ...list, pagination: { nextCursor: hostile, hasMore: true } } });
      const result = await run(["projects", "list", "-o", format]);
      expect(result.stderr).toContain("a\\u001b[2J");
      expectSafe(format, result);
    },
  );

  it("is the same text for programs that read JSON or YAML", async () => {
    respond = () => ({ body: list });
    const read = async (format: string): Promise<string> =>
      (await run(["projects", "list", "-o", format], false)).stdout;
    expect(JSON.parse(await read("json"))).toEqual([project]);
    expect(JSON.parse(await read("ndjson"))).toEqual(project);
    expect(parse(await read("yaml"))).toEqual([project]);
  });

  it("is the same text for programs that read CSV or variables, which have no escapes", async () => {
    respond = () => ({ body: list });
    const csv = await run(["projects", "list", "-o", "csv", "--fields", "name"], false);
    expect(csv.stdout).toContain(hostile.replace("\ud800", "\ufffd"));
    respond = () => ({ body: { data: project } });
    const env = await run(["projects", "get", "proj_1", "-o", "env"], false);
    expect(env.stdout).toContain(`='${hostile.replace("\ud800", "\ufffd")}'`);
  });

  it("is visible to a person, so that two names that differ look different", async () => {
    respond = () => ({ body: { ...list, data: [{ ...project, name: "sh\u200bop\u001b[8m" }] } });
    expect((await run(["projects", "list"])).stdout).toContain("sh\\u200bop\\u001b[8m");
  });

  it("does not reach a terminal from the state of a database that is waited for", async () => {
    const database = { id: "db_1", status: hostile, connections: [] };
    // The region of a new database is that of those which the project has.
    respond = ({ method, url }) => ({
      body:
        method === "GET" && url?.startsWith("/v1/databases?") ? { ...list, data: [] } : { data: database },
    });
    const line = "databases create --project-id proj_1 --wait --timeout 50ms".split(" ");
    const result = await runInProcess(line, { env: server.env, terminal: true });
    expect(result.stderr).toContain("Waiting until it is ready.");
    expectSafe("wait", result);
  });

  it("does not reach a terminal from a question or its choices", async () => {
    respond = (request) => (request.method === "GET" ? { body: list } : { status: 204, body: "" });
    const reply = (stderr: string): string | undefined => (/Project:/.test(stderr) ? "\u0003" : undefined);
    const { stderr } = await runInProcess(["projects", "get"], { env: server.env, terminal: true, reply });
    expect(stderr).toContain("proj_1");
    // The prompt moves the cursor itself.
    const shown = withoutOwn(stderr).replaceAll(/\u001b\[[?\d;]*[A-Za-z]|\u0007/g, "");
    expect(shown).not.toMatch(unsafe);
    expect(stderr).not.toContain("\u001b[2J");
  });
});

describe("the escapes", () => {
  it("cover every character that a terminal acts on or does not show", () => {
    for (let code = 0; code < 0x20000; code++) check(code);
    for (let code = 0xe0000; code < 0xe1000; code++) check(code);
    function check(code: number): void {
      const text = String.fromCodePoint(code);
      const isBad =
        /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text) || /^\p{Bidi_Control}$/u.test(text) || code >= 0xe0000;
      if (!isBad) return;
      expect(toPrintable(text)).toMatch(/^[ -~]+$/);
      if (!/[\t\n]/.test(text)) expect([code, isUnsafeText(text)]).toEqual([code, true]);
      expect(toSafeJson(text)).toMatch(/^[ -~]+$/);
      expect(JSON.parse(toSafeJson(text))).toBe(text);
    }
  });

  it("leave names in any script and emoji as they are", () => {
    for (const text of [
      "naïve café",
      "東京",
      "می\u200cخواهم",
      "क्\u200dष",
      "👩\u200d👩\u200d👧",
      "❤\ufe0f",
      "a\\u001b",
    ]) {
      expect(toPrintable(text)).toBe(text);
    }
  });

  it("replace a joiner elsewhere, where it would be invisible", () => {
    expect(toPrintable("pro\u200dd")).toBe("pro\\u200dd");
    expect(toPrintable("\u200cx")).toBe("\\u200cx");
  });
});
