import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { type RequestListener, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { setupMock } from "@mgmt/mock";
import { record, startUpstream, useEverything } from "../../test/record/recorded-service.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-record-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a recording", () => {
  it("contains what the service returned, and none of its secrets", async () => {
    const { mock, recording, secrets } = await useEverything(await startUpstream());
    const path = join(folder, "recording.json");
    await recording.save(path);
    const text = readFileSync(path, "utf8");
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(8);
      expect(text).not.toContain(secret);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { exchanges, seeds } = recording.recording();
    expect(exchanges.map(({ operationId, status }) => `${operationId} ${String(status)}`)).toContain(
      "projects.create 201",
    );
    expect(exchanges.at(-1)).toMatchObject({ operationId: "projects.get", code: "project:not_found" });
    expect(seeds.map(({ kind, resource }) => [kind, resource["name"]])).toContainEqual([
      "project",
      "existing",
    ]);
    // The requests went to the service only.
    expect([mock.requests.length, mock.store.projects.size]).toEqual([0, 0]);
  });
});

const startOther = async (listener: RequestListener): Promise<string> => {
  const other = createHttpServer(listener);
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  // It listens on a host.
  return `http://127.0.0.1:${String((other.address() as AddressInfo).port)}`;
};

it("passes a redirect of the service on, and does not follow it", async () => {
  const paths: unknown[] = [];
  const upstream = await startOther(({ url }, response) => {
    paths.push(url);
    if (url === "/v1/me") response.writeHead(302, { location: "/v1/elsewhere" });
    response.end('{"data":[]}');
  });
  const mock = setupMock();
  await mock.record({ upstream });
  const { status, headers } = await mock.fetch(`${mock.baseUrl}/v1/me`);
  expect([status, headers.get("location")]).toEqual([302, "/v1/elsewhere"]);
  expect(paths).toEqual(["/v1/projects", "/v1/me"]);
});

it("masks the secrets of requests and responses wherever they occur again", async () => {
  const project = { id: "proj_1", type: "project", name: "plum-1 plum-2", password: "plum-1" };
  const upstream = await startOther((_, response) => response.end(JSON.stringify({ data: [project] })));
  const mock = setupMock();
  const recording = await mock.record({ upstream });
  const url = `${mock.baseUrl}/v1/projects`;
  await mock.fetch(url, { method: "POST", body: JSON.stringify({ name: "plum-1", password: "plum-2" }) });
  await mock.fetch(url);
  const { exchanges } = recording.recording();
  expect(exchanges.map(({ body }) => body)).toEqual([{ name: "[secret]", password: "[secret]" }, null]);
  const masked = { data: [{ ...project, name: "[secret] [secret]", password: "[secret]" }] };
  expect(exchanges.map(({ response }) => response)).toEqual([masked, masked]);
  expect(JSON.stringify(exchanges)).not.toContain("plum");
});

describe("a service that cannot be recorded", () => {
  it("is not the API", async () => {
    const upstream = await startOther((_, response) => {
      response.setHeader("content-type", "text/html").end("<h1>Hello</h1>");
    });
    await expect(setupMock().record({ upstream })).rejects.toMatchObject({
      code: "mock:upstream_not_the_api",
      message: expect.stringContaining("GET /v1/projects returned 200 with text/html"),
    });
  });

  it("cannot be reached, at first or later", async () => {
    const upstream = await startUpstream();
    const { mock } = await record(upstream);
    await upstream.close(0);
    const response = await mock.fetch(`${mock.baseUrl}/v1/me`);
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { code: "mock:upstream_unreachable" } },
    ]);
    await expect(setupMock().record({ upstream: upstream.baseUrl })).rejects.toMatchObject({
      code: "mock:upstream_unreachable",
    });
  });

  it.each([
    "nowhere",
    "https:api.example.com",
    "ftp://api.example.com",
    "https://api.example.com?x=1",
    "https://api.example.com\n",
    "https://api.example.com/",
    "https://api.example.com/v1",
    "https://me:pw@example.com",
  ])("has an invalid URL: %s", async (upstream) => {
    await expect(setupMock().record({ upstream })).rejects.toThrow(TypeError);
  });
});
