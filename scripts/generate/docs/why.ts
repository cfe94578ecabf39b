import { whySections } from "../../../bench/first-minutes/tables.js";
import { withMarkedSections } from "./marked-sections.js";

/** The page whose marked sections are written from what `npm run first-minutes` and `npm run compare` measured. */
export const whyPage = "docs/why.md";

export const generateWhy = (): Promise<Map<string, string>> => withMarkedSections(whyPage, whySections());
