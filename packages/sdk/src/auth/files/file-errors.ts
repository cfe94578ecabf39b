import { TokenStoreError } from "../auth-error.js";

/** `ENOENT` and the like; undefined for what is no error of the system. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Whether somebody has forbidden to write. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof TokenStoreError
    ? error.code === "auth:store_read_only"
    : /^(?:EACCES|EPERM|EROFS)$/.test(systemCode(error) ?? "");

/** Errors of files. They name the file and the system's code, and quote nothing that was read or written. */
export const fileErrors = {
  unreadable: (file: string, error: unknown) =>
    new TokenStoreError("auth:store_unreadable", `${file} cannot be read (${reason(error)})`, {
      hint: "Give this user the right to read it, or use another file.",
    }),
  unwritable: (file: string, error: unknown): TokenStoreError => {
    if (error instanceof TokenStoreError) return error;
    const why = reason(error);
    if (isReadOnly(error)) return fileErrors.readOnly(file, why);
    return new TokenStoreError("auth:store_failed", `${file} could not be written (${why})`, {
      hint: "What was in it is still there. Check that its folder is one, and that the disk has room.",
    });
  },
  readOnly: (file: string, why: string) =>
    new TokenStoreError("auth:store_read_only", `${file} cannot be written (${why})`, {
      hint: "Give this user the right to write it and its folder. The login in it was kept; it is refreshed when that works.",
    }),
  overtaken: (file: string) =>
    new TokenStoreError("auth:store_failed", `${file} was given to another process meanwhile`, {
      hint: "This one was silent for too long. What is in the file by now is kept.",
    }),
};

const reason = (error: unknown): string => systemCode(error) ?? "unknown reason";
