import { MgmtError } from "./mgmt-error.js";

/** Code that the SDK loads on demand could not be loaded: a deployment has replaced its file, or there is no network. */
export interface NotLoadedError extends MgmtError {
  readonly code: "sdk:not_loaded";
}

/**
 * Throws the error for an `import()` that failed.
 *
 * @param cause the error of the import.
 */
export const throwNotLoaded = (cause: unknown): never => {
  throw new MgmtError("sdk:not_loaded", "The SDK could not load a file", {
    cause,
    hint: "Reload or restart.",
  });
};
