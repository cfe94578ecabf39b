/** Returns the fields of an ErrorResponse, each with its type in front. */
export const errorFieldsOf = (message: Buffer): string[] =>
  message.toString("utf8", 5).split("\0").filter(Boolean);

/** Returns an ErrorResponse with these fields. */
export const encodeError = (fields: readonly string[]): Buffer => {
  const content = Buffer.from(`${fields.map((field) => `${field}\0`).join("")}\0`);
  const header = Buffer.alloc(5, "E");
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
};
