import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, it, vi } from "vitest";
import { createTest } from "@mgmt/mock/vitest";
import { allowOthers, endInterception } from "../../test/earlier-msw.js";
import { setupServers, textOf } from "../../test/interception/servers.js";

const { started, theirs, start, startHost } = setupServers();

describe("a mock that listens beside another MSW server", () => {
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

it("keeps a server of the developer free of leftovers when it is refused", async () => {
  const server = setupServer(http.get("https://api.mgmt.test/v1/me", () => HttpResponse.text("theirs")));
  started.push(server);
  createTest({ server });
  expect(() => start().listen({ server })).toThrow("would never run");
  server.listen({ onUnhandledRequest: "error" });
  expect(await (await fetch("https://api.mgmt.test/v1/me")).text()).toBe("theirs");
});
