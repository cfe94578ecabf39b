import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderCurlCommand } from "./curl-line.js";
import { runInProcess } from "../../test/in-process.js";
import { definitions } from "../../test/operation-examples.js";
import { type Fixture, newFixture, operationLines } from "../../test/operation-lines.js";
import { type Mgmt, type Result, runLine, words } from "../../test/result.js";
import { type Session, startSession } from "../../test/terminal.js";

/** Returns a fixture whose command lines have another flag. */
const withFlag = (fixture: Fixture, flag: string): Fixture => {
  const flagged =
    (mgmt: Mgmt): Mgmt =>
    (strings, ...values) =>
      runLine(mgmt, [...words(strings, values), flag]);
  return { ...fixture, mgmt: flagged(fixture.mgmt), as: (...about) => flagged(fixture.as(...about)) };
};

/** What is read to find the region of a new database: of its source, or of its project. */
const placement: Readonly<Record<string, readonly string[]>> = {
  "databases.create": ["projects.get", "databases.list"],
  "projects.databases.create": ["databases.get"],
};

const asBash = promisify(execFile);

describe("--dry-run", () => {
  let session: Session;
  beforeAll(async () => {
    session = await startSession();
  });
  afterAll(() => session.close());

  /** Returns the requests that a run sends. */
  const sent = async (
    run: () => Promise<Result>,
    { server }: Session,
  ): Promise<[Result, Record<string, unknown>[]]> => {
    const before = server.engine.requests.length;
    const result = await run();
    return [result, server.engine.requests.slice(before).map((request) => ({ ...request }))];
  };

  for (const [id, line] of Object.entries(operationLines)) {
    // The id of an approval comes from a refused request.
    if (id === "agentApprovals.get") continue;
    const definition = definitions.find((each) => each.id === id);

    it(`prints the request and sends nothing that changes something: ${id}`, async () => {
      const fixture = withFlag(await newFixture(session), "--dry-run");
      const [{ status, stdout, json }, requests] = await sent(() => line(fixture), session);
      const operations = requests.map(({ operationId }) => operationId);
      expect({ status, operations }).toEqual({ status: 0, operations: placement[id] ?? [] });
      const address = expect.stringContaining(`${session.server.baseUrl}/v1/`);
      const body = definition?.body && definition.method !== "GET" ? { body: expect.any(Object) } : {};
      const request = { method: definition?.method, url: address, ...body };
      const connection = { method: "POST", url: address, body: { databaseId: "mgmt_id_1", name: "mgmt" } };
      expect(json).toEqual(
        definition?.credentials ? [{ ...request, id: "mgmt_id_1" }, connection] : [request],
      );
      expect(stdout).not.toContain(session.env["MGMT_TOKEN"]);
    });
  }

  for (const [id, line] of Object.entries(operationLines)) {
    const definition = definitions.find((each) => each.id === id);
    if (definition?.method === "GET") continue;

    it(`prints a curl command that does the same: ${id}`, async () => {
      // Two servers with the same text have the same ids.
      const [one, two] = await Promise.all([startSession(), startSession()]);
      await one.server.engine.tokens.otherUser();
      const recipient = await two.server.engine.tokens.otherUser();
      const [, expected] = await sent(async () => line(await newFixture(one)), one);
      const { status, stdout } = await line(withFlag(await newFixture(two), "--dry-run=curl"));
      expect(status).toBe(0);
      expect(stdout).not.toContain(two.env["MGMT_TOKEN"]);
      expect(stdout).not.toContain(recipient);
      const env = { ...process.env, ...two.env, RECIPIENT_ACCESS_TOKEN: recipient };
      const [, actual] = await sent(async () => {
        await asBash("bash", ["-c", stdout], { env });
        return { status, stdout } as Result;
      }, two);
      const compared = (requests: Record<string, unknown>[]): unknown[] =>
        requests
          .filter(({ method }) => method !== "GET")
          .map(({ operationId, path, query, body, status: code }) => ({
            operationId,
            path,
            query,
            body,
            code,
          }));
      expect(compared(actual)).toEqual(compared(expected));
      await Promise.all([one.close(), two.close()]);
    });
  }

  for (const [id, line] of Object.entries(operationLines)) {
    const definition = definitions.find((each) => each.id === id);
    if (definition?.method !== "GET" || id === "agentApprovals.get") continue;

    it(`prints a curl command that reads the same: ${id}`, async () => {
      const fixture = withFlag(await newFixture(session), "--dry-run=curl");
      const { status, stdout: script } = await line(fixture);
      expect(status).toBe(0);
      const env = { ...process.env, ...session.env };
      const before = session.server.engine.requests.length;
      const { stdout } = await asBash("bash", ["-c", script], { env });
      expect(session.server.engine.requests.slice(before)).toMatchObject([{ operationId: id, status: 200 }]);
      expect(JSON.parse(stdout)).toBeTypeOf("object");
    });
  }

  it("needs no credential for one request, and asks for no confirmation", async () => {
    const { server } = session;
    const env = { MGMT_BASE_URL: server.baseUrl };
    const { status, json } = await runInProcess(["databases", "delete", "db_1", "db_2", "--dry-run"], {
      env,
    });
    expect({ status, json }).toEqual({
      status: 0,
      json: ["db_1", "db_2"].map((id) => ({ method: "DELETE", url: `${server.baseUrl}/v1/databases/${id}` })),
    });
  });

  it("accepts no argument for its format", async () => {
    const { json } = await session.mgmt`projects delete --dry-run proj_1`;
    expect(json).toMatchObject([{ url: expect.stringContaining("proj_1") }]);
  });

  it("redacts secrets in the JSON", async () => {
    const mgmt = session.as("token", { stdin: "recipient-secret" });
    const { stdout, json } =
      await mgmt`projects transfer proj_1 --recipient-access-token-file - --dry-run -o yaml`.then(
        (result) => ({
          stdout: result.stdout,
          json: result.stdout.includes("[redacted]"),
        }),
      );
    expect(json).toBe(true);
    expect(stdout).not.toContain("recipient-secret");
  });

  it.each(["json", "curl"])("prints no secret of a header or an address: %s", async (format) => {
    const words = [
      "api",
      "/v1/projects?access_token=canary-of-query",
      "--header",
      "X-Api-Key: canary-of-header",
    ];
    const { status, stdout } = await runInProcess([...words, `--dry-run=${format}`], { env: session.env });
    expect(status).toBe(0);
    expect(stdout).toContain(format === "json" ? "[redacted]" : '"$X_API_KEY"');
    expect(stdout).not.toContain("canary");
  });

  it("checks the values, and refuses another format", async () => {
    expect(await session.mgmt`projects create --region mars --dry-run`).toMatchObject({
      status: 2,
      stdout: "",
    });
    const { status, stdout, stderr } = await session.mgmt`projects create --dry-run=wget`;
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/--dry-run cannot be "wget"[^]*json, curl/);
  });

  it("looks up the resource of ensure, and prints nothing to send if it exists", async () => {
    const { server, mgmt } = session;
    const before = server.engine.requests.length;
    const missing = await mgmt`projects ensure --logical-id dry --dry-run`;
    expect(missing.json).toEqual([
      { method: "POST", url: `${server.baseUrl}/v1/projects`, body: { logicalId: "dry" } },
    ]);
    const { id } = await server.engine.seed.project({ logicalId: "dry" });
    const existing = await mgmt`projects ensure --logical-id dry --dry-run`;
    expect(existing).toMatchObject({ status: 0, json: [] });
    expect(existing.stderr).toContain(id);
    const methods = server.engine.requests.slice(before).map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(["GET"]));
  });
});

