import { describe, expect, it } from "vitest";
import { der } from "./der.js";

const octetString = 0x04;

describe("der", () => {
  it.each([
    [0, [0]],
    [0x7f, [0x7f]],
    [0x80, [0x81, 0x80]],
    [0xff, [0x81, 0xff]],
    [0x100, [0x82, 1, 0]],
    [0xffff, [0x82, 0xff, 0xff]],
    [0x1_0000, [0x83, 1, 0, 0]],
  ])("encodes the length of a value of %i bytes", (length, encodedLength) => {
    const header = [octetString, ...encodedLength];
    const encoded = der.octets(Buffer.alloc(length));
    expect([...encoded.subarray(0, header.length)]).toEqual(header);
    expect(encoded).toHaveLength(header.length + length);
  });
});
