import { describe, expect, it } from "vitest";
import {
  logicalIdOf,
  nameWith,
  type PreviewRecord,
  recordIn,
  repositoryIn,
} from "../../../src/commands/preview/record.js";

const complete: PreviewRecord = {
  commit: "1a2b3c4d5e6f",
  pushed: true,
  expiresAt: "2026-12-01T12:00:00Z",
  setupPending: true,
  setupDone: false,
};
const empty = {
  commit: undefined,
  pushed: false,
  expiresAt: undefined,
  setupPending: false,
  setupDone: false,
};

describe("the name of a preview", () => {
  it.each([
    [complete, "a/b (commit 1a2b3c4d5e6f, pushed, expires 2026-12-01T12:00Z, setup pending)"],
    [{ ...empty, pushed: true }, "a/b (pushed)"],
    [{ ...empty, setupDone: true }, "a/b (setup done)"],
    [empty, "a/b"],
  ])("contains its record: %o", (record, name) => {
    expect(nameWith("a/b", record)).toBe(name);
    expect(recordIn(name)).toEqual(record);
  });

  it.each(["x".repeat(255), "ö/🎉".repeat(63), "(pushed)", "a (pushed)"])(
    "keeps its record within what the API accepts: %s",
    (branch) => {
      const name = nameWith(branch, complete);
      expect(name.length).toBeLessThanOrEqual(256);
      expect(encodeURIComponent(name)).toContain("%20(commit%20");
      expect(recordIn(name)).toEqual(complete);
    },
  );

  it.each(["a/b", "", "shop (pushed) ", "shop (pushed, and more)", "shop(pushed)", "shop (expires soon)"])(
    "has no record if someone has changed it: %j",
    (name) => {
      expect(recordIn(name)).toEqual(empty);
    },
  );
});

describe("the logical id of a preview", () => {
  it("identifies its repository", () => {
    const key = "shop-0123456789abcdef";
    expect(repositoryIn(logicalIdOf(key))).toBe(key);
    expect(repositoryIn(logicalIdOf(undefined))).toBeNull();
  });

  it.each([null, "", "previews", "preview.", "preview.mine", "preview-0123456789abcdef", "reports"])(
    "is not that of another database: %j",
    (logicalId) => {
      expect(repositoryIn(logicalId)).toBeUndefined();
    },
  );
});
