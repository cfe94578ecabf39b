import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

interface Result {
  title: string;
  status: string;
  failureMessages: string[];
}

describe("a failed test", () => {
  let results: Map<string, Result>;
  beforeAll(() => {
    const { stdout } = spawnSync(
      process.execPath,
      [
        fileURLToPath(new URL("../../../../node_modules/vitest/vitest.mjs", import.meta.url)),
        "run",
        "--reporter=json",
        `--config=${fileURLToPath(new URL("cases/vitest.config.ts", import.meta.url))}`,
      ],
      { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } },
    );
    const report: { testResults: { assertionResults: Result[] }[] } = JSON.parse(
      stdout.slice(stdout.indexOf('{"numTotalTestSuites"')),
    );
    const all = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    results = new Map(all.map((result) => [result.title, result]));
  });

  const messagesOf = (title: string): string => {
    const result = results.get(title);
    expect(result?.status).toBe("failed");
    return result?.failureMessages.join("\n") ?? "";
  };

  it("shows its own requests, with bodies but without secrets", () => {
    const messages = messagesOf("fails after two requests");
    expect(messages).toContain("expected 1 to be 2");
    expect(messages).toContain('Requests of the test "fails after two requests":');
    expect(messages).toMatch(/POST \/v1\/projects → 201 .*"name":"shop"/);
    expect(messages).toMatch(/GET \/v1\/projects\/proj_\w+ → 200/);
    expect(messages).not.toContain("/v1/me");
    expect(messages).not.toContain("Bearer");
  });

  it("says so if it has sent none", () => {
    expect(messagesOf("fails without a request")).toContain(
      'The test "fails without a request" sent no requests to the mock.',
    );
  });

  it("is the one that sent a request without an operation", () => {
    const messages = messagesOf("misspells a path");
    expect(messages).toContain(
      'The test "misspells a path" sent requests that the mock has no operation for',
    );
    expect(messages).toContain("GET /v1/projcts → 404 route:not_found");
    expect(messagesOf("asks for the root")).toContain("GET / → 404");
  });

  it("is the one that sent a request to another host, even if the program hides the error", () => {
    const messages = messagesOf("hides a request to another host");
    expect(messages).toContain("POST https://api.example.com/v1/projects → another host");
    expect(messages).toContain("GET /v1/me → 401 auth:unauthorized");
  });

  it("does not make tests fail that run at the same time", () => {
    expect(results.get("sends correct requests")?.status).toBe("passed");
  });
});
