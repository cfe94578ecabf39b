import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Face, openMock } from "../../../mock/test/faces.js";

describe("rate limits", () => {
  let face: Face;
  beforeAll(async () => {
    face = await openMock();
  });
  beforeEach(async () => {
    await face.engine.reset();
    face.engine.setRateLimit({ requests: 2, window: 60_000 });
  });
  afterAll(() => face.close());

  const apps = async (token: string) => {
    const { status, headers } = await face.send("GET", "/v1/apps", { token });
    return [
      status,
      headers.get("ratelimit-remaining"),
      headers.get("ratelimit-reset"),
      headers.get("retry-after"),
    ];
  };

  it("counts down, refuses, and starts again when the window ends", async () => {
    const token = await face.engine.tokens.user();
    expect(await apps(token)).toEqual([200, "1", "60", null]);
    await face.engine.clock.advance(30_500);
    expect(await apps(token)).toEqual([200, "0", "30", null]);
    expect(await apps(token)).toEqual([429, "0", "30", "30"]);
    await face.engine.clock.advance(29_500);
    expect(await apps(token)).toEqual([200, "1", "60", null]);
  });

  it("start again when the clock is moved back to before the window", async () => {
    const token = await face.engine.tokens.user();
    for (let count = 0; count < 3; count += 1) await apps(token);
    await face.engine.clock.set(face.engine.clock.now() - 172_800_000);
    expect(await apps(token)).toEqual([200, "1", "60", null]);
  });

  it("continue when the clock is moved back by less than a window", async () => {
    const token = await face.engine.tokens.user();
    for (let count = 0; count < 3; count += 1) await apps(token);
    await face.engine.clock.set(face.engine.clock.now() - 30_000);
    expect((await apps(token))[0]).toBe(429);
  });

  it("share one count for all rate-limited operations of a principal, and none for others", async () => {
    const token = await face.engine.tokens.user();
    await apps(token);
    expect((await face.send("GET", "/v1/services", { token })).headers.get("ratelimit-remaining")).toBe("0");
    const free = await face.send("GET", "/v1/projects", { token });
    expect([free.status, free.headers.get("ratelimit-limit")]).toEqual([200, null]);
    expect((await apps(token))[0]).toBe(429);
  });

  it("are counted by sub and client: a new token of the same principal changes nothing", async () => {
    const { tokens } = face.engine;
    await apps(await tokens.user());
    await apps(await tokens.user());
    expect((await apps(await tokens.user()))[0]).toBe(429);
  });

  it("counts each principal and each client apart", async () => {
    const { tokens, seed } = face.engine;
    const user = await tokens.user();
    await apps(user);
    await apps(user);
    const { integration } = await seed.integration();
    for (const token of [
      await tokens.service(),
      await tokens.agent(),
      await tokens.otherUser(),
      await tokens.user({ integrationId: integration.id }),
    ]) {
      expect((await apps(token))[0]).toBe(200);
    }
    expect((await apps(user))[0]).toBe(429);
  });

  it("sends no RateLimit headers while there is no limit, as in tests by default", async () => {
    await face.engine.reset();
    const { headers } = await face.send("GET", "/v1/apps", { token: await face.engine.tokens.user() });
    expect(headers.get("ratelimit-limit")).toBeNull();
  });

  it("name the operations that the contract marks", () => {
    const limited = face.engine.setRateLimit({ requests: 2, window: 60_000 });
    expect(limited).toContain("apps.list");
    expect(limited).toContain("deployments.start");
    expect(limited).not.toContain("projects.list");
    expect(face.engine.setRateLimit(null)).toEqual([]);
  });

  it("apply to the named operations only, whether or not the contract marks them", async () => {
    const { engine } = face;
    const limit = { requests: 0, window: 60_000, operations: ["projects.list"] as const };
    expect(engine.setRateLimit(limit)).toEqual(["projects.list"]);
    const token = await engine.tokens.user();
    const limited = await face.send("GET", "/v1/projects", { token });
    expect([limited.status, limited.code, limited.headers.get("retry-after")]).toEqual([
      429,
      "rate_limit:exceeded",
      "60",
    ]);
    expect((await apps(token))[0]).toBe(200);
  });

  it("refuse an operation that does not exist", () => {
    // JavaScript and JSON have no types.
    const operations = ["projects.lst"] as unknown as readonly ["projects.list"];
    expect(() => face.engine.setRateLimit({ requests: 1, window: 1, operations })).toThrow(
      "The operation projects.lst does not exist",
    );
  });

  it.each([
    { requests: -1, window: 1 },
    { requests: 1.5, window: 1 },
    { requests: 1, window: 0 },
    { requests: NaN, window: 1 },
  ])("refuses $requests requests in $window ms as a limit", (limit) => {
    expect(() => face.engine.setRateLimit(limit)).toThrow(TypeError);
  });
});
