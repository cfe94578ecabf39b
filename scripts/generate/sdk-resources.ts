import type { Contract, Operation } from "./contract.js";
import { comment, operationComment } from "./sdk-docs.js";
import { ensureMethod } from "./sdk-ensure.js";
import {
  generatedClass,
  header,
  isExtended,
  methodName,
  namespaceClass,
  namespaceOf,
  pascal,
  paramName,
  queryName,
  resourceFile,
} from "./sdk-names.js";
import { typeWriter } from "./sdk-types.js";

/** Generates a file for each top-level resource of the client with its nested resources, and an index. */
export const generateResources = (contract: Contract): Map<string, string> => {
  const files = new Map<string, string>();
  const namespaces = allNamespaces(contract.operations);
  const roots = namespaces.filter((namespace) => !namespace.includes("."));
  for (const root of roots) {
    const inside = namespaces.filter((namespace) => namespace === root || namespace.startsWith(`${root}.`));
    files.set(`resources/${resourceFile(root)}.ts`, resourceModule(inside, namespaces, contract));
  }
  files.set("resources.ts", resourcesModule(roots, namespaces));
  return files;
};

/** Returns all namespaces, such as `workspaces` and `workspaces.serviceTokens`, sorted. */
const allNamespaces = (operations: Operation[]): string[] => {
  const found = new Set<string>();
  for (const { id } of operations) {
    const parts = namespaceOf(id).split(".");
    for (let end = 1; end <= parts.length; end += 1) found.add(parts.slice(0, end).join("."));
  }
  return [...found].sort();
};

const childrenOf = (namespace: string, namespaces: string[]): string[] =>
  namespaces.filter(
    (each) => each.startsWith(`${namespace}.`) && !each.slice(namespace.length + 1).includes("."),
  );

const resourceModule = (inside: string[], namespaces: string[], contract: Contract): string => {
  const types = new Set<string>();
  // Nested classes come first because constructors of other classes use them.
  const classes = [...inside]
    .sort((a, b) => b.split(".").length - a.split(".").length)
    .map((namespace) => resourceDeclaration(namespace, childrenOf(namespace, namespaces), contract, types));
  const body = classes.join("\n");
  const elsewhere = namespaces.filter((namespace) => !inside.includes(namespace));
  const imports = [
    importTypes(
      ["ApiPromise"].filter((name) => body.includes(`${name}<`)),
      "../../api-promise.js",
    ),
    importTypes(
      ["Core"].filter((name) => body.includes(`: ${name}`)),
      "../../core.js",
    ),
    importTypes(
      ["CursorPages"].filter((name) => body.includes(`${name}<`)),
      "../../paging.js",
    ),
    importTypes(
      ["CredentialsIf", "EnsureOptions", "EnsureResult"].filter((name) => body.includes(`${name}<`)),
      "../../ensure/ensure-result.js",
    ),
    importTypes(
      ["ListOptions", "RequestOptions"].filter((name) => body.includes(`: ${name}`)),
      "../../request/call.js",
    ),
    'import { Resource } from "../../resource.js";\n',
    // Comments link to these classes. Type imports make the links work in editors.
    importTypes(
      [...body.matchAll(/\{@link (\w+Error)\}/g)].map(([, name = ""]) => name),
      "../errors.js",
    ),
    importTypes([...types], "../types.js"),
    ...elsewhere
      .filter((namespace) => body.includes(`{@link ${namespaceClass(namespace)}.`))
      .map((namespace) =>
        importTypes([namespaceClass(namespace)], moduleOf(namespace, "./", "../../resources/")),
      ),
  ];
  return `${header}\n${imports.join("")}\n${body}`;
};

/** Returns the module of a namespace's class, in the folder of generated or of hand-written classes. */
const moduleOf = (namespace: string, generated: string, written: string): string =>
  `${isExtended(namespace) ? written : generated}${resourceFile(namespace.split(".")[0] ?? namespace)}.js`;

const importTypes = (names: string[], from: string): string =>
  names.length ? `import type { ${[...new Set(names)].sort().join(", ")} } from "${from}";\n` : "";

const resourceDeclaration = (
  namespace: string,
  children: string[],
  contract: Contract,
  types: Set<string>,
): string => {
  const own = contract.operations.filter(({ id }) => namespaceOf(id) === namespace);
  const methods = own.map((operation) => method(operation, contract, types));
  const ensure = ensureMethod(namespace, contract);
  if (ensure) {
    methods.push(ensure.source);
    for (const type of ensure.types) types.add(type);
  }
  const rest = isExtended(namespace) ? ", without its hand-written methods" : "";
  const text = comment([`\`client.${namespace}\`${rest}`]);
  return `${text}export class ${generatedClass(namespace)} extends Resource {\n${[constructorOf(namespace, children), ...methods].filter(Boolean).join("\n")}}\n`;
};

