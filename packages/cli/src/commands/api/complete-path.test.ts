import { describe, expect, it } from "vitest";
import { runInProcess } from "../../../test/in-process.js";

const complete = async (line: string): Promise<string[]> => {
  const { status, stdout } = await runInProcess(["complete", "--", "api", ...line.split(" ")]);
  expect(status).toBe(0);
  return stdout.split("\n").filter(Boolean);
};

describe("the method and the path of mgmt api", () => {
  it.each([
    ["PO", ["POST"]],
    ["/v1/regions", ["/v1/regions", "/v1/regions/accelerate", "/v1/regions/postgres"]],
    ["regions/p", ["regions/postgres"]],
    ["POST /v1/pro", ["/v1/projects", "/v1/projects/"]],
    ["POST /v1/projects/p/d", ["/v1/projects/p/databases"]],
    ["DELETE /v1/projects", ["/v1/projects/"]],
    ["POST /v1/me", []],
    ["POST /v1/projects/p/databases/", []],
    ["FETCH /v1/", []],
    ["GET /v1/me ", []],
    ["//v1", []],
    ["projects//d", []],
  ])("are completed: %s", async (line, expected) => {
    expect(await complete(line)).toEqual(expected);
  });
});
