import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { query } from "../api.js";

const script = fileURLToPath(new URL("../../../../scripts/start.mjs", import.meta.url));

it("creates a project, reads a row from its database, and leaves nothing running without a terminal (npm start)", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  expect(stdout).toContain("$ mgmt dev --ephemeral --port 0 --output json");
  expect(stdout).toContain("$ mgmt projects create shop --region eu-central-1 --wait --output json");
  expect(stdout).toContain('{"id":1,"text":"Hello from a real Postgres"}');

  // Without a terminal, the output may be a log.
  expect(stdout).toMatch(/postgres:\/\/[^:@]+:…@/);
  const [connectionString = ""] = /postgres:\/\/\S+/.exec(stdout) ?? [];
  await expect(query(connectionString, "select 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  const [baseUrl = ""] = /http:\/\/\S+/.exec(stdout) ?? [];
  await expect(fetch(baseUrl)).rejects.toThrow();
}, 180_000);
