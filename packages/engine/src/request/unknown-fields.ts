import type { Finding, Validator } from "../generated/validators.js";
import { toFieldPointer } from "./issues.js";
import type { OperationEntry } from "../generated/operations.js";

/** Maximum number of names that are reported for a request. */
const maxReportedNames = 20;

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
): { isValid: boolean; ignoredPointers: readonly string[] } => {
  const ignoredPointers: string[] = [];
  for (;;) {
    if (validator(body)) return { isValid: true, ignoredPointers };
    const unknownFindings = (validator.errors ?? []).filter(
      (finding) =>
        finding.keyword === "additionalProperties" && !nestedFields.includes(toFieldPointer(finding)),
    );
    const removedFindings = unknownFindings.filter((finding) => removeUnknownField(body, finding));
    if (removedFindings.length === 0) return { isValid: false, ignoredPointers };
    ignoredPointers.push(
      ...removedFindings.slice(0, maxReportedNames - ignoredPointers.length).map(toFieldPointer),
    );
  }
};

/** Removes the field of a finding. Returns false if it has been removed already, because several alternatives of a union report it. */
const removeUnknownField = (body: unknown, { instancePath, params }: Finding): boolean => {
  const name = String(params["additionalProperty"]);
  const parentObject = resolveParentObject(body, instancePath);
  return Object.hasOwn(parentObject, name) && Reflect.deleteProperty(parentObject, name);
};

/** Returns the object at the JSON pointer of a finding. See https://www.rfc-editor.org/rfc/rfc6901#section-4. */
const resolveParentObject = (body: unknown, pointer: string): object =>
  pointer
    .split("/")
    .slice(1)
    .reduce(
      (object, name) => Reflect.get(object, name.replaceAll("~1", "/").replaceAll("~0", "~")) as object,
      // The validator has found fields in the last of these objects.
      body as object,
    );
