import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readErrorCode } from "./error-code.js";

describe("the code of an error", () => {
  it("is that of the system", async () => {
    const error: unknown = await readFile("/nowhere/at/all").catch((reason: unknown) => reason);
    expect(readErrorCode(error)).toBe("ENOENT");
  });

  it.each([
    ["undefined", undefined],
    ["text", "ENOENT"],
    ["an object that is not an error", { code: "ENOENT" }],
    ["an error without a code", new Error("ENOENT")],
    ["an error with the exit status of a program", Object.assign(new Error("failed"), { code: 1 })],
  ])("is undefined for %s", (_name, value) => {
    expect(readErrorCode(value)).toBeUndefined();
  });
});
