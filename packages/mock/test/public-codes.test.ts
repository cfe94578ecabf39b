import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import {
  ApiError,
  BadRequestError,
  type ErrorByCode,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  type PublicErrorByCode,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableContentError,
  createClient,
  isApiError,
} from "@mgmt/sdk";

const mock = setupMock({ deterministic: "codes", settings: { errorCodes: "public" } });
beforeAll(() => mock.listen());
afterEach(() => mock.reset());
afterAll(() => mock.close());

const clientOf = (token: () => string | Promise<string>) =>
  createClient({ baseUrl: mock.baseUrl, token, maxRetries: 0 });
const client = clientOf(() => mock.tokens.user());

const thrown = async (call: PromiseLike<unknown>): Promise<ApiError> => {
  const error: unknown = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`Not an ApiError: ${String(error)}`);
  return error;
};

/** A request for each code, and the class of its error. */
const rejections: readonly [keyof PublicErrorByCode, typeof ApiError, () => PromiseLike<unknown>][] = [
  ["authentication-failed", UnauthorizedError, () => clientOf(() => "expired").projects.list()],
  ["permission-denied", ForbiddenError, () => clientOf(() => mock.tokens.withoutScope()).projects.list()],
  ["resource-not-found", NotFoundError, () => client.projects.get("proj_none")],
  ["validation-error", UnprocessableContentError, () => client.projects.list({ limit: 0 })],
];

describe("the setting errorCodes: public", () => {
  it.each(rejections)("returns %s with the class of its status", async (code, type, call) => {
    const error = await thrown(call());
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code, message: expect.any(String), requestId: expect.any(String) });
    expect(isApiError(error, code)).toBe(true);
    expect(mock.requests.at(-1)).toMatchObject({ status: error.status, code });
  });

  it("returns not_found for a connection of a database that does not exist, as published programs read it", async () => {
    const gone = await thrown(client.databases.connections.create("db_none", { name: "web" }));
    expect(gone).toBeInstanceOf(NotFoundError);
    expect(gone.code).toBe("not_found");
    const listed = await thrown(client.databases.connections.list("db_none"));
    expect(listed.code).toBe("resource-not-found");
  });

  it("returns codes for rate limits, dependencies and internal errors", async () => {
    const project = await client.projects.create({ name: "shop" });
    await client.databases.create({ projectId: project.id });
    const dependent = await thrown(client.projects.delete(project.id));
    expect(dependent).toBeInstanceOf(BadRequestError);
    expect(dependent.code).toBe("client-error");
    mock.setRateLimit({ requests: 0, window: 60_000 });
    const limited = await thrown(client.apps.list());
    expect(limited).toBeInstanceOf(TooManyRequestsError);
    expect(limited).toMatchObject({ code: "rate-limit-exceeded", retryAfter: expect.any(Number) });
    mock.faults.add({ operation: "me.get", status: 500, times: 1 });
    const failed = await thrown(client.me.get());
    expect(failed).toBeInstanceOf(InternalServerError);
    expect(failed.code).toBe("internal-server-error");
    mock.faults.add({ operation: "me.get", status: 429, times: 1 });
    expect((await thrown(client.me.get())).code).toBe("rate-limit-exceeded");
  });

  it("preserves issues, and codes that have no public counterpart", async () => {
    const invalid = await thrown(client.projects.list({ limit: 0 }));
    expect(invalid.issues).toEqual([expect.objectContaining({ path: "query/limit" })]);
    await client.projects.create({ logicalId: "shop" });
    const conflict = await thrown(client.projects.create({ logicalId: "shop" }));
    expect(conflict.code).toBe("project:logical_id_conflict");
    const agent = clientOf(() => mock.tokens.agent());
    const gated = await thrown(agent.projects.delete((await mock.seed.project()).id));
    expect(gated).toMatchObject({ code: "approval_required", approvalId: expect.any(String) });
  });

  it("does not change the errors of the authorization server", async () => {
    const response = await mock.fetch(`${mock.authUrl}/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "grant_type=none",
    });
    expect(await response.json()).toMatchObject({ error: expect.not.stringContaining("-") });
  });

  it("lets ensure find an existing resource", async () => {
    const first = await client.projects.ensure({ logicalId: "shop" });
    const second = await client.projects.ensure({ logicalId: "shop" });
    expect([second.created, second.resource.id]).toEqual([false, first.resource.id]);
  });
});

describe("codes of Prisma's Management API", () => {
  it.each([
    ["unauthorized", 401, UnauthorizedError],
    ["not_found", 404, NotFoundError],
    ["planLimitReached", 403, ForbiddenError],
  ] as const)("have the class of their status: %s", async (code, status, type) => {
    mock.faults.add({ operation: "me.get", status, code });
    const error = await thrown(client.me.get());
    expect(error).toBeInstanceOf(type);
    expect(isApiError(error, code)).toBe(true);
    if (isApiError(error, "planLimitReached")) expect(error.status satisfies 403).toBe(403);
  });

  it("are not recognized with another status", async () => {
    mock.faults.add({ operation: "me.get", status: 409, code: "planLimitReached", times: 1 });
    const error = await thrown(client.me.get());
    expect([error.code, isApiError(error, "planLimitReached")]).toEqual(["planLimitReached", false]);
  });

  it("are typed by isApiError", () => {
    const typed = (error: ErrorByCode["rate-limit-exceeded"]): 429 => error.status;
    expect(typed).toBeTypeOf("function");
  });
});
