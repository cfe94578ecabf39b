import { describe, expect, it } from "vitest";
import {
  type JsonSchema,
  type OpenApiDocument,
  readContract,
} from "../../../scripts/generate/contract/contract.js";
import { printDocument } from "../../../scripts/generate/build-output.js";
import { publishedDocument } from "../../../scripts/generate/contract/published-document.js";
import { generateSdk } from "../../../scripts/generate/sdk/sdk.js";

type Json = Record<string, unknown>;

const content = (schema: JsonSchema) => ({ "application/json": { schema } });
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const id = {
  name: "id",
  in: "path",
  required: true,
  description: "Id of the pet.",
  schema: { type: "string" },
};

const getPet = (more: Json = {}): Json => ({
  operationId: "pets.get",
  tags: ["Pets"],
  summary: "Get a pet",
  description: "One pet. Ends a comment: */",
  parameters: [id],
  responses: {
    200: { description: "The pet.", content: content(ref("PetResponse")) },
    404: { description: "None.", content: content(ref("Error")), "x-error-codes": ["pet:not_found"] },
  },
  "x-origin": "documented",
  ...more,
});

const error = (more: Record<string, JsonSchema> = {}): JsonSchema => ({
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", ...Object.keys(more)],
      properties: { code: { type: "string" }, message: { type: "string" }, ...more },
    },
  },
});

const petStore = (
  paths: Record<string, Json>,
  schemas: Record<string, JsonSchema> = {},
  codes: Json = {},
): Json => ({
  openapi: "3.1.0",
  info: { title: "Pets", version: "v1", description: "" },
  tags: [],
  paths,
  components: {
    parameters: {},
    schemas: {
      Animal: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
      Pet: {
        description: "A pet.",
        allOf: [
          ref("Animal"),
          {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string", description: "What it hears.", minLength: 1, maxLength: 9 },
              age: { type: ["integer", "null"], minimum: 0, default: 1 },
              chip: { type: "string", description: "Its chip.", "x-secret": true },
              tags: { type: "array", items: { type: "string", enum: ["good", "bad"] } },
              extra: { type: "object", additionalProperties: true },
            },
          },
        ],
      },
      PetResponse: { type: "object", required: ["data"], properties: { data: ref("Pet") } },
      Error: error(),
      ...schemas,
    },
  },
  "x-error-codes": { "pet:not_found": { status: 404, description: "There is no such pet." }, ...codes },
});

const generate = async (document: Json): Promise<(file: string) => string> => {
  // A document that passes the linter.
  const files = await generateSdk(readContract(document as unknown as OpenApiDocument));
  return (file) => files.get(`packages/sdk/${file}`) ?? "";
};

