// Loaded when a call first needs any of it: a token from the environment, an error response, a retry, middleware, a debug line, a wait or an `ensure`.
export { ensureNamed } from "./ensure/ensure-named.js";
export { responseError } from "./errors/error-from.js";
export { tokenFunctionError } from "./errors/token-problems.js";
export { environmentToken } from "./request/environment-token.js";
export { intercept, trace } from "./request/intercept.js";
export { retry } from "./request/retry.js";
export { roundTripWithApproval } from "./request/round-trip-with-approval.js";
export {
  waitForApproval,
  waitForDatabase,
  waitForDeployment,
  waitForPromotion,
  waitForStop,
  waitForTransfer,
} from "./wait/waiters.js";
