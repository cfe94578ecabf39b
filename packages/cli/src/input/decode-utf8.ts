import { isUtf8 } from "node:buffer";
import { notUtf8Error, utf16Error } from "../errors/encoding-errors.js";

/** The byte order marks of UTF-16. */
const utf16Marks: readonly Buffer[] = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * Returns the text of an input. Throws `usage:not_utf8` rather than replacing bytes that are not UTF-8.
 *
 * @param source where the bytes come from: a path or "standard input".
 */
export const decodeUtf8 = (bytes: Buffer, source: string, flag: string): string => {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  if (utf16Marks.some((mark) => mark.equals(bytes.subarray(0, 2)))) throw utf16Error(flag, source);
  let line = 1;
  for (let start = 0; ; line += 1) {
    // No other character of UTF-8 contains the byte of a line break.
    const end = bytes.indexOf("\n", start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) throw notUtf8Error(flag, source, line);
    start = end + 1;
  }
};
