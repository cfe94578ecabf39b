import { describe, expect, it } from "vitest";
import { setupServers, textOf } from "../../test/interception/servers.js";

const { theirs, start } = setupServers();

describe("a mock that listens beside another MSW server", () => {
  it("is refused, names the server by its handlers, and leaves it alone", async () => {
    const server = theirs();
    server.listen({ onUnhandledRequest: "error" });
    expect(() => start().listen()).toThrow(
      expect.objectContaining({
        code: "mock:second_server",
        message: expect.stringMatching(
          /setupServer\(GET https:\/\/one\.example\.com\/, .*three\.example\.com\/, …\)\.listen\(\)\. Let both use one server, with createTest\(\{ server \}\) or mock\.listen\(\{ server \}\)/,
        ),
      }),
    );
    expect(await textOf("two")).toBe("two");
  });

  it("is refused in another server as well", () => {
    theirs().listen({ onUnhandledRequest: "error" });
    const other = theirs();
    expect(() => start().listen({ server: other })).toThrow(
      expect.objectContaining({ code: "mock:second_server" }),
    );
  });

  it("can listen as soon as the other server is closed", async () => {
    const server = theirs();
    server.listen();
    const mock = start();
    expect(() => mock.listen()).toThrow("Another MSW server");
    server.close();
    mock.listen({ onUnhandledRequest: "error" });
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
  });
});
