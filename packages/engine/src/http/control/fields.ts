import * as controlErrors from "../../control/control-errors.js";
import { isTooDeep } from "@mgmt/internal/values/is-too-deep";
import type { Server } from "../../server/server.js";

/** More than a snapshot has, whose rows contain strings of requests. */
const maxControlBodyDepth = 128;

/** The JSON object in the body of a control request; empty when there is no body. */
export type Fields = Readonly<Record<string, unknown>>;

/** Implements a control route: receives the values in its path and the fields of its body, and returns the JSON response. */
export type ControlAction = (server: Server, pathValues: readonly string[], fields: Fields) => unknown;

/** Actions by route, written as `METHOD /path/{with}/{values}` relative to `/_control`. */
export type ControlRoutes = Readonly<Record<string, ControlAction>>;

/**
 * Parses the body of a control request. An absent body is an empty object.
 *
 * @throws ControlError when the bytes are not a JSON object.
 */
export const parseFields = (bytes: Uint8Array | undefined): Fields => {
  if (bytes === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw controlErrors.bodyNotJson();
  }
  if (!isJsonObject(value)) throw controlErrors.bodyNotAnObject();
  if (isTooDeep(value, maxControlBodyDepth)) throw controlErrors.bodyTooDeep(maxControlBodyDepth);
  return { ...value };
};

/**
 * Returns a field that must be a string.
 *
 * @throws ControlError for another type, or if it is absent.
 */
export const getString = (fields: Fields, name: string): string => {
  const value = fields[name];
  if (typeof value !== "string") throw controlErrors.invalidField(name, "must be a string");
  return value;
};

/**
 * Returns a field that may be absent, and otherwise must be a string.
 *
 * @throws ControlError for another type.
 */
export const getOptionalString = (fields: Fields, name: string): string | undefined =>
  fields[name] === undefined ? undefined : getString(fields, name);

/**
 * Returns a field that may be absent, and otherwise must be an array of strings.
 *
 * @throws ControlError for another type.
 */
export const getOptionalStrings = (fields: Fields, name: string): string[] | undefined => {
  const value: unknown = fields[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((element): element is string => typeof element === "string")) {
    throw controlErrors.invalidField(name, "must be an array of strings");
  }
  return value;
};

/** Returns values by their names, all of which are strings. */
export const getOptionalVariables = (fields: Fields, name: string): Record<string, string> | undefined => {
  const value: unknown = fields[name];
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw controlErrors.invalidField(name, "must be an object of strings");
  return Object.fromEntries(
    Object.entries(value).map(([key, variable]) => {
      if (typeof variable !== "string")
        throw controlErrors.invalidField(name, "must be an object of strings");
      return [key, variable];
    }),
  );
};

const isJsonObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the values without the undefined ones. */
export const omitUndefined = <T extends object>(values: {
  [Name in keyof T]: T[Name] | undefined;
}): Partial<T> =>
  // Removing the undefined entries is all that Partial requires.
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/**
 * Returns a field that must be a finite number; undefined if it is absent or null.
 *
 * @throws ControlError for another type.
 */
export const getOptionalNumber = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value))
    throw controlErrors.invalidField(name, "must be a number");
  return value;
};

/**
 * Returns a field that must be one of some strings.
 *
 * @throws ControlError for any other value.
 */
export const getOneOf = <T extends string>(fields: Fields, name: string, values: readonly T[]): T => {
  const value = values.find((candidate) => candidate === fields[name]);
  if (value === undefined) throw controlErrors.invalidField(name, `must be one of ${values.join(", ")}`);
  return value;
};
