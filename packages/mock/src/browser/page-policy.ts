import { waitForRealTurn } from "#platform";
import * as mockErrors from "../errors/mock-errors.js";

/**
 * Starts a mock. If it fails because the content security policy of the page has blocked it, the error names the sources that the policy
 * must allow.
 *
 * @param bases URLs that the mock responds at.
 * @param script URL of the worker script.
 * @throws MockError `mock:blocked_by_policy`, or the error of the start.
 */
export const startUnderPolicy = async (
  bases: readonly string[],
  script: string,
  start: () => Promise<void>,
): Promise<void> => {
  const violations: SecurityPolicyViolationEvent[] = [];
  const addViolation = (event: SecurityPolicyViolationEvent): void => {
    if (event.disposition === "enforce") violations.push(event);
  };
  document.addEventListener("securitypolicyviolation", addViolation);
  try {
    await start();
  } catch (error) {
    // The browser reports a violation after the blocked request has failed.
    await waitForRealTurn();
    const isBlocked = (directive: string, isOurs: (url: string) => boolean): boolean =>
      violations.some(
        (violation) => violation.effectiveDirective === directive && isOurs(violation.blockedURI),
      );
    if (isBlocked("connect-src", (url) => bases.some((base) => url.startsWith(new URL(base).origin))))
      throw mockErrors.requestsBlocked(bases, error);
    if (isBlocked("worker-src", (url) => url === new URL(script, location.href).href))
      throw mockErrors.workerBlocked(script, error);
    if (isBlocked("require-trusted-types-for", () => true)) throw mockErrors.workerUntrusted(script, error);
    throw error;
  } finally {
    document.removeEventListener("securitypolicyviolation", addViolation);
  }
};
