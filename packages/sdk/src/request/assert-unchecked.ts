import { InvalidArgumentError } from "../errors/local-errors.js";
import type { Call, ContractCall, RequestOptions } from "./call.js";
import type { Unchecked } from "./context.js";
import { assertCall, assertOptions } from "#all-type-checks";

/** Checks what production builds for browsers do not check at start: the options of the client, and then the call. */
export const assertUnchecked = (
  unchecked: readonly Unchecked[],
  call: Call | ContractCall,
  options: RequestOptions | undefined,
): void => {
  for (const [owner, uncheckedOptions] of unchecked)
    if (owner) assertOptions(uncheckedOptions, owner, () => InvalidArgumentError);
  assertCall(call, options, () => InvalidArgumentError);
};
