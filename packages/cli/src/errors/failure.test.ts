import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { buildExampleId } from "../command-line/example-id.js";
import { type CannedResponse, startCannedServer } from "../../test/canned-server.js";
import { inProcess, runInProcess } from "../../test/in-process.js";
import type { Mgmt, Result } from "../../test/result.js";
import { startSession, useSession } from "../../test/terminal.js";

const session = useSession({ validateResponses: false });
afterEach(() => session.server.engine.faults.clear());

/** Expects an error on standard error only, without a stack. */
const failed = ({ status, stdout, stderr }: Result, code: number): string => {
  expect({ status, stdout }).toEqual({ status: code, stdout: "" });
  expect(stderr).not.toMatch(/^\s+at |node:internal|\.js:\d+/m);
  expect(stderr.split("\n").filter((line) => line.startsWith("error: "))).toHaveLength(1);
  return stderr;
};

const as = (MGMT_TOKEN: string): Mgmt => session.as(MGMT_TOKEN);

describe("an error response", () => {
  it("exits with 4 for a wrong and an expired token", async () => {
    expect(failed(await as("nonsense")`projects list`, 4)).toContain("auth:unauthorized");
    expect(failed(await as(await session.server.engine.tokens.expired())`projects list`, 4)).toContain(
      "request id: req_",
    );
  });

  it("names the source of the token rather than the header it is sent in", async () => {
    const stderr = failed(await as("nonsense")`projects list`, 4);
    expect(stderr).toMatch(/hint: mgmt auth status .* MGMT_TOKEN/);
    expect(stderr).not.toContain("Bearer");
  });

  it("exits with 5 for a token without the scope, and for a resource of another workspace", async () => {
    const { tokens, seed } = session.server.engine;
    expect(failed(await as(await tokens.withoutScope())`projects list`, 5)).toContain("auth:forbidden");
    const project = await seed.project();
    const other = as(await tokens.otherUser());
    expect(failed(await other`projects update ${project.id} --name mine`, 5)).toContain("auth:forbidden");
  });

  it("exits with 6 for an id that does not exist, and points out the prefix of another kind", async () => {
    const { mgmt } = session;
    const missing = failed(await mgmt`projects get proj_000000000000000000000000`, 6);
    expect(missing).toContain("project:not_found");
    expect(missing).toMatch(
      /^error: No project has the id or name "proj_000000000000000000000000" \(project:not_found\)\nhint: Run mgmt projects list to see your projects\.\n/,
    );
    expect(missing).not.toContain("does not look like");
    expect(failed(await mgmt`projects get db_000000000000000000000000`, 6)).toContain(
      "db_000000000000000000000000 does not look like the id of a project, which starts with proj_.",
    );
    expect(failed(await mgmt`agent-approvals get db_000000000000000000000000`, 6)).toContain(
      "db_000000000000000000000000 does not look like the id of an approval, which starts with apr_.",
    );
  });

  it("exits with 7 for a conflict, dependencies and an invalid body, and names the fields", async () => {
    const { seed } = session.server.engine;
    const { mgmt } = session;
    const project = await seed.project({ logicalId: "taken" });
    expect(failed(await mgmt`projects create --logical-id taken`, 7)).toContain(
      "project:logical_id_conflict",
    );
    await seed.database(project.id);
    expect(failed(await mgmt`projects delete ${project.id} --yes`, 7)).toContain("project:has_dependencies");
    const unknown = failed(await mgmt`api POST projects -f colour=red`, 7);
    expect(unknown).toContain("validation:failed");
    expect(unknown).toMatch(/^error: .*colour/);
    expect(unknown.match(/colour/g)).toHaveLength(1);
    const several = failed(await mgmt`api POST projects -f colour=red -F size=1`, 7);
    expect(several.match(/colour|size/g)).toEqual(["colour", "size"]);
  });

  it("prints the fields that its code adds", async () => {
    const { seed } = session.server.engine;
    const project = await seed.project();
    const app = await seed.app(project.id, { displayName: "web" });
    const { mgmt } = session;
    const { stderr } = await mgmt`services create web --project-id ${project.id} -o json`;
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: "app:already_exists",
        status: 409,
        details: { existingAppId: app.id, conflict: "name" },
      },
    });
    expect(failed(await mgmt`services create web --project-id ${project.id}`, 7)).toContain(
      `existingAppId: ${app.id}`,
    );
  });

  it("exits with 8 if an agent needs an approval, and says where to get it and how to wait for it", async () => {
    const { seed, tokens } = session.server.engine;
    const project = await seed.project();
    const agent = as(await tokens.agent());
    expect(failed(await agent`projects delete ${project.id} --yes`, 8)).toMatch(
      /approval_required.*approvalUrl: http.*hint: mgmt agent-approvals wait apr_\w+ waits.*--wait-approval/s,
    );
  });

  it.each([
    [429, 9, "rate_limit:exceeded"],
    [500, 1, "internal:error"],
    [503, 9, "internal:unavailable"],
  ])("determines the exit code: status %i exits with %i", async (status, code, name) => {
    session.server.engine.faults.add({ status });
    const stderr = failed(await session.mgmt`projects list`, code);
    expect(stderr).toContain(name);
    expect(stderr).toContain("request id: ");
  });
});

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

