import { createHmac } from "node:crypto";
import * as controlErrors from "../../control/control-errors.js";

/** The only route of the control surface that needs no secret: it proves that the server knows the secret. */
export const proofPath = "/_control/proof";

/**
 * Returns the proof for the nonce in a query. A client that knows the secret sends a new nonce and compares, before it sends a
 * credential to a port that another program may have taken over. The address of the server is part of the proof, so that
 * another program cannot pass on the proof of a server on another port.
 *
 * @param query `nonce=…`, 32 to 128 characters of base64url.
 */
export const createSecretProof = (secret: string, baseUrl: string, query: string): { proof: string } => {
  const nonce = new URLSearchParams(query).get("nonce") ?? "";
  if (!/^[\w-]{32,128}$/.test(nonce)) {
    throw controlErrors.invalidNonce();
  }
  const signedText = `mgmt control proof\n${baseUrl}\n${nonce}`;
  return { proof: createHmac("sha256", secret).update(signedText).digest("base64url") };
};
