import { expect, it } from "vitest";
import { bundleForBrowser } from "../../../sdk/test/build.js";

it("takes at most 90 KB of gzip beside MSW before the first request, and loads the rest on demand", async () => {
  const program = `
    import { setupMockWorker } from "@mgmt/mock/browser";
    await setupMockWorker().start();
  `;
  const { size, text, later } = await bundleForBrowser(program, ["msw", "msw/browser", "@mgmt/sdk"]);
  expect(size).toBeLessThanOrEqual(90 * 1024);
  expect(text).not.toMatch(/(?:from|import)\s*\(?\s*"node:|require\(/);
  // The contract, and what serves the mock over HTTP.
  expect(text).not.toContain('"openapi":"3');
  expect(later.join("")).toContain('"openapi":"3');
  expect(text).not.toContain("x-mgmt-control-secret");
});
