import { describe, expect, it } from "vitest";
import { parsePlanShape } from "./plan-shape.js";

const address = { resource: "project", path: ["shop"] };
const plan = {
  version: 1,
  baseUrl: "https://api.test",
  projects: ["shop"],
  warnings: [],
  adoptions: [{ ...address, adopt: "proj_1" }],
  steps: [
    { ...address, action: "create", fields: { name: "Shop" } },
    { ...address, action: "update", id: "proj_1", changes: [{ field: "name", from: "a", to: "b" }] },
    { ...address, action: "delete", id: "proj_1" },
  ],
  read: [{ ...address, id: "proj_1", fields: {} }],
};
const [create, update, remove] = plan.steps;

describe("the content of a plan", () => {
  it("is a plan if it has every field", () => {
    expect(parsePlanShape(plan)).toEqual(plan);
  });

  it.each([
    [[], "it is not an object"],
    [null, "it is not an object"],
    [{}, "it has no version"],
    [{ ...plan, version: 2 }, "it has version 2, and this mgmt reads version 1"],
    [{ ...plan, baseUrl: "" }, "baseUrl is empty or not a string"],
    [{ ...plan, projects: [1] }, "projects[0] is empty or not a string"],
    [{ ...plan, warnings: {} }, "warnings is not a list"],
    [{ ...plan, adoptions: [address] }, "adoptions[0].adopt is empty or not a string"],
    [{ ...plan, steps: undefined }, "steps is not a list"],
    [{ ...plan, steps: [null] }, "steps[0] is not an object"],
    [{ ...plan, steps: [{ ...create, resource: "table" }] }, "steps[0].resource is none of project, "],
    [{ ...plan, steps: [{ ...create, path: ["shop", ""] }] }, "steps[0].path[1] is empty or not a string"],
    [
      { ...plan, steps: [{ ...create, action: "replace" }] },
      "steps[0].action is none of create, update, delete",
    ],
    [{ ...plan, steps: [{ ...create, action: "constructor" }] }, "steps[0].action is none of create, "],
    [{ ...plan, steps: [{ ...create, fields: undefined }] }, "steps[0].fields is not an object"],
    [{ ...plan, steps: [create, { ...update, id: 1 }] }, "steps[1].id is empty or not a string"],
    [
      { ...plan, steps: [{ ...update, changes: [{}] }] },
      "steps[0].changes[0].field is empty or not a string",
    ],
    [{ ...plan, steps: [{ ...remove, id: undefined }] }, "steps[0].id is empty or not a string"],
    [{ ...plan, read: [{ ...address, id: "proj_1" }] }, "read[0].fields is not an object"],
  ])("is refused with the first problem: %j", (content, problem) => {
    expect(parsePlanShape(content)).toContain(problem);
  });
});
