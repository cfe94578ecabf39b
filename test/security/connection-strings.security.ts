import { describe, expect, it } from "vitest";
import { buildLibpqSettings } from "../../packages/cli/src/postgres/libpq-parameters.js";
import {
  ConnectionStringError,
  parseConnectionString,
} from "../../packages/internal/src/postgres/parse-connection-string.js";

const special = [..."/?#@&=:;'\"\\% ,[]+$!", "\n", "\0", "//", "?a=", "@h/", "/@"];
const passwords = special.flatMap((text) => [
  `${text}hunter`,
  `hunter${text}`,
  `hunter${text}zebra`,
  `12${text}hunter`,
  `${text}hunter${text}zebra${text}`,
]);

const forms: readonly (readonly [string, (password: string) => string])[] = [
  ["a URI", (password) => `postgresql://user:${password}@host.example:5432/db?sslmode=require`],
  ["a URI without a host", (password) => `postgresql://user:${password}@/db`],
  ["a parameter of a URI", (password) => `postgresql://host.example/db?password=${password}&user=u`],
  ["a URL of JDBC", (password) => `jdbc:postgresql://host.example/db?user=u&password=${password}`],
  ["keywords", (password) => `host=host.example password=${password} user=u`],
  ["quoted keywords", (password) => `host=host.example password='${password}' user=u`],
  ["pairs of Npgsql", (password) => `Host=host.example;Password=${password};Username=u`],
  ...["sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"].map(
    (name) => [name, (password: string) => `postgresql://u@host.example/db?${name}=${password}`] as const,
  ),
];

/** Returns everything of a connection string that is an argument, or that a message repeats. */
const disclosed = (text: string): unknown => {
  try {
    const { variables, args, displayName, weakSslMode, omittedNames } = buildLibpqSettings(
      parseConnectionString(text),
      {},
    );
    const { PGPASSWORD: _, ...others } = variables;
    return { others, args, displayName, weakSslMode, omittedNames };
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    return { message: error.message, hint: error.hint };
  }
};

describe("a password that is not encoded as it should be", () => {
  it.each(forms)("is no argument, no host, and in no message: %s", (_, write) => {
    for (const password of passwords) {
      expect(JSON.stringify(disclosed(write(password))), password).not.toMatch(/hunter|zebra/);
    }
  });
});

/** A pattern that starts again at each position for each beginning of it takes hours for one of these. */
describe("a long connection string", () => {
  it.each([
    "a",
    "a=",
    "a=b ",
    "a=b;",
    "a='",
    `a="`,
    "\\",
    "@",
    "%41",
    "&a=b",
    "[::",
    ",h",
    " ",
    "postgresql://",
  ])("that repeats %s takes little time", (part) => {
    const repeated = part.repeat(9_900 / part.length);
    for (const text of [repeated, `postgresql://${repeated}`, `host=${repeated}`, `Host=h;${repeated}`]) {
      expect(disclosed(text)).toBeDefined();
    }
  });
});
