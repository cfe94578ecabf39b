import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import openapi from "@mgmt/sdk/openapi.json" with { type: "json" };
import { type Face, faces } from "./faces.js";

describe.each(faces)("the mock over %s", (_name, open) => {
  let face: Face;
  beforeAll(async () => {
    face = await open();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  it("validates a query of 48 KiB", async () => {
    const token = await face.engine.tokens.user();
    const { status, code } = await face.send("GET", `/v1/projects?cursor=${"a".repeat(48 * 1024)}`, {
      token,
    });
    expect([status, code]).toEqual([422, "validation:failed"]);
  });

  it.each([
    ["query", `?cursor=${"a".repeat(65 * 1024)}`, {}],
    ["header", "", { authorization: `Bearer ${"a".repeat(65 * 1024)}` }],
    [
      "query and headers that are together",
      `?cursor=${"a".repeat(33 * 1024)}`,
      { "x-custom": "a".repeat(33 * 1024) },
    ],
  ])("refuses a %s larger than 64 KiB: 431", async (_what, query, headers) => {
    const refused = await face.send("GET", `/v1/projects${query}`, { headers });
    expect(refused.status).toBe(431);
    expect(refused.headers.get("content-type")).toBe("application/json");
    expect(refused.headers.get("x-request-id")).toMatch(/^req_\w+$/);
    expect(refused.body).toEqual({
      error: {
        code: "request:headers_too_large",
        message: "The path, the query and the headers of the request exceed the limit of 65536 bytes",
        hint: "Send shorter query parameters and headers",
      },
    });
  });

  it("refuses an encoded body, and reads one with the encoding identity", async () => {
    const token = await face.engine.tokens.user();
    const send = (encoding: string, raw: string | Uint8Array<ArrayBuffer>) =>
      face.send("POST", "/v1/projects", { token, raw, headers: { "content-encoding": encoding } });
    const refused = await send("gzip", new Uint8Array(gzipSync('{"name":"a"}')));
    expect([refused.status, refused.headers.get("accept-encoding")]).toEqual([415, "identity"]);
    expect(refused.body).toEqual({
      error: {
        code: "request:unsupported_media_type",
        message: "The request body has a Content-Encoding, which the server does not decode",
        hint: "Send the body without compression, and without the header Content-Encoding",
      },
    });
    expect((await send("identity", '{"name":"a"}')).status).toBe(201);
  });

  it("allows pages of any origin to read /v1, without credentials", async () => {
    const token = await face.engine.tokens.user();
    const headers = { origin: "https://app.example.com" };
    for (const sent of [{ token, headers }, { headers }]) {
      const { headers: received } = await face.send("GET", "/v1/projects", sent);
      expect(received.get("access-control-allow-origin")).toBe("*");
      expect(received.get("access-control-expose-headers")).toContain("x-request-id");
      expect(received.get("access-control-allow-credentials")).toBeNull();
    }
    expect(
      (await face.send("GET", "/elsewhere", { headers })).headers.get("access-control-allow-origin"),
    ).toBeNull();
  });

  it("returns a preflight request without a token", async () => {
    const headers = {
      origin: "https://app.example.com",
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization,content-type,x-custom",
    };
    const {
      status,
      headers: received,
      text,
    } = await face.send("OPTIONS", "/v1/projects/proj_a", { headers });
    expect([status, text]).toEqual([204, ""]);
    expect(received.get("access-control-allow-methods")).toBe("GET, PATCH, DELETE");
    expect(received.get("access-control-allow-headers")).toBe("authorization,content-type,x-custom");
    expect(received.get("access-control-max-age")).toBe("86400");
  });

  it("serves the contract without a token, to pages of any origin", async () => {
    const headers = { origin: "https://app.example.com" };
    const { status, headers: received, body } = await face.send("GET", "/v1/doc", { headers });
    expect(status).toBe(200);
    expect(received.get("content-type")).toBe("application/json");
    expect(received.get("access-control-allow-origin")).toBe("*");
    const { baseUrl, engine } = face;
    const { authUrl } = engine.settings;
    // Without the addresses, which follow, it is the document that the SDK contains.
    const { servers, components, ...contract } = structuredClone(openapi);
    expect(body).toMatchObject({ ...contract, components: { schemas: components.schemas } });
    expect(body).toMatchObject({
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          oauth2: {
            flows: {
              authorizationCode: {
                authorizationUrl: `${authUrl}/authorize`,
                tokenUrl: `${authUrl}/token`,
                refreshUrl: `${authUrl}/token`,
              },
            },
          },
        },
      },
    });
    expect(servers).not.toEqual([{ url: baseUrl }]);
  });

  it("serves the contract to an invalid token, and refuses other methods", async () => {
    expect((await face.send("GET", "/v1/doc", { token: "expired" })).status).toBe(200);
    const refused = await face.send("POST", "/v1/doc", { body: {} });
    expect([refused.status, refused.code]).toEqual([405, "route:method_not_allowed"]);
    expect(refused.headers.get("allow")).toBe("GET");
    expect((await face.send("GET", "/v1/doc/", {})).status).toBe(404);
    const preflight = await face.send("OPTIONS", "/v1/doc", {
      headers: { origin: "https://app.example.com", "access-control-request-headers": "authorization" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET");
    expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization");
    for (const path of ["/v1/doc", "/v1/projects"]) {
      const { headers } = await face.send("OPTIONS", path, {
        headers: { origin: "https://app.example.com" },
      });
      expect(headers.get("access-control-allow-headers")).toBe("authorization, content-type");
    }
  });

  it("drops the connection before the work", async () => {
    const token = await face.engine.tokens.user();
    face.engine.faults.add({ operation: "projects.create", drop: "before", times: 1 });
    await expect(face.send("POST", "/v1/projects", { token, body: {} })).rejects.toThrow(TypeError);
    expect(face.engine.store.projects.size).toBe(0);
    expect(face.engine.requests.at(-1)).toMatchObject({ operationId: "projects.create", status: null });
  });

  it("drops the connection after the work, before any response", async () => {
    const token = await face.engine.tokens.user();
    face.engine.faults.add({ operation: "projects.create", drop: "after", times: 1 });
    await expect(face.send("POST", "/v1/projects", { token, body: {} })).rejects.toThrow(TypeError);
    expect(face.engine.store.projects.size).toBe(1);
  });

  it("drops the connection in the middle of the response, after the work", async () => {
    const { engine, baseUrl } = face;
    const headers = { authorization: `Bearer ${await engine.tokens.user()}` };
    engine.faults.add({ operation: "projects.create", drop: "midway", times: 1 });
    const response = await fetch(`${baseUrl}/v1/projects`, { method: "POST", headers });
    expect(response.status).toBe(201);
    const reader = response.body?.getReader();
    const half = new TextDecoder().decode((await reader?.read())?.value);
    expect(half).toMatch(/^\{"data":\{"id":"proj_/);
    expect(() => JSON.parse(half) as unknown).toThrow(SyntaxError);
    await expect(reader?.read()).rejects.toThrow(TypeError);
    expect(engine.store.projects.size).toBe(1);
    expect(engine.requests.at(-1)).toMatchObject({ operationId: "projects.create", status: null });
  });

  it("drops the connection before a response that has no body to cut", async () => {
    const { engine } = face;
    const token = await engine.tokens.user();
    const { id } = await engine.seed.project();
    engine.faults.add({ operation: "projects.delete", drop: "midway", times: 1 });
    await expect(face.send("DELETE", `/v1/projects/${id}`, { token })).rejects.toThrow(TypeError);
    expect(engine.store.projects.size).toBe(0);
  });

  it("accepts an artifact at the upload URL, once, and only there", async () => {
    const { engine } = face;
    const token = await engine.tokens.user();
    const app = await engine.seed.app((await engine.seed.project()).id);
    const path = `/v1/services/${app.id}/deployments`;
    const created = await face.send("POST", path, { token, body: {} });
    // The response of services.deployments.create.
    const { id, uploadUrl } = (created.body as { data: { id: string; uploadUrl: string } }).data;
    expect(uploadUrl.startsWith(`${face.baseUrl}/uploads/`)).toBe(true);
    const upload = uploadUrl.slice(face.baseUrl.length);
    const status = async () => {
      const { body } = await face.send("GET", `/v1/deployments/${id}`, { token });
      return (body as { data: { status: string } }).data.status;
    };
    expect((await face.send("PUT", `${upload}x`, { raw: "bytes" })).status).toBe(404);
    expect((await face.send("PUT", upload.replace(id, "dpl_other"), { raw: "bytes" })).status).toBe(404);
    expect((await face.send("GET", upload)).status).toBe(405);
    expect(await status()).toBe("created");
    expect(
      (await face.send("PUT", upload, { raw: "bytes", headers: { "content-type": "application/zip" } }))
        .status,
    ).toBe(200);
    expect(await status()).toBe("uploaded");
    expect((await face.send("PUT", upload, { raw: "bytes" })).status).toBe(404);
    expect(JSON.stringify(engine.requests)).not.toContain(upload.split("/").at(-1));
  });
});

describe("the upload cap", () => {
  it.each(faces)(
    "refuses a larger artifact with 413 behind %s, and leaves the URL usable",
    async (_name, open) => {
      const face = await open({ settings: { limits: { upload: 1_000 } } });
      const { engine } = face;
      const app = await engine.seed.app((await engine.seed.project()).id);
      const { uploadUrl } = await engine.seed.deployment(app.id);
      const upload = (uploadUrl ?? "").slice(engine.settings.baseUrl.length);
      expect((await face.send("PUT", upload, { raw: "x".repeat(1_001) })).status).toBe(413);
      expect((await face.send("PUT", upload, { raw: "x".repeat(1_000) })).status).toBe(200);
      await face.close();
    },
  );
});
