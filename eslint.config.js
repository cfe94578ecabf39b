import tseslint from "typescript-eslint";
import { noImportCycle } from "./scripts/lint/no-import-cycle.js";
import { noTwoWayFolders } from "./scripts/lint/no-two-way-folders.js";

/**
 * Dependency directions. Each row: the files, what they must not import, and why.
 * cli → sdk; cli → platform (in `mgmt dev` only); platform → cluster → engine; mock → engine; mock → sdk (if installed). Nothing imports the CLI, and the
 * SDK and the engine never import each other outside tests. `internal` is part of the builds of the others, and `cluster` of that of the platform.
 */
const arrows = [
  [
    "packages/internal/src/**",
    ["@mgmt/*", "@mgmt/*/**", "**/packages/**"],
    "What all packages contain depends on none of them.",
  ],
  [
    "packages/sdk/src/**",
    ["@mgmt/*", "@mgmt/*/**", "!@mgmt/internal", "!@mgmt/internal/**", "**/packages/**"],
    "The SDK depends on no other package.",
  ],
  [
    "packages/engine/src/**",
    ["@mgmt/*", "@mgmt/*/**", "!@mgmt/internal", "!@mgmt/internal/**", "**/packages/**"],
    "The engine depends on no other package.",
  ],
  [
    "packages/mock/src/**",
    ["@mgmt/cluster", "@mgmt/cluster/**", "@mgmt/platform", "@mgmt/cli", "**/packages/**"],
    "The mock depends on the engine.",
  ],
  [
    "packages/mock/src/**",
    ["@mgmt/sdk", "@mgmt/sdk/**"],
    "The mock works without the SDK. Only `mock.client` loads it.",
    true,
  ],
  [
    "packages/cluster/src/**",
    ["@mgmt/*", "@mgmt/*/**", "!@mgmt/engine", "!@mgmt/internal", "!@mgmt/internal/**", "**/packages/**"],
    "A cluster depends on the engine, and on no package that runs on one machine.",
  ],
  [
    "packages/cluster/src/**",
    ["node:fs", "node:fs/**", "node:net", "node:child_process"],
    "A cluster may be anywhere: it has no files, sockets or programs on this machine.",
  ],
  [
    "packages/platform/src/**",
    ["@mgmt/sdk", "@mgmt/sdk/**", "@mgmt/mock", "@mgmt/mock/**", "@mgmt/cli", "**/packages/**"],
    "The platform depends on the cluster and the engine.",
  ],
  [
    "packages/cli/src/**",
    ["@mgmt/cluster", "@mgmt/cluster/**", "@mgmt/engine", "@mgmt/mock", "@mgmt/mock/**", "**/packages/**"],
    "The CLI depends on the SDK.",
  ],
  [
    "packages/cli/src/**",
    ["@mgmt/platform", "@mgmt/platform/**"],
    "`mgmt dev` alone loads the platform, and only when it runs.",
    true,
  ],
  ["packages/engine/src/store/**", ["../**"], "The store does not know who uses it."],
  [
    "packages/engine/src/{request,jobs,world}/**",
    ["**/rules/**", "**/oauth/**", "**/control/**", "**/server/**", "**/http/**"],
    "The pipeline gets behaviors, tokens and endpoints through the interfaces that it declares.",
  ],
  [
    "packages/engine/src/rules/**",
    ["**/oauth/**", "**/control/**", "**/server/**", "**/http/**"],
    "A behavior contains only the rules of its resource.",
  ],
  [
    "packages/engine/src/oauth/**",
    ["**/rules/**", "**/control/**", "**/server/**", "**/http/**"],
    "The authorization server does not depend on the API, the control surface or HTTP.",
  ],
  [
    "packages/engine/src/control/**",
    ["**/server/**", "**/http/**"],
    "The control surface declares what it uses of a server.",
  ],
  ["packages/engine/src/server/**", ["**/http/**"], "The engine does not depend on HTTP."],
  [
    "packages/sdk/src/{request,transport,deadlines,checks,errors}/**",
    ["**/resources/**", "**/auth/**"],
    "The request path knows no resource and no login.",
  ],
];

/** A later row replaces the rule of an earlier one, so each row carries those of the folders around it. */
const patternsFor = (files) =>
  arrows
    .filter(([outer]) => files.startsWith(outer.slice(0, -2)))
    .map(([, group, message, allowTypeImports = false]) => ({ group, message, allowTypeImports }));

const noDefaultExport = {
  selector: "ExportDefaultDeclaration",
  message: "A default export has no name to search for.",
};
const platformOnlyInDev = {
  selector: "ImportExpression[source.value='@mgmt/platform']",
  message: "Only `mgmt dev` loads the platform.",
};

/** Test files share a worker, and a module is evaluated once in it. */
const noHookOfModule = {
  selector: "Program > ExpressionStatement > CallExpression[callee.name=/^(before|after)(Each|All)$/]",
  message:
    "The hook runs only for the first test file that imports this module. Export a function that adds it.",
};

export default tseslint.config(
  {
    ignores: [
      "**/*.d.json.ts",
      "**/dist/**",
      "**/generated/**",
      "**/node_modules/**",
      // Tests write and remove files there meanwhile.
      "**/.blocks/**",
      "**/.test-*/**",
    ],
  },
  {
    files: ["**/*.ts"],
    languageOptions: { parser: tseslint.parser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: {
      "@typescript-eslint": tseslint.plugin,
      local: { rules: { "no-import-cycle": noImportCycle, "no-two-way-folders": noTwoWayFolders } },
    },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      eqeqeq: "error",
      "local/no-import-cycle": "error",
      "local/no-two-way-folders": "error",
      "no-restricted-syntax": ["error", noDefaultExport],
    },
  },
  ...arrows.map(([files]) => ({
    files: [files],
    rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns: patternsFor(files) }] },
  })),
  {
    files: ["packages/cli/src/**"],
    ignores: ["packages/cli/src/commands/dev/load-platform.ts"],
    rules: { "no-restricted-syntax": ["error", noDefaultExport, platformOnlyInDev] },
  },
  {
    files: ["**/test/**/*.ts", "test/**/*.ts"],
    ignores: [
      "**/*.{test,security,browser,keyring}.ts",
      // Setup files are evaluated for each test file.
      "test/setup/*.ts",
      "test/store/setup.ts",
    ],
    rules: { "no-restricted-syntax": ["error", noDefaultExport, noHookOfModule] },
  },
  { files: ["**/*.config.ts", "**/*.d.ts", "**/*.d.*.ts"], rules: { "no-restricted-syntax": "off" } },
);
