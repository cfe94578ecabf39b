import { basename, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { rolldown } from "rolldown";
import { type Contract, type JsonSchema, type Operation, root } from "../contract/contract.js";
import { responseSchema, closedComponents, requestSchema } from "./schemas.js";

/** Declarations of the bundled module. */
export const validatorDeclarations = `
/** A violated assertion. \`params\` depends on the keyword. */
export interface Finding {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
}

/** Returns whether the value is valid, and adds defaults to it. \`errors\` has the findings of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: Finding[] | null;
}

/** Validators by operation, for operations that have query parameters or a body. */
export const queryValidators: Readonly<Record<string, Validator | undefined>>;
export const bodyValidators: Readonly<Record<string, Validator | undefined>>;
/** Validators by operation and status. They do not allow fields that are not in the contract. */
export const responseValidators: Readonly<Record<string, Readonly<Record<string, Validator | undefined>>>>;
`;

/** Bundles Ajv standalone code for all requests and responses into one module without imports. */
export const bundleValidators = async (contract: Contract): Promise<string> => {
  const requests = new Compilation(true);
  const responses = new Compilation(false);
  responses.define(closedComponents(contract));
  const queries: string[] = [];
  const bodies: string[] = [];
  const validated: string[] = [];

  for (const operation of contract.operations) {
    const key = JSON.stringify(operation.id);
    if (operation.queryParameters.length > 0) {
      queries.push(`${key}: requests.${requests.add(querySchema(contract, operation))}`);
    }
    if (operation.body) {
      bodies.push(`${key}: requests.${requests.add(requestSchema(contract, operation.body.schema))}`);
    }
    const schemas: [number, JsonSchema | undefined][] = [
      [operation.success.status, operation.success.schema],
      ...operation.errors.map(({ status, schema }): [number, JsonSchema] => [status, schema]),
    ];
    const byStatus = schemas
      .filter((pair): pair is [number, JsonSchema] => pair[1] !== undefined)
      .map(
        ([status, schema]) =>
          `${String(status)}: responses.${responses.add(responseSchema(contract, schema))}`,
      );
    validated.push(`${key}: { ${byStatus.join(", ")} }`);
  }

  const entry = `
import * as requests from "requests";
import * as responses from "responses";
export const queryValidators = { ${queries.join(",\n")} };
export const bodyValidators = { ${bodies.join(",\n")} };
export const responseValidators = { ${validated.join(",\n")} };
`;
  return bundle(entry, { requests: requests.print(), responses: responses.print() });
};

const querySchema = (contract: Contract, operation: Operation): JsonSchema =>
  requestSchema(contract, {
    type: "object",
    properties: Object.fromEntries(operation.queryParameters.map(({ name, schema }) => [name, schema])),
    required: operation.queryParameters.filter(({ required }) => required).map(({ name }) => name),
  });

/** Compiles schemas to validators. Equal schemas share a validator. */
class Compilation {
  readonly #ajv: Ajv2020;
  readonly #names = new Map<string, string>();

  constructor(request: boolean) {
    this.#ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allowUnionTypes: true,
      allErrors: request,
      useDefaults: request,
      discriminator: request,
      messages: false,
      inlineRefs: 4,
      code: { source: true, esm: true, lines: true },
    });
    // The types of the CommonJS package declare a namespace, but the default import is the function.
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
  }

  /** Adds definitions that schemas can refer to as `components#/$defs/<name>`. */
  define(definitions: Record<string, JsonSchema>): void {
    this.#ajv.addSchema({ $id: "components", $defs: definitions });
  }

  /** Adds a schema and returns the name of its validator in the printed module. */
  add(schema: JsonSchema): string {
    const text = JSON.stringify(schema);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `fits${String(this.#names.size + 1)}`;
    this.#names.set(text, name);
    this.#ajv.addSchema(schema, name);
    return name;
  }

  print(): string {
    const names = Object.fromEntries([...this.#names.values()].map((name) => [name, name]));
    // A CommonJS default export, as above.
    const print = standalone as unknown as (ajv: Ajv2020, names: Record<string, string>) => string;
    return print(this.#ajv, names);
  }
}

const bundle = async (entry: string, modules: Record<string, string>): Promise<string> => {
  const sources = new Map(Object.entries({ validators: entry, ...modules }));
  // Rolldown runs in this process: a set-up of the tests, which start none, may generate the module.
  const bundled = await rolldown({
    input: "validators",
    platform: "neutral",
    resolve: { mainFields: ["module", "main"] },
    plugins: [
      {
        name: "printed",
        // What the modules import is looked for from the root.
        resolveId: (id) => (sources.has(id) ? join(root, id) : undefined),
        load: (id) => sources.get(basename(id)),
      },
    ],
  });
  const { output } = await bundled.generate({
    format: "esm",
    minify: {
      compress: { target: "es2022" },
      mangle: false,
      codegen: { removeWhitespace: true, legalComments: "none" },
    },
  });
  await bundled.close();
  return output[0].code;
};
