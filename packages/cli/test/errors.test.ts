import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type CannedAnswer, startAnswers } from "./answers.js";
import { type Captured, inProcess, runInProcess } from "./in-process.js";
import { type Session, startSession } from "./terminal.js";

let session: Session;
beforeAll(async () => {
  // What a fault answers is none of the service's own answers, and is not held against the contract.
  vi.stubEnv("MGMT_COVERAGE_FILE", "");
  session = await startSession({ validateAnswers: false });
});
afterEach(() => session.server.engine.faults.clear());
afterAll(() => session.close());

/** Clear, on standard error only, and without a stack. */
const failed = ({ status, stdout, stderr }: Captured, code: number): string => {
  expect({ status, stdout }).toEqual({ status: code, stdout: "" });
  expect(stderr).not.toMatch(/^\s+at |node:internal|\.js:\d+/m);
  expect(stderr.split("\n").filter((line) => line.startsWith("error: "))).toHaveLength(1);
  return stderr;
};

const as = (MGMT_TOKEN: string) => inProcess({ env: { ...session.env, MGMT_TOKEN } });

describe("what the service refuses ends with the code of its status", () => {
  it("a wrong and an expired token: 4", async () => {
    expect(failed(await as("nonsense")`projects list`, 4)).toContain("auth:unauthorized");
    expect(failed(await as(await session.server.engine.tokens.expired())`projects list`, 4)).toContain(
      "request id: req_",
    );
  });

  it("a token without the scope, and another workspace's resource where 403 is listed: 5", async () => {
    const { tokens, seed } = session.server.engine;
    expect(failed(await as(await tokens.withoutScope())`projects list`, 5)).toContain("auth:forbidden");
    const project = await seed.project();
    const other = as(await tokens.otherUser());
    expect(failed(await other`projects update ${project.id} --name mine`, 5)).toContain("auth:forbidden");
  });

  it("what does not exist: 6, and an id of another kind is pointed out", async () => {
    const mgmt = inProcess({ env: session.env });
    const missing = failed(await mgmt`projects get proj_000000000000000000000000`, 6);
    expect(missing).toContain("project:not_found");
    expect(missing).not.toContain("does not look like");
    expect(failed(await mgmt`projects get db_000000000000000000000000`, 6)).toContain(
      "db_000000000000000000000000 does not look like the id of a project, which starts with proj_.",
    );
  });

  it("a conflict, dependencies and what does not fit: 7, with the fields that do not", async () => {
    const { seed } = session.server.engine;
    const mgmt = inProcess({ env: session.env });
    const project = await seed.project({ logicalId: "taken" });
    expect(failed(await mgmt`projects create --logical-id taken`, 7)).toContain(
      "project:logical_id_conflict",
    );
    await seed.database(project.id);
    expect(failed(await mgmt`projects delete ${project.id} --yes`, 7)).toContain("project:has_dependencies");
    const unknown = failed(await mgmt`projects create --body ${'{"colour":"red"}'}`, 7);
    expect(unknown).toContain("validation:failed");
    expect(unknown).toMatch(/^ {2}\/?colour/m);
  });

  it("an app that exists: 7, with what the code adds", async () => {
    const { seed } = session.server.engine;
    const project = await seed.project();
    const app = await seed.app(project.id, { displayName: "web" });
    const mgmt = inProcess({ env: session.env });
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

  it("an agent that needs its sponsor's word: 8, with where to get it and how to wait for it", async () => {
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
    [503, 1, "internal:unavailable"],
  ])("a %i: %i", async (status, code, name) => {
    session.server.engine.faults.add({ status });
    const stderr = failed(await inProcess({ env: session.env })`projects list`, code);
    expect(stderr).toContain(name);
    expect(stderr).toContain("request id: ");
  });
});

describe("scenarios: every command group meets 401, 403, 404, 429 and 500 with the same codes", () => {
  const lines = [
    "projects get proj_0",
    "databases get db_0",
    "connections get con_0",
    "branches get br_0",
    "services get cps_0",
    "apps get cps_0",
    "deployments get dpl_0",
    "integrations get itgr_0",
    "workspaces get wksp_0",
    "workspaces service-tokens list wksp_0",
    "agent-approvals get apr_0",
    "me get",
    "regions list",
  ];
  it.each(lines)("%s", async (line) => {
    const codes = { 401: 4, 403: 5, 404: 6, 429: 9, 500: 1 };
    for (const [status, code] of Object.entries(codes)) {
      session.server.engine.faults.clear();
      session.server.engine.faults.add({ status: Number(status) });
      failed(await runInProcess(line.split(" "), { env: session.env }), code);
    }
  });
});

describe("what is no answer of the service", () => {
  const answered = async (answer: CannedAnswer, line = ["projects", "get", "proj_1"]): Promise<Captured> => {
    const { env, close } = await startAnswers(() => answer);
    const captured = await runInProcess(line, { env });
    close();
    return captured;
  };
  const html = { "content-type": "text/html" };
  const page = "<html><body>Sign in to the hotel's network</body></html>";

  it("an unreachable server: 9, and what to look at", async () => {
    const env = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "token" };
    const stderr = failed(await inProcess({ env })`projects list`, 9);
    expect(stderr).toMatch(/ECONNREFUSED.*hint: .*base URL.*mgmt dev/s);
  });

  it("a connection that is cut: 9", async () => {
    session.server.engine.faults.add({ drop: "before" });
    failed(await inProcess({ env: session.env })`projects list`, 9);
  });

  it("HTML instead of JSON: 1, without the page", async () => {
    const stderr = failed(await answered({ headers: html, body: page }), 1);
    expect(stderr).toContain("not JSON");
    expect(stderr).toContain("MGMT_BASE_URL");
    expect(stderr).not.toContain("hotel");
  });

  it("an error page: the code of its status", async () => {
    expect(failed(await answered({ status: 502, headers: html, body: page }), 1)).toContain("http:502");
    failed(await answered({ status: 404, headers: html, body: page }), 6);
    failed(await answered({ status: 403, headers: html, body: page }), 5);
    failed(await answered({ status: 302, headers: { location: "http://a.example" }, body: "" }), 1);
  });

  it("an unknown error code, and an error without a hint: the code of the status", async () => {
    const error = { code: "quantum:entangled", message: "Both at once" };
    const stderr = failed(await answered({ status: 409, body: { error } }), 7);
    expect(stderr).toBe("error: Both at once (quantum:entangled)\n");
    failed(await answered({ status: 418, body: { error } }), 7);
  });

  it("an answer that the contract does not know: 1", async () => {
    for (const body of ["", "{}", "[]", "null", '"text"', '{"data":null}']) {
      expect(failed(await answered({ body }), 1)).toContain("response:invalid");
      expect(failed(await answered({ body }, ["projects", "list"]), 1)).toContain("response:invalid");
    }
  });

  it("control characters in a message do not reach the terminal", async () => {
    const error = { code: "a:b", message: "one\u001b[2Ktwo\nthree" };
    expect(failed(await answered({ status: 400, body: { error } }), 7)).toBe(
      "error: one[2Ktwo three (a:b)\n",
    );
  });
});
