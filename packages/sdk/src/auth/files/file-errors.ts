import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { TokenStoreError } from "../auth-error.js";

/** Reports whether the error means that writing is not permitted. */
export const isReadOnlyError = (error: unknown): boolean =>
  error instanceof TokenStoreError
    ? error.code === "auth:store_read_only"
    : /^(?:EACCES|EPERM|EROFS)$/.test(readErrorCode(error) ?? "");

/** Errors of files. They name the file and the system's error code, and never quote file content. */
export const fileErrors = {
  unreadable: (path: string, error: unknown) =>
    new TokenStoreError("auth:store_unreadable", `${path} cannot be read (${describeReason(error)})`, {
      hint: "Give this user permission to read it, or use another file.",
    }),
  untrusted: (path: string, reasonText: string) =>
    new TokenStoreError("auth:store_unreadable", `${path} is not used: ${reasonText}`, {
      hint: "It must be a regular file that belongs to this user or root, and nobody else may write to it. Log in again after removing it.",
    }),
  unwritable: (path: string, error: unknown): TokenStoreError => {
    if (error instanceof TokenStoreError) return error;
    const reasonText = describeReason(error);
    if (isReadOnlyError(error)) return fileErrors.readOnly(path, reasonText);
    return new TokenStoreError("auth:store_failed", `${path} could not be written (${reasonText})`, {
      hint: "The file was not changed. Check that it is not a mount, that its folder is a directory, and that the disk has free space.",
    });
  },
  readOnly: (path: string, reasonText: string) =>
    new TokenStoreError("auth:store_read_only", `${path} cannot be written (${reasonText})`, {
      hint: "Give this user permission to write the file and its folder. The stored login was not changed. It is refreshed once the file can be written.",
    }),
  overtaken: (path: string) =>
    new TokenStoreError(
      "auth:store_failed",
      `${path} was not written, because another process took over its lock`,
      {
        hint: "This process was paused for too long. What the other process stored was not changed. Try again.",
      },
    ),
};

const describeReason = (error: unknown): string => readErrorCode(error) ?? "unknown reason";
