import { createServer } from "node:http";
import { http } from "msw";
import { setupServer } from "msw/node";
import { expect, it, vi } from "vitest";
import { setupMock } from "@mgmt/mock";
import { createTest } from "@mgmt/mock/vitest";

const handler = http.get("https://payments.example.com/", () => new Response());
const noServer = "server must be what setupServer() of msw/node returns";
const noHandlers = "handlers must be an array of request handlers of MSW";

it.each<[string, unknown, string]>([
  ["a misspelled option", { onUnhandledRequests: "error" }, "Did you mean onUnhandledRequest?"],
  [
    "__proto__",
    JSON.parse('{ "__proto__": { "onUnhandledRequest": "error" } }'),
    "There is no option __proto__",
  ],
  ["an option of the fixtures", { passThrough: () => true }, "There is no option passThrough"],
  [
    "a misspelled word",
    { onUnhandledRequest: "eror" },
    'onUnhandledRequest must be "bypass", "warn", "error"',
  ],
  ["null as the word", { onUnhandledRequest: null }, "onUnhandledRequest must be"],
  ["a port", 5, "listen takes an object of options"],
  ["null", null, "listen takes an object of options"],
  ["a function", () => undefined, "listen takes an object of options"],
  ["handlers as the options", [handler], "listen takes an object of options"],
  ["no server", { server: null }, noServer],
  ["an empty server", { server: {} }, noServer],
  ["a server of Node.js", { server: createServer() }, noServer],
  ["one handler", { handlers: handler }, noHandlers],
  ["a number of handlers", { handlers: 5 }, noHandlers],
  ["handlers that are numbers", { handlers: [1] }, noHandlers],
  ["handlers that are null", { handlers: [null] }, noHandlers],
])("refuses %s, and does not listen", async (_, options, message) => {
  const mock = setupMock();
  const listen = () => {
    // What a JavaScript program passes.
    Reflect.apply(mock.listen.bind(mock), undefined, [options]);
  };
  expect(listen).toThrow(TypeError);
  expect(listen).toThrow(message);
  await expect(fetch(`${mock.baseUrl}/v1/me`)).rejects.toThrow("fetch failed");
});

it.each([5, [1], undefined])("names the mistake of a function that returns %j as handlers", async (value) => {
  const mock = setupMock();
  const shown = vi.spyOn(console, "error").mockImplementation(() => undefined);
  Reflect.apply(mock.listen.bind(mock), undefined, [{ handlers: () => value, onUnhandledRequest: "error" }]);
  const response = await fetch("https://payments.example.com/");
  expect(response.status).toBe(500);
  expect(await response.text()).toContain("The function handlers must return an array of request handlers");
  await mock.close();
  shown.mockRestore();
});

it.each([undefined, "eror", Promise.resolve("error")])(
  "sends nothing when the function onUnhandledRequest returns %j, and names the mistake",
  async (value) => {
    const mock = setupMock();
    const shown = vi.spyOn(console, "error").mockImplementation(() => undefined);
    Reflect.apply(mock.listen.bind(mock), undefined, [{ onUnhandledRequest: () => value }]);
    const response = await fetch("https://payments.example.com/");
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("The function onUnhandledRequest must return");
    await mock.close();
    shown.mockRestore();
  },
);

it("accepts options that are undefined, and a server with handlers of the mock", async () => {
  const server = setupServer();
  const mock = setupMock();
  mock.listen({ server, handlers: [handler] });
  await mock.close();
  Reflect.apply(mock.listen.bind(mock), undefined, [{ server: undefined, handlers: undefined }]);
  expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
  await mock.close();
});

it.each([[[1]], [[null]], [{}], [() => []]])("refuses the handlers %j of createTest", (handlers) => {
  expect(() => {
    Reflect.apply(createTest, undefined, [{ handlers }]);
  }).toThrow(noHandlers);
});
