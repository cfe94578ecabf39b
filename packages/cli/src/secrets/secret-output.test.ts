import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import document from "@mgmt/sdk/openapi.json";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { needsConfirmation } from "../run/examples.js";
import { getOverride } from "../contract/command-override.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { outputFormats } from "../output/output-format.js";
import { buildExampleId } from "../command-line/example-id.js";
import { type CannedResponse, startCannedServer } from "../../test/canned-server.js";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { startSession } from "../../test/terminal.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
const canary = "CANARY-SECRET";
const folder = temporaryFolder();

let response: CannedResponse;
/** The response to the request for credentials of the resource in `response`. */
let credentials: CannedResponse | undefined;
let creates = false;
let server: Awaited<ReturnType<typeof startCannedServer>>;
beforeAll(async () => {
  server = await startCannedServer(({ method, url }) => {
    // Nothing is known about what a new resource belongs to.
    if (method === "GET" && creates) return { status: 404, body: { error: { code: "project:not_found" } } };
    return (url === "/v1/connections" && credentials) || response;
  });
});
afterAll(() => server.close());

/** Returns a value with the canary at every path. */
const valueWith = (paths: readonly (readonly string[])[]): unknown => {
  if (paths.some(({ length }) => length === 0)) return canary;
  const names = [...new Set(paths.map(([name = ""]) => name))];
  const inside = (name: string): unknown =>
    valueWith(paths.flatMap(([first, ...rest]) => (first === name ? [rest] : [])));
  if (!names.includes("*")) return Object.fromEntries(names.map((name) => [name, inside(name)]));
  const item = inside("*");
  return item === canary ? { KEY: item } : [item];
};

const run = (definition: GeneratedCommand, more: readonly string[]): Promise<Result> => {
  const paths = (definition.secrets?.paths ?? []).map((path) => path.split("."));
  // Paths of a resource start with names.
  const { connection, ...fields } = valueWith(paths) as Record<string, unknown>;
  const resource = { id: "res_1", ...fields };
  creates = definition.method !== "GET";
  credentials = definition.credentials && { body: { data: connection } };
  const list = { data: [resource], pagination: { nextCursor: null, hasMore: false } };
  response = {
    body:
      definition.envelope === "list" ? list : definition.envelope === "data" ? { data: resource } : resource,
  };
  const needed = definition.query.filter(({ required }) => required === "always");
  const [body] = definition.body?.examples ?? [];
  return runInProcess(
    [
      ...definition.commandPath,
      ...definition.arguments.map(({ prefix }) => buildExampleId(prefix)),
      ...needed.flatMap(({ flag, prefix }) => [
        `--${flag}`,
        prefix === undefined ? "shop" : buildExampleId(prefix),
      ]),
      ...(needsConfirmation(definition, getOverride(definition.id)) ? ["--yes"] : []),
      ...(body === undefined ? [] : ["--body", JSON.stringify(body)]),
      ...more,
    ],
    { env: server.env },
  );
};

const withSecrets = definitions.filter(({ secrets }) => secrets);
const title = (definition: GeneratedCommand): [string, GeneratedCommand] => [
  definition.commandPath.join(" "),
  definition,
];

describe.each(withSecrets.filter(({ secrets }) => !secrets?.issued).map(title))(
  "a secret that mgmt %s did not create",
  (_, definition) => {
    it.each(outputFormats)("is masked with --output %s", async (format) => {
      const { status, stdout, stderr } = await run(definition, ["--output", format]);
      expect(status).toBe(format === "env" && definition.envelope === "list" ? 2 : 0);
      expect(stdout + stderr).not.toContain(canary);
    });

    it.each(["--show-secrets", "--reveal"])("is shown with %s", async (flag) => {
      expect((await run(definition, [flag, "-o", "json"])).stdout).toContain(canary);
    });
  },
);

