/** The replacement of `type-checks.ts` in the command, which checks the input of users, and whose own calls the compiler checks. */
export {
  assertCall,
  assertClientOptions,
  assertEncrypted,
  assertFetch,
  assertFetched,
  assertOptionNames,
  assertOptions,
  assertRuntime,
  baseUrlProblem,
  checkedResponse,
} from "./without-type-checks.js";

/** Keeps the complete checks from loading. */
export function areUsual(): boolean {
  return true;
}
