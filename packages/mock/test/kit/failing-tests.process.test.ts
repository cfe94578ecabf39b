import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

interface Result {
  title: string;
  status: string;
  failureMessages: string[];
}

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

describe("a failed test", () => {
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

  it("is the one that sent a request to this machine that its passThrough refuses", () => {
    const messages = messagesOf("sends to this machine what it does not pass through");
    expect(messages).toMatch(/GET http:\/\/127\.0\.0\.1:\d+\/path → another host/);
    expect(messages).not.toContain("AssertionError");
  });

  it.each(["shares a mock beside another server", "has a mock beside another server"])(
    "is one whose mock cannot listen, because another server does: %s",
    (title) => {
      expect(messagesOf(title)).toContain(
        "setupServer(GET https://payments.example.com/).listen(). Let both",
      );
    },
  );

  it("is the one that starts another server", () => {
    expect(messagesOf("starts another server")).toContain("in place of the mock");
    expect(messagesOf("closes a server of an earlier version of MSW")).toContain(
      "ended the interception of both",
    );
    expect(results.get("runs after servers that were refused")?.status).toBe("passed");
  });

  it("says that its own server was not started", () => {
    expect(messagesOf("forgets to start its server")).toContain("call server.listen() before it");
    expect(messagesOf("sends what neither the mock nor the server handles")).toContain(
      "GET https://other.example.com/path → another host",
    );
  });

  it("says that the clock is frozen if it polled to the end", () => {
    expect(messagesOf("gives up a poll of its own mock")).toMatch(
      /The clock is frozen: at the end, the test sent GET \/v1\/databases\/db_\w+ 4 times .*\. Call mock\.clock\.advance\(ms\)/,
    );
    expect(messagesOf("gives up a poll of the shared mock")).toContain(
      " 3 times at the same time of the mock",
    );
    for (const title of [
      "reads a database twice",
      "reads something else at the end",
      "polls while the clock runs",
    ]) {
      expect(messagesOf(title)).not.toContain("The clock is frozen");
    }
  });

  it("has added a fault that struck nothing, if it is to fail then", () => {
    for (const title of ["its mock", "the shared mock"]) {
      expect(messagesOf(`adds a fault to ${title} that strikes nothing`)).toContain(
        'No request was struck by:\n  {"operation":"projects.list","status":503,"id":"fault-1"}',
      );
    }
    const early = messagesOf("fails before its fault strikes");
    expect(early).toContain("expected 1 to be 2");
    expect(early).not.toContain("No request was struck");
    expect(results.get("adds a fault that strikes")?.status).toBe("passed");
    expect(results.get("does not ask whether its fault strikes")?.status).toBe("passed");
  });

  it("does not make tests fail that run at the same time", () => {
    expect(results.get("sends correct requests")?.status).toBe("passed");
  });
});

describe("a test that is tried again", () => {
  it.each([
    "passes its second try after an assertion has failed",
    "passes its second try after a path was misspelled",
    "passes its second try after a fault struck nothing",
    "passes its second try beside another test",
    "has a mock of its own in each repetition",
    "passes because it fails",
    "were tried twice",
  ])("has new fixtures: %s", (title) => {
    expect(results.get(title)).toMatchObject({ status: "passed" });
  });

  it("fails if its last try fails", () => {
    const result = results.get("fails all of its tries");
    expect(result?.status).toBe("failed");
    const reports = result?.failureMessages.filter((each) => each.includes("GET /v1/projcts → 404"));
    expect(reports).toHaveLength(2);
  });
});

describe("a client of the mock", () => {
  it("waits although process.nextTick is replaced", () => {
    expect(results.get("waits although process.nextTick is replaced")?.status).toBe("passed");
  });
});
