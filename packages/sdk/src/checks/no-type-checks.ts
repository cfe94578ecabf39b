/** The replacement of `type-checks.ts` in the command, which checks the input of users, and whose own calls the compiler checks. */
export {
  assertCall,
  assertEncrypted,
  assertFetch,
  assertFetchedResponse,
  assertOptionNames,
  assertOptions,
  assertRuntime,
  findBaseUrlProblem,
  requireResponse,
} from "./without-type-checks.js";

/** Keeps the complete checks from loading. */
export function areCertainlyValid(): boolean {
  return true;
}
