import { uploadOf } from "./uploads.js";

/** Words of the API, and ids that this server makes. */
const known = /^[a-z0-9._-]{0,64}$/;

/**
 * A path as the request log and messages show it. A segment that neither a path nor an id of this server looks like reads `…`:
 * tokens, codes and passwords that were put there by mistake are such.
 */
export const shownPath = (path: string): string => {
  if (uploadOf(path)) return "/uploads/…";
  const segments = path.split("/").map((segment) => (known.test(segment) ? segment : "…"));
  return segments.join("/");
};
