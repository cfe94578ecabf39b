import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

/** Writes and reads opaque, authenticated cursors. */
export interface Cursors {
  /** Returns a cursor for the row with this insertion number. It is valid only for the same `scope`. */
  write(sequence: number, scope: string): string;
  /** Returns the insertion number; undefined when the cursor is not valid, or was written for another scope. */
  read(cursor: string, scope: string): number | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts cursors with AES-256-GCM. The nonce is derived from content and scope, so the same page always has the same
 * cursor.
 */
export class SealedCursors implements Cursors {
  /** 32 bytes. The key is part of the state, so that cursors survive a restart. */
  constructor(readonly key: Buffer) {}

  write(sequence: number, scope: string): string {
    const content = Buffer.alloc(8);
    content.writeBigUInt64BE(BigInt(sequence));
    const nonce = createHmac("sha256", this.key)
      .update(content)
      .update(scope)
      .digest()
      .subarray(0, nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.key, nonce).setAAD(Buffer.from(scope));
    const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
  }

  read(cursor: string, scope: string): number | undefined {
    const bytes = Buffer.from(cursor, "base64url");
    if (bytes.length !== nonceBytes + 8 + tagBytes || bytes.toString("base64url") !== cursor)
      return undefined;
    const decipher = createDecipheriv("aes-256-gcm", this.key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(scope))
      .setAuthTag(bytes.subarray(-tagBytes));
    try {
      const content = Buffer.concat([
        decipher.update(bytes.subarray(nonceBytes, -tagBytes)),
        decipher.final(),
      ]);
      return Number(content.readBigUInt64BE());
    } catch {
      return undefined;
    }
  }
}

/** Returns a key of 32 bytes: random, or derived from the seed. */
export const newCursorKey = (seed: string | null): Buffer =>
  seed === null ? randomBytes(32) : createHmac("sha256", "cursor key").update(seed).digest();
