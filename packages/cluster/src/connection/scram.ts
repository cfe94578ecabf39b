import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const iterations = 4096;

/**
 * Derives a SCRAM verifier ([RFC 5803](https://www.rfc-editor.org/rfc/rfc5803)), the form in which Postgres stores a
 * password. Statements contain the verifier instead of the password, so no log or statistics view shows the password.
 * Supports ASCII passwords only, which need no normalization.
 */
export const deriveScramVerifier = async (password: string): Promise<string> => {
  const salt = randomBytes(16);
  const saltedPassword = await promisify(pbkdf2)(password, salt, iterations, 32, "sha256");
  const hmac = (text: string): Buffer => createHmac("sha256", saltedPassword).update(text).digest();
  const storedKey = createHash("sha256").update(hmac("Client Key")).digest("base64");
  const serverKey = hmac("Server Key").toString("base64");
  return `SCRAM-SHA-256$${String(iterations)}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
};