describe.each(withSecrets.filter(({ secrets }) => secrets?.issued).map(title))(
  "a secret that mgmt %s created",
  (line, definition) => {
    it.each(["json", "yaml", "ndjson", "env"])("is shown with --output %s", async (format) => {
      expect((await run(definition, ["--output", format])).stdout).toContain(canary);
    });

    it("is only in the file with --secret-file", async () => {
      const file = join(folder, line.replaceAll(" ", "-"));
      const { status, stdout, stderr } = await run(definition, ["-o", "json", "--secret-file", file]);
      expect(status).toBe(0);
      expect(stdout + stderr).not.toContain(canary);
      expect(readFileSync(file, "utf8")).toContain(canary);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    });
  },
);

describe("--secret-file", () => {
  const definition = definitions.find(({ id }) => id === "connections.list");
  const connections = async (file: string, ...more: string[]): Promise<Result> => {
    if (!definition) throw new Error("connections.list is not in the table");
    return run(definition, ["--secret-file", file, ...more]);
  };

  it("contains each item of a list in full, as a line of JSON", async () => {
    const file = join(folder, "list.ndjson");
    const { stdout, stderr } = await connections(file, "--all");
    expect(stdout).not.toContain(canary);
    expect(stderr).toBe(`Wrote the secrets to ${file}.\n`);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ directConnection: { pass: canary } });
  });

  it("refuses a file or a symbolic link that exists, before it sends a request", async () => {
    const file = join(folder, "existing");
    writeFileSync(file, "before");
    const link = join(folder, "link");
    symlinkSync(join(folder, "target"), link);
    for (const path of [file, link]) {
      const { status, stdout, stderr } = await connections(path);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain("secret_file:exists");
    }
    expect(readFileSync(file, "utf8")).toBe("before");
    expect(existsSync(join(folder, "target"))).toBe(false);
  });

  it("refuses a folder that does not exist with exit code 1", async () => {
    const { status, stderr } = await connections(join(folder, "none", "file"));
    expect(status).toBe(1);
    expect(stderr).toContain("secret_file:unwritable");
  });

  it("leaves no file behind if the request fails", async () => {
    const file = join(folder, "failed");
    const { status } = await runInProcess(["connections", "list", "--secret-file", file], {
      env: { ...server.env, MGMT_BASE_URL: "http://127.0.0.1:1" },
    });
    expect(status).toBe(9);
    expect(existsSync(file)).toBe(false);
  });
});

describe("ensure", () => {
  it("masks the secrets of a resource that exists, unless --show-secrets is passed", async () => {
    const { mgmt, server, close } = await startSession();
    const { id } = await server.engine.seed.project();
    const created = await mgmt`databases ensure --project-id ${id} --logical-id reports -o json`;
    const [, password = ""] = /"pass": "([^"]+)"/.exec(created.stdout) ?? [];
    expect(password).toMatch(/\w{8,}/);
    const found = await mgmt`databases ensure --project-id ${id} --logical-id reports -o json`;
    expect(found.stdout).toContain('"pass": "********"');
    expect(found.stdout).not.toContain(password);
    const revealed =
      await mgmt`databases ensure --project-id ${id} --logical-id reports -o json --show-secrets`;
    expect(revealed.stdout).toContain(password);
    await close();
  });
});

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  "x-secret"?: boolean;
}

it("marks every field of the contract that contains a secret with x-secret", () => {
  const unmarked: string[] = [];
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) visit(value, `${path}/${key}`);
    // Schemas of the contract have this form.
    const { properties = {} } = node as Schema;
    for (const [name, field] of Object.entries(properties)) {
      const inner = typeof field.additionalProperties === "object" ? field.additionalProperties : undefined;
      const isNamedLikeSecret =
        /pass(word)?$|connectionString$|token$|secret$|apiKey$|uploadUrl$|^envVars$/i.test(name);
      if (isNamedLikeSecret && !field["x-secret"] && !inner?.["x-secret"]) unmarked.push(`${path}/${name}`);
    }
  };
  visit(document.components.schemas, "");
  expect(unmarked).toEqual([]);
});
