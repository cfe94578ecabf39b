import assert from "node:assert/strict";
import { type BrowserBundle, bundleForBrowser } from "../runner/browser-bundle.js";
import { atMost } from "../runner/goals.js";
import { type Contender, type Measurement, row } from "../runner/measurement.js";
import { benchFolder } from "../runner/paths.js";

const bundle = (program: string, external: string[] = []): Promise<BrowserBundle> =>
  bundleForBrowser({
    stdin: { contents: program, resolveDir: benchFolder, loader: "ts" },
    outdir: "out",
    external,
  });

const startMock = `
  import { setupMockWorker } from "@mgmt/mock/browser";
  await setupMockWorker().start();
`;

/** Bytes of the mock in a page, beside MSW and the SDK. */
const mock = (name: string, when: "atStart" | "onDemand"): Contender => ({
  name,
  measure: async () => {
    const { first, later, ...bytes } = await bundle(startMock, ["msw", "msw/browser", "@mgmt/sdk"]);
    assert.ok([...first, ...later].some(({ text }) => text.includes("mock:not_intercepted")));
    return [bytes[when]];
  },
});

const msw: Contender = {
  name: "msw, of which the mock needs these parts",
  measure: async () => {
    const program =
      'import { http } from "msw"; import { setupWorker } from "msw/browser"; console.log(http, setupWorker);';
    return [(await bundle(program)).atStart];
  },
};

/** What a page loads of the mock. */
export const pageSize: readonly Measurement[] = [
  {
    rows: [row("bundle, gzip, what is loaded before the first request", "B", atMost(90 * 1_024))],
    rounds: 1,
    subject: mock("@mgmt/mock/browser", "atStart"),
    others: [mock("  its chunks on demand", "onDemand"), msw],
  },
];
