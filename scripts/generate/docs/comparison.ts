import { format } from "prettier";
import { readMeasured } from "../../../bench/compare/measured.js";
import { comparePage, printComparison } from "../../../bench/compare/page.js";

/** Writes the page that compares SDKs, from what `npm run bench -- compare` measured. */
export const generateComparison = async (): Promise<Map<string, string>> =>
  new Map([
    [
      comparePage,
      await format(printComparison(readMeasured()), {
        parser: "markdown",
        printWidth: 110,
        proseWrap: "always",
      }),
    ],
  ]);
