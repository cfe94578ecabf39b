import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

/**
 * Compiles what a library exports with `declaration: true`. Every type that the compiler infers must have a name in the entry that the
 * library imports. Each entry is compiled alone, because an import elsewhere in a program can give a type its name.
 */
let project: string;
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "mgmt-types-")));
  install();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(realpathSync(target), path);
};

/** Installs the built packages as pnpm does: at the top is only what the library depends on. */
const install = (): void => {
  const place = (name: string): string => join(project, "node_modules/.pnpm", name, "node_modules");
  const packages = { sdk: [], mock: ["jose", "msw", "vitest", "@mgmt/sdk"] };
  for (const [name, needs] of Object.entries(packages)) {
    const folder = join(place(name), "@mgmt", name);
    for (const part of ["package.json", "dist", "openapi.json"]) {
      const from = join(root, "packages", name, part);
      if (existsSync(from)) cpSync(from, join(folder, part), { recursive: true });
    }
    for (const need of needs) {
      const [, own] = need.split("@mgmt/");
      link(own ? join(place(own), need) : join(root, "node_modules", need), join(place(name), need));
    }
  }
  for (const name of ["sdk", "mock"])
    link(join(place(name), "@mgmt", name), join(project, "node_modules/@mgmt", name));
  for (const name of ["msw", "vitest", "@types/node"])
    link(join(root, "node_modules", name), join(project, "node_modules", name));
  // Among these, the compiler looks for the links to a package.
  const dependencies = { "@mgmt/mock": "*", "@mgmt/sdk": "*", msw: "*", vitest: "*" };
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "library", type: "module", dependencies }),
  );
};

const oauth = `{ authUrl: "https://a.example.com", clientId: "c" }`;

/** What a library imports, and the values that it exports. */
const libraries: [entry: string, before: string, values: string[]][] = [
  [
    "@mgmt/sdk",
    `import { createClient } from "@mgmt/sdk"; const client = createClient({ baseUrl: "https://api.example.com" });`,
    [
      "client",
      "client.projects",
      "client.safe",
      "client.http",
      "() => client.projects.list()",
      "() => client.projects.list().pages()",
      "() => client.projects.get('p')",
      "() => client.safe.projects.get('p')",
      "async () => (await client.safe.projects.get('p')).error",
      "() => client.projects.get('p').withResponse()",
      "() => client.projects.ensure({ logicalId: 'a', name: 'a', createDatabase: false })",
      "() => client.databases.waitUntilReady('d')",
      "() => client.databases.backups.list('d')",
      "() => client.http.GET('/v1/projects/{id}', { params: { path: { id: 'x' } } })",
      "() => client.withOptions({ timeoutMs: 1 })",
    ],
  ],
  [
    "@mgmt/sdk/partial",
    `import { DatabasesResource, ProjectsResource, createPartialClient, safely } from "@mgmt/sdk/partial";
     const client = createPartialClient({ projects: ProjectsResource, databases: DatabasesResource });`,
    [
      "client",
      "safely(client)",
      "() => client.projects.list()",
      "() => client.projects.get('p')",
      "() => client.databases.backups.list('d')",
      "() => client.databases.waitUntilReady('d')",
      "() => safely(client).projects.get('p')",
      "async () => (await safely(client).projects.get('p')).error",
      "() => safely(client).projects.list()",
    ],
  ],
  [
    "@mgmt/sdk/auth",
    `import { browserStore, createAuthenticator, finishLogin, memoryStore, startLogin } from "@mgmt/sdk/auth";`,
    [
      "memoryStore()",
      "browserStore()",
      `createAuthenticator({ ...${oauth}, store: memoryStore() })`,
      `() => startLogin({ ...${oauth}, redirectUri: 'https://b.example.com' })`,
      `(options: Parameters<typeof finishLogin>[0]) => finishLogin(options)`,
    ],
  ],
  [
    "@mgmt/sdk/auth/node",
    `import { cliLogin, fileStore, loginWithLoopback } from "@mgmt/sdk/auth/node";`,
    [
      "fileStore('/tmp/x')",
      "() => cliLogin()",
      `() => loginWithLoopback({ ...${oauth}, open: () => undefined })`,
    ],
  ],
  ["@mgmt/sdk/node", `import { nodeTransport } from "@mgmt/sdk/node";`, ["nodeTransport()"]],
  ...(["setupMock", "setupMockWorker"] as const).map((name): [string, string, string[]] => {
    const entry = name === "setupMock" ? "@mgmt/mock" : "@mgmt/mock/browser";
    return [
      entry,
      `import { ${name} } from "${entry}"; const mock = ${name}();`,
      [
        "mock",
        ..."tokens seed clock faults oauth states approvals store defaults requests settings"
          .split(" ")
          .map((member) => `mock.${member}`),
        "() => mock.createTenant()",
        "async () => (await mock.createTenant()).tokens",
        "() => mock.seed.project()",
        "() => mock.seed.integration()",
        "mock.clientOptions()",
        "() => mock.snapshot()",
        "() => mock.faults.add({ status: 503 })",
        ...(name === "setupMock" ? ["mock.client()", "mock.handlers"] : ["() => mock.start()"]),
      ],
    ];
  }),
  [
    "@mgmt/mock/server",
    `import { createServer } from "@mgmt/mock/server";`,
    [
      "() => createServer()",
      "async () => (await createServer()).engine",
      "async () => (await createServer()).engine.tokens",
      "async () => (await createServer()).engine.seed",
    ],
  ],
  [
    "@mgmt/mock/vitest",
    `import { createTest, test } from "@mgmt/mock/vitest";`,
    [
      "createTest()",
      "test.extend<{ shop: string }>({ shop: async ({ tenant }, use) => use(tenant.workspace.id) })",
    ],
  ],
];

