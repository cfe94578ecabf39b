import { type Canaries, type Kind, formsOf } from "./canaries.js";

/** Output that others can read. */
export interface Evidence {
  /** Where it was found, such as `stderr of mgmt login`. */
  readonly where: string;
  readonly text: string;
}

/** Identifies a leaked secret without repeating it. */
export interface Leak {
  readonly where: string;
  readonly kind: Kind;
  readonly form: string;
}

/** Searches the evidence for every canary in every encoding. Throws if there are no canaries or no evidence. */
export const scan = (evidence: readonly Evidence[], canaries: Canaries): Leak[] => {
  const all = canaries.all();
  if (all.length === 0) throw new Error("The canary list is empty: this scan would prove nothing");
  if (evidence.length === 0) throw new Error("There is nothing to scan: this would prove nothing");
  const leaks: Leak[] = [];
  // Hexadecimal digits may be in either case.
  const texts = evidence.map(({ where, text }) => ({ where, text, lowerCase: text.toLowerCase() }));
  for (const { kind, value } of all) {
    for (const [form, text] of formsOf(value)) {
      for (const { where, text: read, lowerCase } of texts) {
        if ((form === "hexadecimal" ? lowerCase : read).includes(text)) leaks.push({ where, kind, form });
      }
    }
  }
  return leaks;
};
