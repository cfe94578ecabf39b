import { describe, expect, it } from "vitest";
import { redactBody, redactData, redactHeaders, redactMessage, redactUrl, findSecrets } from "./redact.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secret = "s3cret-Plum/9";

/** Where a request or a response can contain a string. */
const places: Readonly<Record<string, (text: string) => string>> = {
  "a URL": (text) => redactUrl(`https://x.test/${text}`),
  "a header": (text) => JSON.stringify(redactHeaders({ "x-note": text })),
  "a field": (text) => JSON.stringify(redactData({ note: [{ text }] })),
  "the name of a field": (text) => JSON.stringify(redactData({ [text]: 1 })),
  "a body": (text) => JSON.stringify(redactBody(JSON.stringify({ note: text }))),
  "a body that is a string": (text) => JSON.stringify(redactBody(JSON.stringify(text))),
  "a message": (text) => redactMessage(text),
};

/** Texts that contain the secret, which only their form tells. */
const forms: Readonly<Record<string, string>> = {
  "Basic credentials": `Basic ${base64(`ada:${secret}`)}`,
  "Basic credentials without a user": `Basic ${base64(`:${secret}`)}`,
  "Basic credentials in small letters": `basic ${base64(`ada:${secret}`)}`,
  "Basic credentials in base64url": `Basic ${Buffer.from(`ada:${secret}??>`).toString("base64url")}`,
  "short Basic credentials": `Basic ${base64("a:b")}`,
  "Bearer credentials": `Bearer ${secret}`,
  "a header of credentials": `Proxy-Authorization: Custom ${secret}`,
  "a connection string": `postgres://ada:${encodeURIComponent(secret)}@db.test/shop`,
  "a connection string without a user": `postgres://:${secret}@db.test/shop`,
  "a connection string with an @ in its password": `postgres://ada:p@${secret}@db.test/shop`,
  "a connection string with a / in its password": `postgres://ada:p/${secret}@db.test/shop`,
  "a URL with a password": "https://ada:s3cret-Plum@x.test/",
  "a query": `?password=${encodeURIComponent(secret)}`,
  "JSON in a string": `sent {"token":"${secret}"} to it`,
  "JSON in base64": base64(JSON.stringify({ password: secret })),
  "a number": 'sent { "pin": 314159',
  "a flag": `--password ${secret}`,
  "a flag in quotes": `--password "two ${secret}" --next`,
  "SQL with a doubled quote": `PASSWORD 'it''s ${secret}'`,
  "a JSON web token": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJwbHVtIn0.c2VjcmV0",
};
const traces = ["s3cret", "Plum", "314159", "eyJzdWIi", base64("a:b"), base64(`ada:${secret}`).slice(0, -4)];

describe.each(Object.entries(places))("in %s", (_, show) => {
  it.each(Object.entries(forms))("masks %s", (_name, text) => {
    const redactedText = show(text);
    expect(redactedText).toContain("[redacted]");
    for (const trace of traces) expect(redactedText).not.toContain(trace);
  });

  it.each([
    "proj_abcdefghijklmnopqrstuvwx",
    "Basic authentication",
    `Basic ${base64("no colon")}`,
    "The port is 5432",
    "shop",
  ])("keeps %s", (text) => {
    expect(show(text)).toContain(text);
  });
});

describe("redactMessage", () => {
  it.each([
    ["a bearer token", "Bearer abcdefghijkl", "Bearer [redacted]"],
    ["a short word after bearer", "a bearer token", "a bearer token"],
    ["a sentence about a token", "token: expired", "token: expired"],
    ["an escape for a terminal", "a\u001b[2Jb", "a\\u001b[2Jb"],
  ])("shows %s", (_, text, shown) => {
    expect(redactMessage(text)).toBe(shown);
  });
});

