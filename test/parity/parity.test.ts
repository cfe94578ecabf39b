import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { loadContract } from "../../scripts/generate/contract/contract.js";
import { parityPage } from "../../scripts/generate/docs/parity.js";
import { runParity } from "../../scripts/parity/parity.js";
import type { RecordedParity } from "../../scripts/parity/recorded.js";

let service: RunningServer;
let token: string;
let folder: string;
beforeAll(async () => {
  service = await createServer();
  token = await service.engine.tokens.user();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-parity-"));
  mkdirSync(join(folder, "openapi"));
  mkdirSync(join(folder, "docs/reference"), { recursive: true });
});
afterEach(() => {
  service.engine.faults.clear();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => service.close(0));

/** Runs the command with results in the folder. Returns what it prints. */
const parity = async (words: string[], token?: string): Promise<string> => {
  const lines: string[] = [];
  await runParity([`--out=${folder}`, ...words], { token, print: (line) => lines.push(line) });
  return lines.join("\n");
};

const readResult = (): RecordedParity =>
  JSON.parse(readFileSync(join(folder, "openapi/recorded.json"), "utf8"));
const readPage = (): string => readFileSync(join(folder, "docs/reference/parity.md"), "utf8");

describe("npm run parity", () => {
  it("finds where a service differs in status, code, and shape, and writes the parity page", async () => {
    const { faults } = service.engine;
    const body = JSON.stringify({ data: { user: 5 } });
    faults.add({ operation: "me.get", status: 200, body, contentType: "application/json" });
    faults.add({ operation: "databases.get", status: 404, code: "database:gone" });
    faults.add({ operation: "regions.listPostgres", status: 409, code: "region:strange" });
    const recording = join(folder, "recording.json");
    const words = [`--upstream=${service.baseUrl}`, `--recording=${recording}`];
    const printed = await parity(words, token);

    expect(printed).toContain("status of GET /v1/regions/postgres: recorded 409, reference 200");
    expect(printed).toMatch(/\d+ operations recorded, 3 with differences$/);
    const { upstream, operations } = readResult();
    expect(upstream).toBe(service.baseUrl);
    expect(operations["projects.create"]).toMatchObject({ differences: [] });
    const shape = { kind: "shape", recorded: "/data/user: number", reference: "/data/user: object" };
    expect(operations["me.get"]?.differences).toContainEqual(shape);
    const code = { kind: "code", recorded: "database:gone", reference: "database:not_found" };
    expect(operations["databases.get"]?.differences).toContainEqual(code);
    const { differences } = operations["regions.listPostgres"] ?? {};
    expect(differences).toEqual([{ kind: "status", recorded: "409", reference: "200" }]);
    const others = ["me.get", "databases.get", "regions.listPostgres"];
    const differing = Object.keys(operations).filter((id) => operations[id]?.differences.length !== 0);
    expect(differing.sort()).toEqual(others.sort());

    expect(readPage()).toMatch(/\| `projects\.create` .*\| recorded +\|/);
    expect(readPage()).toMatch(
      /\| `me\.get` .*\| recorded, \[\d+ differences?\]\(#differences-of-meget\) +\|/,
    );
    expect(readPage()).toContain("### Differences of me.get");
    // The project of the tour is deleted.
    expect(service.engine.store.projects.size).toBe(0);
    for (const file of ["recording.json", "openapi/recorded.json"]) {
      expect(readFileSync(join(folder, file), "utf8")).not.toContain(token);
    }

    await parity([`--recording=${recording}`]);
    expect(readResult().operations).toEqual(operations);
  });

  it.each<[string, string[], string | undefined, string]>([
    ["no service", [], "x", "Set --upstream or --recording"],
    ["no token", ["--upstream=http://127.0.0.1:1"], undefined, "Set MGMT_TOKEN to a token of the service"],
    ["an unknown flag", ["--upsteram=x"], "x", "--upsteram"],
    ["an invalid address", ["--upstream=example.com"], "x", "upstream must be an absolute URL"],
    ["a service that is not there", ["--upstream=http://127.0.0.1:1"], "x", "cannot be reached"],
    ["a recording that does not exist", ["--recording=nowhere.json"], undefined, "nowhere.json"],
  ])("refuses %s", async (_name, words, credential, message) => {
    await expect(parity(words, credential)).rejects.toThrow(message);
  });

  it("refuses a service that is not the API", async () => {
    const other = createHttpServer((_request, response) => response.end("<h1>Hello</h1>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    // It listens on a host.
    const upstream = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}`;
    await expect(parity([`--upstream=${upstream}`], "x")).rejects.toThrow("is not the API");
    other.close();
  });
});

it("says that nothing is recorded without a comparison", async () => {
  const page = parityPage(await loadContract());
  expect(page).toContain("No service has been recorded yet.");
  expect(page).toContain("**recorded** (0 operations)");
});
