import { TokenStoreError } from "./auth-error.js";

/** Errors of the storage of a browser. They have the name of the browser's error, and never its message. */
export const storageErrors = {
  missing: () =>
    new TokenStoreError("auth:store_failed", "This program has no session storage", {
      hint: "Use browserStore in a web page, or pass a storage. In Node.js, use fileStore or memoryStore.",
    }),
  unreadable: (error: unknown) =>
    new TokenStoreError(
      "auth:store_unreadable",
      `The browser's storage cannot be read (${getErrorName(error)})`,
      {
        hint: "The browser may block the storage of this page. Allow it, or use memoryStore.",
      },
    ),
  unwritable: (error: unknown) =>
    new TokenStoreError(
      "auth:store_failed",
      `The browser's storage could not be written (${getErrorName(error)})`,
      {
        hint: "The stored login was not changed. The storage may be full or blocked: make space, allow it, or use memoryStore.",
      },
    ),
};

const getErrorName = (error: unknown): string => (error instanceof Error ? error.name : "unknown reason");
