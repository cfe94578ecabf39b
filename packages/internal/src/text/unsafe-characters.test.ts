import { describe, expect, it } from "vitest";
import { escapeUnsafe } from "./unsafe-characters.js";

describe("escapeUnsafe", () => {
  it.each([
    ["an escape sequence", "a\u001b[31mb", "a\\u001b[31mb"],
    ["a carriage return", "a\rb", "a\\u000db"],
    ["a control character after ASCII", "\u009b", "\\u009b"],
    ["delete", "\u007f", "\\u007f"],
    ["a change of direction", "\u202e", "\\u202e"],
    ["an isolate", "\u2066", "\\u2066"],
    ["an invisible character", "\u200b\ufeff\u00ad", "\\u200b\\ufeff\\u00ad"],
    ["half of a pair", "a\ud83d", "a\\ud83d"],
    ["an invisible character above U+FFFF", "\u{e0041}", "\\udb40\\udc41"],
  ])("escapes %s", (_, text, escaped) => {
    expect(escapeUnsafe(text)).toBe(escaped);
    // JSON stays equal.
    expect(JSON.parse(`"${escaped}"`)).toBe(text);
  });

  it.each(["a\tb\nc", "é日本語", "😀", "a b"])("keeps %j", (text) => {
    expect(escapeUnsafe(text)).toBe(text);
  });
});
