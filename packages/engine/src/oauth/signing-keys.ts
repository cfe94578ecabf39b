import { type KeyObject, createECDH, createHmac, createPrivateKey, createPublicKey } from "node:crypto";
import { digest } from "../values/digest.js";
import type { SigningKeyState } from "../values/signing-key-state.js";

/**
 * Creates a key for ES256. The same seed always creates the same key, so that servers with the same seed
 * accept each other's tokens.
 */
export const newSigningKey = (seed: string | null): SigningKeyState => {
  const curve = createECDH("prime256v1");
  if (seed === null) curve.generateKeys();
  else curve.setPrivateKey(createHmac("sha256", "signing key").update(seed).digest());
  const point = curve.getPublicKey();
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const d = Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()])
    .subarray(-32)
    .toString("base64url");
  // The key id is the thumbprint of the public key. See https://www.rfc-editor.org/rfc/rfc7638.
  const kid = digest(JSON.stringify({ crv: "P-256", kty: "EC", x, y }));
  return { kid, kty: "EC", crv: "P-256", x, y, d };
};

/** The keys of access tokens. The first key signs, and all keys verify. */
export class SigningKeys {
  readonly #private = new Map<string, KeyObject>();
  readonly #public = new Map<string, KeyObject>();

  constructor(readonly state: readonly SigningKeyState[]) {
    for (const { kid, kty, crv, x, y, d } of state) {
      this.#private.set(kid, createPrivateKey({ format: "jwk", key: { kty, crv, x, y, d } }));
      this.#public.set(kid, createPublicKey({ format: "jwk", key: { kty, crv, x, y } }));
    }
  }

  /** Returns the key that signs new tokens. */
  get current(): { kid: string; key: KeyObject } {
    const kid = this.state[0]?.kid ?? "";
    const key = this.#private.get(kid);
    if (!key) throw new Error("The state holds no signing key");
    return { kid, key };
  }

  verifying(kid: string | undefined): KeyObject | undefined {
    return kid === undefined ? undefined : this.#public.get(kid);
  }
}
