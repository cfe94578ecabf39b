import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "../../src/contract/generated/groups.js";
import { secretNames } from "../../src/contract/generated/secret-names.js";
import { isObject } from "../../src/json/json-path.js";
import type { GeneratedCommand } from "../../src/contract/generated-command.js";
import { outputFormats } from "../../src/output/output-format.js";
import { buildExampleId } from "../../src/command-line/example-id.js";
import { startCannedServer } from "../canned-server.js";
import { temporaryFolder } from "../folders.js";
import { runInProcess } from "../in-process.js";
import { newFixture, operationLines } from "../operation-lines.js";
import { type Mgmt, type Result, words } from "../result.js";
import { type Session, startSession } from "../terminal.js";

const secret = "leaked-by-newer-service";

/** Returns a resource with secrets in places where the contract has none. */
const withSecrets = (resource: object): object => ({
  ...resource,
  uploadUrl: `https://example.com/${secret}`,
  envVars: { KEY: secret },
  newer: [
    Object.fromEntries([...secretNames].map((name) => [name, secret])),
    JSON.parse(`{ "__proto__": { "connectionString": "${secret}" } }`),
  ],
});

const answerWithSecrets = (body: unknown): unknown => {
  if (!isObject(body)) return body;
  const { data = body } = body;
  if (data === body) return withSecrets(body);
  const changed = Array.isArray(data) ? data.map(withSecrets) : isObject(data) ? withSecrets(data) : data;
  return { ...body, data: changed };
};

/** Starts a newer service: one that returns more secrets than the one behind it. */
const startNewerService = async (baseUrl: string): Promise<{ baseUrl: string; close: () => void }> => {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const { authorization = "", "content-type": type = "application/json" } = incoming.headers;
    const answer = await fetch(new URL(incoming.url ?? "/", baseUrl), {
      method: incoming.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    const contentType = answer.headers.get("content-type") ?? "application/json";
    response.writeHead(answer.status, { "content-type": contentType });
    response.end(answer.ok && text !== "" ? JSON.stringify(answerWithSecrets(JSON.parse(text))) : text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${String(port)}`, close: () => server.close() };
};

const allRows = async (): Promise<GeneratedCommand[]> =>
  (await Promise.all(groups.map(({ load }) => load()))).flat();

const expectMasked = ({ stdout, stderr }: Result): void =>
  expect(`${stderr}${stdout}`.replaceAll(/^::add-mask::.*$/gm, "")).not.toContain(secret);

const systems: [string, NodeJS.ProcessEnv][] = [
  ["CI", { CI: "true", GITHUB_ACTIONS: "true" }],
  ["a terminal of a person", {}],
];

describe.each(systems)("in %s, secrets that only a newer service returns are masked in", (name, ci) => {
  let session: Session;
  let newer: Awaited<ReturnType<typeof startNewerService>>;
  let definitions: ReadonlyMap<string, GeneratedCommand>;
  beforeAll(async () => {
    session = await startSession();
    newer = await startNewerService(session.server.baseUrl);
    definitions = new Map((await allRows()).map((definition) => [definition.id, definition]));
  });
  afterAll(async () => {
    newer.close();
    await session.close();
  });

  for (const [id, line] of Object.entries(operationLines)) {
    it(`the result of ${id}`, async () => {
      // Outside CI, a command prints the secrets that it creates.
      if (name !== "CI" && definitions.get(id)?.secrets?.issued) return;
      const fixture = await newFixture(session);
      const as =
        (token: string, { env, ...setup }: Parameters<Session["as"]>[1] = {}): Mgmt =>
        (strings, ...values) =>
          runInProcess([...words(strings, values), "--output", "json"], {
            ...setup,
            env: { MGMT_BASE_URL: newer.baseUrl, MGMT_TOKEN: token, ...ci, ...env },
          });
      const result = await line({ ...fixture, mgmt: as(session.env["MGMT_TOKEN"] ?? ""), as });
      expectMasked(result);
      if (result.status === 0 && definitions.get(id)?.envelope !== "none") {
        expect(result.stdout).toContain('"uploadUrl": "********"');
        expect(result.stdout).toContain('"KEY": "********"');
      }
    });
  }
});

describe("secrets that only a newer service returns are masked", () => {
  const folder = temporaryFolder();
  const [id, other] = [buildExampleId("cps_"), buildExampleId("cmp_")];
  let server: Awaited<ReturnType<typeof startCannedServer>>;
  beforeAll(async () => {
    server = await startCannedServer(({ method, url = "" }) => {
      // Nothing is known about what a new resource belongs to.
      if (method === "GET" && !url.includes("/deployments")) return { status: 404, body: { error: {} } };
      const data = withSecrets({ id, name: "web" });
      return method === "GET"
        ? { body: { data: [data], pagination: { nextCursor: null, hasMore: false } } }
        : { body: { data } };
    });
  });
  afterAll(() => server.close());

  it.each(systems)("in the results of --ndjson in %s", async (name, ci) => {
    const creates = (await allRows()).filter(({ id: operation }) => operation.endsWith(".create"));
    expect(creates.length).toBeGreaterThan(10);
    for (const definition of creates) {
      const { secrets } = definition;
      if (name !== "CI" && secrets?.issued) continue;
      const isLost = secrets?.issued === true && !secrets.paths.some((path) => path.endsWith("pass"));
      const file = ["--secret-file", join(folder, `${name}-${definition.id}.json`)];
      const line = [
        ...definition.commandPath,
        ...definition.arguments.map(({ prefix }) => buildExampleId(prefix)),
        ...["--ndjson", "-", "--output", "ndjson", ...(isLost ? file : [])],
      ];
      const [body] = definition.body?.examples ?? [];
      const env = { ...server.env, ...ci };
      const result = await runInProcess(line, { env, stdin: `${JSON.stringify(body ?? {})}\n` });
      expect({ line, stderr: result.stderr, status: result.status }).toMatchObject({ status: 0 });
      expectMasked(result);
      expect(result.stdout).toContain('"envVars":{"KEY":"********"}');
    }
  });

  it.each(
    outputFormats.flatMap((format) => [["deployments start", format] as const, ["list", format] as const]),
  )("in the result of %s as %s", async (command, format) => {
    const line =
      command === "list" ? ["services", "deployments", "list", other] : ["deployments", "start", other];
    const result = await runInProcess([...line, "--output", format], { env: server.env });
    expect(result.status).toBe(command === "list" && format === "env" ? 2 : 0);
    expectMasked(result);
  });

  it("with --query, --all and in mgmt api, which prints them with --show-secrets", async () => {
    for (const line of [
      ["deployments", "start", id, "--output", "json", "--query", "envVars.KEY"],
      ["services", "deployments", "list", id, "--all", "--output", "json"],
      ["api", "POST", `/v1/deployments/${id}/start`],
      ["api", `/v1/services/${id}/deployments`, "--paginate"],
    ]) {
      const result = await runInProcess(line, { env: server.env });
      const { status, stdout, stderr } = result;
      expect({ line, stderr, status, stdout }).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("********") as unknown,
      });
      expectMasked(result);
    }
    const shown = await runInProcess(["api", "POST", `/v1/deployments/${id}/start`, "--show-secrets"], {
      env: server.env,
    });
    expect(shown.stdout).toContain(secret);
  });

  it("but not other values of fields with these names", async () => {
    const measured = await startCannedServer(() => ({ body: { data: { id, value: 3, envVars: null } } }));
    const { json } = await runInProcess(["deployments", "start", id, "--output", "json"], {
      env: measured.env,
    });
    expect(json).toEqual({ id, value: 3, envVars: null });
    measured.close();
  });
});