describe("a curl command", () => {
  const request = { method: "POST", url: "http://127.0.0.1/v1/it's" };

  it("quotes the body and the address for the shell", async () => {
    const body = { name: `it's "$HOME" \`id\` \\n %s`, list: ["é\n"] };
    const line = renderCurlCommand({ ...request, body }, []).replace(/^.*\| curl/, "printf '%s\\n'");
    const { stdout } = await asBash("bash", ["-c", line]);
    expect(stdout.split("\n")).toEqual(expect.arrayContaining([JSON.stringify(body), request.url]));
  });

  it("reads secrets from environment variables, and keeps them off the command line of curl", async () => {
    const body = { a: `q"%s\\`, clientSecret: "hidden", nested: { apiKey: "hidden", b: 1 } };
    const line = renderCurlCommand({ ...request, body }, [["clientSecret"], ["nested", "apiKey"]]);
    expect(line).not.toContain("hidden");
    const [, passed = ""] = line.split(" | ");
    expect(passed).not.toContain("SECRET");
    const env = { MGMT_TOKEN: "t", CLIENT_SECRET: "one", NESTED_API_KEY: "two" };
    const { stdout } = await asBash("bash", ["-c", line.replace(/ \| curl.*$/, "")], { env });
    expect(stdout.split("\n")[0]).toBe('header = "Authorization: Bearer t"');
    const data = /^data = (".*")$/m.exec(stdout)?.[1] ?? "";
    expect(JSON.parse(JSON.parse(data) as string)).toEqual({
      ...body,
      clientSecret: "one",
      nested: { apiKey: "two", b: 1 },
    });
  });

  it("names variables so that the shell runs nothing that a body contains", async () => {
    const names = [
      "token $(touch PWNED)",
      'token"; touch PWNED; "',
      "1token`touch PWNED`",
      "token\ntouch PWNED",
    ];
    for (const name of names) {
      const line = renderCurlCommand({ ...request, body: { [name]: "hidden" } }, [[name]]);
      const { stdout } = await asBash(
        "bash",
        ["-c", `touch() { echo RAN; }; TOUCH() { echo RAN; }; ${line.replace(/ \| curl.*$/s, "")}`],
        {
          env: {},
        },
      );
      expect(stdout).toMatch(/^data = /m);
      expect(stdout).not.toContain("RAN");
    }
  });

  it("passes a secret of a header on standard input", async () => {
    const line = renderCurlCommand(
      { ...request, headers: { "x-api-key": "hidden", "x-note": "shown" } },
      [],
      ["x-api-key"],
    );
    expect(line).not.toContain("hidden");
    const { stdout } = await asBash("bash", ["-c", line.replace(/ \| curl.*$/, "")], {
      env: { X_API_KEY: "given" },
    });
    expect(stdout.split("\n")).toContain('header = "x-api-key: given"');
  });
});
