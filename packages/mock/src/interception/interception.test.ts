import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, it } from "vitest";
import { setupServers, textOf } from "../../test/interception/servers.js";

const { started, theirs, start, startHost } = setupServers();

describe("a mock that listens in the server of the developer", () => {
  it("leaves requests to other hosts to the server", async () => {
    const { url, requests } = await startHost();
    const server = theirs();
    const mock = start();
    mock.listen({ server });
    server.listen({ onUnhandledRequest: "error" });
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
    expect(await textOf("one")).toBe("one");
    await expect(fetch(url)).rejects.toThrow();
    await mock.close();
    await expect(fetch(`${mock.baseUrl}/v1/me`)).rejects.toThrow();
    await expect(fetch(url)).rejects.toThrow();
    expect(requests).not.toHaveBeenCalled();
    expect(await textOf("one")).toBe("one");
  });

  it.each(["before", "after"])("refuses a third server, %s which the server listens", async (order) => {
    const { url, requests } = await startHost();
    const server = setupServer(http.get("https://own.example.com/", () => HttpResponse.text("own")));
    started.push(server);
    const mock = start();
    if (order === "after") server.listen({ onUnhandledRequest: "error" });
    mock.listen({ server });
    if (order === "before") server.listen({ onUnhandledRequest: "error" });
    const third = theirs();
    expect(() => third.listen({ onUnhandledRequest: "bypass" })).toThrow(
      expect.objectContaining({
        code: "mock:second_server",
        message: expect.stringContaining("setupServer(GET https://one.example.com/"),
      }),
    );
    const goesOn = async () => {
      expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
      expect(await textOf("own")).toBe("own");
      await expect(fetch(url)).rejects.toThrow();
    };
    await goesOn();
    third.close();
    await goesOn();
    await mock.close();
    expect(requests).not.toHaveBeenCalled();
  });

  it("leaves the server to the developer, whatever is closed after it", async () => {
    const { url, requests } = await startHost();
    const server = theirs();
    server.listen({ onUnhandledRequest: "error" });
    const mock = start();
    mock.listen({ server });
    const third = theirs();
    expect(() => third.listen()).toThrow("in place of the mock");
    await mock.close();
    third.close();
    expect(await textOf("one")).toBe("one");
    await expect(fetch(url)).rejects.toThrow();
    mock.listen({ server });
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
    await mock.close();
    server.close();
    expect((await fetch(url)).status).toBe(200);
    expect(requests).toHaveBeenCalledTimes(1);
  });

  it("goes on when a server that had a mock before is refused and closed", async () => {
    const earlier = theirs();
    earlier.listen();
    const first = start({ baseUrl: "https://first.test" });
    first.listen({ server: earlier });
    await first.close();
    earlier.close();
    const mock = start();
    mock.listen({ onUnhandledRequest: "error" });
    expect(() => earlier.listen()).toThrow("in place of the mock");
    earlier.close();
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
    await mock.close();
    earlier.listen({ onUnhandledRequest: "error" });
    expect(await textOf("one")).toBe("one");
  });

  it("is not in the way of a server that listens while that of the developer is closed", async () => {
    const server = theirs();
    const mock = start();
    mock.listen({ server });
    server.listen({ onUnhandledRequest: "error" });
    server.close();
    const between = setupServer(http.get("https://own.example.com/", () => HttpResponse.text("own")));
    between.listen({ onUnhandledRequest: "error" });
    expect(await textOf("own")).toBe("own");
    between.close();
    server.listen({ onUnhandledRequest: "error" });
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
    expect(() => theirs().listen()).toThrow("in place of the mock");
    expect(await textOf("one")).toBe("one");
  });

  it("goes on while another mock in the same server is closed", async () => {
    const server = theirs();
    server.listen({ onUnhandledRequest: "error" });
    const [first, second] = ["https://first.test", "https://second.test"].map((baseUrl) =>
      start({ baseUrl }),
    );
    first?.listen({ server });
    second?.listen({ server });
    await first?.close();
    expect(() => theirs().listen()).toThrow("in place of the mock");
    expect((await fetch("https://second.test/v1/me")).status).toBe(401);
    await second?.close();
    server.close();
    theirs().listen({ onUnhandledRequest: "error" });
    expect(await textOf("two")).toBe("two");
  });

  it.each([
    ["https://api.mgmt.test/v1/projects", undefined],
    ["https://api.mgmt.test/*", undefined],
    [/api\.mgmt\.test/, undefined],
    ["https://auth.mgmt.test/token", undefined],
    ["https://api.example.com/management/v1/me", "https://api.example.com/management"],
  ])("is refused if a handler for its address would never run: %s", (path, baseUrl) => {
    const server = setupServer(http.get(path, () => HttpResponse.text("theirs")));
    const refused = expect.objectContaining({
      code: "mock:shadowed_handler",
      message: expect.stringMatching(/so these handlers would never run: GET .*Remove them\. To replace/),
    });
    const options = baseUrl === undefined ? {} : { baseUrl };
    expect(() => start(options).listen({ server })).toThrow(refused);
    const handlers = [http.get(path, () => HttpResponse.text("theirs"))];
    expect(() => start(options).listen({ handlers })).toThrow(refused);
  });

  it.each(["*/v1/projects", "https://api.mgmt.test.example.com/", /\/v1\//])(
    "accepts a handler for other hosts: %s",
    async (path) => {
      const mock = start();
      mock.listen({ handlers: [http.get(path, () => HttpResponse.text("theirs"))] });
      expect((await fetch(`${mock.baseUrl}/v1/projects`)).status).toBe(401);
    },
  );
});
