import type { JWK } from "jose";
import { hmacSha256, derivePublicKey } from "#digest";
import { encodeBase64Url } from "../values/base64.js";
import { computeDigest } from "../values/digest.js";
import { randomBytes } from "../values/random-bytes.js";
import type { SigningKeyJwk } from "../values/signing-key-jwk.js";

/**
 * Creates a key for the signature algorithm ES256 (https://www.rfc-editor.org/rfc/rfc7518#section-3.4).
 *
 * @param seed a text from which the key is derived, so that servers with the same seed accept each other's tokens; null for a random key.
 */
export const createSigningKey = (seed: string | null): SigningKeyJwk => {
  const privateKey = seed === null ? generatePrivateKey() : hmacSha256("signing key", seed);
  const publicKey = derivePublicKey(privateKey);
  const [x, y, d] = [encodeBase64Url(publicKey.x), encodeBase64Url(publicKey.y), encodeBase64Url(privateKey)];
  // The key id is the thumbprint of the public key. See https://www.rfc-editor.org/rfc/rfc7638.
  const kid = computeDigest(JSON.stringify({ crv: "P-256", kty: "EC", x, y }));
  return { kid, kty: "EC", crv: "P-256", x, y, d };
};

/** Returns 255 random bits, which are less than the order of the curve. */
const generatePrivateKey = (): Uint8Array =>
  randomBytes(32).map((byte, index) => (index === 0 ? byte & 0x7f : byte));

/** The keys of access tokens. The first key signs new tokens, and all keys verify tokens. */
export class SigningKeys {
  readonly #privateKeys = new Map<string, JWK>();
  readonly #publicKeys = new Map<string, JWK>();

  constructor(readonly state: readonly SigningKeyJwk[]) {
    for (const { kid, kty, crv, x, y, d } of state) {
      this.#privateKeys.set(kid, { kty, crv, x, y, d });
      this.#publicKeys.set(kid, { kty, crv, x, y });
    }
  }

  /** Returns the key that signs new tokens. */
  get current(): { kid: string; key: JWK } {
    const kid = this.state[0]?.kid ?? "";
    const key = this.#privateKeys.get(kid);
    if (!key) throw new Error("The state has no signing key");
    return { kid, key };
  }

  /** Returns the public key with this key id, or undefined if there is none. */
  findVerificationKey(kid: string | undefined): JWK | undefined {
    return kid === undefined ? undefined : this.#publicKeys.get(kid);
  }
}
