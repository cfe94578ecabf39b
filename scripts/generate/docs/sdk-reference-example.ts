import type ts from "typescript";
import type { Contract, Operation, Parameter } from "../contract/contract.js";
import { namespaceOf } from "../sdk/names.js";
import type { Method, Sdk } from "./sdk-reference-source.js";
import { inputFields } from "./sdk-reference-types.js";

/**
 * Returns a module that creates a client and calls each method once, with the examples of the contract. What removes something from
 * the workspace comes last.
 */
export const exampleOf = (methods: Method[], sdk: Sdk, contract: Contract): string => {
  const taken = new Set(["client", "createClient"]);
  const inOrder = [...methods].sort((one, other) => finality(one) - finality(other));
  const calls = inOrder.map((method) => {
    const args = argumentsOf(method, sdk, contract).join(", ");
    const { type } = method.declaration;
    const isPaged = type?.getText().startsWith("CursorPages<") ?? false;
    const isList = isPaged || type?.getText().endsWith("[]>");
    const call = `await client.${method.id}(${args})${isPaged ? ".toArray({ limit: 100 })" : ""};`;
    const name = isList ? lastOf(namespaceOf(method.id)) : valueName(type);
    if (name === undefined || taken.has(name)) return call;
    taken.add(name);
    return `export const ${name} = ${call}`;
  });
  return [
    "```ts",
    'import { createClient } from "@mgmt/sdk";',
    "",
    'const client = createClient({ baseUrl: "https://api.example.com", token: "<token>" });',
    "",
    ...calls,
    "```",
  ].join("\n");
};

/** How much a call takes from those after it: nothing, the access to a resource, or the resource. */
const finality = ({ id }: Method): number =>
  id.endsWith(".delete") ? 2 : /\.(?:transfer|waitUntilTransferred)$/.test(id) ? 1 : 0;

const lastOf = (namespace: string): string => namespace.slice(namespace.lastIndexOf(".") + 1);

/** Returns `project` for `ApiPromise<Project>`. */
const valueName = (type: ts.TypeNode | undefined): string | undefined => {
  const inner = /<\s*(\w+)/.exec(type?.getText() ?? "")?.[1] ?? "void";
  return inner === "void" ? undefined : inner.charAt(0).toLowerCase() + inner.slice(1);
};

/** Returns the required arguments, and a body for each method that has one. */
const argumentsOf = (method: Method, sdk: Sdk, contract: Contract): string[] =>
  method.declaration.parameters.flatMap((parameter) => {
    const name = parameter.name.getText();
    if (name === "options") return [];
    if (name === "body") return [bodyOf(method, parameter, sdk, contract)];
    if (name.endsWith("Token")) return ['"<token>"'];
    if (name !== "query") return [idOf(pathParameter(method, name, contract), contract)];
    if (parameter.questionToken) return [];
    const required = method.operation?.queryParameters.filter((each) => each.required) ?? [];
    return [`{ ${required.map((each) => `${each.name}: ${idOf(each, contract)}`).join(", ")} }`];
  });

/** Returns the path parameter of the same name of an operation, preferably in the same namespace. */
const pathParameter = ({ id }: Method, name: string, { operations }: Contract): Parameter => {
  const isOwn = (operation: Operation): boolean => namespaceOf(operation.id) === namespaceOf(id);
  const found = [...operations.filter(isOwn), ...operations]
    .flatMap(({ pathParameters }) => pathParameters)
    .find((parameter) => parameter.name === name);
  if (!found) throw new Error(`No example for ${name} of ${id}: no operation has this parameter`);
  return found;
};

const idOf = ({ name, schema }: Parameter, { resolve }: Contract): string => {
  const prefix = resolve(schema)["x-id-prefix"];
  if (prefix === undefined) throw new Error(`No example for ${name}: it is not an id`);
  return `"${prefix}1"`;
};

/** Returns the first example that has all required fields. Hand-written methods use the examples of `create`. */
const bodyOf = (
  method: Method,
  { type }: ts.ParameterDeclaration,
  sdk: Sdk,
  { operations }: Contract,
): string => {
  const create = (each: Operation): boolean => each.id === `${namespaceOf(method.id)}.create`;
  const examples = (method.operation ?? operations.find(create))?.body?.examples ?? [];
  const required = type ? inputFields(type, sdk).filter((field) => field.required) : [];
  const fitting = examples.find((example) =>
    required.every(({ name }) => Object.hasOwn(Object(example), name)),
  );
  if (fitting === undefined)
    throw new Error(`The contract has no example with the required fields of ${method.id}`);
  return JSON.stringify(fitting).replaceAll(/"([a-z]+_)[0-9a-z]{24}"/g, '"$11"');
};
