import { describe, expect, it } from "vitest";
import { decodeBase64, decodeHex, decodePercent, isReadableText } from "./encodings.js";

describe("decodeBase64", () => {
  it.each([
    ["padding", "YWI=", "ab"],
    ["no padding", "YWI", "ab"],
    ["the letters of base64", "fn5+Pz8/", "~~~???"],
    ["the letters of base64url", "fn5-Pz8_", "~~~???"],
    ["UTF-8", "w6nigqw=", "é€"],
    ["bytes that are not UTF-8", "/w==", "\ufffd"],
    ["a digit that encodes no byte", "YWJjZ", "abc"],
    ["nothing", "", ""],
  ])("decodes %s", (_, text, decoded) => {
    expect(decodeBase64(text)).toBe(decoded);
  });
});

describe("decodeHex", () => {
  it.each([
    ["61620a", "ab\n"],
    ["C3A9", "é"],
    ["ff", "\ufffd"],
  ])("decodes %s", (text, decoded) => {
    expect(decodeHex(text)).toBe(decoded);
  });
});

describe("decodePercent", () => {
  it.each([
    ["text around it", "a%20b+c", "a b+c"],
    ["UTF-8 in small and capital digits", "%c3%A9", "é"],
    ["bytes that are not UTF-8, one by one", "%ff%41x%42", "ÿAxB"],
    ["signs that encode nothing", "100% of %zz", "100% of %zz"],
  ])("decodes %s", (_, text, decoded) => {
    expect(decodePercent(text)).toBe(decoded);
  });
});

describe("isReadableText", () => {
  it.each([
    [true, "six characters", "secret"],
    [true, "tabs and line breaks", "a\tb\r\ncd"],
    [true, "other scripts", "パスワード値"],
    [false, "five characters", "secre"],
    [false, "a control character", "secret\u0001"],
    [false, "a vertical tab", "secret\u000b"],
    [false, "an escape", "secret\u001b"],
    [false, "a control character after ASCII", "secret\u0080"],
    [false, "bytes that are not UTF-8", "secret\ufffd"],
  ])("is %s for %s", (isReadable, _, text) => {
    expect(isReadableText(text)).toBe(isReadable);
  });
});
