import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

/**
 * Leaves `debug` out of the agents for proxies. With `DEBUG` set, they would print the URL of the proxy, and with it a password, to
 * stderr, which `--debug` of the command and `debug` of the client hide.
 */
export const silentProxyAgents: Plugin = {
  name: "silent-proxy-agents",
  setup({ onResolve, onLoad }) {
    const namespace = "debug";
    onResolve({ filter: /^debug$/ }, ({ path, importer }) =>
      /[\\/](agent-base|https?-proxy-agent)[\\/]/.test(importer) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, () => ({ contents: "module.exports = () => () => {};" }));
  },
};

/**
 * Turns what CommonJS modules require of Node.js into imports. An ES module has no `require`, and one from `createRequire` fails once
 * a program that contains it is bundled as CommonJS.
 */
export const importedBuiltins: Plugin = {
  name: "imported-builtins",
  setup({ onResolve, onLoad }) {
    const namespace = "imported-builtins";
    onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) =>
      kind === "require-call" && isBuiltin(path)
        ? { path: path.replace(/^(?!node:)/, "node:"), namespace }
        : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `export * from "${path}";\nexport { default } from "${path}";`,
    }));
  },
};
