import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Face, type Sent, openMock } from "../../../mock/test/faces.js";

describe("the issues of a 422", () => {
  let face: Face;
  let token: string;
  let projectId: string;
  let databaseId: string;
  beforeAll(async () => {
    face = await openMock();
  });
  beforeEach(async () => {
    await face.engine.reset();
    token = await face.engine.tokens.user();
    const project = await face.engine.seed.project();
    projectId = project.id;
    databaseId = project.database?.id ?? "";
  });
  afterAll(() => face.close());

  const issues = async (method: string, path: string, sent: Sent = {}) => {
    const answer = await face.send(method, path, { token, ...sent });
    expect([answer.status, answer.code], answer.text).toEqual([422, "validation:failed"]);
    return answer.issues.map((issue) => `${issue.path} ${issue.message}`);
  };
  const post = (body: unknown, path = "/v1/projects") => issues("POST", path, { body });

  it("names every field that does not fit, at once, as a JSON pointer", async () => {
    expect(
      await post({ name: "", region: "mars", logicalId: "-x", createDatabase: "yes", extra: 1 }),
    ).toEqual([
      "/extra is not a field of this request",
      "/createDatabase must be true or false",
      "/name must not be empty",
      "/region must be one of us-east-1, us-west-1, eu-west-3, eu-central-1, ap-northeast-1, ap-southeast-1",
      '/logicalId must have only letters, digits, ".", "_" and "-", starting with a letter or digit',
    ]);
  });

  it("names parameters by their place and name, beside fields", async () => {
    const path = "/v1/projects/NOT-AN-ID";
    expect(await issues("PATCH", path, { body: { name: 1 } })).toEqual([
      "path/id must be the id of a project",
      "/name must be a string",
    ]);
  });

  it("describes a missing field, and where it is missing", async () => {
    expect(await post({}, "/v1/connections")).toEqual(["/databaseId is required", "/name is required"]);
  });

  it("describes the alternative that was meant", async () => {
    const create = (source: unknown) => post({ source }, `/v1/projects/${projectId}/databases`);
    expect(await create({ type: "backup", databaseId })).toEqual(["/source/backupId is required"]);
    expect(await create({ type: "tape" })).toEqual(["/source/type is not a type that this request accepts"]);
    expect(await create({})).toEqual(["/source/type is required"]);
    expect(await create("backup")).toEqual(["/source must be an object"]);
    expect(await create({ type: "empty", backupId: "x" })).toEqual([
      "/source/backupId is not a field of this request",
    ]);
  });

  it("describes the form of an id", async () => {
    expect(await post({ projectId: "A B" }, "/v1/databases")).toEqual([
      "/projectId must be an id like proj_…",
    ]);
  });

  it("accepts null for a nullable field, and mentions it for a value of another type", async () => {
    const app = await face.engine.seed.app(projectId);
    const patch = (body: object) => issues("PATCH", `/v1/services/${app.id}`, { body });
    expect(await patch({ branchId: 5, displayName: null })).toEqual([
      "/displayName must be a string",
      "/branchId must be a string or null",
    ]);
  });

  it("joins the ways in which a value could have fitted", async () => {
    expect(await issues("GET", `/v1/databases/${databaseId}/usage?startDate=yesterday`)).toEqual([
      "query/startDate must be a date (YYYY-MM-DD) or a date and time with a time zone (RFC 3339)",
    ]);
  });

  it("includes lengths and bounds", async () => {
    expect(await post({ name: "x".repeat(257) })).toEqual(["/name must have at most 256 characters"]);
    expect(await issues("GET", "/v1/projects?limit=1001")).toEqual(["query/limit must be at most 1000"]);
  });

  it("never repeats a rejected secret: not of the field, not of a field beside it, not of a broken body", async () => {
    const secret = "s3cr3t-token-of-somebody";
    const path = `/v1/projects/${projectId}/transfer`;
    for (const sent of [
      { body: { recipientAccessToken: { value: secret } } },
      { body: { recipientAccessToken: secret, note: secret } },
      { body: { recipientAccessToken: secret.repeat(1_000) } },
      { body: [secret] },
      { raw: `{"recipientAccessToken":"${secret}"` },
      { raw: `{"recipientAccessToken":"${secret}",}` },
      { body: { recipientAccessToken: secret } },
    ]) {
      const { status, text } = await face.send("POST", path, { token, ...sent });
      expect([400, 422]).toContain(status);
      expect(text).not.toContain(secret);
    }
    expect(JSON.stringify(face.engine.requests)).not.toContain(secret);
  });

  it("lists no more than twenty, and shortens long names", async () => {
    const body = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${String(index)}`, 1]));
    expect(await post(body)).toHaveLength(20);
    const [issue] = await post({ ["x".repeat(5_000)]: 1 });
    expect(issue?.length).toBeLessThan(200);
  });

  it("refuses what is nested too deep to be stored, however small it is", async () => {
    const nested = (levels: number) => `{"settings":{"a":${'{"b":'.repeat(levels)}1${"}".repeat(levels)}}}`;
    const path = `/v1/projects/${projectId}`;
    expect((await face.send("PATCH", path, { token, raw: nested(62) })).status).toBe(200);
    expect(await issues("PATCH", path, { raw: nested(63) })).toEqual([" is nested more than 64 levels deep"]);
    expect((await face.send("PATCH", path, { token, raw: nested(100_000) })).status).toBe(422);
  });

  it("treats a key named __proto__ as the unknown field that it is", async () => {
    expect(await issues("POST", "/v1/projects", { raw: '{"__proto__":{"name":"x"}}' })).toEqual([
      "/__proto__ is not a field of this request",
    ]);
  });

  it("returns the restore's own code for another source type", async () => {
    const { status, code } = await face.send("POST", `/v1/databases/${databaseId}/restore`, {
      token,
      body: { source: { type: "empty" } },
    });
    expect([status, code]).toEqual([422, "restore:invalid_source"]);
  });
});
