import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, it } from "vitest";
import { type KitOptions, resolveKitOptions } from "./kit-options.js";

const handler = http.get("https://own.example.com/", () => HttpResponse.text("own"));

describe("the options of the fixtures", () => {
  it("are handed on: those of the mock, a server, handlers, and what a test may reach", () => {
    const passThrough = () => false;
    const settings = resolveKitOptions({
      ...{ deterministic: "kit", baseUrl: "https://api.example.com", handlers: [handler] },
      ...{ passThrough, assertFaultsStruck: true },
    });
    expect(settings).toEqual({
      mockOptions: { deterministic: "kit", baseUrl: "https://api.example.com" },
      ...{ server: undefined, handlers: [handler], passThrough, assertFaultsStruck: true },
    });
  });

  it("have defaults, also for those that are undefined", () => {
    const names = ["server", "handlers", "passThrough", "assertFaultsStruck", "baseUrl", "deterministic"];
    const undefinedOptions = Object.fromEntries(names.map((name) => [name, undefined]));
    for (const options of [{}, undefinedOptions]) {
      const { mockOptions, passThrough: _, ...rest } = resolveKitOptions(options);
      expect(rest).toEqual({ server: undefined, handlers: [], assertFaultsStruck: false });
      expect(Object.values(mockOptions).filter((value) => value !== undefined)).toEqual([]);
    }
  });

  it.each([
    ["http://localhost:3000/a", true],
    ["http://127.0.0.1/", true],
    ["http://127.255.0.1/", true],
    ["http://[::1]:80/", true],
    ["http://localhost.example.com/", false],
    ["http://127.0.0.1.example.com/", false],
    ["http://128.0.0.1/", false],
    ["https://example.com/?localhost", false],
  ])("let a test reach %s by default: %s", (url, isAllowed) => {
    expect(resolveKitOptions({}).passThrough(new URL(url))).toBe(isAllowed);
  });

  it("prepare the server, so that handlers of a test come before the mock", () => {
    const server = setupServer(handler);
    const { server: prepared } = resolveKitOptions({ server });
    expect(prepared).toBe(server);
    expect(server.listHandlers()).toHaveLength(2);
    expect(server.listHandlers()[1]).toBe(handler);
  });

  it.each<[string, unknown, string]>([
    ["both", { server: setupServer(), handlers: [] }, "Pass server or handlers, not both"],
    ["a function that is none", { passThrough: true }, "passThrough must be a function"],
    ["text for a boolean", { assertFaultsStruck: "yes" }, "assertFaultsStruck must be a boolean"],
    ["null", { assertFaultsStruck: null }, "assertFaultsStruck must be a boolean"],
    ["a server that is none", { server: {} }, "server"],
    ["handlers that are none", { handlers: [5] }, "handlers"],
    ["an unknown option", { passthrough: () => true }, "Did you mean passThrough?"],
    ["an engine option of the wrong type", { frozen: 1 }, "frozen must be true or false"],
  ])("are refused: %s", (_name, options, problem) => {
    expect(() => resolveKitOptions(options as KitOptions)).toThrow(problem);
  });
});
