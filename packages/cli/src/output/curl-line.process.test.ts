import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderCurlCommand } from "./curl-line.js";
import { definitions } from "../../test/operation-examples.js";
import { newFixture, operationLines } from "../../test/operation-lines.js";
import { recordRequests, withFlag } from "../../test/output/flagged-lines.js";
import type { Result } from "../../test/result.js";
import { type Session, startSession } from "../../test/terminal.js";

const asBash = promisify(execFile);

describe("--dry-run", () => {
  let session: Session;
  beforeAll(async () => {
    session = await startSession();
  });
  afterAll(() => session.close());

  for (const [id, line] of Object.entries(operationLines)) {
    const definition = definitions.find((each) => each.id === id);
    if (definition?.method === "GET") continue;

    it(`prints a curl command that does the same: ${id}`, async () => {
      // Two servers with the same text have the same ids.
      const [one, two] = await Promise.all([startSession(), startSession()]);
      await one.server.engine.tokens.otherUser();
      const recipient = await two.server.engine.tokens.otherUser();
      const [, expected] = await recordRequests(async () => line(await newFixture(one)), one);
      const { status, stdout } = await line(withFlag(await newFixture(two), "--dry-run=curl"));
      expect(status).toBe(0);
      expect(stdout).not.toContain(two.env["MGMT_TOKEN"]);
      expect(stdout).not.toContain(recipient);
      const env = { ...process.env, ...two.env, RECIPIENT_ACCESS_TOKEN: recipient };
      const [, actual] = await recordRequests(async () => {
        await asBash("bash", ["-c", stdout], { env });
        return { status, stdout } as Result;
      }, two);
      const compared = (requests: Record<string, unknown>[]): unknown[] =>
        requests
          .filter(({ method }) => method !== "GET")
          .map(({ operationId, path, query, body, status: code }) => ({
            operationId,
            path,
            query,
            body,
            code,
          }));
      expect(compared(actual)).toEqual(compared(expected));
      await Promise.all([one.close(), two.close()]);
    });
  }

  for (const [id, line] of Object.entries(operationLines)) {
    const definition = definitions.find((each) => each.id === id);
    if (definition?.method !== "GET" || id === "agentApprovals.get") continue;

    it(`prints a curl command that reads the same: ${id}`, async () => {
      const fixture = withFlag(await newFixture(session), "--dry-run=curl");
      const { status, stdout: script } = await line(fixture);
      expect(status).toBe(0);
      const env = { ...process.env, ...session.env };
      const before = session.server.engine.requests.length;
      const { stdout } = await asBash("bash", ["-c", script], { env });
      expect(session.server.engine.requests.slice(before)).toMatchObject([{ operationId: id, status: 200 }]);
      expect(JSON.parse(stdout)).toBeTypeOf("object");
    });
  }
});

describe("a curl command", () => {
  const request = { method: "POST", url: "http://127.0.0.1/v1/it's" };

  it("quotes the body and the address for the shell", async () => {
    const body = { name: `it's "$HOME" \`id\` \\n %s`, list: ["é\n"] };
    const line = renderCurlCommand({ ...request, body }, []).replace(/^.*\| curl/, "printf '%s\\n'");
    const { stdout } = await asBash("bash", ["-c", line]);
    expect(stdout.split("\n")).toEqual(expect.arrayContaining([JSON.stringify(body), request.url]));
  });

  it("reads secrets from environment variables, and keeps them off the command line of curl", async () => {
    const body = { a: `q"%s\\`, clientSecret: "hidden", nested: { apiKey: "hidden", b: 1 } };
    const line = renderCurlCommand({ ...request, body }, [["clientSecret"], ["nested", "apiKey"]]);
    expect(line).not.toContain("hidden");
    const [, passed = ""] = line.split(" | ");
    expect(passed).not.toContain("SECRET");
    const env = { MGMT_TOKEN: "t", CLIENT_SECRET: "one", NESTED_API_KEY: "two" };
    const { stdout } = await asBash("bash", ["-c", line.replace(/ \| curl.*$/, "")], { env });
    expect(stdout.split("\n")[0]).toBe('header = "Authorization: Bearer t"');
    const data = /^data = (".*")$/m.exec(stdout)?.[1] ?? "";
    expect(JSON.parse(JSON.parse(data) as string)).toEqual({
      ...body,
      clientSecret: "one",
      nested: { apiKey: "two", b: 1 },
    });
  });

  it("names variables so that the shell runs nothing that a body contains", async () => {
    const names = [
      "token $(touch PWNED)",
      'token"; touch PWNED; "',
      "1token`touch PWNED`",
      "token\ntouch PWNED",
    ];
    for (const name of names) {
      const line = renderCurlCommand({ ...request, body: { [name]: "hidden" } }, [[name]]);
      const { stdout } = await asBash(
        "bash",
        ["-c", `touch() { echo RAN; }; TOUCH() { echo RAN; }; ${line.replace(/ \| curl.*$/s, "")}`],
        {
          env: {},
        },
      );
      expect(stdout).toMatch(/^data = /m);
      expect(stdout).not.toContain("RAN");
    }
  });

  it("passes a secret of a header on standard input", async () => {
    const line = renderCurlCommand(
      { ...request, headers: { "x-api-key": "hidden", "x-note": "shown" } },
      [],
      ["x-api-key"],
    );
    expect(line).not.toContain("hidden");
    const { stdout } = await asBash("bash", ["-c", line.replace(/ \| curl.*$/, "")], {
      env: { X_API_KEY: "given" },
    });
    expect(stdout.split("\n")).toContain('header = "x-api-key: given"');
  });
});
