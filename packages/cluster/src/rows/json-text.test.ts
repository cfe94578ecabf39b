import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStorableJson, toStorableJson, toStorable } from "./json-text.js";

describe("the JSON text of a row", () => {
  it("is ordinary JSON where Postgres can store every string", () => {
    expect(toStorableJson({ name: 'a "b" \\u0000 \\\\ \n é 🐘' })).toBe(
      '{"name":"a \\"b\\" \\\\u0000 \\\\\\\\ \\n é 🐘"}',
    );
  });

  it.each(["\u0000", "\u0001", "\u00010", "a\u0000\u0001\u0000b", "\ud800", "\udc00\ud800", "🐘\ud83d"])(
    "preserves %j in values and names",
    (text) => {
      const json = toStorableJson({ [text]: [text, { nested: text }] });
      expect(json).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      expect(parseStorableJson(json)).toEqual({ [text]: [text, { nested: text }] });
    },
  );

  it("preserves any JSON value", () => {
    const text = fc.string({
      unit: fc.constantFrom("\u0000", "\u0001", "0", "1", "d800", "\ud83d", "\udc18", "\\", "u"),
    });
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text), fc.integer())), (value) => {
        expect(parseStorableJson(toStorableJson(value))).toEqual({ ...value });
      }),
    );
  });

  it("has other texts for other values, so that keys stay distinct", () => {
    const texts = ["\u0000", "\u00010", "\u0001", "\u00011", "0", "\ud800", "\u0001d800"];
    expect(new Set(texts.map(toStorable)).size).toBe(texts.length);
  });
});
