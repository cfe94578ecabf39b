import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Face, openMock } from "../../../mock/test/faces.js";

describe("snapshots and reset", () => {
  let face: Face;
  beforeAll(async () => {
    face = await openMock();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  it("return to the first state, clock and rate limit on a reset, without faults and log entries", async () => {
    const { engine } = face;
    const first = engine.snapshot();
    await engine.seed.project();
    await engine.clock.advance(1_000);
    engine.clock.run();
    engine.faults.add({ status: 500 });
    engine.setRateLimit({ requests: 0, window: 1 });
    await face.send("GET", "/v1/projects");
    await engine.reset();
    expect(engine.snapshot()).toEqual(first);
    expect([engine.faults.list(), engine.requests, engine.clock.frozen]).toEqual([[], [], true]);
    expect((await face.send("GET", "/v1/apps", { token: await engine.tokens.user() })).status).toBe(200);
  });
});
