import { type RunningServer, createServer } from "@mgmt/mock/server";
import { ApprovalRequiredError, createClient } from "@mgmt/sdk";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "./chromium.js";
import { accessibilityProblems, browserErrorsOf, saveScreenshot, overflow } from "./page-checks.js";

describe("the approval page in Chromium", () => {
  let browser: Browser;
  let server: RunningServer;
  beforeAll(async () => {
    browser = await launchChromium();
    server = await createServer();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it.each(["light", "dark"] as const)(
    "shows the request and the decision to the sponsor in the %s scheme",
    async (colorScheme) => {
      const { id } = await server.engine.seed.project();
      const agent = createClient({ baseUrl: server.baseUrl, token: await server.engine.tokens.agent() });
      const refused: unknown = await agent.projects.delete(id).catch((error: unknown) => error);
      if (!(refused instanceof ApprovalRequiredError)) throw refused;
      const page = await browser.newPage({ colorScheme });
      const errors = browserErrorsOf(page);
      const check = async (heading: string, name: string): Promise<void> => {
        await page.goto(refused.approvalUrl);
        expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(heading);
        for (const width of [320, 768, 1440]) {
          await page.setViewportSize({ width, height: 768 });
          expect([width, await overflow(page)]).toEqual([width, 0]);
          await saveScreenshot(page, `approval-${name}-${colorScheme}-${String(width)}`);
        }
        expect(await accessibilityProblems(page)).toEqual([]);
      };
      await check("An agent is waiting for your approval", "pending");
      await server.engine.approvals.approveWindow(refused.approvalId);
      await check("You have approved requests like this for a limited time", "approved");
      expect(errors).toEqual([]);
      await page.close();
    },
  );
});
