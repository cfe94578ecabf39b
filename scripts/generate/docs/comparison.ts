import { format } from "../format.js";
import { readMeasured } from "../../../bench/compare/measured.js";
import { comparePage, printComparison } from "../../../bench/compare/page.js";

/** Writes the page that compares SDKs, from what `npm run bench -- compare` measured. */
export const generateComparison = async (): Promise<Map<string, string>> =>
  new Map([
    [comparePage, await format("markdown", printComparison(readMeasured()), { proseWrap: "always" })],
  ]);
