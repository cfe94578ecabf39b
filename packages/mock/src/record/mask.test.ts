import { describe, expect, it } from "vitest";
import { SecretMask } from "./mask.js";

/** Masks a value as the recorder does. */
const masked = (value: unknown, mask = new SecretMask()): unknown => mask.maskTexts(mask.maskFields(value));

describe("the mask of a recording", () => {
  it.each([
    ["a secret", { password: "plum-1" }, { password: "[secret]" }],
    ["a number", { pin: 1234 }, { pin: "[secret]" }],
    ["null, which is none", { password: null }, { password: null }],
    [
      "the fields of a secret",
      { token: { note: "plum-1", id: "tok_1" } },
      { token: { note: "[secret]", id: "tok_1" } },
    ],
    [
      "an object below a harmless name",
      { token: { id: { a: "plum-1" } } },
      { token: { id: { a: "[secret]" } } },
    ],
    [
      "the user's own names and values, also where they occur again",
      [{ envVars: { id: "plum-1", list: ["plum-2"] } }, "a plum-1 plum-2 b"],
      [{ envVars: "[secret]" }, "a [secret] [secret] b"],
    ],
    ["no other field", { name: "plum-1", size: 3 }, { name: "plum-1", size: 3 }],
    ["a string that looks like a secret", { note: "Bearer abcdefghijkl" }, { note: "Bearer [secret]" }],
    [
      "a secret wherever it occurs again",
      [{ password: "plum-1" }, "a plum-1 b"],
      [{ password: "[secret]" }, "a [secret] b"],
    ],
    [
      "a short secret only in its field",
      [{ password: "plum1" }, "a plum1 b"],
      [{ password: "[secret]" }, "a plum1 b"],
    ],
  ])("replaces %s", (_, value, result) => {
    expect(masked(value)).toEqual(result);
  });

  it("replaces secrets that it was told", () => {
    const mask = new SecretMask();
    for (const secret of ["plum-1", "a", "[secret]"]) mask.add(secret);
    expect(masked(["plum-1 a", "[secret]"], mask)).toEqual(["[secret] a", "[secret]"]);
  });
});
