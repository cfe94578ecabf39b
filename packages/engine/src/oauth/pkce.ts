import { isDigestOf } from "../values/digest.js";
import { oauthErrors } from "./oauth-error.js";
import type { OAuthParameters } from "./parameters.js";

/** Matches 32 bytes as base64url without padding. See https://www.rfc-editor.org/rfc/rfc7636#section-4.2. */
const challengePattern = /^[A-Za-z0-9_-]{43}$/;
/** See https://www.rfc-editor.org/rfc/rfc7636#section-4.1. */
const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * Returns the S256 challenge of an authorization request, or null when there is none. Throws
 * `invalid_request` for the method `plain`, which is also the default of RFC 7636, and for a public client's
 * request without a challenge. See https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1.
 */
export const parseChallenge = (parameters: OAuthParameters, isPublic: boolean): string | null => {
  const challenge = parameters.get("code_challenge");
  const method = parameters.get("code_challenge_method");
  if (challenge === undefined) {
    if (method !== undefined) throw oauthErrors.methodWithoutChallenge();
    if (isPublic) throw oauthErrors.challengeRequired();
    return null;
  }
  if (method !== "S256") throw oauthErrors.unsupportedChallengeMethod();
  if (!challengePattern.test(challenge)) throw oauthErrors.challengeMalformed();
  return challenge;
};

/**
 * Throws `invalid_grant` unless the verifier matches the challenge. A verifier without a challenge is rejected
 * too, because an attacker may have removed the challenge from the authorization request. See
 * https://www.rfc-editor.org/rfc/rfc9700#section-4.8.2.
 */
export const assertVerifier = (challenge: string | null, verifier: string | undefined): void => {
  if (challenge === null) {
    if (verifier !== undefined) throw oauthErrors.verifierUnexpected();
    return;
  }
  if (verifier === undefined) throw oauthErrors.verifierRequired();
  if (!verifierPattern.test(verifier) || !isDigestOf(challenge, verifier)) throw oauthErrors.verifierWrong();
};
