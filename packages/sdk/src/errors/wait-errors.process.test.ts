import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import * as here from "@mgmt/sdk";
import { setupBuilds } from "../../test/build.js";

const { bundle } = setupBuilds();

type Sdk = typeof here;

const init: here.WaitErrorInit = {
  message: "m",
  hint: "h",
  advice: "wait_longer",
  resource: "database",
  id: "db_1",
  last: undefined,
};

describe("the errors of waits", () => {
  const copies: Sdk[] = [here];

  beforeAll(async () => {
    const source = 'export * from "@mgmt/sdk";';
    // Both are the SDK itself, bundled.
    copies.push((await import(pathToFileURL(await bundle(source, { minify: true })).href)) as Sdk);
    copies.push(createRequire(import.meta.url)(await bundle(source, { format: "cjs" })) as Sdk);
  });

  it("are recognized by every copy of the SDK, and distinguished", () => {
    for (const sdk of copies) {
      const late = new sdk.WaitTimeoutError(5, init);
      const failed = new sdk.WaitFailedError("database:failed", init);
      for (const theirs of copies) {
        expect(late).toBeInstanceOf(theirs.WaitTimeoutError);
        expect(failed).toBeInstanceOf(theirs.WaitFailedError);
        for (const error of [late, failed]) {
          expect(error).toBeInstanceOf(theirs.WaitError);
          expect(error).toBeInstanceOf(theirs.MgmtError);
          expect(error).not.toBeInstanceOf(theirs.ApiError);
          // A call without a response has another error.
          expect(error).not.toBeInstanceOf(theirs.TimeoutError);
        }
        expect(late).not.toBeInstanceOf(theirs.WaitFailedError);
        expect(failed).not.toBeInstanceOf(theirs.WaitTimeoutError);
      }
    }
  });

  it("have names, codes and fields that a log can show", () => {
    for (const sdk of copies) {
      const late = new sdk.WaitTimeoutError(5, { ...init, cause: new Error("why") });
      expect(late.stack).toMatch(/^WaitTimeoutError: m/);
      expect(JSON.parse(JSON.stringify(late))).toEqual({
        name: "WaitTimeoutError",
        message: "m",
        code: "wait:timeout",
        hint: "h",
        advice: "wait_longer",
        resource: "database",
        id: "db_1",
        timeoutMs: 5,
      });
      expect(late.cause).toMatchObject({ message: "why" });
    }
  });
});
