import { describe, expect, it } from "vitest";
import { printedText } from "../../../site/try-it/worker/printed-text.js";

const circular: { self?: unknown } = {};
circular.self = circular;

describe("a printed value", () => {
  it.each([
    ["text", "text"],
    [undefined, "undefined"],
    [null, "null"],
    [10n, "10"],
    [new TypeError("no"), "TypeError: no"],
    [{ id: "proj_1", tags: ["a"] }, '{\n  "id": "proj_1",\n  "tags": [\n    "a"\n  ]\n}'],
  ])("is the text %s, or JSON", (value, text) => expect(printedText(value)).toBe(text));

  it("has no secrets, but their absence", () => {
    expect(JSON.parse(printedText([{ connectionString: "postgres://u:p@host/db", pass: null }]))).toEqual([
      { connectionString: "[redacted]", pass: null },
    ]);
  });

  it.each([[circular], [{ size: 10n }]])("is only named if JSON does not have it", (value) =>
    expect(printedText(value)).toBe("[object Object]"),
  );
});
