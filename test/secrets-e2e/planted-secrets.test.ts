import { inspect } from "node:util";
import { createClient } from "@mgmt/sdk";
import { setupMock } from "@mgmt/mock";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CannedResponse, startCannedServer } from "../../packages/cli/test/canned-server.js";
import { runInProcess } from "../../packages/cli/test/in-process.js";
import { contains, textForms, valueForms } from "../../packages/sdk/test/secret-forms.js";

const secret = "Canary+7f/q9-plum";

const forms: readonly (readonly [string, unknown])[] = [
  ...Object.entries(textForms).map(([name, form]) => [name, form(secret)] as const),
  ...Object.entries(valueForms).map(([name, form]) => [`${name}, by its name`, form(secret)] as const),
];

const expectClean = (where: string, text: string): void => {
  expect({ where, text, isFound: contains(text, secret) }).toEqual({ where, text, isFound: false });
};

let server: RunningServer;
let echo: Awaited<ReturnType<typeof startCannedServer>>;
let response: CannedResponse;
beforeAll(async () => {
  server = await createServer();
  echo = await startCannedServer(() => response);
});
afterAll(async () => {
  echo.close();
  await server.close(0);
});

describe("a secret in the form", () => {
  it.each(forms)("%s does not reach debug output or errors of the CLI", async (_, planted) => {
    const text = typeof planted === "string" ? planted : JSON.stringify(planted);
    const error = {
      code: "a:b",
      message: text,
      hint: text,
      issues: [{ path: "a", message: text }],
      note: planted,
    };
    const words = ["api", "POST", "/v1/projects", "--input", "-", "--debug"];
    for (const [status, format] of [
      [422, "json"],
      [403, "table"],
    ] as const) {
      response = { status, body: { error } };
      const stdin = JSON.stringify({ note: planted, list: [planted] });
      const { stderr } = await runInProcess([...words, "-o", format], { env: echo.env, stdin });
      expect(stderr).toContain("[redacted]");
      expectClean(`${String(status)} ${format}`, stderr);
    }
  });

  it.each(forms)("%s does not reach the requests or the curl lines of --dry-run", async (_, planted) => {
    const stdin = JSON.stringify({ name: "shop", settings: { note: planted, list: [planted] } });
    for (const path of ["/v1/projects", "/v2/others"]) {
      for (const format of ["json", "curl"]) {
        const words = ["api", "POST", path, "--input", "-", `--dry-run=${format}`];
        const { status, stdout, stderr } = await runInProcess(words, { env: echo.env, stdin });
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        expect(stdout).toContain(format === "json" ? "[redacted]" : '"$SETTINGS_');
        expectClean(`${path} ${format}`, stdout);
      }
    }
  });

  it.each(forms)("%s does not reach the request log", async (_, planted) => {
    const { id } = await server.engine.seed.project();
    const client = createClient({ baseUrl: server.baseUrl, token: await server.engine.tokens.user() });
    await client.projects.update(id, { settings: { note: { planted, more: [planted] } } });
    const [entry] = server.engine.requests.slice(-1);
    expect(entry).toMatchObject({ operationId: "projects.update", body: { settings: { note: {} } } });
    expectClean("request log", `${JSON.stringify(entry)}\n${inspect(entry, { depth: 20 })}`);
  });

  it.each(forms)("%s does not reach a recording or the report of its replay", async (_, planted) => {
    const mock = setupMock();
    const recording = await mock.record({ upstream: server.baseUrl });
    const { id } = await server.engine.seed.project();
    const token = await server.engine.tokens.user();
    const client = createClient({ baseUrl: mock.baseUrl, fetch: mock.fetch, token });
    await client.projects.update(id, { settings: { note: { planted, more: [planted] } } });
    const text = typeof planted === "string" ? planted : JSON.stringify(planted);
    await client.projects.list({ cursor: text }).catch(() => undefined);
    const recorded = recording.recording();
    expect(recorded.exchanges.map(({ operationId }) => operationId)).toContain("projects.update");
    expectClean("recording", JSON.stringify(recorded));
    expectClean("report", JSON.stringify(await setupMock().replay(recorded)));
  });
});
