import stringWidth from "string-width";
import { isPlainAscii } from "./printable.js";

/** Returns how many columns of a terminal a string without control characters takes. */
export const measureWidth = (text: string): number => (isPlainAscii(text) ? text.length : stringWidth(text));

/** Cuts a string that is wider than `width` columns, and ends it with `…`. Characters stay whole. */
export const truncateToWidth = (text: string, width: number): string => {
  if (measureWidth(text) <= width) return text;
  let truncated = "";
  let usedWidth = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    usedWidth += measureWidth(segment);
    if (usedWidth > width) break;
    truncated += segment;
  }
  return `${truncated}…`;
};
