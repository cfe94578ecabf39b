import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startCannedServer } from "../../../test/canned-server.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";
import { type Session, startSession } from "../../../test/terminal.js";

let session: Session;
beforeAll(async () => {
  session = await startSession();
});
afterEach(() => session.server.engine.faults.clear());
afterAll(() => session.close());

/** Expects a failure that prints nothing on standard output. Returns the messages. */
const failed = ({ status, stdout, stderr }: Result, code: number): string => {
  expect({ status, stdout, stderr }).toEqual({ status: code, stdout: "", stderr });
  return stderr;
};

describe("the errors of mgmt api", () => {
  it.each([
    ["api GET", "path of the request is missing"],
    ["api", "Missing <method-or-path>"],
    ["api GTE projects", "Did you mean get?"],
    ["api projects -f limit=1", "method of a request with fields is missing"],
    ["api POST projects -f name", "-f needs a key and a value"],
    ["api POST projects -f =x", "-f needs a key and a value"],
    ["api POST projects -f a[=x", "-f needs a key and a value"],
    ["api POST projects -f __proto__[x]=1", "-f needs a key and a value"],
    ["api POST projects -f", "'-f, --raw-field <key=value>' argument missing"],
    ["api POST projects -f a=1 -f a=2", "contradicts an earlier field"],
    ["api POST projects -f a=1 -f a[b]=2", "contradicts an earlier field"],
    ["api POST projects -f a[]=1 -f a[b]=2", "contradicts an earlier field"],
    ["api POST projects -F a=123456789012345678901", "too large for a number"],
    ["api POST projects -F a=@/none/at/all", "usage:unreadable_file"],
    ["api POST projects --input /none/at/all", "usage:unreadable_file"],
    ["api POST projects --input - -F a=@-", "cannot both read standard input"],
    ["api GET projects --input x", "--input cannot be used with GET"],
    ["api GET projects -f a[b]=1", "cannot be in a query"],
    ["api GET projects -F a=null", "cannot be in a query"],
    ["api GET projects -H nothing", "-H needs the name and value"],
    ["api GET projects -H Host:evil", "The header Host cannot be set"],
    ["api POST projects --paginate", "--paginate can only be used with GET"],
    ["api GET projects --paginate -i", "cannot be used together"],
    ["api GET projects?a=1&a=2 --paginate", "cannot repeat a query parameter"],
    ["api GET projects --secret-file x", "the response has no secrets"],
    ["api GET projects -o env", "--output env prints one resource"],
    ["api GET projects --fields nmae", "Did you mean name?"],
    ["api GET projects/{id}", "The path contains {id}"],
    ["api GET projects/../me", "segments . and .."],
    ["api GET projects/%2e%2E/me", "segments . and .."],
    ["api GET \\\\evil.example/me", "cannot contain a backslash"],
    ["api GET projects#x", "a number sign"],
    ["api GET /", "The path is empty"],
  ])("exit with 2 or 3 before anything is sent: %s", async (line, why) => {
    const before = session.server.engine.requests.length;
    const { status, stdout, stderr } = await runInProcess(line.split(" "), { env: session.env, stdin: "{}" });
    expect({ status: status === 2 || status === 3, stdout, stderr }).toEqual({
      status: true,
      stdout: "",
      stderr: expect.stringContaining(why),
    });
    expect(session.server.engine.requests).toHaveLength(before);
  });

  it("name a body that is not JSON without repeating it", async () => {
    const stderr = failed(
      await runInProcess(["api", "POST", "projects", "--input", "-"], { env: session.env, stdin: "CANARY" }),
      2,
    );
    expect(stderr).toContain("--input is not JSON (standard input)");
    expect(stderr).not.toContain("CANARY");
  });

  it.each([
    "https://evil.example/v1/me",
    "http://127.0.0.1:1/v1/me",
    "http://user:CANARY@127.0.0.1/v1/me",
    "file:///etc/passwd",
  ])("do not send the credential to another origin: %s", async (url) => {
    const stderr = failed(await session.mgmt`api GET ${url}`, 2);
    expect(stderr).toContain("api:other_origin");
    expect(stderr).not.toContain("CANARY");
  });

  it("do not follow a redirect to another origin", async () => {
    const other = await startCannedServer(() => {
      throw new Error("A request arrived");
    });
    const location = `${other.env["MGMT_BASE_URL"] ?? ""}/v1/me`;
    const canned = await startCannedServer(() => ({ status: 302, headers: { location }, body: "" }));
    const { status } = await runInProcess(["api", "me"], { env: canned.env });
    expect(status).toBe(1);
    canned.close();
    other.close();
  });

  it.each([
    [401, "auth:unauthorized", 4],
    [403, "auth:forbidden", 5],
    [404, "project:not_found", 6],
    [409, "project:logical_id_conflict", 7],
    [422, "validation:failed", 7],
    [429, "rate_limit:exceeded", 9],
    [500, "internal:error", 1],
  ])("have the exit codes of operations: %i", async (status, code, exitCode) => {
    const canned = await startCannedServer(() => ({
      status,
      headers: { "retry-after": "100" },
      body: { error: { code, message: "No" } },
    }));
    const result = await runInProcess(["api", "POST", "projects", "-o", "json"], { env: canned.env });
    failed(result, exitCode);
    expect(result.errors.at(-1)).toMatchObject({ error: { code, status } });
    canned.close();
  });

  it("say that the outcome of a POST is unknown, and what to run next", async () => {
    const canned = await startCannedServer(() => ({ body: "<html>" }));
    const known = await runInProcess(["api", "POST", "projects", "-f", "name=x", "-o", "json"], {
      env: canned.env,
    });
    failed(known, 8);
    expect(known.errors.at(-1)).toMatchObject({
      error: { code: "outcome:unknown", next: [["mgmt", "projects", "list"]] },
    });
    const unknown = await runInProcess(["api", "POST", "/v1/keys", "-o", "json"], { env: canned.env });
    failed(unknown, 8);
    expect(unknown.errors.at(-1)).toMatchObject({
      error: { code: "outcome:unknown", next: [["mgmt", "api", "GET", "/v1/keys"]] },
    });
    canned.close();
  });

  it("report a page that repeats its cursor", async () => {
    const page = { data: [1], pagination: { nextCursor: "same", hasMore: true } };
    const canned = await startCannedServer(() => ({ body: page }));
    expect(failed(await runInProcess(["api", "things", "--paginate"], { env: canned.env }), 1)).toContain(
      "cursor",
    );
    canned.close();
  });

  it("ask for a login without a credential", async () => {
    expect(
      failed(await runInProcess(["api", "me"], { env: { MGMT_BASE_URL: "http://127.0.0.1:1" } }), 4),
    ).toContain("auth:no_token");
  });
});
