import type { Finding, Validator } from "../generated/validators.js";
import { pointerOf } from "./issues.js";
import type { OperationEntry } from "./operation.js";

/** Maximum number of names that are reported for a request. */
const maxNames = 20;

/**
 * Validates a body after removing the fields that the contract does not have, at any depth. A field that only another
 * alternative of a union has is known, so it is not removed and makes the body invalid.
 *
 * @returns whether the rest is valid, and JSON pointers of the removed fields.
 */
export const validateWithoutUnknownFields = (
  validator: Validator,
  body: unknown,
  { nestedFields }: Pick<OperationEntry, "nestedFields">,
): { isValid: boolean; ignored: readonly string[] } => {
  const ignored: string[] = [];
  for (;;) {
    if (validator(body)) return { isValid: true, ignored };
    const unknown = (validator.errors ?? []).filter(
      (finding) => finding.keyword === "additionalProperties" && !nestedFields.includes(pointerOf(finding)),
    );
    const removed = unknown.filter((finding) => remove(body, finding));
    if (removed.length === 0) return { isValid: false, ignored };
    ignored.push(...removed.slice(0, maxNames - ignored.length).map(pointerOf));
  }
};

/** Returns whether the field existed. */
const remove = (body: unknown, { instancePath, params }: Finding): boolean => {
  const { additionalProperty: name } = params;
  const holder = holderAt(body, instancePath);
  if (typeof name !== "string" || holder === undefined || !Object.hasOwn(holder, name)) return false;
  return Reflect.deleteProperty(holder, name);
};

/** Returns the object at a JSON pointer. See https://www.rfc-editor.org/rfc/rfc6901#section-4. */
const holderAt = (body: unknown, pointer: string): object | undefined => {
  const names = pointer.split("/").slice(1);
  const value = names.reduce<unknown>((inner, name) => {
    const unescaped = name.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof inner === "object" && inner !== null ? Reflect.get(inner, unescaped) : undefined;
  }, body);
  return typeof value === "object" && value !== null ? value : undefined;
};
