import { format } from "prettier";
import { performancePage, printPerformance } from "../../../bench/performance/page.js";
import { readMeasured } from "../../../bench/runner/measured.js";

/** Writes the page about performance and its plots, from what `npm run bench -- --record` measured. */
export const generatePerformance = async (): Promise<Map<string, string>> => {
  const files = printPerformance(readMeasured());
  const page = await format(files.get(performancePage) ?? "", {
    parser: "markdown",
    printWidth: 110,
    proseWrap: "always",
  });
  return files.set(performancePage, page);
};
