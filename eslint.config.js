import tseslint from "typescript-eslint";

/**
 * Which way arrows point. Each row: the files, and what they must not import.
 * cli → sdk; platform → mock; nothing imports cli; sdk and mock never meet outside tests.
 */
const arrows = [
  [
    "packages/sdk/src/**",
    ["@mgmt/*", "@mgmt/*/**", "**/packages/**"],
    "The SDK depends on no other package.",
  ],
  [
    "packages/mock/src/**",
    ["@mgmt/*", "@mgmt/*/**", "**/packages/**"],
    "The reference server depends on no other package.",
  ],
  [
    "packages/platform/src/**",
    ["@mgmt/sdk", "@mgmt/sdk/**", "@mgmt/cli", "@mgmt/cli/**", "**/packages/**"],
    "The platform depends on the reference server only.",
  ],
  ["packages/cli/src/**", ["@mgmt/mock", "@mgmt/mock/**", "**/packages/**"], "The CLI depends on the SDK."],
  [
    "packages/cli/src/**",
    ["@mgmt/platform", "@mgmt/platform/**"],
    "`mgmt dev` alone loads the platform, and only when it runs.",
    true,
  ],
  ["packages/mock/src/store/**", ["../**"], "The store knows nothing of who uses it."],
  [
    "packages/mock/src/behaviours/**",
    ["**/faces/**", "**/control/**"],
    "A behaviour holds only the rules of its resource.",
  ],
  [
    "packages/mock/src/{engine,auth,oauth}/**",
    ["**/faces/**", "**/control/**"],
    "The engine knows neither its faces nor its control surface.",
  ],
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

export default tseslint.config(
  { ignores: ["**/dist/**", "**/generated/**", "**/node_modules/**"] },
  {
    files: ["**/*.ts"],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "@typescript-eslint": tseslint.plugin },
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
      "no-restricted-syntax": ["error", noDefaultExport],
    },
  },
  ...arrows.map(([files]) => ({
    files: [files],
    rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns: patternsFor(files) }] },
  })),
  {
    files: ["packages/cli/src/**"],
    ignores: ["packages/cli/src/commands/run-dev.ts"],
    rules: { "no-restricted-syntax": ["error", noDefaultExport, platformOnlyInDev] },
  },
  { files: ["**/*.config.ts", "**/*.d.ts"], rules: { "no-restricted-syntax": "off" } },
);
