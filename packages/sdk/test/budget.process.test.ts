import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { bundleForBrowser, setupBuilds } from "./build.js";

const { makeFolder } = setupBuilds();

const program = `
import { createClient, isApiError } from "@mgmt/sdk";
const client = createClient({ baseUrl: "https://api.example.com", token: "token" });
const project = await client.projects.create({ name: "shop", region: "eu-central-1" });
console.log(project.database?.connectionString);
for await (const each of client.projects.list({ limit: 10 })) console.log(each.name);
try {
  await client.services.create({ projectId: project.id, displayName: "web" });
} catch (error) {
  if (isApiError(error, "app:already_exists")) console.log(error.existingAppId);
}
`;

/** The same number of lines with the results of two methods, and their errors. */
const safeProgram = `
import { createClient } from "@mgmt/sdk";
const client = createClient({ baseUrl: "https://api.example.com", token: "token" });
const { data: project, error } = await client.safe.projects.get("proj_1");
if (error?.code === "project:not_found") console.error("The project does not exist.");
else if (error) throw error;
else console.log(project.name);
const made = await client.safe.services.create({ projectId: "proj_1", displayName: "web" });
if (made.error?.code === "app:already_exists") console.log(made.error.existingAppId);
console.log(made.data?.name);
for await (const each of client.databases.list({ limit: 10 })) console.log(each.name);
`;

describe("the cost of the SDK", () => {
  it("takes at most 8 KB of gzip in a browser with all resources, and loads the rest on demand", async () => {
    const { size, text, later } = await bundleForBrowser(program);
    expect(size).toBeLessThanOrEqual(8 * 1024);
    expect(text).toContain("/v1/projects/{projectId}/databases");
    expect(text).not.toMatch(/(?:from|import)\s*\(?\s*"node:|require\(/);
    for (const part of ["querySerializer", "approval:expired"]) {
      expect(text).not.toContain(part);
      expect(later.join("")).toContain(part);
    }
  });

  it("takes at most 5.5 KB of gzip in a browser with one resource", async () => {
    const { size, text } = await bundleForBrowser(`
      import { createPartialClient, ProjectsResource } from "@mgmt/sdk/partial";
      const client = createPartialClient({ projects: ProjectsResource }, { baseUrl: "https://api.example.com" });
      for await (const project of client.projects.list({ limit: 10 })) console.log(project.name);
    `);
    expect(size).toBeLessThanOrEqual(5.5 * 1024);
    expect(text).toContain("/v1/projects/{projectId}/databases");
    expect(text).not.toContain("/v1/services");
  });

  it("takes at most 7 KB of gzip in a browser for a login, and 10 KB for its protocol on demand", async () => {
    const { size, text, later } = await bundleForBrowser(`
      export { browserStore, createAuthenticator, finishLogin, logout, startLogin } from "@mgmt/sdk/auth";
    `);
    expect(size).toBeLessThanOrEqual(7 * 1024);
    expect(text).not.toMatch(/(?:from|import)\s*\(?\s*"node:|require\(|OAUTH_RESPONSE_IS_NOT_CONFORM/);
    const protocol = later.find((chunk) => chunk.includes("OAUTH_RESPONSE_IS_NOT_CONFORM")) ?? "";
    expect(protocol).not.toBe("");
    expect(gzipSync(protocol, { level: 9 }).length).toBeLessThanOrEqual(10 * 1024);
  });

  it("takes nothing for a login that a program does not use", async () => {
    const { text, later } = await bundleForBrowser(program);
    expect([text, ...later].join("")).not.toMatch(/auth:login_required|code_challenge|refresh_token/);
  });

  it.each([
    ["a ten-line program", program],
    ["a ten-line program with client.safe", safeProgram],
  ])("takes at most 75 type instantiations for %s", async (_, source) => {
    const checked = await check(source);
    // The compiler counts them and prints them with --extendedDiagnostics, but does not declare the method.
    const { getInstantiationCount } = checked as unknown as { getInstantiationCount(): number };
    expect(getInstantiationCount()).toBeLessThanOrEqual(75);
  });

  it("causes no error in its declarations for programs that check libraries", async () => {
    const file = join(await makeFolder(), "program.ts");
    await writeFile(file, program);
    const compiler = fileURLToPath(
      new URL("../../../node_modules/@typescript/native/bin/tsc", import.meta.url),
    );
    const flags = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--ignoreConfig"];
    // Errors in the compiler's own library are not counted.
    const libraries = ["--types", "node", "--skipLibCheck", "false", "--skipDefaultLibCheck"];
    const words = ["--target", "ES2022", "--module", "NodeNext", ...flags, ...libraries, file];
    const printed = await promisify(execFile)(process.execPath, [compiler, ...words]).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
    expect(printed).toBe("");
  });
});

describe("the declarations", () => {
  it.each(["narrowing", "options"])(
    "accept what is right and refuse what is wrong, as the sources do: %s.mts",
    async (name) => {
      const file = new URL(`../../../test/runtimes/programs/types/${name}.mts`, import.meta.url);
      await check(await readFile(file, "utf8"));
    },
  );
});

describe("the hover text of a type", () => {
  it("shows the name of a resource instead of an expanded object type", async () => {
    const checked = await check(
      `
      import { createClient } from "@mgmt/sdk";
      export const client = createClient({ baseUrl: "https://api.example.com" });
      export const project = await client.projects.create();
      export const { workspace, database } = project;
      export const page = await client.databases.list();
      export const tokens = client.workspaces.serviceTokens.list("wksp_1");
      export const { http, databases } = client;
      export const ready = client.databases.waitUntilReady("db_1");
      export const make = client.services.create;
      export const list = client.services.list;
      export const { safe } = client;
      export const { services } = safe;
      export const safeGet = safe.projects.get;
      export const { error } = await safeGet("proj_1");
    `,
    );
    const checker = checked.getTypeChecker();
    const file = checked.getSourceFiles().find(({ fileName }) => fileName.endsWith("/program.ts"));
    const symbols = file && checker.getSymbolAtLocation(file);
    const seen =
      symbols &&
      checker.getExportsOfModule(symbols).map((symbol) => {
        return `${symbol.name}: ${checker.typeToString(checker.getTypeOfSymbol(symbol))}`;
      });
    expect(seen).toEqual([
      "client: MgmtClient",
      "project: ProjectWithDatabase",
      "workspace: Reference",
      "database: ProjectDatabase | null",
      "page: CursorPage<Database>",
      "tokens: CursorPages<ServiceToken>",
      "http: HttpClient",
      "databases: DatabasesResource",
      "ready: Promise<Database>",
      "make: (body: CreateApp, options?: RequestOptions | undefined) => ApiPromise<App>",
      "list: (query?: ServicesListQuery | undefined, options?: ListOptions | undefined) => CursorPages<App>",
      "safe: SafeResources",
      "services: SafeServicesResource",
      'safeGet: (id: string, options?: RequestOptions | undefined) => SafePromise<Project, MethodError<"projects.get">>',
      'error: MethodError<"projects.get"> | undefined',
    ]);
  });
});

/**
 * Parsed declarations, shared by all programs here, because those of the standard library and of Node.js are
 * large.
 */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Checks a program against the built declarations, and expects no error. */
const check = async (source = program): Promise<ts.Program> => {
  const file = join(await makeFolder(), "program.ts");
  await writeFile(file, source);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: ["node"],
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
    return parsed.get(name);
  };
  const checked = ts.createProgram([file], options, host);
  const diagnostics = ts.getPreEmitDiagnostics(checked).map(({ messageText }) => messageText);
  expect(diagnostics).toEqual([]);
  return checked;
};
