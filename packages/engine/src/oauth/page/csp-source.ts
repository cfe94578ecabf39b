import { sha256 } from "#digest";
import { encodeBase64 } from "../../values/base64.js";

/** Returns the source of a content security policy that allows a style or script with this content, and no other. */
export const buildCspSource = (content: string): string => `'sha256-${encodeBase64(sha256(content))}'`;
