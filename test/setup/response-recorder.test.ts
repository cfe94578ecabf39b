import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import { errors } from "../../packages/engine/src/values/errors.js";
import { observeResponses, recordTo } from "./response-recorder.js";

it("appends each operation, status and code that the contract has, once for each observer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-responses-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "responses.txt");
  for (const observer of [recordTo(file), recordTo(file)]) onTestFinished(observeResponses(observer));
  const server = new MemoryServer({ settings: { approvals: { operations: ["projects.update"] } } });
  const { id } = await server.seed.project();
  const headers = {
    authorization: `Bearer ${await server.tokens.agent()}`,
    "content-type": "application/json",
  };
  const statusOf = async (method: string, path: string, body?: string): Promise<number> =>
    (await server.handle({ method, path, headers, body })).status;
  await statusOf("GET", `/v1/projects/${id}`);
  await statusOf("GET", `/v1/projects/${id}`);
  // Only the settings have an approval for it.
  expect(await statusOf("PATCH", `/v1/projects/${id}`, '{"name":"shop"}')).toBe(403);
  server.faults.add({ operation: "projects.get", status: 418, times: 1 });
  expect(await statusOf("GET", `/v1/projects/${id}`)).toBe(418);
  server.faults.add({ operation: "projects.get", drop: "before", times: 1 });
  await statusOf("GET", `/v1/projects/${id}`);
  await statusOf("GET", "/v1/projects/proj_none");
  await statusOf("GET", "/v1/none");

  const { message, hint } = errors.notFound("project");
  const notFound = `projects.get 404 project:not_found ${JSON.stringify({ message, hint })}\n`;
  expect(readFileSync(file, "utf8")).toBe(`${"projects.get 200 -\n".repeat(2)}${notFound.repeat(2)}`);
});
