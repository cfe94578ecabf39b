import { usageError } from "../errors/usage-errors.js";

/** Rejects an id that would change the path of the request. The service checks everything else. */
export const assertPathId = (label: string, id: string): void => {
  if (/^\s*\.{0,2}\s*$/.test(id)) throw notAnIdError(label, id);
};

/** Returns whether a value has the form of an id. For ids that are stored, or sent somewhere that does not check them. */
export const isId = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z][\w-]{0,127}$/.test(value);

/** Rejects a string that does not have the form of an id. */
export const assertId = (label: string, id: string): void => {
  if (!isId(id)) throw notAnIdError(label, id);
};

const notAnIdError = (label: string, id: string): Error =>
  usageError(
    `${label} cannot be ${JSON.stringify(id)}`,
    "Pass an id as mgmt prints it, such as proj_8s2d4f6g1h3j5k7l9q0w2e4r.",
  );
