import { type Canaries, type Kind, formsOf } from "./canaries.js";

/** Something that anybody may read. */
export interface Evidence {
  /** Where it was found: `stderr of mgmt login`. */
  readonly where: string;
  readonly text: string;
}

/** Names the secret, and does not repeat it. */
export interface Leak {
  readonly where: string;
  readonly kind: Kind;
  readonly form: string;
}

/** Looks for every canary, in each of its forms. Throws when there is nothing to look for, or nothing to look at. */
export const scan = (evidence: readonly Evidence[], canaries: Canaries): Leak[] => {
  const all = canaries.all();
  if (all.length === 0) throw new Error("The canary list is empty: this scan would prove nothing");
  if (evidence.length === 0) throw new Error("There is nothing to scan: this would prove nothing");
  const leaks: Leak[] = [];
  for (const { kind, value } of all) {
    for (const [form, text] of formsOf(value)) {
      for (const { where, text: read } of evidence) {
        // Percent and hexadecimal digits are written in either case.
        const found = read.includes(text) || (form === "hexadecimal" && read.toLowerCase().includes(text));
        if (found) leaks.push({ where, kind, form });
      }
    }
  }
  return leaks;
};
