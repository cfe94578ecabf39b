import { format } from "../format.js";
import { performancePage, printPerformance } from "../../../bench/performance/page.js";
import { readMeasured } from "../../../bench/runner/measured.js";

/** Writes the page about performance and its plots, from what `npm run bench -- --record` measured. */
export const generatePerformance = async (): Promise<Map<string, string>> => {
  const files = printPerformance(readMeasured());
  const page = await format("markdown", files.get(performancePage) ?? "", { proseWrap: "always" });
  return files.set(performancePage, page);
};
