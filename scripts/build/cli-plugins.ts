import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

/** Plugins of esbuild that leave out what the command does not use. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(join(root, "packages/cli/package.json"));

/**
 * npm installs a copy of the same modules for each prompt. The packages say that they have no side effects, so that prompts that
 * are not used are left out, but a second package.json beside their code, which says nothing, hides it.
 */
export const usedPartsOfInquirer: Plugin = {
  name: "used-parts-of-inquirer",
  setup({ onResolve, resolve }) {
    const shared = dirname(require.resolve("@inquirer/prompts"));
    onResolve({ filter: /^@inquirer\// }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === usedPartsOfInquirer.name) return undefined;
      const isShared = /^@inquirer\/(ansi|core|figures|type)$/.test(path);
      const resolved = await resolve(path, {
        kind,
        resolveDir: isShared ? shared : resolveDir,
        pluginData: usedPartsOfInquirer.name,
      });
      return { ...resolved, sideEffects: false };
    });
  },
};

/**
 * Leaves out what the SDK does for programs of others: TypeScript has checked the options that the command passes, and the command
 * prints no response with `console.log`. A command makes too few calls to gain from timers that are used again.
 */
export const uncheckedOptions: Plugin = {
  name: "unchecked-options",
  setup({ onResolve }) {
    const without = {
      "#type-checks": "checks/no-type-checks.ts",
      "#all-type-checks": "checks/no-type-checks.ts",
      "#masked-inspection": "debug/without-masked-inspection.ts",
      "#limit": "deadlines/plain-limit.ts",
    };
    for (const [path, file] of Object.entries(without)) {
      onResolve({ filter: new RegExp(`^${path}$`) }, () => ({ path: join(root, "packages/sdk/src", file) }));
    }
  },
};

/**
 * Leaves out what cli-table3 would load for nothing: `output/table-rows.ts` passes it only texts whose characters take one column
 * each, and colors them itself. With these two packages, `mgmt projects list` takes 74 ms in place of 72 on Node.js 20 and prints the
 * same; with 2,000 rows, it takes 510 ms in place of 350.
 */
export const usedPartsOfTables: Plugin = {
  name: "used-parts-of-tables",
  setup({ onResolve, onLoad }) {
    const namespace = "cli-table3";
    const modules: Readonly<Record<string, string>> = {
      "string-width": "module.exports = (text) => text.length;",
      "@colors/colors/safe": "module.exports = {};",
    };
    onResolve({ filter: /^(string-width|@colors\/colors\/safe)$/ }, ({ path, importer }) =>
      /[\\/]cli-table3[\\/]/.test(importer) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: modules[path] ?? "" }));
  },
};

/** Leaves `child_process` out of Commander, which uses it for subcommands that are programs. The import takes 3 ms. */
export const commandsWithoutPrograms: Plugin = {
  name: "commands-without-programs",
  setup({ onResolve }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: "node:events", external: true } : undefined,
    );
  },
};

/** Keeps the redaction, which few commands load, out of what the start loads. The SDK exports it, and the command imports it elsewhere. */
export const redactionOnDemand: Plugin = {
  name: "redaction-on-demand",
  setup({ onResolve }) {
    onResolve({ filter: /^@mgmt\/internal\/redaction\/redact$/ }, ({ path, importer }) =>
      /[\\/]sdk[\\/]src[\\/]node\.ts$/.test(importer)
        ? { path, external: true, sideEffects: false }
        : undefined,
    );
  },
};

/** Replaces the global `performance` in our own code. `inject` of esbuild would also import the replacement into CommonJS modules. */
export const lightPerformance: Plugin = {
  name: "light-performance",
  setup({ onLoad }) {
    const replacement = JSON.stringify(join(root, "scripts/node-20/performance.ts"));
    onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      if (!/\bperformance\b/.test(code)) return undefined;
      return { contents: `import { performance } from ${replacement};\n${code}`, loader: "ts" };
    });
  },
};

/** Takes the ES modules of `jsonc-parser`: what Node.js would choose requires its files in a way that no bundler follows. */
export const modulesOfJsoncParser: Plugin = {
  name: "modules-of-jsonc-parser",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^jsonc-parser$/ }, ({ kind, resolveDir }) =>
      resolve("jsonc-parser/lib/esm/main.js", { kind, resolveDir }),
    );
  },
};

/** Takes the ES modules of OpenTelemetry, of which a bundler leaves out what is not used: 21 KB compressed in place of 76. */
export const modulesOfOpenTelemetry: Plugin = {
  name: "modules-of-open-telemetry",
  setup({ onResolve, resolve }) {
    // Nothing that is used loads these, and esbuild would write a file for each of them.
    onResolve({ filter: /^\.\/getMachineId-/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^@opentelemetry\// }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === modulesOfOpenTelemetry.name) return undefined;
      const resolved = await resolve(name, { ...from, pluginData: modulesOfOpenTelemetry.name });
      return { ...resolved, path: resolved.path.replace(/([\\/])build\1src\1/, "$1build$1esm$1") };
    });
  },
};

/**
 * Leaves the 300 KB of Ajv out of the server of the Model Context Protocol, which would load it for the answers of forms alone. `mgmt mcp`
 * checks arguments and answers itself.
 */
export const serverWithoutAjv: Plugin = {
  name: "server-without-ajv",
  setup({ onResolve, onLoad }) {
    const namespace = "mcp-shims";
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /./, namespace }, () => ({
      contents: `
        export { default as process } from "node:process";
        export class DefaultJsonSchemaValidator {
          getValidator() {
            return (data) => ({ valid: true, data, errorMessage: undefined });
          }
        }`,
    }));
  },
};
