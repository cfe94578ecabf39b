import { isDigestOf } from "../request/digest.js";
import { oauthErrors } from "./oauth-error.js";
import type { Parameters } from "./parameters.js";

/** RFC 7636 §4.2: base64url of 32 bytes, without padding. */
const challengeForm = /^[A-Za-z0-9_-]{43}$/;
/** RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * The S256 challenge of an authorization request; null when there is none. Throws `invalid_request` for `plain`, which is
 * also the default method, and for a public client's request without a challenge (§ Authentication).
 */
export const readChallenge = (parameters: Parameters, isPublic: boolean): string | null => {
  const challenge = parameters.get("code_challenge");
  const method = parameters.get("code_challenge_method");
  if (challenge === undefined) {
    if (method !== undefined) throw oauthErrors.methodWithoutChallenge();
    if (isPublic) throw oauthErrors.challengeNeeded();
    return null;
  }
  if (method !== "S256") throw oauthErrors.challengeMethod();
  if (!challengeForm.test(challenge)) throw oauthErrors.challengeMalformed();
  return challenge;
};

/**
 * Throws `invalid_grant` unless the verifier is the challenge's. A verifier without a challenge is refused too: somebody may
 * have taken the challenge out of the authorization request (RFC 9700 §4.8.2).
 */
export const checkVerifier = (challenge: string | null, verifier: string | undefined): void => {
  if (challenge === null) {
    if (verifier !== undefined) throw oauthErrors.verifierUnexpected();
    return;
  }
  if (verifier === undefined) throw oauthErrors.verifierNeeded();
  if (!verifierForm.test(verifier) || !isDigestOf(challenge, verifier)) throw oauthErrors.verifierWrong();
};