/** One operation of every group and nested group that a command line without flags reads with. */
const readers = new Map<string, GeneratedCommand>();
for (const definition of definitions) {
  const group = definition.commandPath.slice(0, -1).join(" ");
  const isSimple = definition.method === "GET" && !definition.query.some(({ required }) => required);
  if (isSimple && !readers.has(group)) readers.set(group, definition);
}

describe("every command group", () => {
  const codes = { 401: 4, 403: 5, 404: 6, 429: 9, 500: 1 };
  const outcomes = new Map<string, [result: Result, code: number][]>();

  // All of them run at once, each status against a server of its own, because a 429 is retried after a second.
  beforeAll(async () => {
    const runs = Object.entries(codes).map(async ([status, code]) => {
      const { server, env, close } = await startSession({ validateResponses: false });
      server.engine.faults.add({ status: Number(status) });
      await Promise.all(
        [...readers].map(async ([group, { commandPath, arguments: ids }]) => {
          const line = [...commandPath, ...ids.map(({ prefix }) => buildExampleId(prefix))];
          const result = await runInProcess(line, { env });
          outcomes.set(group, [...(outcomes.get(group) ?? []), [result, code]]);
        }),
      );
      await close();
    });
    await Promise.all(runs);
  });

  it("is covered", () => {
    expect([...readers.keys()].sort()).toEqual(
      [...new Set(definitions.map(({ commandPath }) => commandPath.slice(0, -1).join(" ")))].sort(),
    );
  });

  it.each([...readers.keys()])("maps 401, 403, 404, 429 and 500 to exit codes: mgmt %s", (group) => {
    const results = outcomes.get(group) ?? [];
    expect(results).toHaveLength(Object.keys(codes).length);
    for (const [result, code] of results) failed(result, code);
  });
});

describe("a response that is not the service's", () => {
  const respondWith = async (
    response: CannedResponse,
    line = ["projects", "get", "proj_1"],
  ): Promise<Result> => {
    const { env, close } = await startCannedServer(() => response);
    const result = await runInProcess(line, { env });
    close();
    return result;
  };
  const html = { "content-type": "text/html" };
  const page = "<html><body>Sign in to the hotel's network</body></html>";

  it("exits with 9 if the server cannot be reached, and says what to check", async () => {
    const env = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "token" };
    const stderr = failed(await inProcess({ env })`projects list`, 9);
    expect(stderr).toMatch(/ECONNREFUSED.*hint: .*base URL.*mgmt dev/s);
  });

  it("exits with 9 if the connection is lost", async () => {
    session.server.engine.faults.add({ drop: "before" });
    failed(await session.mgmt`projects list`, 9);
  });

  it("exits with 1 for HTML instead of JSON, and does not print the page", async () => {
    const stderr = failed(await respondWith({ headers: html, body: page }), 1);
    expect(stderr).toContain("not JSON");
    expect(stderr).toContain("MGMT_BASE_URL");
    expect(stderr).not.toContain("hotel");
  });

  it("exits with the code of the status for an error page", async () => {
    expect(failed(await respondWith({ status: 502, headers: html, body: page }), 9)).toContain("http:502");
    failed(await respondWith({ status: 404, headers: html, body: page }), 6);
    failed(await respondWith({ status: 403, headers: html, body: page }), 5);
    failed(await respondWith({ status: 302, headers: { location: "http://a.example" }, body: "" }), 1);
  });

  it("exits with the code of the status for an unknown error code, and adds a hint if it has none", async () => {
    const error = { code: "quantum:entangled", message: "Both at once" };
    const stderr = failed(await respondWith({ status: 409, body: { error } }), 7);
    expect(stderr).toBe("error: Both at once (quantum:entangled)\nhint: Run mgmt projects get --help.\n");
    failed(await respondWith({ status: 418, body: { error } }), 7);
  });

  it("exits with 1 for a body that does not match the contract", async () => {
    for (const body of ["", "{}", "[]", "null", '"text"', '{"data":null}']) {
      expect(failed(await respondWith({ body }), 1)).toContain("response:invalid");
      expect(failed(await respondWith({ body }, ["projects", "list"]), 1)).toContain("response:invalid");
    }
  });

  it("does not print control characters of a message", async () => {
    const error = { code: "a:b", message: "one\u001b[2Ktwo\nthree" };
    expect(failed(await respondWith({ status: 400, body: { error } }), 7)).toBe(
      "error: one\\u001b[2Ktwo three (a:b)\nhint: Run mgmt projects get --help.\n",
    );
  });
});
