import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { build } from "esbuild";
import { type Contract, type JsonSchema, type Operation, root } from "./contract.js";
import { answerSchema, closedComponents, requestSchema } from "./engine-schemas.js";

const declarations = `
/** What does not fit; \`params\` depends on the keyword. */
export interface Finding {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
}

/** Answers whether the value fits, and puts defaults into it; \`errors\` holds the findings of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: Finding[] | null;
}

/** By operation. An operation without query parameters or without a body has none. */
export const queryValidators: Readonly<Record<string, Validator | undefined>>;
export const bodyValidators: Readonly<Record<string, Validator | undefined>>;
/** By operation and status; strict: a field that the contract does not name is a finding. */
export const answerValidators: Readonly<Record<string, Readonly<Record<string, Validator | undefined>>>>;
`;

/** Ajv standalone code for all requests and answers, bundled into one module that needs nothing. */
export const bundleValidators = async (
  contract: Contract,
): Promise<{ code: string; declarations: string }> => {
  const requests = new Compilation(true);
  const answers = new Compilation(false);
  answers.define(closedComponents(contract));
  const queries: string[] = [];
  const bodies: string[] = [];
  const answered: string[] = [];

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
      .map(([status, schema]) => `${String(status)}: answers.${answers.add(answerSchema(contract, schema))}`);
    answered.push(`${key}: { ${byStatus.join(", ")} }`);
  }

  const entry = `
import * as requests from "requests";
import * as answers from "answers";
export const queryValidators = { ${queries.join(",\n")} };
export const bodyValidators = { ${bodies.join(",\n")} };
export const answerValidators = { ${answered.join(",\n")} };
`;
  return {
    code: await bundle(entry, { requests: requests.print(), answers: answers.print() }),
    declarations,
  };
};

const querySchema = (contract: Contract, operation: Operation): JsonSchema =>
  requestSchema(contract, {
    type: "object",
    properties: Object.fromEntries(operation.queryParameters.map(({ name, schema }) => [name, schema])),
    required: operation.queryParameters.filter(({ required }) => required).map(({ name }) => name),
  });

/** Validators of one kind; equal schemas share one. */
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
    // The package's types call the CommonJS default a namespace; at run time it is the function itself.
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
  }

  /** What schemas may refer to as `components#/$defs/<name>`. */
  define(definitions: Record<string, JsonSchema>): void {
    this.#ajv.addSchema({ $id: "components", $defs: definitions });
  }

  /** Name of the validator of this schema in the printed module. */
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
    // As above: a CommonJS default.
    const print = standalone as unknown as (ajv: Ajv2020, names: Record<string, string>) => string;
    return print(this.#ajv, names);
  }
}

const bundle = async (entry: string, modules: Record<string, string>): Promise<string> => {
  const result = await build({
    stdin: { contents: entry, resolveDir: root, loader: "js" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    legalComments: "none",
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 110,
    mainFields: ["module", "main"],
    plugins: [
      {
        name: "validators",
        setup(builder) {
          builder.onResolve({ filter: /^(requests|answers)$/ }, ({ path }) => ({
            path,
            namespace: "printed",
          }));
          builder.onLoad({ filter: /.*/, namespace: "printed" }, ({ path }) => ({
            contents: modules[path] ?? "",
            resolveDir: root,
            loader: "js",
          }));
        },
      },
    ],
  });
  return result.outputFiles[0]?.text ?? "";
};
