import { describe, expect, it, onTestFinished } from "vitest";
import {
  ApiError,
  type ApiErrorInit,
  AppAlreadyExistsError,
  ApprovalRequiredError,
  ConflictError,
  DatabaseBusyError,
  ForbiddenError,
  MgmtError,
  NotFoundError,
  ProjectNotFoundError,
  RateLimitExceededError,
  ServiceUnavailableError,
  ValidationFailedError,
  createClient,
  type ErrorCode,
  isApiError,
  registerApiError,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import openapi from "@mgmt/sdk/openapi.json" with { type: "json" };
import { registeredApiErrors } from "./register-api-error.js";
import { startServer, thrown } from "../../test/server.js";

/** Returns the error of `projects.get` for this response. */
const errorOf = async (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiError> => {
  const { baseUrl } = await startServer((_, response) => {
    response.writeHead(status, { "x-request-id": "req_9", "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const client = createClient({ baseUrl, token: false, transport: nodeTransport(), maxRetries: 0 });
  const error = await thrown(client.projects.get("proj_1"));
  if (!(error instanceof ApiError)) throw error;
  return error;
};

describe("an error response", () => {
  it("has the class of its code, below that of its status, with code, message, hint and request id", async () => {
    const error = await errorOf(404, {
      error: { code: "project:not_found", message: "There is no such project.", hint: "Check the id." },
    });
    expect(error).toBeInstanceOf(ProjectNotFoundError);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(MgmtError);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ConflictError);
    expect(error).not.toBeInstanceOf(AppAlreadyExistsError);
    expect(error).toMatchObject({
      name: "ProjectNotFoundError",
      status: 404,
      code: "project:not_found",
      message: "There is no such project.",
      hint: "Check the id.",
      requestId: "req_9",
      method: "GET",
      path: "/v1/projects/{id}",
    });
    expect(error.stack).toMatch(/^ProjectNotFoundError: There is no such project\./);
  });

  it("is thrown by methods and iterations, so that nobody continues without data", async () => {
    const { baseUrl } = await startServer((_, response) => response.writeHead(403).end());
    const client = createClient({ baseUrl, token: false });
    const reached: unknown[] = [];
    const calls = {
      get: async () => void reached.push((await client.projects.get("proj_1")).name),
      remove: async () => void reached.push(await client.projects.delete("proj_1")),
      walk: async () => {
        for await (const each of client.projects.list()) reached.push(each);
      },
    };
    for (const call of Object.values(calls)) expect(await thrown(call())).toBeInstanceOf(ForbiddenError);
    expect(reached).toEqual([]);
  });

  it("has the fields of app:already_exists, which identify the app in the slot", async () => {
    const details = {
      existingAppId: "cps_1",
      name: "web",
      branchGitName: "main",
      conflict: "logicalId",
      logicalId: "web-1",
    };
    const error = await errorOf(409, {
      error: { code: "app:already_exists", message: "Taken.", ...details },
    });
    expect(error).toBeInstanceOf(AppAlreadyExistsError);
    expect(error).toMatchObject(details);
    expect(error.hint).toBeUndefined();
    expect(error.stack).toMatch(/^AppAlreadyExistsError: Taken\./);
    expect(String(error)).toBe("AppAlreadyExistsError: Taken.");
  });

  it("has the name that a program assigns, as every error of the language", async () => {
    class PlanLimitError extends ApiError {
      static override readonly kind = "plan:limit_reached";
      constructor(init: ApiErrorInit) {
        super(init);
        this.name = "Mine";
      }
    }
    registerApiError(PlanLimitError);
    onTestFinished(() => void registeredApiErrors.delete("plan:limit_reached"));
    const own = await errorOf(403, { error: { code: "plan:limit_reached", message: "No." } });
    expect([own.name, own.toJSON()["name"]]).toEqual(["Mine", "Mine"]);
    const renamed = Object.assign(await errorOf(404, { error: { code: "project:not_found" } }), {
      name: "Mine",
    });
    expect([renamed.name, renamed.toJSON()["name"]]).toEqual(["Mine", "Mine"]);
    expect((await errorOf(404, { error: { code: "project:not_found" } })).name).toBe("ProjectNotFoundError");
  });

  it("has the approval to wait for with approval_required", async () => {
    const details = {
      approvalId: "apr_1",
      expiresAt: "2030-01-01T00:00:00.000Z",
      approvalUrl: "https://a.test/apr_1",
    };
    const error = await errorOf(403, { error: { code: "approval_required", message: "Wait.", ...details } });
    expect(error).toBeInstanceOf(ApprovalRequiredError);
    expect(error).toMatchObject(details);
  });

  it("has its issues with validation:failed", async () => {
    const issues = [{ path: "/name", message: "must be a string" }];
    const error = await errorOf(422, { error: { code: "validation:failed", message: "No.", issues } });
    expect(error).toBeInstanceOf(ValidationFailedError);
    expect(error.issues).toEqual(issues);
  });

  it("carries the seconds of Retry-After, from seconds and from a date", async () => {
    const body = { error: { code: "rate_limit:exceeded", message: "Slow down." } };
    const seconds = await errorOf(429, body, { "retry-after": "90" });
    expect(seconds).toBeInstanceOf(RateLimitExceededError);
    expect(seconds.retryAfter).toBe(90);
    const date = await errorOf(429, body, { "retry-after": new Date(Date.now() + 60_000).toUTCString() });
    expect(date.retryAfter).toBeGreaterThan(50);
    expect(date.retryAfter).toBeLessThan(62);
    expect((await errorOf(429, body, { "retry-after": "Tue, 01 Jan 2002 00:00:00 GMT" })).retryAfter).toBe(0);
    expect((await errorOf(429, body, { "retry-after": "soon" })).retryAfter).toBeUndefined();
  });

  it("has a class for every code of the contract, at the code's status", async () => {
    const catalog: Record<string, { status: number }> = openapi["x-error-codes"];
    expect(Object.keys(catalog).length).toBeGreaterThan(40);
    for (const [code, { status }] of Object.entries(catalog)) {
      const error = await errorOf(status, { error: { code, message: "m" } });
      expect(error.name, code).toMatch(/^[A-Z][A-Za-z]+Error$/);
      // The type has the codes of the contract.
      expect(isApiError(error, code as ErrorCode), code).toBe(true);
      expect(isApiError(error, ["internal:error", code as ErrorCode, "database:busy"]), code).toBe(true);
      expect(isApiError(error, { unlisted: code }), code).toBe(true);
      expect(Object.getPrototypeOf(Object.getPrototypeOf(error)), code).not.toBe(ApiError.prototype);
    }
  });
});

describe("an unknown error response", () => {
  it("falls back to the status for an unknown code, and keeps the code", async () => {
    const error = await errorOf(409, { error: { code: "quota:exceeded", message: "Too many." } });
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ name: "ConflictError", code: "quota:exceeded", message: "Too many." });
    expect(error.hint).toBeUndefined();
    expect(isApiError(error, { unlisted: "quota:exceeded" })).toBe(true);
    expect(isApiError(error, { unlisted: "quota:other" })).toBe(false);
  });

  it("falls back to the status for a known code at another status", async () => {
    const error = await errorOf(404, { error: { code: "database:busy", message: "m" } });
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).not.toBeInstanceOf(DatabaseBusyError);
    expect(error.code).toBe("database:busy");
    expect(isApiError(error, "database:busy")).toBe(false);
    expect(isApiError(error, ["project:not_found", "database:busy"])).toBe(false);
    expect(isApiError(error, [])).toBe(false);
  });

  it("becomes a plain ApiError at a status that the contract does not have", async () => {
    const error = await errorOf(418, { error: { code: "tea:pot", message: "Short and stout." } });
    expect(error).toMatchObject({ name: "ApiError", status: 418, code: "tea:pot" });
  });

  it.each([
    ["HTML", "<html><body>Bad gateway hunter2</body></html>", "text/html; charset=utf-8", "(text/html)"],
    ["broken JSON", '{"error": {"code": "x', "application/json", "(application/json)"],
    ["nothing", "", "application/json", "(no body)"],
    ["text", "upstream connect error hunter2", "text/plain", "(text/plain)"],
    ["null", "null", "application/json", "(application/json)"],
    ["a list", "[1]", "application/json", "(application/json)"],
    ["an error that is null", '{"error":null}', "application/json", "(application/json)"],
    ["fields of wrong types", '{"error":{"code":5,"message":{}}}', "application/json", "(application/json)"],
  ])("describes what was received when it is %s", async (_, body, type, said) => {
    const error = await errorOf(503, body, { "content-type": type });
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({
      code: "http:503",
      message: `GET /v1/projects/{id} failed with status 503 ${said}`,
      requestId: "req_9",
    });
    expect(error.hint).toContain("baseUrl");
    expect(JSON.stringify(error)).not.toContain("hunter2");
  });

  it.each([
    ["no envelope", { code: "project:not_found", message: "Gone." }, "project:not_found", "Gone."],
    ["a gateway's message", { message: "Forbidden" }, "http:404", "Forbidden"],
    ["an OAuth error", { error: "invalid_token", error_description: "Expired." }, "http:404", "Expired."],
    ["an error that is text", { error: "nope" }, "http:404", "nope"],
  ])("reads %s", async (_, body, code, message) => {
    expect(await errorOf(404, body)).toMatchObject({ status: 404, code, message });
  });

  it("reads issues of any shape without failing", async () => {
    const of = (issues: unknown) =>
      errorOf(422, { error: { code: "validation:failed", message: "m", issues } });
    expect((await of([null, 1, { path: 2 }])).issues).toEqual(Array(3).fill({ path: "", message: "" }));
    expect((await of("x")).issues).toBeUndefined();
  });

  it("becomes an ApiError for a redirect, which is not followed", async () => {
    const { baseUrl, seen } = await startServer((_, response) =>
      response.writeHead(302, { location: "/elsewhere" }).end(),
    );
    for (const transport of [undefined, nodeTransport()]) {
      const error = await thrown(createClient({ baseUrl, token: "t", transport }).projects.get("x"));
      expect(error).toMatchObject({
        status: 302,
        code: "http:302",
        hint: expect.stringContaining("redirect"),
      });
    }
    expect(seen.map(({ url }) => url)).toEqual(["/v1/projects/x", "/v1/projects/x"]);
  });
});
