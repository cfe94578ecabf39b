import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Mock, setupMock } from "@mgmt/mock";
import { createTest } from "@mgmt/mock/vitest";
import { allowOthers, endInterception } from "../earlier-msw.js";

const started: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of started.splice(0).toReversed()) await each.close();
});

const theirs = () => {
  const server = setupServer(
    ...["one", "two", "three", "four"].map((name) =>
      http.get(`https://${name}.example.com/`, () => HttpResponse.text(name)),
    ),
  );
  started.push(server);
  return server;
};
const textOf = async (name: string) => (await fetch(`https://${name}.example.com/`)).text();
const start = (options?: Parameters<typeof setupMock>[0]): Mock => {
  const mock = setupMock(options);
  started.push(mock);
  return mock;
};

/** Counts the requests that leave for a host. */
const startHost = async () => {
  const host = createServer((_request, response) => void response.end());
  const requests = vi.fn();
  host.on("request", requests);
  started.push({ close: () => void host.close() });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  // It listens on a host.
  const { port } = host.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(port)}/`, requests };
};

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

  it("refuses a server that listens later, names it by its handlers, and goes on", async () => {
    const { url, requests } = await startHost();
    const mock = start();
    mock.listen({ onUnhandledRequest: "error" });
    const server = theirs();
    const refused = expect.objectContaining({
      code: "mock:second_server",
      message: expect.stringMatching(
        /in place of the mock.+: setupServer\(GET https:\/\/one\.example\.com\/, .*…\)\.listen\(\)\. Call close\(\) of that server\. Let both .+ or close the mock before/,
      ),
    });
    expect(() => server.listen()).toThrow(refused);
    const goesOn = async () => {
      expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
      await expect(fetch(url)).rejects.toThrow();
    };
    await goesOn();
    server.close();
    await goesOn();
    await mock.close();
    expect(requests).not.toHaveBeenCalled();
  });

  it("lets a server that it refused listen after both were closed", async () => {
    const mock = start();
    mock.listen({ onUnhandledRequest: "error" });
    const server = theirs();
    expect(() => server.listen()).toThrow("Call close() of that server");
    server.close();
    await mock.close();
    server.listen({ onUnhandledRequest: "error" });
    mock.listen({ server });
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
    expect(await textOf("one")).toBe("one");
  });

  it("does not listen in the server of the developer while a mock listens in that of all mocks", async () => {
    const mock = start();
    mock.listen();
    const refused = expect.objectContaining({
      code: "mock:second_server",
      message: expect.stringContaining("A mock listens already"),
    });
    for (const each of [mock, start({ baseUrl: "https://second.test" })])
      expect(() => each.listen({ server: theirs() })).toThrow(refused);
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
  });

  it("responds to a request that has begun before it refused a server", async () => {
    const mock = start();
    mock.listen({ onUnhandledRequest: "error" });
    const fault = mock.faults.add({ operation: "me.get", latency: 50, times: 1 });
    const response = fetch(`${mock.baseUrl}/v1/me`);
    await vi.waitFor(() =>
      expect(mock.faults.list()).not.toContainEqual(expect.objectContaining({ id: fault.id })),
    );
    const server = theirs();
    expect(() => server.listen()).toThrow("in place of the mock");
    expect((await response).status).toBe(401);
  });

  it("refuses each server while several mocks listen, and none after the last is closed", async () => {
    const mocks = ["https://first.test", "https://second.test"].map((baseUrl) => start({ baseUrl }));
    for (const mock of mocks) mock.listen();
    expect(() => theirs().listen()).toThrow("in place of the mock");
    await mocks[0]?.close();
    expect(() => theirs().listen()).toThrow("in place of the mock");
    await mocks[1]?.close();
    theirs().listen({ onUnhandledRequest: "error" });
    expect(await textOf("one")).toBe("one");
  });

  it("is refused after a server has taken over from that of the developer, and does not close it", async () => {
    const first = start({ baseUrl: "https://first.test" });
    const developers = theirs();
    developers.listen();
    first.listen({ server: developers });
    allowOthers();
    const server = theirs();
    server.listen({ onUnhandledRequest: "error" });
    const second = start({ baseUrl: "https://second.test" });
    expect(() => second.listen()).toThrow(expect.objectContaining({ code: "mock:second_server" }));
    await expect(first.close()).rejects.toThrow("so the mock cannot intercept them");
    expect(await textOf("one")).toBe("one");
  });

  it("listens again after an earlier version of MSW has ended the interception", async () => {
    const first = start({ baseUrl: "https://first.test" });
    first.listen();
    endInterception();
    const second = start({ baseUrl: "https://second.test" });
    second.listen();
    for (const { baseUrl } of [first, second]) expect((await fetch(`${baseUrl}/v1/me`)).status).toBe(401);
    expect((await first.fetch(`${first.baseUrl}/v1/me`)).status).toBe(401);
    await expect(first.close()).rejects.toThrow("has ended the interception of both");
    await second.close();
    expect(() => start({ baseUrl: "https://first.test" }).listen()).not.toThrow();
  });

  it("reports while another server receives its requests, and when it is closed", async () => {
    const developers = theirs();
    developers.listen();
    const mock = start();
    mock.listen({ server: developers });
    allowOthers();
    theirs().listen();
    await expect(mock.fetch(`${mock.baseUrl}/v1/me`)).rejects.toThrow("so the mock cannot intercept them");
    await expect(mock.close()).rejects.toThrow("so the mock cannot intercept them");
  });

  it("reports that its requests were not intercepted, in its own and when it is closed", async () => {
    const lost = expect.objectContaining({ code: "mock:second_server" });
    const mock = start();
    mock.listen({ onUnhandledRequest: "error" });
    endInterception();
    await expect(mock.fetch(`${mock.baseUrl}/v1/me`)).rejects.toThrow("has ended the interception of both");
    await expect(mock.client({ maxRetries: 0 }).me.get()).rejects.toMatchObject({ cause: lost });
    await expect(mock.close()).rejects.toEqual(lost);
    await expect(mock.client({ maxRetries: 0 }).me.get()).rejects.toMatchObject({
      cause: expect.objectContaining({ code: "mock:closed" }),
    });
    await mock.close();
  });

  it("reports it also after it listens again", async () => {
    const mock = start();
    mock.listen();
    endInterception();
    mock.listen();
    expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
    await expect(mock.close()).rejects.toThrow("has ended the interception of both");
    mock.listen();
    await mock.close();
  });
});

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

it("keeps a server of the developer free of leftovers when it is refused", async () => {
  const server = setupServer(http.get("https://api.mgmt.test/v1/me", () => HttpResponse.text("theirs")));
  started.push(server);
  createTest({ server });
  expect(() => start().listen({ server })).toThrow("would never run");
  server.listen({ onUnhandledRequest: "error" });
  expect(await (await fetch("https://api.mgmt.test/v1/me")).text()).toBe("theirs");
});
