import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient } from "@mgmt/sdk";
import { redactBody, redactHeaders, redactUrl, secretsIn } from "@mgmt/sdk/node";
import { redactMessage } from "@mgmt/internal/redaction/redact";
import { base64, contains, textForms, valueForms } from "./secret-forms.js";
import { answering } from "./server.js";

const canary = "Canary+7f/q9-plum";

const expectClean = (text: string): void => {
  expect({ text, isFound: contains(text, canary) }).toEqual({ text, isFound: false });
  for (const part of ["Canary", "plum"]) expect(text).not.toContain(part);
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
    for (const form of Object.values(textForms)) expect(contains(form(canary), canary)).toBe(true);
  });

  it.each(Object.entries(textForms))(
    "removes a secret from debug output in the form: %s",
    async (_, form) => {
      expectClean(await debugOf(form(canary)));
      expectClean(await debugOf([form(canary)]));
    },
  );

  it.each(Object.entries(valueForms))(
    "removes a secret from debug output by its name: %s",
    async (_, form) => {
      expectClean(await debugOf(form(canary)));
      expectClean(await debugOf(JSON.stringify(form(canary))));
    },
  );

  it.each(Object.entries(textForms))(
    "removes a secret from an inspected error in the form: %s",
    async (_, form) => {
      const { baseUrl } = await answering(
        { error: { code: "a:b", message: form(canary), hint: form(canary) } },
        422,
      );
      const error: unknown = await createClient({ baseUrl, token: false })
        .projects.list()
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "a:b" });
      expectClean(`${inspect(error, { depth: 9 })}\n${String(error)}\n${JSON.stringify(error)}`);
    },
  );

  it("removes a secret from any form, within other texts, values and encodings", () => {
    const forms = fc.constantFrom(...Object.values(textForms));
    const values = fc.constantFrom(...Object.values(valueForms));
    const word = fc.stringMatching(/^[A-Za-z][\w-]{15,30}[0-9]$/);
    const wraps = fc.array(
      fc.constantFrom<(text: string) => string>(
        (text) => JSON.stringify({ note: text, id: "proj_1" }),
        (text) => JSON.stringify([1, [text]]),
        (text) => `first line\n${text}\nlast line`,
        (text) => `failed: ${text} (again)`,
        encodeURIComponent,
        (text) => String(new URLSearchParams({ note: text })),
        base64,
      ),
      { maxLength: 2 },
    );
    const text = fc.oneof(
      fc
        .tuple(word, forms, wraps)
        .map(([secret, form, each]) => ({ secret, text: wrapped(form(secret), each) })),
      fc
        .tuple(word, values, wraps)
        .map(([secret, form, each]) => ({ secret, text: wrapped(JSON.stringify(form(secret)), each) })),
    );
    const wrapped = (inner: string, each: readonly ((text: string) => string)[]): string =>
      each.reduce((whole, wrap) => wrap(whole), inner);
    fc.assert(
      fc.property(text, ({ secret, text: whole }) => {
        for (const clean of [
          JSON.stringify(redactBody(JSON.stringify({ note: whole }))),
          redactUrl(whole),
          redactMessage(whole),
          redactHeaders({ "x-note": whole })["x-note"] ?? "",
        ]) {
          expect(clean).not.toContain(secret);
          expect(contains(clean, secret)).toBe(false);
        }
      }),
      { numRuns: 400, seed: 20261122 },
    );
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
      Buffer.from(canary).toString("hex"),
    ]) {
      expectClean(await debugOf(`see ${form} there`, canary));
    }
  });

  it("removes the password of Basic credentials, a URL or a cookie from other places", () => {
    for (const headers of [
      { authorization: `Basic ${base64(`ada:${canary}`)}` },
      { cookie: `a=1; session=${canary}` },
      { "x-secret": `postgres://ada:${encodeURIComponent(canary)}@db.test/shop` },
    ]) {
      expectClean(
        redactUrl(`https://x.test/${canary}/${encodeURIComponent(canary)}`, secretsIn(headers, undefined)),
      );
    }
  });

  it("removes a secret of a response from the rest of the response", () => {
    const text = JSON.stringify(redactBody(JSON.stringify({ note: base64(canary) }), [canary]));
    expectClean(text);
    expect(text).toContain("[redacted]");
  });

  it.each([
    "auth",
    "proxyAuth",
    "basic-auth",
    "ｐａｓｓｗｏｒｄ",
    "ＡＰＩ＿ＫＥＹ",
    "ｐａｓｓ",
    "ｖａｌｕｅ",
  ])("removes the value of the field %s, and of the header", (name) => {
    expect(redactBody(JSON.stringify({ [name]: canary }))).toEqual({ [name]: "[redacted]" });
    expect(redactHeaders({ [name]: canary })).toEqual({ [name]: "[redacted]" });
  });

  it.each(["authUrl", "authority", "oauth", "author", "authType", "ａｕｔｈｏｒ"])(
    "keeps the value of the field %s",
    (name) => {
      expect(redactBody(JSON.stringify({ [name]: "plain" }))).toEqual({ [name]: "plain" });
    },
  );

  it("keeps texts and fields that hold no secret", () => {
    const body = {
      name: "shop",
      mapping: { shipping: "ping", spinner: "on", pinned: true, compass: "north", bypass: "no" },
      tokenType: "bearer",
      tokenId: "tok_1",
      token: { id: "tok_1", name: "ci", expiresAt: "2026-11-22T10:00:00Z" },
      passwordless: "yes",
      passwordHint: "abcd",
      maxTokens: 100,
      author: "Ada",
      environment: "production",
      list: '[1, {"a": 2}]',
      plan: "Basic authentication with a password",
      path: "100%25 of https://x.test/a%20b?limit=10&cursor=abc",
      id: "proj_abcdefghijklmnop0123456789",
      digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      time: "2026-11-22T10:00:00.000Z",
      address: "http://127.0.0.1:4300/v1/projects",
      state: "state=ready, code=42",
      certificate: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    };
    expect(redactBody(JSON.stringify(body))).toEqual(body);
    expect(redactUrl("https://x.test/v1/projects?limit=5&name=a%20b")).toBe(
      "https://x.test/v1/projects?limit=5&name=a%20b",
    );
  });

  it("keeps messages that speak of secrets", () => {
    for (const message of [
      "The token is invalid, or has expired",
      "Missing header: Authorization: Bearer <token>",
      "A bearer token is required",
      "password: required",
      "token: expired",
      "Service token stok_abcdefghijklmnopqrstuvwx was not found",
      "Pass --token-file <path>, or set MGMT_TOKEN",
      "The password has to have 12 characters",
      "request id: req_1, status: 401",
    ]) {
      expect(redactMessage(message)).toBe(message);
    }
  });

  it("changes nothing when it is applied again", () => {
    for (const form of Object.values(textForms)) {
      const once = redactUrl(form(canary));
      expect(redactUrl(once)).toBe(once);
    }
  });

  it("never prints a control character that was percent-encoded", () => {
    expect(redactUrl("https://x.test/?token=a%0A%1B&b=%0A%1Bpassword%3Dx")).not.toMatch(/[\n\u001B]/);
  });

  it("masks what is nested too deeply to be searched", () => {
    const deep = `${'{"a":'.repeat(5_000)}"${canary}"${"}".repeat(5_000)}`;
    expectClean(JSON.stringify(redactBody(deep)));
    expect(secretsIn({}, deep)).toEqual([]);
  });
});
