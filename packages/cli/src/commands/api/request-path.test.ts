import { describe, expect, it } from "vitest";
import { parseRequestPath } from "./request-path.js";
import { runInProcess } from "../../../test/in-process.js";

const service = "https://api.test/base";

describe("the path of a request", () => {
  it.each([
    ["/v1/projects", "/v1/projects"],
    ["projects/", "/v1/projects"],
    ["v2/keys", "/v2/keys"],
    ["v1x", "/v1/v1x"],
    ["https://API.test:443/base/v1/projects", "/v1/projects"],
    ["/v1/a b/é%20%zz|", "/v1/a%20b/%C3%A9%20%25zz%7C"],
  ])("has its version, and is encoded: %s", (text, path) => {
    expect(parseRequestPath(`${text}?limit=1&a=%20`, service)).toEqual({
      path,
      query: new URLSearchParams({ limit: "1", a: " " }),
    });
  });

  it.each([
    ["/", "The path is empty"],
    ["?limit=1", "The path is empty"],
    ["projects/../me", "segments . and .."],
    ["projects/%2e%2E/me", "segments . and .."],
    ["projects/./me", "segments . and .."],
    ["\\\\evil.example/me", "cannot contain a backslash"],
    ["projects#x", "a number sign"],
    ["projects?a=#x", "a number sign"],
    ["projects\n", "a control character"],
    ["http:", "not a valid URL"],
  ])("is refused: %j", (text, problem) => {
    expect(() => parseRequestPath(text, service)).toThrow(problem);
  });

  it.each([
    "https://evil.example/base/v1/me",
    "https://api.test/v1/me",
    "https://api.test/based/v1/me",
    "http://api.test/base/v1/me",
    "https://api.test:444/base/v1/me",
    "https://user:CANARY@api.test/base/v1/me",
    "https://api.test/base/../v1/me",
    "file:///base/v1/me",
  ])("is refused at another address than the service's, without its credential: %s", (url) => {
    expect(() => parseRequestPath(url, service)).toThrow(
      expect.objectContaining({
        code: "api:other_origin",
        message: expect.not.stringContaining("CANARY"),
      }),
    );
  });
});

it.each([
  ["v1/projects/{projectId}", { MGMT_PROJECT_ID: "proj_1" }, 0, "/v1/projects/proj_1"],
  ["v1/projects/{projectId}", { MGMT_PROJECT_ID: "a/b" }, 0, "/v1/projects/a%2Fb"],
  ["v1/projects/{projectId}", {}, 3, "MGMT_PROJECT_ID"],
  ["v1/projects/{id}", { MGMT_PROJECT_ID: "proj_1" }, 2, "The path contains {id}"],
])("has defaults in place of their names, and no other name: %s with %j", async (path, env, status, text) => {
  const line = ["api", path, "--dry-run", "--base-url", service];
  const { status: actual, stdout, stderr } = await runInProcess(line, { env: { ...env, MGMT_TOKEN: "t" } });
  expect([actual, stdout + stderr]).toEqual([status, expect.stringContaining(text)]);
});
