import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Fault } from "@mgmt/engine";
import { type Face, openMock } from "../../../mock/test/faces.js";

describe("faults", () => {
  let face: Face;
  let token: string;
  beforeAll(async () => {
    face = await openMock();
    token = await face.engine.tokens.user();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  const list = async () => (await face.send("GET", "/v1/projects", { token })).status;

  it("affects the configured number of requests, then disappears", async () => {
    face.engine.faults.add({ status: 503, times: 2 });
    expect([await list(), await list(), await list()]).toEqual([503, 503, 200]);
    expect(face.engine.faults.list()).toEqual([]);
  });

  it("lists a fault with the number of requests that it has affected, and removes it", async () => {
    const { faults } = face.engine;
    const { id } = faults.add({ operation: "projects.list", status: 500 });
    await list();
    expect(faults.list()).toMatchObject([{ id, operation: "projects.list", status: 500, struck: 1 }]);
    expect([faults.remove(id), faults.remove(id)]).toEqual([true, false]);
    expect(await list()).toBe(200);
  });

  it.each<[string, unknown]>([
    ["nothing to do", {}],
    ["a status that is no failure", { status: 200 }],
    ["a status beyond 599", { status: 600 }],
    ["a status that is not a number", { status: "500" }],
    ["an unknown operation", { operation: "projects.explode", status: 500 }],
    ["an operation that every object has", { operation: "toString", status: 500 }],
    ["less than none skipped", { status: 500, skip: -1 }],
    ["no times", { status: 500, times: 0 }],
    ["half a time", { status: 500, times: 1.5 }],
    ["a probability over 1", { status: 500, probability: 1.1 }],
    ["a negative latency", { latency: -1 }],
    ["an endless latency", { latency: Infinity }],
    ["another drop", { drop: "sometimes" }],
    ["a body that is not a string", { status: 500, body: {} }],
    ["a body where there can be none", { status: 204, body: "<p>" }],
  ])("refuses a fault with %s", (_name, fault) => {
    // Any JSON, as a control request may contain.
    expect(() => face.engine.faults.add(fault as Fault)).toThrow(TypeError);
    expect(face.engine.faults.list()).toEqual([]);
  });

  it.each([
    ["operationId", "operation"],
    ["satus", "status"],
    ["latencyMs", "latency"],
    ["id", undefined],
  ])("refuses a fault with a field that does not exist: %s", (name, meant) => {
    const fault: Fault = { status: 500, ...{ [name]: "projects.list" } };
    const hint = meant === undefined ? "The options are operation, skip" : `Did you mean ${meant}?`;
    expect(() => face.engine.faults.add(fault)).toThrow(`There is no option ${name}. ${hint}`);
    expect(face.engine.faults.list()).toEqual([]);
  });
});
