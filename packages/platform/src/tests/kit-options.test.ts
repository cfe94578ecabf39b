import { describe, expect, it } from "vitest";
import { resolveDatabaseTestOptions } from "./kit-options.js";

// Options that JavaScript programs may pass.
const resolve = (options: unknown): unknown =>
  resolveDatabaseTestOptions(options as Parameters<typeof resolveDatabaseTestOptions>[0]);

describe("the options of database tests", () => {
  it("have defaults", () => {
    expect(resolveDatabaseTestOptions()).toEqual({
      setup: undefined,
      files: [],
      key: "",
      cwd: process.cwd(),
      setupTimeoutMs: 120_000,
      keepOnFailure: false,
    });
  });

  it.each([
    [{ setUp: "npm run migrate" }, "There is no option setUp. Did you mean setup?"],
    [
      { qqq: 1 },
      "There is no option qqq. The options are setup, files, key, cwd, setupTimeoutMs, keepOnFailure",
    ],
    [{ toString: 1 }, "There is no option toString."],
    [{ setup: "" }, "setup must be a shell command or a function"],
    [{ setup: ["npm", "run"] }, "setup must be a shell command or a function"],
    [{ files: "prisma/**" }, "files must be an array of paths and patterns"],
    [{ files: [""] }, "files must be an array of paths and patterns"],
    [{ key: 1 }, "key must be a string"],
    [{ cwd: "" }, "cwd must be the path of a directory"],
    [{ setupTimeoutMs: 0 }, "setupTimeoutMs must be a positive number of milliseconds"],
    [{ setupTimeoutMs: Number.NaN }, "setupTimeoutMs must be a positive number of milliseconds"],
    [{ setupTimeoutMs: 2 ** 31 }, "setupTimeoutMs must be a positive number of milliseconds"],
    [{ keepOnFailure: "yes" }, "keepOnFailure must be a boolean"],
    [null, "The options must be an object"],
    ["npm run migrate", "The options must be an object"],
    [[], "The options must be an object"],
  ])("refuse %j", (options, message) => {
    expect(() => resolve(options)).toThrow(TypeError);
    expect(() => resolve(options)).toThrow(message);
  });
});
