import type { Kind } from "./canaries.js";
import type { Leak } from "./scan.js";
import type { Witness } from "./witness.js";

const requiredEvidence = [
  "stderr of mgmt dev",
  "request log",
  "stream of the request log",
  "approvals",
  "postgres.log of mgmt dev",
  "process list",
];

/** Ends the run and returns its leaks and the kinds of secrets searched for. Throws if required evidence is missing. */
export const leaksOf = async (witness: Witness): Promise<{ leaks: Leak[]; kinds: Kind[] }> => {
  const { signingKeys, cursorKey } = await witness.control<{ signingKeys: object[]; cursorKey: string }>(
    "GET",
    "/snapshot",
  );
  if (signingKeys.length === 0) throw new Error("There are no signing keys to search for");
  witness.canaries.add("cursor key", cursorKey);
  const leaks = await witness.end();
  const places = new Set(witness.evidence.map(({ where }) => where));
  const missing = requiredEvidence.filter((place) => !places.has(place));
  if (missing.length > 0) throw new Error(`Missing evidence: ${missing.join(", ")}`);
  const processes = witness.evidence.find(({ where }) => where === "process list");
  if (!processes?.text.includes("mgmt.js dev")) throw new Error("The process list does not show mgmt dev");
  return { leaks, kinds: [...witness.canaries.kinds] };
};
