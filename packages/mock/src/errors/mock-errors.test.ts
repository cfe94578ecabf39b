import { expect, it } from "vitest";
import { mswMissing, sdkMissing } from "./mock-errors.js";

it.each([
  ["msw", mswMissing],
  ["sdk", sdkMissing],
] as const)("an error of the import of %s says whether it is installed", (name, toError) => {
  const codeFor = (cause: unknown): string => {
    const error = toError(cause);
    expect(error.cause).toBe(cause);
    return error.code;
  };
  for (const code of ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"])
    expect(codeFor(Object.assign(new Error("Cannot find it"), { code }))).toBe(`mock:${name}_missing`);
  for (const cause of [new SyntaxError("bad"), Object.assign(new Error("closed"), { code: "EMFILE" }), "bad"])
    expect(codeFor(cause)).toBe(`mock:${name}_unusable`);
});
