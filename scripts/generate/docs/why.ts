import { whySections } from "../../../bench/first-minutes/tables.js";
import { withMarkedSections } from "./marked-sections.js";

/** The page whose marked sections are written from what `npm run bench -- first-minutes` and `npm run bench -- compare` measured. */
export const whyPage = "docs/why.md";

export const generateWhy = (): Promise<Map<string, string>> => withMarkedSections(whyPage, whySections());
