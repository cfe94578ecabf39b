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
  throw new MgmtError("sdk:not_loaded", "A file of the SDK could not be loaded", {
    cause,
    hint: "Reload the page, or restart the program: a deployment may have replaced its files.",
  });
};
