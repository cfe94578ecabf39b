// Loaded when a call first needs any of it: a token from the environment, an error response, a retry, an unusual option, middleware, a debug line, a wait or an `ensure`.
import { responseError } from "../request/error-from.js";
import { tokenFunctionError } from "../errors/token-problems.js";
import type { OnDemandSteps, ClientSettings } from "../request/context.js";
import { assertUnchecked } from "../request/assert-unchecked.js";
import { createEncodingError } from "../request/encoding-error.js";
import { readEnvironmentToken } from "../request/environment-token.js";
import { intercept, trace } from "../request/intercept.js";
import { rawResponse } from "../request/raw-response.js";
import { retry } from "../request/retry.js";
import { roundTripWithApproval } from "../wait/round-trip-with-approval.js";
import { type TimedSteps, createTimedSteps } from "./timed-steps.js";

/**
 * Returns the steps that are loaded when they are first needed: a token from the environment, an error response, a retry, and others.
 *
 * @param settings settings of the client, whose timers and signals the steps of resources use. Calls pass their own settings.
 */
export const create = (settings: ClientSettings | undefined): OnDemandSteps & TimedSteps => ({
  assertUnchecked,
  encodingError: createEncodingError,
  responseError,
  tokenError: tokenFunctionError,
  environmentToken: readEnvironmentToken,
  intercept,
  rawResponse,
  retry,
  approvedRoundTrip: roundTripWithApproval,
  trace,
  ...createTimedSteps(settings ?? { timers: globalThis, signals: [] }),
});
