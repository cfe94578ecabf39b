/**
 * Fills in a template such as `/v1/projects/{id}`. Throws for a value that is empty or a dot segment, or becomes one when a proxy
 * decodes it once or more: the path would then name another resource.
 *
 * @param values the values by their names, or in the order of the template.
 * @param encode encodes a value for the path. Default: rejects the values above.
 */
export const fillPath = (
  template: string,
  values: Readonly<Record<string, unknown>> | readonly unknown[] = {},
  encode: (value: unknown, name: string) => string = encodeSafeSegment,
): string => {
  let index = 0;
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encode(Reflect.get(values, name) ?? Reflect.get(values, index++), name),
  );
};

/** Encodes one segment of a path. Its errors do not name the argument: `encodingError` makes the errors that callers see. */
const encodeSafeSegment = (value: unknown): string => {
  if (typeof value !== "string" || isUnsafeSegment(value)) throw new TypeError();
  return encodeURIComponent(value);
};

/** Returns whether a value is empty or a dot segment, or becomes one when it is decoded, so that a path would name another resource. */
export const isUnsafeSegment = (segment: string): boolean => {
  if (/(^|[/\\])\s*(\.{1,2}\s*)?([/\\]|$)/.test(segment)) return true;
  const decodedValue = segment.replace(/(%[\da-f]{2})+/gi, decodeIfValid);
  return decodedValue !== segment && isUnsafeSegment(decodedValue);
};

const decodeIfValid = (escaped: string): string => {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
};
