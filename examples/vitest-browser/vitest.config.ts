import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

// Without the variable, the browser that Playwright has installed.
const { CHROMIUM: executablePath } = process.env;

export default defineConfig({
  test: {
    include: ["*.spec.ts"],
    browser: {
      enabled: true,
      headless: true,
      provider: playwright({ launchOptions: executablePath === undefined ? {} : { executablePath } }),
      instances: [{ browser: "chromium" }],
      screenshotFailures: false,
    },
  },
});
