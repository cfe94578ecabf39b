import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const iterations = 4096;

/**
 * The form in which Postgres keeps a password (RFC 5803): sent instead of the password itself, so that no statement,
 * log or statistics view ever has it. For passwords of ASCII, which need no normalization.
 */
export const scramVerifier = async (password: string): Promise<string> =>
  derive(password, randomBytes(16), iterations);

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
