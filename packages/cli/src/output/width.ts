import stringWidth from "string-width";
import { isPlain } from "./printable.js";

/** Returns how many columns of a terminal a string without control characters takes. */
export const widthOf = (text: string): number => (isPlain(text) ? text.length : stringWidth(text));

/** Cuts a string that is wider than `width` columns, and ends it with `…`. Characters stay whole. */
export const cutTo = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    cut += segment;
  }
  return `${cut}…`;
};
