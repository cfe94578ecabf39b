import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyModule, importOnce } from "../../runner/import.js";
import { type BrowserBundle, bundleForBrowser } from "../../runner/browser-bundle.js";
import { type Installation, installIn } from "../../runner/install-in.js";
import { benchFolder } from "../../runner/paths.js";
import { packPackages } from "../../../scripts/release/pack.js";
import { installedVersion } from "../measured.js";
import { type Section, amount, behavior } from "../row.js";
import type { Program, Sdk } from "../sdk.js";

const bundle = (sdk: Sdk, program: Program, conditions: string[] = []): Promise<BrowserBundle> =>
  bundleForBrowser({
    stdin: { contents: sdk.programs[program], resolveDir: join(benchFolder, "compare"), loader: "ts" },
    outdir: "out",
    ...(conditions.length > 0 && { conditions }),
  });

const kilobytes = (bytes: number) => amount(bytes / 1e3, "kB", 1);

/** Returns what `npm install` of an SDK puts into an empty folder. */
const installed = async ({ packages }: Sdk): Promise<Installation> => {
  const parent = mkdtempSync(join(tmpdir(), "mgmt-compare-"));
  try {
    const own = packages.some((name) => name.startsWith("@mgmt/")) ? await packPackages(parent) : [];
    return installIn(
      parent,
      packages.map(
        (name) => own.find((each) => each.name === name)?.tarball ?? `${name}@${installedVersion(name)}`,
      ),
    );
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
};

const importRounds = 11;

/** Why `@prisma/management-api-sdk` is smaller. */
const sendsRequests =
  "`@prisma/management-api-sdk` sends requests and logs in. Retries, deadlines, paging, waits, and error classes are left to the program.";

export const size: Section = {
  title: "Size and start",
  about:
    "The sizes of bundles are kilobytes (1,000 bytes) of gzip of what is loaded at start: esbuild, for a browser, minified, split at `import()`. `octokit` has a smaller client " +
    "for one call, `@octokit/core`, and `@neon/sdk` has `@neon/sdk/raw`: the first row measures these.",
  rows: [
    {
      title: "a browser bundle with one call",
      reason: sendsRequests,
      measure: async (sdk) => kilobytes((await bundle(sdk, "oneCall")).atStart),
    },
    {
      title: "a browser bundle with every resource",
      reason: "It has no code for a resource: a path is a string.",
      measure: async (sdk) => kilobytes((await bundle(sdk, "everything")).atStart),
    },
    {
      title: "Node.js modules in a bundle for Cloudflare Workers",
      measure: async (sdk) => {
        const { first, later } = await bundle(sdk, "everything", ["workerd", "worker", "browser"]);
        const text = [...first, ...later].map((file) => file.text).join("");
        const found = text.match(/(?:from|import)\s*\(?\s*"node:[^"]+"|\brequire\("node:/g) ?? [];
        return found.length === 0 ? behavior("none", 0) : amount(found.length, "");
      },
    },
    {
      title: "packages in `node_modules`",
      varies: true,
      measure: async (sdk) => amount((await installed(sdk)).packages, ""),
    },
    {
      title: "size of `node_modules`, rounded up",
      reason:
        "`@mgmt/sdk` also contains its TypeScript source, the OpenAPI document, and modules in two formats, for `import` and for `require`.",
      varies: true,
      measure: async (sdk) => amount(Math.ceil((await installed(sdk)).bytes / 1e6), "MB"),
    },
    {
      title: "time to import it on Node.js",
      reason: "It loads two files.",
      varies: true,
      measure: async (sdk) => {
        const times: { base: number; loaded: number }[] = [];
        for (let round = 0; round < importRounds; round += 1) {
          times.push({
            base: (await importOnce(benchFolder, emptyModule)).wall,
            loaded: (await importOnce(benchFolder, sdk.import)).wall,
          });
        }
        // The least of each: other programs can only add to it.
        const least = (of: "base" | "loaded"): number => Math.min(...times.map((each) => each[of]));
        return amount(Math.round(least("loaded") - least("base")), "ms");
      },
    },
  ],
};
