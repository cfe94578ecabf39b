import { createHash } from "node:crypto";

/** JSON whose keys are sorted at every level: equal values print equally. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );

/** SHA-256 as base64url: to recognise a value again without keeping it. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");
