import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const iterations = 4096;

/**
 * Derives a SCRAM verifier ([RFC 5803](https://www.rfc-editor.org/rfc/rfc5803)), the form in which Postgres stores a
 * password. Statements contain the verifier instead of the password, so no log or statistics view shows the password.
 * Supports ASCII passwords only, which need no normalization.
 */
export const scramVerifier = async (password: string): Promise<string> =>
  derive(password, randomBytes(16), iterations);

/** Returns whether a verifier was derived from the password. */
export const matchesVerifier = async (password: string, verifier: string): Promise<boolean> => {
  const [, rounds, salt] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(verifier) ?? [];
  if (rounds === undefined || salt === undefined) return false;
  const expected = Buffer.from(await derive(password, Buffer.from(salt, "base64"), Number(rounds)));
  const actual = Buffer.from(verifier);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};

const derive = async (password: string, salt: Buffer, rounds: number): Promise<string> => {
  const salted = await promisify(pbkdf2)(password, salt, rounds, 32, "sha256");
  const hmac = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(hmac("Client Key")).digest("base64");
  const serverKey = hmac("Server Key").toString("base64");
  return `SCRAM-SHA-256$${String(rounds)}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
};
