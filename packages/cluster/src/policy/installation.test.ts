import { describe, expect, it } from "vitest";
import { Installation, createInstallationKeys } from "./installation.js";

describe("a new installation", () => {
  it("has an id and a secret of its own", () => {
    const [first, second] = [createInstallationKeys(), createInstallationKeys()];
    expect(first.id).toMatch(/^[0-9a-f]{16}$/);
    expect(first.id).not.toBe(second.id);
    expect(first.secret).not.toBe(second.secret);
  });
});

describe("the key of a lock", () => {
  const keys = { id: "0123456789abcdef", secret: "not-a-secret" };
  const toLockKey = (secret: string, name: string): string =>
    new Installation({ ...keys, secret }).toLockKey(name);

  it("is a bigint that all processes of the installation compute", () => {
    expect(toLockKey(keys.secret, "presence")).toBe(toLockKey(keys.secret, "presence"));
    for (let number = 0; number < 100; number += 1) {
      const key = BigInt(toLockKey(keys.secret, String(number)));
      expect(BigInt.asIntN(64, key)).toBe(key);
    }
  });

  it("depends on the secret and on the name", () => {
    const [key] = [toLockKey(keys.secret, "presence")];
    expect(toLockKey("another", "presence")).not.toBe(key);
    expect(toLockKey(keys.secret, "state")).not.toBe(key);
  });
});
