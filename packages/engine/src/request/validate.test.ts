import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Face, openMock } from "../../../mock/test/faces.js";

let face: Face;
let token: string;
let projectId: string;
beforeAll(async () => {
  face = await openMock();
});
beforeEach(async () => {
  await face.engine.reset();
  token = await face.engine.tokens.user();
  projectId = (await face.engine.seed.project()).id;
});
afterAll(() => face.close());

const send = (method: string, path: string, body?: unknown) => face.send(method, path, { token, body });

const issuesOf = async (method: string, path: string, body?: unknown): Promise<string[]> => {
  const { status, code, issues, text } = await send(method, path, body);
  expect([status, code], text).toEqual([422, "validation:failed"]);
  return issues.map((issue) => `${issue.path} ${issue.message}`);
};

describe("an id in a path", () => {
  it("has at most 128 characters", async () => {
    const patch = (id: string) => send("PATCH", `/v1/projects/${id}`, {});
    expect(await patch("a".repeat(128))).toMatchObject({ status: 404, code: "project:not_found" });
    expect(await patch("a".repeat(129))).toMatchObject({ status: 422, code: "validation:failed" });
  });

  it("is named with its kind when it is malformed", async () => {
    expect(await issuesOf("PATCH", "/v1/apps/NO", {})).toEqual(["path/appId must be the id of an app"]);
    expect(await issuesOf("PATCH", "/v1/branches/NO", {})).toEqual([
      "path/branchId must be the id of a branch",
    ]);
  });

  it("is malformed if its percent-encoding is broken", async () => {
    expect(await issuesOf("PATCH", "/v1/projects/%E0%A4%A", {})).toEqual([
      "path/id must be the id of a project",
    ]);
    expect(await send("GET", "/v1/projects/%E0%A4%A")).toMatchObject({
      status: 404,
      code: "project:not_found",
    });
  });

  it.each([
    ["integration", (workspaceId: string) => `/v1/workspaces/${workspaceId}/integrations/NO`],
    ["workspace", () => "/v1/workspaces/NO/integrations/NO"],
  ])("returns %s:not_found for the first malformed one of an operation without 422", async (kind, path) => {
    const { status, code } = await send("DELETE", path(face.engine.defaults.workspace.id));
    expect([status, code]).toEqual([404, `${kind}:not_found`]);
  });
});

describe("an id in a query or a body", () => {
  it("is found without its prefix in a query", async () => {
    const inProject = await face.engine.seed.app(projectId);
    await face.engine.seed.app((await face.engine.seed.project()).id);
    const bare = projectId.slice("proj_".length);
    for (const query of [`projectId=${bare}`, `branchId=${String(inProject.branchId).slice("br_".length)}`]) {
      const { body } = await send("GET", `/v1/apps?${query}`);
      expect(body, query).toMatchObject({ data: [{ id: inProject.id }] });
    }
  });

  it("may be the word unassigned where a list takes a branch, and only there", async () => {
    const loose = await face.engine.seed.app(projectId, { branchId: null });
    await face.engine.seed.app(projectId);
    expect((await send("GET", "/v1/apps?branchId=unassigned")).body).toMatchObject({
      data: [{ id: loose.id }],
    });
    expect((await send("GET", "/v1/apps?projectId=unassigned")).body).toMatchObject({ data: [] });
  });

  it("is found without its prefix in a body, beside fields that are null or absent", async () => {
    const create = (body: object) => send("POST", "/v1/apps", { displayName: "web", ...body });
    const bare = projectId.slice("proj_".length);
    expect(await create({ projectId: bare, branchId: null })).toMatchObject({
      status: 201,
      body: { data: { projectId, branchId: null } },
    });
    expect(await create({ projectId: bare })).toMatchObject({ status: 201, body: { data: { projectId } } });
  });
});

describe("a query parameter", () => {
  it("must not be repeated, even with the same value", async () => {
    expect(await issuesOf("GET", "/v1/projects?limit=5&limit=5")).toEqual([
      "query/limit must not be repeated",
    ]);
  });

  it("is ignored if the operation does not have it, also when it is repeated", async () => {
    expect((await send("GET", "/v1/projects?colour=red&colour=blue")).status).toBe(200);
  });

  it.each(["1", "10", "1000", "010"])("accepts %s as a limit", async (limit) => {
    expect((await send("GET", `/v1/projects?limit=${limit}`)).status).toBe(200);
  });

  it.each(["", "ten", "1e2", "0x10", "%205", "5%20", "%2B5", "1.5", "10.0", "1.", "9".repeat(16)])(
    "rejects %j as a limit, which is no whole number in digits",
    async (limit) => {
      expect(await issuesOf("GET", `/v1/projects?limit=${limit}`)).toEqual([
        "query/limit must be a whole number",
      ]);
    },
  );

  it("rejects a limit that is too small", async () => {
    for (const limit of ["0", "-5"]) {
      expect(await issuesOf("GET", `/v1/projects?limit=${limit}`)).toEqual([
        "query/limit must be at least 1",
      ]);
    }
  });

  it("keeps the digits of text as they are", async () => {
    await face.engine.seed.app(projectId, { logicalId: "007" });
    expect((await send("GET", "/v1/apps?logicalId=007")).body).toMatchObject({
      data: [{ logicalId: "007" }],
    });
    expect((await send("GET", "/v1/apps?logicalId=7")).body).toMatchObject({ data: [] });
  });
});

describe("a body", () => {
  it("is required by an operation that cannot do without", async () => {
    expect(await issuesOf("POST", "/v1/connections")).toEqual([" is required: send a JSON object"]);
  });
});
