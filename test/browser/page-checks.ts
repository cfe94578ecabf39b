import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns the accessibility violations that axe-core finds, one line each with rule and elements. */
export const accessibilityProblems = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource);
  const { violations }: AxeResults = await page.evaluate("axe.run()");
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
};

/** Returns by how many pixels the page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/** Saves a screenshot in the folder that `SCREENSHOTS` names, if it is set. */
export const saveScreenshot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["SCREENSHOTS"];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
};

/** Collects browser errors and warnings from now on, such as blocked content and failed scripts. */
export const browserErrorsOf = (page: Page): string[] => {
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  return errors;
};
