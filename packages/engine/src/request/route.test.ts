import { describe, expect, it } from "vitest";
import { listAllowedMethods, maskPath, matchRoute } from "./route.js";
import { RequestError } from "@mgmt/engine";

/** Returns what the request is refused with. */
const refused = (run: () => unknown): RequestError => {
  try {
    run();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error("The path was accepted");
};

describe("a path that does not exist", () => {
  it.each([
    ["a slash at the end", "/v1/projects/", "/v1/projects"],
    ["two slashes at the end", "/v1/projects/proj_a//", "/v1/projects/{id}"],
    ["doubled slashes", "//v1//projects", "/v1/projects"],
    ["no slash at the start", "v1/projects", "/v1/projects"],
    ["an empty id", "/v1/projects//databases", "/v1/projects/{projectId}/databases"],
    ["another case", "/V1/Projects/proj_a/Databases", "/v1/projects/{projectId}/databases"],
    ["no version", "/projects/proj_a", "/v1/projects/{id}"],
    ["the version twice", "/v1/v1/projects", "/v1/projects"],
    [
      "the version twice, and an id",
      "/v1/v1/projects/proj_a/databases/",
      "/v1/projects/{projectId}/databases",
    ],
    ["a word in the singular", "/v1/project/proj_a", "/v1/projects/{id}"],
    ["a typing error", "/v1/projcets", "/v1/projects"],
    ["a typing error after an id", "/v1/projects/proj_a/database", "/v1/projects/{projectId}/databases"],
    ["all of these", "//v1/v1//Project//proj_a/", "/v1/projects/{id}"],
  ])("names the similar path: %s", (_name, path, similar) => {
    for (const run of [() => matchRoute("GET", path), () => listAllowedMethods(path)]) {
      const { code, hint } = refused(run);
      expect([code, hint]).toEqual(["route:not_found", `Send the request to ${similar}`]);
    }
  });

  it.each([
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/v1/doc/",
    "/",
    "",
    "*",
    "/v1/projects/a/b/c/",
    "/v1/v1",
    "/v1/proj_a",
    "/v1/user/a/b/c",
    "/_control/x",
    `/v1/projects${"s".repeat(5_000)}`,
  ])("names the list of paths if none is similar: %j", (path) => {
    expect(refused(() => matchRoute("GET", path)).hint).toBe("GET /v1/doc lists the paths of the API");
  });

  it("repeats no part of the path in the hint", () => {
    const { message, hint = "" } = refused(() => matchRoute("GET", "/v1/projects/SECRET/"));
    expect(message + hint).not.toMatch(/secret/i);
  });
});

it.each([
  ["/v1/projects/proj_clx0a1b2c3d4e5f6g7h8i9j0", "/v1/projects/proj_clx0a1b2c3d4e5f6g7h8i9j0"],
  ["/v1/projects/deadbeefdeadbeefdeadbeef", "/v1/projects/deadbeefdeadbeefdeadbeef"],
  [`/v1/${"0a".repeat(16)}`, "/v1/…"],
  [`/v1/${"0a".repeat(32)}/databases`, "/v1/…/databases"],
  [`/v1/key_${"0a".repeat(16)}`, "/v1/…"],
  ["/v1/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/v1/…"],
  ["/v1/Secret", "/v1/…"],
  [`/v1/${"s".repeat(65)}`, "/v1/…"],
])("the masked form of %s is %s", (path, masked) => {
  expect(maskPath(path)).toBe(masked);
});