const constructorOf = (namespace: string, children: string[]): string => {
  if (children.length === 0) return "";
  const names = children.map((child) => ({
    name: child.slice(namespace.length + 1),
    class: namespaceClass(child),
  }));
  const fields = names.map((child) => `  readonly ${child.name}: ${child.class};\n`).join("");
  const made = names.map((child) => `    this.${child.name} = new ${child.class}(core);\n`).join("");
  return `${fields}\n  constructor(core: Core) {\n    super(core);\n${made}  }\n`;
};

const method = (operation: Operation, contract: Contract, types: Set<string>): string => {
  const { id, method: verb, path, pathParameters, queryParameters, body } = operation;
  const parameters = pathParameters.map(({ name }) => `${paramName(name)}: string`);
  const call = [`method: "${verb}"`, `path: "${path}"`];
  if (pathParameters.length)
    call.push(`pathParams: { ${pathParameters.map(({ name }) => name).join(", ")} }`);
  if (body) {
    parameters.push(
      `body${body.required ? "" : "?"}: ${named(operation, body.schema, "Body", contract, types)}`,
    );
    call.push("body");
  }
  if (queryParameters.length) {
    const required = queryParameters.some((parameter) => parameter.required);
    types.add(queryName(id));
    parameters.push(`query${required ? "" : "?"}: ${queryName(id)}`);
    call.push("query");
  }
  const { opener, type, result } = resultOf(operation, contract, types);
  parameters.push(`options?: ${opener === "pagesOf" ? "ListOptions" : "RequestOptions"}`);
  const text = comment(operationComment(operation, contract), "  ");
  return `${text}  ${methodName(id)}(${parameters.join(", ")}): ${result} {
    return this.${opener}${type}({ ${call.join(", ")} }, options);
  }
`;
};

/** Returns the method that unwraps the response, and the return type. */
const resultOf = (
  operation: Operation,
  contract: Contract,
  types: Set<string>,
): { opener: string; type: string; result: string } => {
  const { envelope, schema, item, paged } = operation.success;
  const whole = schema && Object.keys(contract.resolve(schema).properties ?? {});
  if (schema === undefined || item === undefined)
    return { opener: "nothingOf", type: "", result: "ApiPromise<void>" };
  if (envelope === "list" && paged) {
    const name = named(operation, item, "Item", contract, types);
    return { opener: "pagesOf", type: `<${name}>`, result: `CursorPages<${name}>` };
  }
  // A list with more than its items is returned as a whole.
  if (envelope === "bare" || (envelope === "list" && whole?.length !== 1)) {
    const name = named(operation, schema, "Response", contract, types);
    return { opener: "bodyOf", type: `<${name}>`, result: `ApiPromise<${name}>` };
  }
  const name = named(operation, item, "Response", contract, types) + (envelope === "list" ? "[]" : "");
  return { opener: "dataOf", type: `<${name}>`, result: `ApiPromise<${name}>` };
};

const named = (
  operation: Operation,
  schema: Operation["success"]["schema"],
  role: string,
  contract: Contract,
  types: Set<string>,
): string => {
  if (schema?.$ref === undefined) {
    throw new Error(
      `${operation.id}: give the ${role.toLowerCase()} a name in components/schemas (${pascal(operation.id)}${role})`,
    );
  }
  const name = typeWriter(contract).type(schema);
  types.add(name);
  return name;
};

const resourcesModule = (roots: string[], namespaces: string[]): string => {
  const from = (namespace: string): string => moduleOf(namespace, "./resources/", "../resources/");
  const imports = roots.map((root) => `import { ${namespaceClass(root)} } from "${from(root)}";\n`);
  const exported = namespaces.map(
    (namespace) => `export { ${namespaceClass(namespace)} } from "${from(namespace)}";\n`,
  );
  const fields = roots.map((root) => `  readonly ${root}: ${namespaceClass(root)};\n`);
  const made = roots.map((root) => `  ${root}: ${namespaceClass(root)},\n`);
  return `${header}
${imports.join("")}
${exported.join("")}
/** All resources of the client. */
export interface Resources {
${fields.join("")}}

/** Classes of all resources. */
export const resources = {
${made.join("")}};
`;
};
