import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CannedResponse, startCannedServer } from "../../../test/canned-server.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";
import { startSession, useSession } from "../../../test/terminal.js";
import { temporaryFolder } from "../../../test/folders.js";

const folder = temporaryFolder();
const fileWith = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

const session = useSession();
afterEach(() => session.server.engine.faults.clear());

/** Expects a failure that prints nothing on standard output. Returns the messages. */
const failed = ({ status, stdout, stderr }: Result, code: number): string => {
  expect({ status, stdout, stderr }).toEqual({ status: code, stdout: "", stderr });
  return stderr;
};

const databaseOf = async (projectId: string): Promise<string> => {
  const { json } = await session.mgmt`api ${`projects/${projectId}/databases`}`;
  return (json as { data: { id: string }[] }).data[0]?.id ?? "";
};

describe("the errors of mgmt api", () => {
  it.each([
    ["api", "Missing <method-or-path>"],
    ["api POST projects -f name", "-f needs a key and a value"],
    ["api POST projects -f", "'-f, --raw-field <key=value>' argument missing"],
    ["api POST projects --input - -F a=@-", "cannot both read standard input"],
    ["api POST projects --paginate", "--paginate can only be used with GET"],
    ["api GET projects --paginate -i", "cannot be used together"],
    ["api GET projects?a=1&a=2 --paginate", "cannot repeat a query parameter"],
    ["api GET projects --secret-file x", "the response has no secrets"],
    ["api GET projects -o env", "--output env prints one resource"],
    ["api GET projects --fields nmae", "Did you mean name?"],
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

  it("do not send the credential to another origin", async () => {
    const stderr = failed(await session.mgmt`api GET http://127.0.0.1:1/v1/me`, 2);
    expect(stderr).toContain("api:other_origin");
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

describe("mgmt api", () => {
  it("prints the body of a response as JSON, for a path with and without /v1, and for a URL of the service", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project({ name: "shop" });
    const paths = [`/v1/projects/${id}`, `projects/${id}`, `${server.baseUrl}/v1/projects/${id}`];
    for (const path of paths) {
      expect((await mgmt`api GET ${path}`).json).toMatchObject({ data: { id, name: "shop" } });
      expect((await mgmt`api ${path}`).json).toMatchObject({ data: { id } });
    }
  });

  it("prints the items of all pages as one JSON array, or line by line as NDJSON", async () => {
    const { mgmt, server, close } = await startSession();
    for (const name of ["a", "b", "c"]) await server.engine.seed.project({ name });
    const { json } = await mgmt`api projects --paginate -F limit=2`;
    expect(json).toMatchObject([{ name: "a" }, { name: "b" }, { name: "c" }]);
    const lines = await mgmt`api projects?limit=2 --paginate -o ndjson --fields name`;
    expect(lines.stdout).toBe('{"name":"a"}\n{"name":"b"}\n{"name":"c"}\n');
    expect((await mgmt`api projects --paginate --query ${"[].name"}`).stdout).toBe("a\nb\nc\n");
    await close();
  });
});

describe("secrets in mgmt api", () => {
  it("are masked unless the request creates them, --show-secrets is passed, or they go to a file", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project();
    const created =
      await mgmt`api POST connections -f name=worker -f ${`databaseId=${await databaseOf(id)}`}`;
    const [, password = ""] = /"pass": "([^"]+)"/.exec(created.stdout) ?? [];
    expect(password).toMatch(/\w{8,}/);
    for (const flags of [
      ["--include"],
      ["--paginate"],
      ["-o", "yaml"],
      ["--query", "data"],
      ["-o", "ndjson"],
    ]) {
      const { status, stdout } = await runInProcess(["api", "connections", ...flags], { env: session.env });
      expect(status).toBe(0);
      expect(stdout).not.toContain(password);
    }
    expect((await mgmt`api connections --show-secrets`).stdout).toContain(password);
    const file = join(folder, "secrets.ndjson");
    expect((await mgmt`api connections --secret-file ${file}`).stdout).not.toContain(password);
    expect(readFileSync(file, "utf8")).toContain(password);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("are masked by their names in an operation that this version does not know", async () => {
    const body = {
      data: { id: "key_1", apiKey: "CANARY-SECRET", url: "postgres://me:CANARY-SECRET@host/db" },
    };
    const canned = await startCannedServer((): CannedResponse => ({ body }));
    const call = (...words: string[]): Promise<Result> =>
      runInProcess(["api", ...words], { env: canned.env });
    const masked = await call("GET", "/v1/keys/key_1", "-i");
    expect(masked.stdout).toContain("key_1");
    expect(masked.stdout).not.toContain("CANARY-SECRET");
    expect((await call("GET", "/v1/keys/key_1", "--show-secrets")).stdout).toContain("CANARY-SECRET");
    expect((await call("POST", "/v1/keys")).stdout).toContain("CANARY-SECRET");
    canned.close();
  });
});

describe("mgmt api --dry-run", () => {
  it("prints the request without secrets, and sends nothing", async () => {
    const { mgmt, server } = session;
    const token = fileWith("token.txt", "CANARY\n");
    const before = server.engine.requests.length;
    const transfer =
      await mgmt`api POST projects/proj_1/transfer -F ${`recipientAccessToken=@${token}`} -H x-a:1 --dry-run`;
    expect(transfer.json).toEqual([
      {
        method: "POST",
        url: `${server.baseUrl}/v1/projects/proj_1/transfer`,
        headers: { "x-a": "1" },
        body: { recipientAccessToken: "[redacted]" },
      },
    ]);
    const unknown = await mgmt`api PUT /v2/keys -f name=x -f login[password]=CANARY --dry-run=curl`;
    expect(unknown.stdout).toContain('"$LOGIN_PASSWORD"');
    expect(unknown.stdout).toContain(`'${server.baseUrl}/v2/keys'`);
    expect(unknown.stdout).not.toContain("CANARY");
    expect((await mgmt`api projects?limit=3 --paginate --dry-run`).json).toEqual([
      { method: "GET", url: `${server.baseUrl}/v1/projects?limit=3` },
    ]);
    expect(server.engine.requests).toHaveLength(before);
  });
});
