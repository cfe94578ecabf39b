import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { storyOptions, storySnapshot, storyTokens } from "../contract/story.js";
import { tools } from "./tools.js";

const contract = join(inject("installed"), "node_modules/@mgmt/sdk/openapi.json");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgmt-document-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program of a tool's package in a folder without settings. Returns its exit code and what it prints. */
const runTool = async (command: string, ...args: string[]): Promise<{ code: unknown; output: string }> =>
  promisify(execFile)(join(tools, ".bin", command), args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: unknown; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );

interface Operation {
  operationId: string;
  summary: string;
  responses: Record<string, unknown>;
}

/** Returns the operations by their summaries, which are the names of requests in Postman. */
const operationsByName = async (): Promise<Map<string, Operation>> => {
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
    await readFile(contract, "utf8"),
  );
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return new Map(operations.map((operation) => [operation.summary, operation]));
};

interface Exchange {
  operation: string;
  status: number;
  isDocumented: boolean;
}

/**
 * Converts the document to a collection of Postman, adds only a token and the address, and sends all requests of the collection to
 * a server that has the resources of the examples. Each request finds the same resources.
 *
 * @param options of the conversion.
 */
const sendCollection = async (name: string, ...options: string[]): Promise<Exchange[]> => {
  const collection = join(folder, `${name}.json`);
  const report = join(folder, `${name}-report.json`);
  const { settings: _, ...engineOptions } = storyOptions;
  const server = await createServer({ engineOptions: { ...engineOptions, initial: await storySnapshot() } });
  try {
    server.engine.followRequests(() => void server.engine.reset());
    const { user } = await storyTokens(server.engine);
    await runTool("openapi2postmanv2", "--spec", contract, "--output", collection, ...options);
    const text = await readFile(collection, "utf8");
    const token = [
      { key: "accessToken", value: user },
      { key: "addTokenTo", value: "header" },
    ].map((entry) => JSON.stringify(entry));
    await writeFile(
      collection,
      text.replaceAll(/"oauth2":\s*\[/g, (start) => `${start}${token.join()},`),
    );
    await runTool(
      "newman",
      ...["run", collection, "--env-var", `base_url=${server.baseUrl}`],
      ...["--reporters", "json", "--reporter-json-export", report],
    );
    const { run }: { run: { executions: { item: { name: string }; response?: { code: number } }[] } } =
      JSON.parse(await readFile(report, "utf8"));
    const operations = await operationsByName();
    return run.executions.map(({ item, response }) => {
      const operation = operations.get(item.name);
      const status = response?.code ?? 0;
      const isDocumented = operation?.responses[status] !== undefined;
      return { operation: operation?.operationId ?? item.name, status, isDocumented };
    });
  } finally {
    await server.close();
  }
};

describe.concurrent("Postman", { timeout: 600_000 }, () => {
  it("gets a documented response to each request of a collection at the default settings", async ({
    expect,
  }) => {
    const exchanges = await sendCollection("invented");
    expect(exchanges.filter(({ isDocumented }) => !isDocumented)).toEqual([]);
    expect(exchanges.length).toBe((await operationsByName()).size);
  });

  it("succeeds with the examples, except where the resources of the examples forbid it", async ({
    expect,
  }) => {
    const exchanges = await sendCollection("examples", "--options", "parametersResolution=Example");
    expect(exchanges.filter(({ isDocumented }) => !isDocumented)).toEqual([]);
    const refused = exchanges.filter(({ status }) => status >= 300);
    expect(Object.fromEntries(refused.map(({ operation, status }) => [operation, status]))).toEqual({
      // What they create exists already.
      "projects.branches.create": 409,
      "apps.create": 409,
      "services.create": 409,
      // What they end is in use.
      "projects.delete": 400,
      "databases.delete": 403,
      "deployments.start": 409,
      "deployments.delete": 409,
      // Examples cannot contain another user's token, and an approval belongs to an agent.
      "projects.transfer": 422,
      "agentApprovals.get": 404,
      // Postman invents a value for the filter that excludes the one with an example.
      "projects.branches.list": 422,
      "databases.list": 422,
      "apps.list": 422,
      "services.list": 422,
    });
    expect(exchanges.length).toBe((await operationsByName()).size);
  });
});

describe.concurrent("linters", { timeout: 600_000 }, () => {
  it("Spectral finds nothing by its recommended rules", async ({ expect }) => {
    const ruleset = join(folder, "ruleset.yaml");
    await writeFile(ruleset, "extends: [spectral:oas]\n");
    const { code, output } = await runTool(
      ...(["spectral", "lint", contract, "--ruleset", ruleset, "--fail-severity", "hint"] as const),
    );
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("No results") });
  });

  it("Redocly finds nothing by its recommended rules", async ({ expect }) => {
    const { code, output } = await runTool("redocly", "lint", contract, "--format", "json");
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('"warnings": 0') });
  });
});
