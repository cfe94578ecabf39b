import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { chromiumPath } from "./chromium.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = (name: string): string => join(root, "node_modules/.bin", name);

const failing = `
import { createTest } from "@mgmt/mock/vitest-browser";

const test = createTest({ assertFaultsStruck: true });
test("misspells a path", async ({ baseUrl }) => void (await fetch(baseUrl + "/v1/projcts")));
test("adds a fault for nothing", ({ mock }) => void mock.faults.add({ operation: "me.get", status: 503 }));
test("keeps its state", () => void createTest({ persist: "session" }));
let tries = 0;
test("passes its second try", { retry: 1 }, async ({ baseUrl }) => {
  tries += 1;
  await fetch(baseUrl + (tries === 1 ? "/v1/projcts" : "/v1/projects"));
});
createTest({ workerUrl: "/elsewhere.js" })("has no worker script", ({ mock }) => mock.snapshot());
`;

let folder: string;
beforeAll(async () => {
  await ensureBuilt();
  // Inside the repository, so that it finds the packages.
  folder = await mkdtemp(fileURLToPath(new URL(".test-", import.meta.url)));
  await cp(join(root, "examples/vitest-browser"), folder, { recursive: true });
  await writeFile(join(folder, "failing.spec.ts"), failing);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("runs the example of Vitest's browser mode, and says what is wrong with tests that fail", async () => {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE_|NODE_ENV|TEST$)/.test(name));
  const env = { ...Object.fromEntries(own), CHROMIUM: chromiumPath(), NO_COLOR: "1" };
  const run = promisify(execFile);
  await run(bin("msw"), ["init", "public", "--no-save"], { cwd: folder, env });
  const output = await run(bin("vitest"), ["run"], { cwd: folder, env }).then(
    () => "No test failed.",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
  expect(output).toMatch(/Tests +4 failed \| 4 passed \(8\)/);
  expect(output).toContain('The test "misspells a path" sent requests that the mock has no operation for');
  expect(output).toContain("GET /v1/projcts → 404 route:not_found");
  expect(output).toMatch(/No request was struck by:\n +\{"operation":"me\.get"/);
  expect(output).toMatch(/TypeError: .*persist/);
  expect(output).toMatch(/The worker script \/elsewhere\.js could not be registered: .+npx msw init/);
});