describe("the generator", () => {
  it("writes flat interfaces, with the contract's words, bounds and defaults", async () => {
    const file = await generate(petStore({ "/v1/pets/{id}": { get: getPet() } }));
    expect(file("src/generated/types.ts")).toContain(`/** A pet. */
export interface Pet {
  id: string;
  /** What it hears. 1 to 9 characters. */
  name: string;
  /** Default: \`1\`. At least 0. */
  age?: number | null;
  /** Its chip. Secret: keep it out of logs. */
  chip?: string;
  tags?: ("good" | "bad")[];
  extra?: {
    [key: string]: unknown;
  };
}
`);
  });

  it("prints the contract as formatted JSON", () => {
    const contract = readContract(petStore({}) as unknown as OpenApiDocument);
    expect(printDocument(contract)).toMatch(/^\{\n {2}"openapi": "3\.1\.0",/);
    expect(JSON.parse(printDocument(contract))).toEqual(publishedDocument(contract));
  });

  it("documents what a method does, accepts and throws", async () => {
    const file = await generate(petStore({ "/v1/pets/{id}": { get: getPet() } }));
    expect(file("src/resources/generated/pets.ts")).toContain(`/** \`client.pets\` */
export class PetsResource extends Resource<SafePetsResource> {
  /**
   * Get a pet.
   *
   * One pet. Ends a comment: *\\/
   *
   * \`GET /v1/pets/{id}\`
   *
   * @param id Id of the pet.
   * @throws {@link PetNotFoundError} 404: there is no such pet.
   */
  get(id: string, options?: RequestOptions): ApiPromise<Pet> {
    return this.dataOf<Pet>(contractCall("GET", "/v1/pets/{id}", [id]), options);
  }
}

/** \`client.safe.pets\` */
export interface SafePetsResource extends Documented<PetsResource> {
  get(id: string, options?: RequestOptions): SafePromise<Pet, MethodError<"pets.get">>;
}
`);
  });

  it("nests resources as operation ids do, and lists pages, of which those without cursors have one", async () => {
    const list = (paged: boolean): JsonSchema => ({
      type: "object",
      properties: {
        data: { type: "array", items: ref("Pet") },
        ...(paged && { pagination: { type: "object", properties: { nextCursor: { type: "string" } } } }),
      },
    });
    const limit = { name: "limit", in: "query", schema: { type: "integer", default: 100, maximum: 1000 } };
    const operation = (operationId: string, schema: string, more: Json = {}) =>
      getPet({
        operationId,
        parameters: [id, limit],
        responses: { 200: { description: "Pets.", content: content(ref(schema)) } },
        ...more,
      });
    const file = await generate(
      petStore(
        {
          "/v1/owners/{id}/pets": { get: operation("owners.pets.list", "PetPages") },
          "/v1/pets": {
            get: operation("pets.list", "PetArray", { parameters: [{ ...limit, required: true }] }),
          },
        },
        { PetPages: list(true), PetArray: list(false) },
      ),
    );
    const owners = file("src/resources/generated/owners.ts");
    expect(owners).toContain("readonly pets: OwnersPetsResource;");
    expect(owners).toContain(
      "list(id: string, query?: OwnersPetsListQuery, options?: ListOptions): CursorPages<Pet> {",
    );
    expect(owners).toContain("readonly pets: SafeOwnersPetsResource;");
    expect(owners).toContain('): SafePromise<CursorPage<Pet>, MethodError<"owners.pets.list">>;');
    expect(file("src/errors/generated/error-codes.ts")).toContain(
      '"owners.pets.list": ErrorByCode[ErrorCodesByMethod["owners.pets.list"]] | PagingError;',
    );
    const pets = file("src/resources/generated/pets.ts");
    expect(pets).toContain("list(query: PetsListQuery, options?: ListOptions): CursorPages<Pet> {");
    expect(file("src/generated/types.ts")).toContain(
      "/** Default: `100`. At most 1000. */\n  limit?: number | undefined;",
    );
    expect(file("src/resources/generated/resources.ts")).toContain("owners: OwnersResource,");
  });

  it("names the replacement of a deprecated operation", async () => {
    const old = getPet({ operationId: "cats.get", deprecated: true, "x-replaced-by": "pets.get" });
    const paths = { "/v1/cats/{id}": { get: old }, "/v1/pets/{id}": { get: getPet() } };
    const file = await generate(petStore(paths));
    expect(file("src/resources/generated/cats.ts")).toContain(
      "@deprecated Use {@link PetsResource.get | client.pets.get}.",
    );
    expect(file("src/resources/generated/cats.ts")).toMatch(
      /\* @deprecated Use [^\n]+ \*\/\n {2}get\(id: string, options\?: RequestOptions\): SafePromise</,
    );
    expect(file("src/generated/operations.ts")).toMatch(/deprecated: true,\s+replacedBy: "pets\.get"/);
  });

  it("lists the error codes of each method, with those that no operation lists and the public ones of its statuses", async () => {
    const taken = { description: "Taken.", content: content(ref("Error")), "x-error-codes": ["pet:taken"] };
    const create = getPet({
      operationId: "pets.create",
      responses: { 201: { description: "" }, 409: taken },
    });
    const document = {
      ...petStore({ "/v1/pets/{id}": { get: getPet(), post: create } }),
      "x-error-codes": {
        "pet:not_found": { status: 404, description: "" },
        "pet:taken": { status: 409, description: "" },
        "rate_limit:exceeded": { status: 429, description: "" },
      },
      "x-public-error-codes": { not_found: 404, unauthorized: 401 },
    };
    const codes = (await generate(document))("src/errors/generated/error-codes.ts");
    expect(codes).toContain('export type CommonErrorCode = "rate_limit:exceeded";');
    expect(codes).toContain('"pets.get": CommonErrorCode | "pet:not_found" | "not_found";');
    expect(codes).toContain('"pets.create": CommonErrorCode | "pet:taken";');
    expect(codes).toContain("export type PagedMethod = never;");
    expect(codes).toContain('"pets.get": ErrorByCode[ErrorCodesByMethod["pets.get"]];');
  });

  it("writes an error class a code, with the fields that its schema adds", async () => {
    const codes = { "pet:taken": { status: 409, description: "Taken.", schema: "PetTaken" } };
    const schemas = { PetTaken: error({ ownerId: { type: "string", description: "Who has it." } }) };
    const file = await generate(petStore({ "/v1/pets/{id}": { get: getPet() } }, schemas, codes));
    expect(file("src/errors/generated/errors.ts")).toContain(`/** \`pet:taken\` (409): Taken. */
export class PetTakenError extends ConflictError {
  static override readonly kind: string = "pet:taken";
  static override readonly fields: readonly string[] = ["ownerId"];
  declare readonly code: "pet:taken";
  /** Who has it. */
  declare readonly ownerId: string;
}
`);
    expect(file("src/generated/types.ts")).toContain("export interface PetTakenBody {");
  });

  it.each([
    [
      "a code that is not in x-error-codes",
      getPet({
        responses: {
          200: { description: "", content: content(ref("PetResponse")) },
          404: { description: "", "x-error-codes": ["pet:lost"] },
        },
      }),
      "pets.get lists pet:lost, which is not in x-error-codes",
    ],
    [
      "a replacement that is not an operation",
      getPet({ deprecated: true, "x-replaced-by": "pets.find" }),
      "pets.get names pets.find as its replacement, which is not an operation",
    ],
    [
      "a body without a name",
      getPet({ requestBody: { content: content({ type: "object" }) } }),
      "pets.get: give the body a name in components/schemas (PetsGetBody)",
    ],
    [
      "a status that has no error class",
      getPet({
        responses: {
          200: { description: "", content: content(ref("PetResponse")) },
          418: { description: "", "x-error-codes": [] },
        },
      }),
      "statusNames has no entry for status 418",
    ],
  ])("refuses %s", async (_, operation, message) => {
    await expect(generate(petStore({ "/v1/pets/{id}": { get: operation } }))).rejects.toThrow(message);
  });
});
