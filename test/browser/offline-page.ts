import type { Locator, Page } from "playwright-core";

/** Signs a customer up in the page of the example vite-offline. */
export const signUp = async (page: Page, name: string): Promise<void> => {
  await page.getByLabel("Name of a new customer").fill(name);
  await page.getByRole("button", { name: "Sign up" }).click();
};

/** Returns the rows of customers in that page. */
export const customersIn = (page: Page): Locator => page.locator("#customers").getByRole("listitem");
