import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { controlSecretHeader, createServer as createMockServer } from "@mgmt/mock/server";
import { get, withCommand } from "../../test/command/run-command.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-mock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the command", () => {
  it("applies faults to delayed responses", async () => {
    await withCommand(["--latency=1"], async (ready) => {
      await fetch(`${ready.baseUrl}/_control/faults`, {
        method: "POST",
        headers: { [controlSecretHeader]: ready.controlSecret ?? "" },
        body: JSON.stringify({ operation: "projects.list", status: 503 }),
      });
      expect((await get(ready, "/v1/projects")).status).toBe(503);
    });
  });

  it("starts with a recording, also after a reset, and writes where the service differed", async () => {
    const upstream = await createMockServer();
    await upstream.engine.seed.project({ name: "recorded" });
    upstream.engine.faults.add({ operation: "me.get", status: 418, code: "me:strange" });
    const recording = join(folder, "recording.json");
    const token = await upstream.engine.tokens.user();
    await withCommand([`--upstream=${upstream.baseUrl}`, `--record=${recording}`], async (ready) => {
      await get({ ...ready, token }, "/v1/projects");
      await get({ ...ready, token }, "/v1/me");
    });
    await upstream.close(0);

    const report = join(folder, "report.json");
    await withCommand([`--replay=${recording}`, `--report=${report}`], async (ready) => {
      expect(ready.replayed).toEqual({ compared: 2, skipped: 0, differences: 1 });
      await fetch(`${ready.baseUrl}/_control/reset`, {
        method: "POST",
        headers: { [controlSecretHeader]: ready.controlSecret ?? "" },
      });
      const { body } = await get(ready, "/v1/projects");
      expect(body.data.map(({ name }) => name)).toEqual(["recorded"]);
    });
    expect(JSON.parse(readFileSync(report, "utf8"))).toContainEqual({
      operationId: "me.get",
      compared: 1,
      skipped: [],
      differences: [{ kind: "status", request: "GET /v1/me", recorded: "418", reference: "200" }],
    });
  });

  it("delays operations as they were recorded", async () => {
    const exchange = { operationId: "projects.list", method: "GET", path: "/v1/projects", authorized: true };
    const exchanges = [10, 30, 5_000].map((latency) => ({ ...exchange, status: 200, code: null, latency }));
    const recording = join(folder, "slow.json");
    const content = { format: "mgmt-recording", version: 1, seeds: [], exchanges };
    writeFileSync(recording, JSON.stringify(content));
    await withCommand([`--replay=${recording}`, "--recorded-latency"], async (ready) => {
      const startedAt = performance.now();
      await get(ready, "/v1/projects");
      expect(performance.now() - startedAt).toBeGreaterThan(28);
    });
  });
});
