export { bodyValidators, queryValidators, responseValidators } from "../generated/validators.js";

/** Returns a promise if the validators have to be loaded before a request is handled. */
export const loadValidators = (): Promise<void> | undefined => undefined;
