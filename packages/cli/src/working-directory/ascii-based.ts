/**
 * Returns the text of a file that may be in any encoding that contains ASCII, read as Latin-1, which keeps every byte. Returns undefined
 * for UTF-16, UTF-32, and binary files.
 */
export const decodeAsciiBased = (bytes: Buffer | undefined): string | undefined => {
  const content = bytes?.toString("latin1") ?? "";
  return /\0|^(?:\xff\xfe|\xfe\xff)/.test(content) ? undefined : content;
};
