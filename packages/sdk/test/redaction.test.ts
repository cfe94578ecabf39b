import { describe, expect, it } from "vitest";
import { createClient } from "@mgmt/sdk";
import { redactBody, redactUrl } from "@mgmt/sdk/node";
import { answering } from "./server.js";

const canary = "Canary+7f/q9-plum";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const url = `postgres://ada:${encodeURIComponent(canary)}@db.test/shop`;
const pem = `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----`;

/** Texts that contain the canary in a form that tells that it is a secret. */
const texts: Readonly<Record<string, string>> = {
  "libpq key and value": `host=db.test user=ada password=${canary} dbname=shop`,
  "libpq key and value with spaces": `host=db.test password = ${canary}`,
  "libpq key and quoted value": `password='it\\'s ${canary}' host=db.test`,
  "libpq sslpassword": `sslpassword=${canary}`,
  "environment variable": `PGPASSWORD=${canary} psql`,
  "JSON in a string": JSON.stringify({ deep: [{ password: canary }] }),
  "JSON in JSON in a string": JSON.stringify(JSON.stringify({ pin: canary })),
  "JSON inside a text": `sent ${JSON.stringify({ a: 1, passphrase: `"${canary}` })} to it`,
  "escaped JSON inside a text": `sent ${JSON.stringify(JSON.stringify({ secret: `"${canary}` }))} to it`,
  "Basic credentials": `Basic ${base64(`ada:${canary}`)}`,
  "Bearer credentials": `Bearer ${canary}`,
  "Authorization header": `Authorization: Digest ${canary}`,
  "Cookie header": `GET / HTTP/1.1\r\nCookie: a=1; session=${canary}\r\nHost: x`,
  "Set-Cookie header": `Set-Cookie: session=${canary}; HttpOnly`,
  "connection string": url,
  "percent-encoded connection string": encodeURIComponent(url),
  "connection string encoded twice": encodeURIComponent(encodeURIComponent(url)),
  "URL in a query": `https://x.test/?next=${encodeURIComponent(`https://y.test/?access_token=${canary}`)}`,
  fragment: `https://x.test/#access_token=${encodeURIComponent(canary)}`,
  "PEM block": `key:\n${pem}\n`,
  "PEM block without its end": pem.slice(0, pem.indexOf("-----END")),
  "base64 of libpq": base64(`host=db.test password=${canary}`),
  "base64 of JSON": base64(JSON.stringify({ password: canary })),
  "base64 of a connection string": base64(url),
  "base64 of a PEM block": base64(pem),
};

/** Values of JSON that contain the canary below the name of a secret. */
const values: Readonly<Record<string, unknown>> = {
  pin: { pin: canary },
  "camel-case pin": { userPin: canary },
  "pin in capitals": { PIN_CODE: canary },
  passphrase: { passphrase: canary },
  array: { passwords: [canary, [canary]] },
  "array of tokens": { tokens: [canary] },
  "object of secrets": { secrets: { DATABASE: canary } },
  "array of environment variables": { envVars: [{ name: "DATABASE", value: canary }] },
  "header pair": { headers: [["x-api-key", canary]] },
  "field of the contract": { uploadUrl: canary },
};

/** Everything that a line could show of the canary. */
const shown = [canary, encodeURIComponent(canary), base64(canary).slice(0, -4), "Canary", "plum"];

const expectClean = (text: string): void => {
  for (const form of shown) expect(text).not.toContain(form);
  const decoded = [...text.matchAll(/[\w+/-]{8,}/g)].map(([run]) => Buffer.from(run, "base64").toString());
  expect(decoded.join("\n")).not.toContain("Canary");
};

/** Prints a request and a response that contain a value. */
const debugOf = async (value: unknown, token: string | false = false): Promise<string> => {
  const { baseUrl } = await answering({ data: { id: "proj_1", value2: value } });
  const lines: string[] = [];
  const debug = (line: string): void => void lines.push(line);
  await createClient({ baseUrl, token, debug }).request({
    method: "POST",
    path: "/v1/x",
    body: { note: value },
  });
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toContain("[redacted]");
  return lines.join("\n");
};

describe("redaction", () => {
  it("finds the canary in texts that are not redacted", () => {
    for (const text of [canary, JSON.stringify(canary), base64(canary), encodeURIComponent(canary)]) {
      expect(() => expectClean(text)).toThrow();
    }
  });

  it.each(Object.entries(texts))("removes a secret from debug output in the form: %s", async (_, text) => {
    expectClean(await debugOf(text));
    expectClean(await debugOf([text]));
  });

  it.each(Object.entries(values))("removes a secret from debug output by its name: %s", async (_, value) => {
    expectClean(await debugOf(value));
    expectClean(await debugOf(JSON.stringify(value)));
  });

  it("removes the client's token from other places, in each encoding", async () => {
    for (const form of [
      canary,
      encodeURIComponent(canary),
      base64(canary),
      base64(`ab${canary}`),
      Buffer.from(canary).toString("base64url"),
      `/files/${base64(canary)}`,
      encodeURIComponent(base64(canary)),
    ]) {
      expectClean(await debugOf(`see ${form} there`, canary));
    }
  });

  it("removes a secret of a response from the rest of the response", () => {
    const text = JSON.stringify(redactBody(JSON.stringify({ note: base64(canary) }), [canary]));
    expectClean(text);
    expect(text).toContain("[redacted]");
  });

  it("keeps texts and fields that hold no secret", () => {
    const body = {
      name: "shop",
      mapping: { shipping: "ping", spinner: "on" },
      tokenType: "bearer",
      list: '[1, {"a": 2}]',
      plan: "Basic authentication with a password",
      path: "100%25 of https://x.test/a%20b?limit=10&cursor=abc",
      id: "proj_abcdefghijklmnop",
      passwordHint: "abcd",
    };
    expect(redactBody(JSON.stringify(body))).toEqual(body);
    expect(redactUrl("https://x.test/v1/projects?limit=5&name=a%20b")).toBe(
      "https://x.test/v1/projects?limit=5&name=a%20b",
    );
  });

  it("changes nothing when it is applied again", () => {
    for (const text of Object.values(texts)) {
      const once = redactUrl(text);
      expect(redactUrl(once)).toBe(once);
    }
  });

  it("never prints a control character that was percent-encoded", () => {
    expect(redactUrl("https://x.test/?token=a%0A%1B&b=%0A%1Bpassword%3Dx")).not.toMatch(/[\n\u001B]/);
  });
});
