import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { reporters } from "../../scripts/gate/failures-reporter.js";
import { aliases, sequence } from "../../vitest.config.js";
import { launchOptions } from "./chromium.js";

const source = (path: string) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

/** What the packages import in a page in place of what Node.js has. */
const inPage = [
  { find: "#digest", replacement: source("engine/src/digest/plain-digest.ts") },
  { find: "#validators", replacement: source("engine/src/request/late-validators.ts") },
];

/**
 * Tests of the API, inside a page. In the gate those that cross rules, and those that sign and compute digests, which a page does with other
 * means than Node.js; all of them in the part `page` of `npm run test:full`.
 */
const inPageTests =
  process.env["MGMT_PAGE_FULL"] === "1"
    ? ["packages/engine/{src,test}/{rules,oauth}/**/*.test.ts"]
    : ["packages/engine/test/{rules,oauth}/**/*.test.ts", "packages/engine/src/oauth/**/*.test.ts"];

const common = {
  globalSetup: ["scripts/generate/fresh-build-output.ts"],
  testTimeout: 240_000,
  hookTimeout: 240_000,
};

/** Tests in a real browser. They need Chromium, so `npm test` does not run them. Run from the root. */
export default defineConfig({
  test: {
    reporters: reporters(),
    projects: [
      {
        resolve: { alias: [...aliases] },
        test: {
          name: "browser",
          include: ["test/browser/**/*.browser.ts"],
          // One process loads the sources once for all files.
          isolate: false,
          ...common,
          globalSetup: [...common.globalSetup, "test/browser/start-chromium.ts"],
        },
      },
      {
        resolve: { alias: [...inPage, ...aliases] },
        test: {
          name: "page",
          include: inPageTests,
          // They start servers on HTTP.
          exclude: [
            "packages/engine/{src,test}/oauth/**/{access-token-service,approval-page,authorization-endpoint,consent-page,csrf-protection,differential,libraries,page-response,sign-in-gate}.test.ts",
          ],
          setupFiles: ["test/setup/patience.ts"],
          isolate: false,
          sequence,
          ...common,
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({ launchOptions: launchOptions() }),
            instances: [{ browser: "chromium" }],
            screenshotFailures: false,
          },
        },
      },
    ],
  },
});
