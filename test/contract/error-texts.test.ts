import { beforeAll, describe, expect, it } from "vitest";
import {
  type Contract,
  type OpenApiDocument,
  loadContract,
} from "../../scripts/generate/contract/contract.js";
import {
  type ErrorText,
  addErrorExamples,
  isInstanceOf,
  readErrorTexts,
  replaceParameters,
} from "../../scripts/generate/contract/error-texts.js";
import { printErrors } from "../../scripts/generate/engine/errors.js";
import { contractErrors } from "../../packages/engine/src/values/generated/errors.js";
import { errors } from "../../packages/engine/src/values/errors.js";
import { RequestError } from "../../packages/engine/src/values/request-error.js";

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract();
});

const nameOf = ({ code, variant }: ErrorText): string =>
  variant === undefined ? code : `${code}/${variant}`;

/** Returns what the server builds for a text, with the example of each parameter. */
const build = ({ parameters, ...text }: ErrorText, fields: object | undefined): RequestError => {
  const builder = new Map<string, unknown>(Object.entries(contractErrors)).get(
    nameOf({ parameters, ...text }),
  );
  if (typeof builder !== "function")
    throw new Error(`The server cannot build ${nameOf({ parameters, ...text })}`);
  const received = [...(Object.keys(parameters).length > 0 ? [parameters] : []), ...(fields ? [fields] : [])];
  const error: unknown = Reflect.apply(builder, undefined, received);
  if (!(error instanceof RequestError)) throw new Error("Not an error of the API");
  return error;
};

it("are what the server builds for every code and variant, with its status and headers", () => {
  const texts = readErrorTexts(contract.document);
  expect(texts.map(nameOf)).toEqual(Object.keys(contractErrors));
  for (const text of texts) {
    const fillIn = (template: string): string =>
      replaceParameters(template, (name) => String(text.parameters[name]));
    const fields = contract.document["x-error-codes"][text.code]?.fields;
    const { status, code, message, hint, extra, headers } = build(text, fields);
    const sent = Object.fromEntries(
      Object.entries(text.headers ?? {}).map(([name, value]) => [name, fillIn(value)]),
    );
    expect({ status, code, message, hint, extra, headers }).toEqual({
      status: text.status,
      code: text.code,
      message: fillIn(text.message),
      hint: text.hint === undefined ? undefined : fillIn(text.hint),
      extra: fields ?? {},
      headers: sent,
    });
    expect(message + (hint ?? "")).not.toMatch(/[{}]|undefined|[.]$/);
  }
});

it("do not read a parameter in the value of another one", () => {
  const { message } = errors["route:not_found/similar"]({
    path: "/{similarPath}`$&${path}",
    similarPath: "/v1",
  });
  expect(message).toBe("The path /{similarPath}`$&${path} does not exist");
});

describe("a message with its hint", () => {
  const text = (message: string, hint?: string): ErrorText => ({
    code: "a:b",
    variant: undefined,
    status: 400,
    message,
    hint,
    schema: "Error",
    parameters: { name: "web", seconds: 1 },
  });

  it.each<[string, ErrorText, { message: string; hint?: string }, boolean]>([
    ["equal", text("A.", "B"), { message: "A.", hint: "B" }, true],
    ["with a value", text("{name} is (taken)", "B"), { message: "a\nb is (taken)", hint: "B" }, true],
    ["with a number", text("A", "Wait {seconds} s"), { message: "A", hint: "Wait 60 s" }, true],
    ["with the same value twice", text("{name}", "Not {name}"), { message: "a", hint: "Not a" }, true],
    ["without a hint, like the text", text("A"), { message: "A" }, true],
    ["with another message", text("A.", "B"), { message: "AB", hint: "B" }, false],
    ["with another hint", text("A", "B"), { message: "A", hint: "C" }, false],
    ["without the hint", text("A", "B"), { message: "A" }, false],
    ["with a hint of its own", text("A"), { message: "A", hint: "B" }, false],
    ["with no value", text("A {name}", "B"), { message: "A ", hint: "B" }, false],
    ["with a word for a number", text("A", "Wait {seconds} s"), { message: "A", hint: "Wait a s" }, false],
    ["with two values", text("{name}", "Not {name}"), { message: "a", hint: "Not b" }, false],
    ["with more at the end", text("A", "B"), { message: "A", hint: "B!" }, false],
    ["with more at the start", text("A", "B"), { message: "The A", hint: "B" }, false],
  ])("%s", (_name, expected, error, is) => {
    expect(isInstanceOf(expected, error)).toBe(is);
  });
});

/** The contract with one error code. */
const documentWith = (entry: object, variants?: Record<string, string>): OpenApiDocument => {
  const { components } = contract.document;
  const response = {
    description: "",
    "x-error-codes": ["a:b"],
    "x-error-variants": variants,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
  const document = {
    ...contract.document,
    components: { ...components, responses: { Refused: response } },
    "x-error-codes": { "a:b": { status: 400, description: "", message: "A", hint: "B", ...entry } },
  };
  return document;
};

describe("an error code", () => {
  it.each<[string, object, string]>([
    ["without a message", { message: undefined }, "a:b in x-error-codes needs a message"],
    ["without a hint", { hint: undefined }, "and a hint if Error has one"],
    ["with a hint that its schema does not have", { schema: "AppAlreadyExistsError" }, "and a hint if"],
    [
      "with a parameter that has no example",
      { message: "A {b}" },
      "a:b in x-error-codes has no example of {b}",
    ],
    ["with an example that no text uses", { parameters: { b: 1 } }, "a:b in x-error-codes does not use {b}"],
    ["with a variant without a hint", { variants: { c: { hint: undefined } } }, "needs a message"],
    ["with a variant with another parameter", { variants: { c: { hint: "{d}" } } }, "no example of {d}"],
  ])("%s is refused", (_name, entry, message) => {
    expect(() => readErrorTexts(documentWith(entry))).toThrow(message);
  });

  it("is refused in a response that names a variant which it does not have", () => {
    expect(() => addErrorExamples(documentWith({}, { "a:b": "c" }))).toThrow("The response Refused has a:b");
  });

  it("has a constructor with the texts as they are, and the types of its parameters", () => {
    const entry = { message: "`A` \\ $5 {b}", hint: "Wait {c} s", parameters: { b: "d", c: 1 } };
    expect(printErrors({ ...contract, document: documentWith(entry) })).toContain(
      '"a:b": ({ b, c }: { readonly b: string; readonly c: number; }) =>\n    new RequestError({ status: 400, code: "a:b", message: `\\`A\\` \\\\ \\$5 ${b}`',
    );
  });
});

it("are the examples of every error response, one for each of its codes", () => {
  const { responses } = JSON.parse(JSON.stringify(contract.document.components)) as {
    responses: Record<string, Record<string, unknown>>;
  };
  for (const [name, response] of Object.entries(responses)) {
    expect(response).toMatchObject({
      content: { "application/json": { examples: expect.anything() as unknown } },
    });
    expect(JSON.stringify(response), name).not.toContain("x-error-variants");
  }
});
