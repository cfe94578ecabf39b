import type * as Validators from "../generated/validators.js";

// Replaces validators.ts in web pages: the first request loads it.

/** Empty until `loadValidators` has resolved, as are the others. */
export let bodyValidators: typeof Validators.bodyValidators = {};
export let queryValidators: typeof Validators.queryValidators = {};
export let responseValidators: typeof Validators.responseValidators = {};

let areLoaded = false;
let loading: Promise<void> | undefined;

/** Loads the validators. Returns undefined once they are loaded. */
export const loadValidators = (): Promise<void> | undefined => {
  if (areLoaded) return undefined;
  loading ??= import("../generated/validators.js").then(
    (validators) => {
      ({ bodyValidators, queryValidators, responseValidators } = validators);
      areLoaded = true;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
};
