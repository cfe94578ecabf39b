import { sha256 } from "#digest";
import { toBase64 } from "../../values/base64.js";

/** Returns what allows a style or script with this content, and no other, in a content security policy. */
export const hashSource = (content: string): string => `'sha256-${toBase64(sha256(content))}'`;