const options: ts.CompilerOptions = {
  strict: true,
  declaration: true,
  emitDeclarationOnly: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
  types: ["node"],
};

/** Returns what the compiler reports for the declarations of a library with one file per value. */
const problemsOf = (before: string, values: readonly string[]): string[] => {
  const files = values.map((value, index) => {
    const file = join(project, `value-${index}.ts`);
    writeFileSync(file, `${before}\nexport const value = ${value};\n`);
    return file;
  });
  const program = ts.createProgram(files, { ...options, typeRoots: [join(project, "node_modules/@types")] });
  return files.flatMap((file, index) => {
    const source = program.getSourceFile(file);
    const problems = [
      ...program.getSemanticDiagnostics(source),
      ...program.getDeclarationDiagnostics(source),
    ];
    return problems.map(
      ({ messageText }) => `${values[index] ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
};

/** Returns the sources of the declarations in a built package. */
const sourcesOfDeclarations = (name: string): string[] => {
  const dist = join(root, "packages", name, "dist");
  const maps = readdirSync(dist).filter((file) => /\.d\.[cm]?ts\.map$/.test(file));
  return maps.flatMap((file) => {
    const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(dist, file), "utf8"));
    return sources;
  });
};

describe("the declarations of a package", () => {
  it.each(["mock", "platform"])("of %s have no rows, and nothing else that is internal", (name) => {
    const sources = sourcesOfDeclarations(name);
    expect(sources).toContain(
      name === "mock" ? "engine/src/control/resource-view.ts" : "../src/start/ready.ts",
    );
    const internal = /\bengine\/src\/(store|jobs|rules|context\/(?!endpoint\.ts|fault\.ts))|\bcluster\//;
    expect(sources.filter((source) => internal.test(source))).toEqual([]);
  });
});

describe("the types that a library with declarations can infer", () => {
  it("are of all entries for programs", () => {
    const entries = ["sdk", "mock"].flatMap((name) => {
      const { exports }: { exports: Record<string, unknown> } = JSON.parse(
        readFileSync(join(root, "packages", name, "package.json"), "utf8"),
      );
      return Object.keys(exports)
        .filter((path) => !path.endsWith(".json"))
        .map((path) => `@mgmt/${name}${path.slice(1)}`);
    });
    // Those for other test runners and for pages have the fixtures of vitest.
    const others = ["@mgmt/mock/jest", "@mgmt/mock/playwright", "@mgmt/mock/vitest-browser"];
    expect([...new Set(libraries.map(([entry]) => entry)), ...others].sort()).toEqual(entries.sort());
  });

  it.each(libraries)("have names in %s", (_, before, values) => {
    expect(problemsOf(before, values)).toEqual([]);
  });
});
