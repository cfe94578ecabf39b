import document from "@mgmt/sdk/openapi.json";
import { describe, expect, it } from "vitest";
import { groups } from "./generated/groups.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

describe("the command table", () => {
  it("has one command for every operation of the contract", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation: { operationId?: string }) => operation.operationId ?? []),
    );
    expect(definitions.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(new Set(definitions.map(({ commandPath }) => commandPath.join(" "))).size).toBe(
      definitions.length,
    );
  });

  it("writes names in kebab-case", () => {
    for (const { commandPath } of definitions)
      for (const word of commandPath) expect(word).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  it("has no flag that hides another one or a global one", () => {
    const taken = [
      "output",
      "base-url",
      "token-file",
      "token",
      "yes",
      "help",
      "body",
      "unset",
      "all",
      "wait",
      "wait-approval",
      "timeout",
      "profile",
      "fields",
      "query",
      "pager",
      "show-secrets",
      "github-env",
      "github-output",
      "gitlab-dotenv",
      "secret-file",
      "if-not-exists",
    ];
    for (const { id, query, body } of definitions) {
      const flags = [...query, ...(body?.fields ?? [])].map(({ flag }) => flag);
      expect({ id, flags: new Set(flags).size }).toEqual({ id, flags: flags.length });
      expect({ id, taken: flags.filter((flag) => taken.includes(flag)) }).toEqual({ id, taken: [] });
      expect({ id, negated: flags.filter((flag) => flag.startsWith("no-")) }).toEqual({ id, negated: [] });
    }
  });

  it("explains every flag and every argument", () => {
    for (const { id, query, body, arguments: ids } of definitions) {
      for (const { flag, help } of [...query, ...(body?.fields ?? [])]) {
        expect({ id, flag, help }).toEqual({ id, flag, help: expect.stringMatching(/\S/) });
      }
      for (const { help } of ids) expect(help).toMatch(/\S/);
    }
  });

  it("reads secrets from files only", () => {
    const secrets = definitions.flatMap(({ body }) => body?.fields.filter(({ secret }) => secret) ?? []);
    expect(secrets.map(({ flag }) => flag)).toEqual(["recipient-access-token"]);
  });

  it("allows the values of any branch of a union, and requires what all branches require", () => {
    const fields = definitions.find(({ id }) => id === "databases.create")?.body?.fields ?? [];
    expect(fields.filter(({ path }) => path[0] === "source")).toEqual([
      expect.objectContaining({
        flag: "source-type",
        required: "with-parent",
        enum: ["empty", "backup", "database"],
      }),
      expect.not.objectContaining({ required: expect.anything() }),
      expect.not.objectContaining({ required: expect.anything() }),
    ]);
  });

  it("names the replacement of every deprecated operation", () => {
    const replaced = definitions.flatMap(({ commandPath, deprecated }) =>
      deprecated ? [[commandPath[0], deprecated.replacedBy[0]]] : [],
    );
    expect(replaced).toEqual(Array(8).fill(["apps", "services"]));
  });
});
