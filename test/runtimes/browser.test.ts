import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchChromium } from "../browser/chromium.js";
import { bundle, filesOf } from "./bundle.js";
import { type ServerAddresses, type Surroundings, startReferenceServer } from "./reference-server.js";

const installed = inject("installed");

describe("the packed SDK bundled for browsers", () => {
  it.each(["@mgmt/sdk", "@mgmt/sdk/partial", "@mgmt/sdk/auth"])(
    "needs no module of Node: %s",
    async (name) => {
      const made = await bundle(installed, `export * from "${name}";`);
      expect(made.imports).toEqual([]);
      expect(made.code.match(/.*(?:(?:from|import)[\s(]*["']node:|\brequire\().*/g)).toBeNull();
      expect(filesOf(made, "@mgmt/sdk").length).toBeGreaterThan(0);
    },
  );

  it("refuses what is for Node alone, where it is bundled and not in the user's page", async () => {
    await expect(bundle(installed, 'export * from "@mgmt/sdk/node";')).rejects.toThrow(/node:https?"/);
  });
});

describe("the packed SDK in Chromium", () => {
  let surroundings: Surroundings;
  let browser: Browser | undefined;

  beforeAll(async () => {
    const { code } = await bundle(
      installed,
      'import { run } from "./bundled.mjs"; globalThis.runProgram = run;',
    );
    surroundings = await startReferenceServer(code);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await surroundings.close();
  });

  it("lists, creates, throws, aborts, keeps deadlines and logs in from a page of another origin", async () => {
    const page = await browser?.newPage();
    await page?.goto(surroundings.addresses.helper);
    const said = await page?.evaluate(async (addresses) => {
      // The script of the page sets it.
      const { runProgram } = globalThis as unknown as {
        runProgram(server: ServerAddresses): Promise<string>;
      };
      return runProgram(addresses);
    }, surroundings.addresses);
    expect(said).toBe("all is so");
  });
});
