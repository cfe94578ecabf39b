import { describe, expect, it } from "vitest";
import { type Form, bodyForms, queryForms } from "../../../../scripts/generate/contract/combinations.js";
import type { JsonSchema, Parameter } from "../../../../scripts/generate/contract/contract.js";
import { typeWriter } from "../../../../scripts/generate/sdk/types.js";

const string: JsonSchema = { type: "string" };
const schema = (names: string, more: JsonSchema): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(names.split(" ").map((name) => [name, string])),
  ...more,
});
const shown = (forms: Form[]) => forms.map(({ open, closed }) => [[...open.keys()], [...closed.keys()]]);
const write = typeWriter({ schemas: {}, resolve: (each) => each });
const parameter = (name: string, notWith: string[] = []): Parameter => ({
  name,
  in: "query",
  required: false,
  description: "",
  schema: string,
  notWith,
});

describe("the variants of an input", () => {
  it("are none when all fields can be combined", () => {
    expect(bodyForms(schema("a b", {}))).toEqual([]);
    expect(queryForms([parameter("a"), parameter("b")])).toEqual([]);
  });

  it("include the largest sets of fields that do not exclude each other", () => {
    const chain = { not: { anyOf: [{ required: ["a", "b"] }, { required: ["c", "b"] }] } };
    expect(shown(bodyForms(schema("a b c free", chain)))).toEqual([
      [["a", "c"], ["b"]],
      [["b"], ["a", "c"]],
    ]);
    const triangle = {
      not: { anyOf: [{ required: ["a", "b"] }, { required: ["c", "a"] }, { required: ["c", "b"] }] },
    };
    expect(shown(bodyForms(schema("a b c", triangle)))).toEqual([
      [["a"], ["b", "c"]],
      [["b"], ["a", "c"]],
      [["c"], ["a", "b"]],
    ]);
    expect(shown(queryForms([parameter("a"), parameter("b", ["a"])]))).toEqual([
      [["a"], ["b"]],
      [["b"], ["a"]],
    ]);
  });

  it("combine independent choices as their product", () => {
    const two = { not: { anyOf: [{ required: ["a", "b"] }, { required: ["x", "y"] }] } };
    expect(bodyForms(schema("a b x y", two)).map(({ names }) => names.join())).toEqual([
      "a,x",
      "a,y",
      "b,x",
      "b,y",
    ]);
  });

  it("are generated as named interfaces that extend a shared one, with null where it is accepted", () => {
    const printed = write.declaration("Walk", {
      ...schema("park street pace", {
        required: ["pace"],
        description: "Where to go.",
        not: { required: ["park", "street"], properties: { street: string } },
      }),
    });
    expect(printed).toBe(`/** Fields of every {@link Walk}. */
export interface WalkFields {
  pace: string;
}

/** {@link Walk} with \`park\`, without \`street\`. */
export interface WalkWithPark extends WalkFields {
  park?: string;
  /** Cannot be combined with \`park\`. */
  street?: null;
}

/** {@link Walk} with \`street\`, without \`park\`. */
export interface WalkWithStreet extends WalkFields {
  /** Cannot be combined with \`street\`. */
  park?: never;
  street?: string;
}

/** Where to go. */
export type Walk = WalkWithPark | WalkWithStreet;
`);
  });

  it("require one of two names for the same field, and link the new one", () => {
    const printed = write.declaration("Call", {
      type: "object",
      properties: { name: string, nick: { type: "string", deprecated: true, "x-replaced-by": "name" } },
      if: { required: ["nick"] },
      else: { required: ["name"] },
    });
    expect(printed).toContain("  name: string;\n");
    expect(printed).toContain("  nick: string;\n");
    expect(printed.match(/@deprecated Use \{@link CallWithName\.name \| name\}\./g)).toHaveLength(2);
  });

  it("cannot be generated for three exclusive fields, or for a field that does not exist: the error names them", () => {
    const three = schema("a b c", { not: { required: ["a", "b", "c"] } });
    expect(() => bodyForms(three)).toThrow(
      "The contract excludes [a, b, c]; an exclusion must name two fields",
    );
    const gone = schema("a", { not: { required: ["a", "gone"] } });
    expect(() => bodyForms(gone)).toThrow(
      "The contract excludes gone, which is not a field of the same schema",
    );
    expect(() => queryForms([parameter("a", ["gone"])])).toThrow(
      "gone, which is not a field of the same schema",
    );
  });

  it("cannot omit a deprecated field without a successor", () => {
    const left = schema("a", { properties: { a: { type: "string", deprecated: true } } });
    expect(() => write.declaration("Left", left)).toThrow(
      'Deprecated a is replaced by "", which is not a field of the same schema',
    );
  });
});
