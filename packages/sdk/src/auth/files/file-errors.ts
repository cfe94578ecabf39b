import { TokenStoreError } from "../auth-error.js";

/** Returns the code of a system error, such as `ENOENT`; `undefined` for other errors. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Reports whether the error means that writing is not permitted. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof TokenStoreError
    ? error.code === "auth:store_read_only"
    : /^(?:EACCES|EPERM|EROFS)$/.test(systemCode(error) ?? "");

/** Errors of files. They name the file and the system's error code, and never quote file content. */
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
