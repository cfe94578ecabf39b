import { areEqualInConstantTime, hmacSha256 } from "#digest";
import { decodeBase64Url, encodeBase64Url } from "./base64.js";
import { randomBase64Url } from "./random-bytes.js";

/** Writes and reads opaque, authenticated cursors. */
export interface CursorCodec {
  /** Returns a cursor for the row with this insertion number. It is valid only for the same `scope`. */
  write(sequence: number, scope: string): string;
  /** Returns the insertion number; undefined when the cursor is not valid, or was written for another scope. */
  read(cursor: string, scope: string): number | undefined;
}

const tagBytes = 16;
const contentBytes = 8;
const maskLabelBytes = new TextEncoder().encode("mask ");

/**
 * Encrypts cursors with HMAC-SHA-256, with a synthetic initialization vector: the tag that authenticates content and scope also
 * selects the key stream. So the same page always has the same cursor.
 */
export class SealedCursorCodec implements CursorCodec {
  /** At least 32 random bytes as text. The key is part of the state, so that cursors survive a restart. */
  constructor(readonly key: string) {}

  write(sequence: number, scope: string): string {
    const content = new Uint8Array(contentBytes);
    new DataView(content.buffer).setBigUint64(0, BigInt(sequence));
    const tag = this.#computeTag(content, scope);
    return encodeBase64Url(Uint8Array.of(...tag, ...this.#applyMask(content, tag)));
  }

  read(cursor: string, scope: string): number | undefined {
    if (cursor.length !== cursorLength) return undefined;
    const bytes = decodeBase64Url(cursor);
    if (bytes === undefined) return undefined;
    const tag = bytes.subarray(0, tagBytes);
    const content = this.#applyMask(bytes.subarray(tagBytes), tag);
    if (!areEqualInConstantTime(tag, this.#computeTag(content, scope))) return undefined;
    return Number(new DataView(content.buffer).getBigUint64(0));
  }

  #computeTag(content: Uint8Array, scope: string): Uint8Array {
    const tagInput = new TextEncoder().encode(`tag ${scope}`);
    return hmacSha256(this.key, Uint8Array.of(...tagInput, ...content)).subarray(0, tagBytes);
  }

  #applyMask(content: Uint8Array, tag: Uint8Array): Uint8Array {
    const mask = hmacSha256(this.key, Uint8Array.of(...maskLabelBytes, ...tag));
    return content.map((byte, index) => byte ^ (mask[index] ?? 0));
  }
}

/** The length of a cursor in base64url. */
const cursorLength = ((tagBytes + contentBytes) * 4) / 3;

/** Returns 32 bytes as base64url: random, or derived from the seed. */
export const createCursorKey = (seed: string | null): string =>
  seed === null ? randomBase64Url(32) : encodeBase64Url(hmacSha256("cursor key", seed));
