import { describe, expect, it } from "vitest";
import { redactBody, redactData, redactHeaders, redactUrl, findSecrets } from "./redact.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const percent = encodeURIComponent;
const secret = "s3cret/w+rd:é";

/** Where a request has a secret, and which strings are secret there. */
const sources: readonly (readonly [
  name: string,
  headers: Record<string, string>,
  body: string | undefined,
  secrets: readonly string[],
])[] = [
  ["Bearer", { authorization: "Bearer abc.def-123" }, undefined, ["abc.def-123"]],
  ["a token without a scheme", { authorization: "abc.def-123" }, undefined, ["abc.def-123"]],
  [
    "Basic",
    { authorization: `Basic ${base64(`ada:${secret}`)}` },
    undefined,
    [base64(`ada:${secret}`), secret],
  ],
  [
    "Basic in lower case",
    { authorization: `basic ${base64("ada:hidden")}` },
    undefined,
    [base64("ada:hidden"), "hidden"],
  ],
  [
    "Basic without a user",
    { authorization: `Basic ${base64(":hidden")}` },
    undefined,
    [base64(":hidden"), "hidden"],
  ],
  [
    "Basic with a colon in the password",
    { authorization: `Basic ${base64("ada:hid:den")}` },
    undefined,
    [base64("ada:hid:den"), "hid:den"],
  ],
  ["another scheme", { authorization: `Digest ${base64("ada:hidden")}` }, undefined, [base64("ada:hidden")]],
  [
    "a cookie",
    { cookie: "a=1; session=hidden1; b=hidden2" },
    undefined,
    ["a=1; session=hidden1; b=hidden2", "hidden1", "hidden2"],
  ],
  ["a header of a key", { "x-api-key": "hidden" }, undefined, ["hidden"]],
  [
    "a connection string",
    {},
    JSON.stringify({ connectionString: `postgres://ada:${percent(secret)}@h/d` }),
    [`postgres://ada:${percent(secret)}@h/d`, percent(secret), secret],
  ],
  [
    "a connection string without a user",
    {},
    JSON.stringify({ dsn: "postgres://:hidden@h/d" }),
    ["postgres://:hidden@h/d", "hidden"],
  ],
  ["a field", {}, JSON.stringify({ password: "hidden" }), ["hidden"]],
  [
    "fields below a secret",
    {},
    JSON.stringify({ envVars: { A: "hidden1", B: ["hidden2"] } }),
    ["hidden1", "hidden2"],
  ],
  [
    "information about a secret",
    {},
    JSON.stringify({ token: { type: "bearer-type", value: "hidden" } }),
    ["hidden"],
  ],
  ["a short one", { "x-api-key": "abcde" }, JSON.stringify({ password: "12345" }), []],
  ["a body that is not JSON", {}, "password=hidden", []],
  ["no body", {}, undefined, []],
];

describe("the secrets of a request", () => {
  it.each(sources)("are those of %s", (_, headers, body, secrets) => {
    expect(findSecrets(headers, body).sort()).toEqual([...secrets].sort());
  });

  it("are sorted, so that a longer one is masked before a part of it", () => {
    const secrets = findSecrets({ "x-api-key": "abcdef", "x-token": "abcdefghi" }, undefined);
    expect(secrets).toEqual(["abcdefghi", "abcdef"]);
    expect(redactUrl("see abcdefghi", secrets)).toBe("see [redacted]");
  });
});

/** Forms in which a secret may be repeated. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "percent-encoded": percent,
  "as in a form": (text) => new URLSearchParams({ x: text }).toString(),
  base64,
  "base64 after other text": (text) => base64(`ab${text}`),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hexadecimal: (text) => Buffer.from(text).toString("hex"),
  "in JSON": (text) => JSON.stringify({ note: text }),
  "in JSON in JSON": (text) => JSON.stringify(JSON.stringify({ note: [text] })),
};

/** Places where redaction looks for it. */
const places: Readonly<Record<string, (text: string, known: readonly string[]) => string>> = {
  "a path": (text, known) => redactUrl(`https://x.test/${text}/end`, known),
  "a query": (text, known) => redactUrl(`https://x.test/?q=${text}`, known),
  "a header": (text, known) => JSON.stringify(redactHeaders({ "x-note": `a ${text} b` }, known)),
  "a body": (text, known) => JSON.stringify(redactBody(JSON.stringify({ note: `a ${text} b` }), known)),
  "a list in a body": (text, known) => JSON.stringify(redactData([[text]], known)),
  "a name in a body": (text, known) => JSON.stringify(redactData({ [text]: 1 }, known)),
};

describe("a known secret", () => {
  it.each(
    Object.entries(forms).flatMap(([form, encode]) =>
      Object.entries(places).map(([place, redact]) => ({ form, place, encode, redact })),
    ),
  )("is masked $form in $place", ({ encode, redact }) => {
    for (const known of ["Known-Secret-93", "a secret with spaces"]) {
      const text = encode(known);
      const redacted = redact(text, [known]);
      expect(redacted).toContain("[redacted]");
      expect(redacted).not.toContain(known);
      // The whole text, of which redaction may have left the part before the secret.
      if (!text.startsWith("{")) expect(redacted).not.toContain(text.slice(-8));
    }
  });

  it("is masked where it has a JSON form of its own", () => {
    const known = 'quo"te\\back';
    expect(JSON.stringify(redactBody(JSON.stringify({ note: `a ${known} b` }), [known]))).toBe(
      '{"note":"a [redacted] b"}',
    );
  });
});

describe("what tells nothing", () => {
  it.each([
    ["https://x.test/v1/projects?limit=10&cursor=abc"],
    ["postgres://db.test:5432/shop"],
    ["2026-01-01T00:00:00.000Z"],
  ])("stays: %s", (text) => {
    expect(redactUrl(text)).toBe(text);
  });

  it("is the same object, and null where a secret is null", () => {
    const value = { a: [1, { b: "c" }], d: null };
    expect(redactData(value)).toBe(value);
    expect(redactData({ password: null, token: undefined })).toEqual({ password: null, token: "[redacted]" });
  });

  it("is the length of a body that is not JSON", () => {
    expect(redactBody("password=hidden")).toBe("15 characters that are not JSON");
  });

  it.each([
    [
      { token: { type: "bearer", id: "tok_1", expiresAt: 5, value: "hidden" } },
      { token: { type: "bearer", id: "tok_1", expiresAt: 5, value: "[redacted]" } },
    ],
    [{ env: { type: "hidden" } }, { env: "[redacted]" }],
    [{ secrets: { type: "hidden" } }, { secrets: "[redacted]" }],
    [
      { rawHeaders: ["host", "x", "authorization", "hidden"] },
      { rawHeaders: ["host", "x", "authorization", "[redacted]"] },
    ],
    [
      ["authorization", "x", "y"],
      ["authorization", "x", "y"],
    ],
    [
      { name: "password", text: "hidden", other: "x" },
      { name: "password", text: "[redacted]", other: "x" },
    ],
    [
      { kty: "oct", k: "hidden", alg: "HS256" },
      { kty: "oct", k: "[redacted]", alg: "HS256" },
    ],
    [
      { k: "key", d: "day" },
      { k: "key", d: "day" },
    ],
  ])("is kept beside a secret: %j", (value, expected) => {
    expect(redactData(value)).toEqual(expected);
  });
});
