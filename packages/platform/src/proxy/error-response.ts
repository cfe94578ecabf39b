/** The type of an ErrorResponse, which is its first byte. */
export const errorResponseType = "E".charCodeAt(0);

/** The types of its fields ([error fields](https://www.postgresql.org/docs/current/protocol-error-fields.html)). */
export const fieldTypes = {
  severity: "S",
  untranslatedSeverity: "V",
  code: "C",
  message: "M",
  hint: "H",
} as const;

/** Returns the fields of an ErrorResponse, each with its type in front. */
export const parseErrorFields = (message: Buffer): string[] =>
  message.toString("utf8", 5).split("\0").filter(Boolean);

/** Returns an ErrorResponse with these fields. */
export const encodeError = (fields: readonly string[]): Buffer => {
  const content = Buffer.from(`${fields.map((field) => `${field}\0`).join("")}\0`);
  const header = Buffer.alloc(5, errorResponseType);
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
};
