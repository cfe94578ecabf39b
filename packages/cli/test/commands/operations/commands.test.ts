import { describe, expect, it } from "vitest";
import { newFixture, operationLines } from "../../operation-lines.js";
import { useSession } from "../../terminal.js";

const session = useSession();

describe("every operation", () => {
  for (const [id, line] of Object.entries(operationLines)) {
    it(`is called once by its command, which exits with 0: ${id}`, async () => {
      const fixture = await newFixture(session);
      const before = session.server.engine.requests.length;
      const { status, stderr } = await line(fixture);
      const messages = stderr.replace(/^warning: .* is deprecated; .*\n/, "");
      expect({ status, messages }).toEqual({
        status: 0,
        messages: expect.stringMatching(/^((Deleted|Done).*\n)?$/),
      });
      const called = session.server.engine.requests.slice(before).map(({ operationId }) => operationId);
      expect(called.filter((each) => each === id)).toHaveLength(1);
    });
  }
});

describe("mgmt operations", () => {
  it("lists every operation with its id, method, path, origin and command", async () => {
    const { mgmt } = session;
    const { json, status } = await mgmt`operations --output json`;
    expect(status).toBe(0);
    // Its shape is asserted below.
    const operations = json as Record<string, string>[];
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      Object.keys(operationLines).sort(),
    );
    expect(operations.filter(({ origin }) => origin === "documented")).toHaveLength(26);
    expect(operations).toContainEqual({
      operationId: "workspaces.serviceTokens.list",
      method: "GET",
      path: "/v1/workspaces/{workspaceId}/service-tokens",
      origin: "documented",
      command: "mgmt workspaces service-tokens list",
    });
  });

  it("prints the name of each operation with --output name", async () => {
    const { stdout, status } = await session.mgmt`operations --output name`;
    expect(status).toBe(0);
    expect(stdout.trimEnd().split("\n").sort()).toEqual(Object.keys(operationLines).sort());
  });
});
