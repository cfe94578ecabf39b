import { describe, expect, it } from "vitest";
import { findContractViolation, findSubstituteOperationId } from "./contract-check.js";
import { errors } from "../values/errors.js";
import { toErrorOutcome } from "../values/message.js";
import { operations } from "../generated/operations.js";

const workspace = {
  id: "wksp_a",
  type: "workspace",
  url: "https://api.mgmt.test/v1/workspaces/wksp_a",
  name: "A",
  createdAt: "2026-01-01T00:00:00.000Z",
};
const answer = (changes: object = {}) => ({
  status: 200,
  code: null,
  body: { data: { ...workspace, ...changes } },
});
const violation = (given: { status: number; code: string | null; body?: unknown }) =>
  findContractViolation(operations["workspaces.get"], given);

describe("the contract check of a response", () => {
  it("finds nothing wrong with a valid one", () => {
    expect(violation(answer())).toBeUndefined();
  });

  it.each<[string, Parameters<typeof violation>[0], string]>([
    ["a field that the contract does not name", answer({ extra: 1 }), "/data/extra is not a field"],
    [
      "a missing field",
      { status: 200, code: null, body: { data: { id: "wksp_a" } } },
      "/data/type is required",
    ],
    ["a field of another type", answer({ name: null }), "/data/name must be a string"],
    ["a time that is none", answer({ createdAt: "today" }), "/data/createdAt must be a date and time"],
    ["a missing body", { status: 200, code: null }, "must be an object"],
    ["a status that is not listed", { status: 409, code: "x:y" }, "a status that the contract does not list"],
    [
      "a code that is not listed there",
      { ...toErrorOutcome(errors.notFound("project")) },
      "a code that the contract does not list",
    ],
    [
      "an error with a field too many",
      {
        status: 404,
        code: "workspace:not_found",
        body: { error: { code: "workspace:not_found", message: "", extra: 1 } },
      },
      "/error/extra",
    ],
  ])("reports %s", (_name, given, expected) => {
    expect(violation(given)).toContain(expected);
  });

  it("names the operation, the status and the code", () => {
    expect(violation({ status: 409, code: "x:y" })).toMatch(/^workspaces\.get returned 409 x:y:/);
    expect(violation(answer({ name: null }))).toMatch(/^workspaces\.get returned 200 with a body/);
  });

  it.each([
    [
      "an approval",
      errors.approval_required({
        approvalId: "apr_a",
        expiresAt: "2026-01-01T00:00:00.000Z",
        approvalUrl: "https://a",
      }),
    ],
    ["a denied approval", errors["approval:denied"]()],
    ["a rate limit", errors["rate_limit:exceeded"]({ seconds: 1 })],
  ])("accepts %s that only the settings ask for, and checks its body", (_name, error) => {
    const response = toErrorOutcome(error);
    expect(violation(response)).toBeUndefined();
    expect(findSubstituteOperationId(operations["workspaces.get"], response.code)).toBeDefined();
    expect(findSubstituteOperationId(operations["apps.delete"], response.code)).toBeUndefined();
    expect(violation({ ...response, body: {} })).toContain("breaks the contract");
  });

  it("does not expect other responses from the settings", () => {
    for (const code of [null, "auth:forbidden", "workspace:not_found"]) {
      expect(findSubstituteOperationId(operations["workspaces.get"], code)).toBeUndefined();
    }
  });

  it("reports a body where the contract has none", () => {
    expect(
      findContractViolation(operations["projects.delete"], { status: 204, code: null, body: {} }),
    ).toContain("has none");
  });
});
