import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as node from "./node-digest.js";
import * as plain from "./plain-digest.js";

const texts = ["", "a", "größe 😀", "x".repeat(55), "x".repeat(64), "x".repeat(1_000)];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("the digests of Node.js and of other platforms", () => {
  it("have the same exports", () => {
    expect(Object.keys(plain).sort()).toEqual(Object.keys(node).sort());
  });

  it.each(texts)("hash %j alike, as a string and as bytes", (text) => {
    const expected = hex(node.sha256(text));
    expect(hex(plain.sha256(text))).toBe(expected);
    expect(hex(plain.sha256(new TextEncoder().encode(text)))).toBe(expected);
  });

  it.each(texts)("authenticate %j alike, with keys of any length", (text) => {
    for (const key of [...texts, randomBytes(32), randomBytes(100)]) {
      expect(hex(plain.hmacSha256(key, text))).toBe(hex(node.hmacSha256(key, text)));
    }
  });

  it("compare bytes alike", () => {
    const pairs = ["", "\0", "a", "ab", "aB"].map((text) => new TextEncoder().encode(text));
    for (const left of pairs) {
      for (const right of pairs) {
        expect(node.areEqualInConstantTime(left, right)).toBe(left === right);
        expect(plain.areEqualInConstantTime(left, right)).toBe(left === right);
      }
    }
  });

  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const keyOf = (number: bigint): Uint8Array => Buffer.from(number.toString(16).padStart(64, "0"), "hex");

  it.each([1n, 2n, 3n, 4n, 5n, 255n, 1n << 255n, order / 2n, order / 2n + 1n, order - 2n, order - 1n])(
    "find the same point for the private key %i",
    (number) => {
      expect(plain.derivePublicKey(keyOf(number))).toEqual(toBytes(node.derivePublicKey(keyOf(number))));
    },
  );

  it("find the same point for random private keys", () => {
    for (let round = 0; round < 20; round += 1) {
      const key = randomBytes(32);
      expect(plain.derivePublicKey(key), hex(key)).toEqual(toBytes(node.derivePublicKey(key)));
    }
  });

  it.each([0n, order, order + 1n, (1n << 256n) - 1n])("refuse the private key %i", (number) => {
    expect(() => node.derivePublicKey(keyOf(number))).toThrow();
    expect(() => plain.derivePublicKey(keyOf(number))).toThrow();
  });
});

const toBytes = ({ x, y }: { x: Uint8Array; y: Uint8Array }) => ({
  x: Uint8Array.from(x),
  y: Uint8Array.from(y),
});
