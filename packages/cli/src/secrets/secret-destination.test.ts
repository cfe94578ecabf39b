import { describe, expect, it } from "vitest";
import type { SecretFlags } from "./secret-flags.js";
import { printsAllSecrets, printsNewSecrets, resolveSecretDestination } from "./secret-destination.js";

const local = {};
const ci = { CI: "true" };

describe("secrets go", () => {
  it.each<[SecretFlags, NodeJS.ProcessEnv, string, { all: boolean; new: boolean }]>([
    [{}, local, "output", { all: false, new: true }],
    [{}, ci, "nowhere", { all: false, new: false }],
    [{}, { GEMINI_CLI: "1" }, "nowhere", { all: false, new: false }],
    [{}, { GEMINI_CLI: "" }, "output", { all: false, new: true }],
    [{ showSecrets: true }, { GEMINI_CLI: "1" }, "output", { all: true, new: true }],
    [{ showSecrets: true }, local, "output", { all: true, new: true }],
    [{ showSecrets: true }, ci, "output", { all: true, new: true }],
    [{ secretFile: "-" }, ci, "output", { all: true, new: true }],
    [{ secretFile: "new.json" }, local, "files", { all: false, new: false }],
    [{ secretFile: "new.json" }, ci, "files", { all: false, new: false }],
    [{ secretFile: "new.json", showSecrets: true }, ci, "files", { all: true, new: true }],
    [{ githubEnv: "URL" }, ci, "files", { all: false, new: false }],
    [{ githubEnv: "URL", secretFile: "-" }, ci, "files", { all: true, new: true }],
    [{ gitlabDotenv: "db.env", showSecrets: true }, ci, "files", { all: true, new: true }],
  ])("with %j and the environment %j to: %s", (flags, env, to, expected) => {
    const destination = resolveSecretDestination(flags, { env });
    expect(destination.to).toBe(to);
    expect({ all: printsAllSecrets(destination), new: printsNewSecrets(destination) }).toEqual(expected);
  });
});
