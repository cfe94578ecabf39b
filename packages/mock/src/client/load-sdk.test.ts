import { describe, expect, it } from "vitest";
import { getSdk, loadSdk, type Sdk } from "./load-sdk.js";

const unusable = (message: string): never => {
  throw new TypeError(message);
};

/** Loads the SDK with this value in the place of its `createClient`. */
const loadSdkWith = (createClient: unknown): ReturnType<typeof loadSdk> =>
  // What is installed may be anything.
  loadSdk(() => Promise.resolve({ createClient } as Sdk));

describe("an SDK that the mock cannot use", () => {
  it.each<[name: string, createClient: unknown]>([
    ["has no createClient", undefined],
    ["creates clients without `me`", () => ({})],
    ["creates no clients", () => unusable("creates no clients")],
  ])("fails only when a client is needed: it %s", async (_name, createClient) => {
    const result = await loadSdkWith(createClient);
    expect(() => getSdk(result)).toThrow(
      expect.objectContaining({
        name: "MockError",
        code: "mock:sdk_unusable",
        cause: expect.any(TypeError),
      }),
    );
  });

  it("has another code when it is not installed", () => {
    const failure = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    expect(() => getSdk({ failure })).toThrow(
      expect.objectContaining({ code: "mock:sdk_missing", cause: failure }),
    );
  });

  it("is none whose calls fail", async () => {
    const createClient = () => ({ me: { get: () => Promise.reject(new Error("failed")) } });
    expect(getSdk(await loadSdkWith(createClient))).toEqual({ createClient });
  });
});
