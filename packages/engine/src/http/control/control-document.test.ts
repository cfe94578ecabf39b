import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, controlSecretHeader, createServer } from "@mgmt/mock/server";
import { ConnectionFaults } from "@mgmt/engine";
import { controlDocument } from "@mgmt/engine/http";
import { controlRoutes } from "./routes.js";

const document = controlDocument();
const methods = ["get", "put", "post", "delete"];

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

const operations = new Map(
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      // The document is typed as JSON.
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as Operation]),
  ),
);

describe("the document of the control surface", () => {
  it("has every route, and no other", () => {
    expect([...operations.keys()].sort()).toEqual(Object.keys(controlRoutes).sort());
  });

  it("names every operation once", () => {
    const names = [...operations.values()].map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("each route", () => {
  let server: RunningServer;
  const secret = "control document";
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: "https://mgmt.test/control", ...document });
  const matches = (schema: object, value: unknown): void => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"https://mgmt.test/control#/');
    const validate = ajv.compile(JSON.parse(text));
    validate(value);
    expect(validate.errors ?? []).toEqual([]);
  };

  /** Sends a request, and checks it and its response against the document. */
  const send = async (route: string, path: string, body?: object): Promise<{ id: string }> => {
    called.add(route);
    const operation = operations.get(route);
    const [method = ""] = route.split(" ");
    const schema = operation?.requestBody?.content["application/json"]?.schema;
    if (body !== undefined) matches(schema ?? { not: {} }, body);
    const response = await fetch(`${server.baseUrl}/_control${path}`, {
      method,
      headers: { [controlSecretHeader]: secret },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const documented = operation?.responses[String(response.status)];
    expect([route, response.status, documented !== undefined]).toEqual([route, response.status, true]);
    const text = await response.text();
    if (text === "") return { id: "" };
    const value: { id: string } = JSON.parse(text);
    matches(documented?.content?.["application/json"]?.schema ?? { not: {} }, value);
    return value;
  };
  const called = new Set<string>();

  beforeAll(async () => {
    const faults = new ConnectionFaults({ random: () => 0, findDatabaseName: (id) => id });
    server = await createServer({
      engineOptions: { dataPlane: { faults, connectionLimit: null, reset: () => faults.clear() } },
      controlSecret: secret,
    });
  });
  afterAll(() => server.close());

  it.each([
    ["an array", ["80"]],
    ["text", "PORT=80"],
    ["null", null],
    ["a variable that is not a string", { PORT: 80 }],
  ])("refuses variables of a deployment that are %s", async (_, envVars) => {
    const response = await fetch(`${server.baseUrl}/_control/seed/deployment`, {
      method: "POST",
      headers: { [controlSecretHeader]: secret },
      body: JSON.stringify({ appId: "cps_none", envVars }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("envVars must be an object of strings");
  });

  it("accepts and returns what the document says", async () => {
    await send("GET /openapi.json", "/openapi.json");
    for (const step of ["freeze", "run"]) await send(`POST /clock/${step}`, `/clock/${step}`);
    await send("POST /clock/advance", "/clock/advance", { milliseconds: 10 });
    await send("POST /clock/set", "/clock/set", { time: "2030-01-01T00:00:00Z" });
    await send("GET /clock", "/clock");

    const user = await send("POST /seed/user", "/seed/user", { email: "a@example.com" });
    await send("POST /seed/workspace", "/seed/workspace", { ownerId: user.id });
    const project = await send("POST /seed/project", "/seed/project", { name: "shop" });
    const database = await send("POST /seed/database", "/seed/database", { projectId: project.id });
    await send("POST /seed/connection", "/seed/connection", { databaseId: database.id });
    const backup = await send("POST /seed/backup", "/seed/backup", { databaseId: database.id });
    await send("POST /seed/branch", "/seed/branch", { projectId: project.id });
    const app = await send("POST /seed/app", "/seed/app", { projectId: project.id });
    const deployment = await send("POST /seed/deployment", "/seed/deployment", {
      appId: app.id,
      envVars: { PORT: "80" },
    });
    await send("POST /seed/service-token", "/seed/service-token", {});
    await send("POST /seed/integration", "/seed/integration", {});

    await send("POST /databases/{id}/backups", `/databases/${database.id}/backups`, {});
    await send("PUT /databases/{id}/status", `/databases/${database.id}/status`, { status: "failure" });
    await send("PUT /backups/{id}/status", `/backups/${backup.id}/status`, { status: "failed" });
    await send("PUT /deployments/{id}/status", `/deployments/${deployment.id}/status`, { status: "failed" });
    await send("POST /apps/{id}/domains", `/apps/${app.id}/domains`, { name: "shop.example.com" });

    await send("POST /tokens", "/tokens", { kind: "user" });
    await send("POST /tenants", "/tenants", { name: "one" });
    for (const decision of ["approve", "approve-window", "deny"]) {
      await server.engine.clock.advance(1);
      const { id } = await server.engine.seed.project();
      await fetch(`${server.baseUrl}/v1/projects/${id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${await server.engine.tokens.agent()}` },
      });
      const approval = server.engine.approvals.list().at(-1)?.id ?? "";
      await send(`POST /approvals/{id}/${decision}`, `/approvals/${approval}/${decision}`);
    }
    await send("GET /approvals", "/approvals");

    const fault = await send("POST /faults", "/faults", { operation: "me.get", status: 503 });
    await send("GET /faults", "/faults");
    await send("DELETE /faults/{id}", `/faults/${fault.id}`);
    await send("DELETE /faults", "/faults");
    await send("PUT /rate-limit", "/rate-limit", { requests: 5 });
    await send("GET /requests", "/requests");
    const cut = await send("POST /connection-faults", "/connection-faults", { effect: "drop" });
    await send("GET /connection-faults", "/connection-faults");
    await send("DELETE /connection-faults/{id}", `/connection-faults/${cut.id}`);
    await send("DELETE /connection-faults", "/connection-faults");
    await send("PUT /connection-limit", "/connection-limit", { connections: 3 });

    const redirectUri = "https://app.example.com/callback";
    const client = await send("POST /oauth/clients", "/oauth/clients", {
      redirectUris: [redirectUri],
      confidential: true,
    });
    await send("POST /oauth/consent", "/oauth/consent", { client: client.id });
    await send("POST /oauth/deny", "/oauth/deny", { client: client.id });

    await send("GET /snapshot", "/snapshot");
    await send("PUT /snapshot", "/snapshot", server.engine.snapshot());
    await send("POST /reset", "/reset");
    expect([...called].sort()).toEqual([...operations.keys()].sort());
  });

  it.each([
    ["POST", "/clock/advance", 400],
    ["GET", "/nothing", 404],
    ["DELETE", "/clock", 405],
  ])("returns the documented error for %s %s", async (method, path, status) => {
    const response = await fetch(`${server.baseUrl}/_control${path}`, {
      method,
      headers: { [controlSecretHeader]: secret },
      ...(method === "POST" && { body: '{"milliseconds":-1}' }),
    });
    expect(response.status).toBe(status);
    matches({ $ref: "#/components/schemas/Error" }, await response.json());
  });
});
