import { expect, it } from "vitest";
import { byteOrderMark, stripByteOrderMark } from "./byte-order-mark.js";

it.each([
  ["", ""],
  ["a", "a"],
  [`${byteOrderMark}a`, "a"],
  [`${byteOrderMark}${byteOrderMark}a`, `${byteOrderMark}a`],
  [`a${byteOrderMark}`, `a${byteOrderMark}`],
  [`\n${byteOrderMark}a`, `\n${byteOrderMark}a`],
])("removes one byte order mark at the start: %j", (text, expected) => {
  expect(stripByteOrderMark(text)).toBe(expected);
});
