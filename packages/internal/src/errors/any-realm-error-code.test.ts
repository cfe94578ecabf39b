import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { readErrorCode } from "./any-realm-error-code.js";

describe("the code of an error of any realm", () => {
  it("is that of the error", () => {
    const foreign: unknown = runInNewContext("Object.assign(new TypeError(), { code: 'ENOENT' })");
    expect(foreign).not.toBeInstanceOf(Error);
    expect(readErrorCode(foreign)).toBe("ENOENT");
    expect(readErrorCode(Object.assign(new Error("failed"), { code: "EACCES" }))).toBe("EACCES");
  });

  it.each([[undefined], [null], ["ENOENT"], [{ code: "ENOENT" }], [new Error("ENOENT")]])(
    "is undefined for %o",
    (value) => {
      expect(readErrorCode(value)).toBeUndefined();
    },
  );
});
