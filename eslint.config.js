import tseslint from "typescript-eslint";
import { noImportCycle } from "./scripts/lint/no-import-cycle.js";

/**
 * Dependency directions. Each row: the files, what they must not import, and why.
 * cli → sdk; cli → platform (in `mgmt dev` only); mock and platform → engine. Nothing imports the CLI, and the SDK and the
 * engine never import each other outside tests.
 */
const arrows = [
  [
    "packages/sdk/src/**",
    ["@mgmt/*", "@mgmt/*/**", "**/packages/**"],
    "The SDK depends on no other package.",
  ],
  [
    "packages/engine/src/**",
    ["@mgmt/*", "@mgmt/*/**", "**/packages/**"],
    "The engine depends on no other package.",
  ],
  [
    "packages/mock/src/**",
    ["@mgmt/sdk", "@mgmt/sdk/**", "@mgmt/platform", "@mgmt/cli", "**/packages/**"],
    "The mock depends on the engine only.",
  ],
  [
    "packages/platform/src/**",
    ["@mgmt/sdk", "@mgmt/sdk/**", "@mgmt/mock", "@mgmt/mock/**", "@mgmt/cli", "**/packages/**"],
    "The platform depends on the engine only.",
  ],
  [
    "packages/cli/src/**",
    ["@mgmt/engine", "@mgmt/mock", "@mgmt/mock/**", "**/packages/**"],
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
    "packages/engine/src/{request,time}/**",
    ["**/rules/**", "**/oauth/**", "**/control/**", "**/composition/**", "**/http/**"],
    "The pipeline gets behaviors, tokens and endpoints through the interfaces that it declares.",
  ],
  [
    "packages/engine/src/rules/**",
    ["**/oauth/**", "**/control/**", "**/composition/**", "**/http/**"],
    "A behavior contains only the rules of its resource.",
  ],
  [
    "packages/engine/src/oauth/**",
    ["**/rules/**", "**/control/**", "**/composition/**", "**/http/**"],
    "The authorization server does not depend on the API, the control surface or HTTP.",
  ],
  [
    "packages/engine/src/control/**",
    ["**/composition/**", "**/http/**"],
    "The control surface declares what it uses of a server.",
  ],
  ["packages/engine/src/composition/**", ["**/http/**"], "The engine does not depend on HTTP."],
  [
    "packages/sdk/src/{request,transport,errors}/**",
    ["**/generated/resources*", "**/auth/**"],
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
  { ignores: ["**/*.d.json.ts", "**/dist/**", "**/generated/**", "**/node_modules/**"] },
  {
    files: ["**/*.ts"],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: {
      "@typescript-eslint": tseslint.plugin,
      local: { rules: { "no-import-cycle": noImportCycle } },
    },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { arguments: false } }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: "error",
      "local/no-import-cycle": "error",
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
      "test/store/setup.ts",
      "test/mutation/short-pauses.ts",
    ],
    rules: { "no-restricted-syntax": ["error", noDefaultExport, noHookOfModule] },
  },
  { files: ["**/*.config.ts", "**/*.d.ts", "**/*.d.*.ts"], rules: { "no-restricted-syntax": "off" } },
);