describe("redactBody", () => {
  it.each([
    ["text", "abc", "3 characters that are not JSON"],
    ["nothing", "", "0 characters that are not JSON"],
    ["a secret that is null", '{"password":null}', { password: null }],
    ["a secret that is a number", '{"pin":1234}', { pin: "[redacted]" }],
    ["a secret that is false", '{"password":false}', { password: "[redacted]" }],
    [
      "a value that is not secret in a field with the name of a secret",
      '{"token":{"id":"tok_1","value":"x","note":"y"}}',
      { token: { id: "tok_1", value: "[redacted]", note: "[redacted]" } },
    ],
    [
      "the secret of a known kind below a harmless name",
      '{"token":{"id":"Bearer abcdefghijkl"}}',
      { token: { id: "Bearer [redacted]" } },
    ],
    ["an object below a harmless name", '{"token":{"id":{"a":"b"}}}', { token: { id: { a: "[redacted]" } } }],
    ["names of the user's own", '{"secrets":{"id":"x"}}', { secrets: "[redacted]" }],
    ["an environment", '{"environment":{"A":"b"}}', { environment: "[redacted]" }],
    ["the name of an environment", '{"environment":"production"}', { environment: "production" }],
    ["a pair", '{"name":"password","text":"x"}', { name: "password", text: "[redacted]" }],
    ["a pair of another name", '{"name":"title","text":"x"}', { name: "title", text: "x" }],
    ["names and values in turn", '["host","x","cookie","y"]', ["host", "x", "cookie", "[redacted]"]],
    ["an odd number of texts", '["cookie","y","z"]', ["cookie", "y", "z"]],
    ["a value that is the name of a secret", '["host","cookie","x","y"]', ["host", "cookie", "x", "y"]],
    ["a value that is not a name", '["y","cookie"]', ["y", "cookie"]],
    ["fields of a JSON web key", '{"kty":"oct","k":"x"}', { kty: "oct", k: "[redacted]" }],
    ["the same fields of another object", '{"k":"x","d":"y"}', { k: "x", d: "y" }],
  ])("shows %s", (_, body, shown) => {
    expect(redactBody(body)).toEqual(shown);
  });

  it("masks what is deeper than 100 levels", () => {
    const nested = (levels: number): unknown => (levels === 0 ? "end" : { a: nested(levels - 1) });
    expect(JSON.stringify(redactData(nested(100)))).toContain("end");
    expect(JSON.stringify(redactData(nested(101)))).not.toContain("end");
  });
});

describe("secrets that are known", () => {
  const known = "plain-word";
  it.each([
    ["plain", known],
    ["percent-encoded", "%70lain-word"],
    ["in base64", base64(known)],
    ["in base64 after another character", base64(`x${known}`)],
    ["in base64 after a digit that is not part of it", `x${base64(known)}`],
    ["in hexadecimal digits", Buffer.from(known).toString("hex")],
  ])("are masked %s", (_, text) => {
    expect(redactUrl(`https://x.test/${text}`, [known])).toMatch(/^https:\/\/x\.\S*\[redacted\]$/);
    expect(redactHeaders({ "x-note": text }, [known])).toEqual({ "x-note": "[redacted]" });
    expect(redactBody(JSON.stringify([text]), [known])).toEqual(["[redacted]"]);
    expect(redactData({ note: text }, [known])).toEqual({ note: "[redacted]" });
  });
});

describe("redactData", () => {
  it("returns the same value when it contains no secret", () => {
    const value = { a: [1, "b", null, { c: true }] };
    expect(redactData(value)).toBe(value);
  });
});

describe("findSecrets", () => {
  it.each([
    ["the password of a connection string", "postgres://ada:abcdef@db/x", ["abcdef"]],
    ["that of one without a user", "postgres://:abcdef@db/x", ["abcdef"]],
    ["a decoded password", "postgres://ada:abc%2Fdef@db/x", ["abc%2Fdef", "abc/def"]],
    ["a password with an @", "postgres://ada:abcdef@ghi@db/x", ["abcdef@ghi"]],
    ["a password with a /", "postgres://ada:abc/def@db/x", ["abc/def"]],
    ["a password before parameters with an @", "postgres://ada:abcdef@db/x?options=a@b", ["abcdef"]],
    ["no password of one without", "postgres://ada@db/x", []],
  ])("returns %s", (_, url, secrets) => {
    expect(findSecrets({}, JSON.stringify({ connectionString: url }))).toEqual(
      expect.arrayContaining([url, ...secrets]),
    );
  });
});
