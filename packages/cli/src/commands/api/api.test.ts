import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CannedResponse, startCannedServer } from "../../../test/canned-server.js";
import { temporaryFolder } from "../../../test/folders.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";
import { type Session, startSession } from "../../../test/terminal.js";

const folder = temporaryFolder();
const fileWith = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

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

  it("sends fields as the body: texts, typed values, files, and members of objects", async () => {
    const { mgmt, server } = session;
    const name = fileWith("name.txt", "from a file");
    const { status, json } = await mgmt`api post projects -F ${`name=@${name}`} -F createDatabase=false`;
    expect({ status, json }).toMatchObject({ status: 0, json: { data: { name: "from a file" } } });
    const { data } = json as { data: { id: string } };
    await mgmt`api PATCH ${`projects/${data.id}`} -f name=7 -F settings[ci][on]=true`;
    expect(server.engine.requests.at(-1)?.body).toEqual({ name: "7", settings: { ci: { on: true } } });
  });

  it("sends fields as the query of a GET", async () => {
    const { mgmt, server } = session;
    await server.engine.seed.project();
    const { json } = await mgmt`api GET /v1/projects?limit=5 -F limit=1 -f logicalId=none`;
    expect(json).toEqual({ data: [], pagination: { nextCursor: null, hasMore: false } });
  });

  it("reads the body from a file or standard input, and sets fields in it", async () => {
    const { as, env, server } = session;
    const body = '{"name":"first","region":"eu-west-3","createDatabase":false}';
    const piped = as(env["MGMT_TOKEN"] ?? "", { stdin: body });
    const { json } = await piped`api POST projects --input - -f name=second`;
    expect(json).toMatchObject({ data: { name: "second", defaultRegion: "eu-west-3" } });
    const file = fileWith("body.json", body);
    expect((await piped`api POST projects --input ${file}`).json).toMatchObject({ data: { name: "first" } });
    expect(server.engine.requests.at(-1)?.body).toEqual(JSON.parse(body));
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

  it("prints what is in the envelope in every other format, and says that there are more", async () => {
    const { mgmt, server, close } = await startSession();
    for (const name of ["a", "b"]) await server.engine.seed.project({ name });
    const { stdout, stderr } = await mgmt`api GET projects -F limit=1 -o csv --fields name`;
    expect(stdout).toBe("name\na\n");
    expect(stderr).toContain("--paginate lists everything");
    expect((await mgmt`api projects -o name`).stdout).toMatch(/^proj_\w+\nproj_\w+\n$/);
    expect((await mgmt`api projects --query ${"data[0].name"}`).stdout).toBe("a\n");
    expect((await mgmt`api projects --query ${"data[0].name"} -o json`).stdout).toBe('"a"\n');
    expect((await mgmt`api projects -o yaml`).stdout).toContain("hasMore: false");
    await close();
  });

  it("prints status and headers with --include, also of an error response", async () => {
    const { mgmt } = session;
    const { stdout } = await mgmt`api me --include`;
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\n(.*\n)*x-request-id: req_.*\n(.*\n)*\n\{/);
    const missing = await mgmt`api projects/proj_000000000000000000000000 -i`;
    expect(missing.status).toBe(6);
    expect(missing.stdout).toMatch(/^HTTP\/1\.1 404 Not Found\n(.*\n)*\n\{\n {2}"error"/);
    expect(missing.stderr).toContain("(project:not_found)");
    const { json } = await mgmt`api me -i -o json`;
    expect(json).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
      body: { data: {} },
    });
  });

  it("sends headers", async () => {
    let request: IncomingMessage | undefined;
    const canned = await startCannedServer((received) => {
      request = received;
      return { body: {} };
    });
    await runInProcess(["api", "me", "-H", "X-Trace: a: b", "-H", "accept:text/html"], { env: canned.env });
    expect(request?.headers).toMatchObject({ "x-trace": "a: b", accept: "text/html" });
    canned.close();
  });

  it("replaces placeholders by the defaults", async () => {
    const { server, env } = session;
    const { id } = await server.engine.seed.project();
    const mgmt = inProcess({ env: { ...env, MGMT_PROJECT_ID: id } });
    expect((await mgmt`api /v1/projects/{projectId}`).json).toMatchObject({ data: { id } });
    expect(failed(await session.mgmt`api /v1/projects/{projectId}`, 3)).toContain("MGMT_PROJECT_ID");
  });

  it("prints nothing for a response without a body", async () => {
    const { id } = await session.server.engine.seed.project();
    expect(await session.mgmt`api DELETE ${`projects/${id}`}`).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
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

  it.each([
    ["a declared secret", ["POST", "projects/proj_1/transfer", "-f", "recipientAccessToken=CANARY"]],
    ["a credential", ["GET", "me", "-H", "Authorization: Bearer CANARY"]],
    ["a proxy's credential", ["GET", "me", "-H", "proxy-authorization: CANARY"]],
    ["a cookie", ["GET", "me", "-H", "Cookie: CANARY"]],
  ])("are refused on the command line: %s", async (_, words) => {
    const before = session.server.engine.requests.length;
    const stderr = failed(await runInProcess(["api", ...words], { env: session.env }), 2);
    expect(stderr).toContain("usage:secret_in_arguments");
    expect(stderr).not.toContain("CANARY");
    expect(session.server.engine.requests).toHaveLength(before);
  });
});

const databaseOf = async (projectId: string): Promise<string> => {
  const { json } = await session.mgmt`api ${`projects/${projectId}/databases`}`;
  return (json as { data: { id: string }[] }).data[0]?.id ?? "";
};

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
