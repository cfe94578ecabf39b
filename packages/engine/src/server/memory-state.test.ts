import { describe, expect, it } from "vitest";
import { MemoryServer } from "@mgmt/engine";

describe("stored state", () => {
  it("waits until a change is stored before it responds, and does not for reads", async () => {
    const storedCounts: string[] = [];
    const engine: MemoryServer = new MemoryServer({
      deterministic: "kept",
      afterMutation: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        storedCounts.push(String(engine.rows.projects.size));
      },
    });
    const authorization = `Bearer ${await engine.tokens.user()}`;
    await engine.handle({ method: "POST", path: "/v1/projects", headers: { authorization } });
    expect(storedCounts).toEqual(["1"]);
    const read = engine.handle({ method: "GET", path: "/v1/projects", headers: { authorization } });
    expect(read).not.toBeInstanceOf(Promise);
    await engine.handle({ method: "DELETE", path: "/v1/projects/proj_none", headers: { authorization } });
    expect(storedCounts).toEqual(["1"]);
  });

  it("stores what jobs, seeds and decisions change", async () => {
    let storeCount = 0;
    const engine = new MemoryServer({ deterministic: "kept", afterMutation: () => void (storeCount += 1) });
    const count = async (change: () => Promise<unknown>) => {
      const before = storeCount;
      await change();
      return storeCount > before;
    };
    const authorization = `Bearer ${await engine.tokens.user()}`;
    await engine.handle({ method: "POST", path: "/v1/projects", headers: { authorization } });
    expect(await count(() => engine.clock.advance(10_000))).toBe(true);
    expect(await count(() => engine.seed.user())).toBe(true);
    const { id } = await engine.seed.project();
    const agent = `Bearer ${await engine.tokens.agent()}`;
    const ask = async () =>
      engine.handle({ method: "DELETE", path: `/v1/projects/${id}`, headers: { authorization: agent } });
    expect(await count(ask)).toBe(true);
    expect(await count(() => engine.approvals.approve(engine.approvals.list()[0]?.id ?? ""))).toBe(true);
  });

  it("returns 500 when a change could not be stored, and reports the reason to the operator only", async () => {
    const defects: unknown[] = [];
    const engine = new MemoryServer({
      deterministic: "kept",
      afterMutation: () => Promise.reject(new Error("disk full")),
      onDefect: (error) => defects.push(error),
    });
    const authorization = `Bearer ${await engine.tokens.user()}`;
    const { status, body } = await engine.handle({
      method: "POST",
      path: "/v1/projects",
      headers: { authorization },
    });
    expect([status, body?.includes("disk full")]).toEqual([500, false]);
    expect(defects.map(String)).toContain("Error: disk full");
  });
});
