import type { Contract, Operation } from "../contract/contract.js";
import { comment, operationComment } from "./comments.js";
import { ensureMethod } from "./ensure.js";
import { safeDeclaration, safeMethod } from "./safe.js";
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
  safeName,
} from "./names.js";
import { typeWriter } from "./types.js";

/** The declaration of a method, and its signature in the interface for `client.safe`. */
interface GeneratedMethod {
  source: string;
  safe: string;
}

/** Generates a file for each top-level resource of the client with its nested resources, and an index. */
export const generateResources = (contract: Contract): Map<string, string> => {
  const files = new Map<string, string>();
  const namespaces = allNamespaces(contract.operations);
  const roots = namespaces.filter((namespace) => !namespace.includes("."));
  for (const root of roots) {
    const inside = namespaces.filter((namespace) => namespace === root || namespace.startsWith(`${root}.`));
    files.set(`resources/generated/${resourceFile(root)}.ts`, resourceModule(inside, namespaces, contract));
  }
  files.set("resources/generated/resources.ts", resourcesModule(roots, namespaces));
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
      "../../request/api-promise.js",
    ),
    importTypes(
      ["Core"].filter((name) => body.includes(`: ${name}`)),
      "../../methods/core.js",
    ),
    pagingImport(body),
    importTypes(
      [
        "AnyEnsureOptions",
        "CredentialsIf",
        "DryRunOptions",
        "EnsureOptions",
        "EnsurePlan",
        "EnsureRequestOptions",
        "EnsureResult",
        "MaybeDryRunOptions",
      ].filter((name) => new RegExp(`\\b${name}\\b`).test(body)),
      "../../ensure/ensure-result.js",
    ),
    importTypes(
      ["ListOptions", "RequestOptions"].filter((name) => body.includes(`: ${name}`)),
      "../../request/call.js",
    ),
    importTypes(
      ["MethodError"].filter((name) => body.includes(`${name}<`)),
      "../../methods/method-error.js",
    ),
    `import { Resource${body.includes("contractCall(") ? ", contractCall" : ""} } from "../../methods/resource.js";\n`,
    importTypes(
      ["Documented", "Result", "SafePromise"].filter((name) => body.includes(`${name}<`)),
      "../../methods/safe.js",
    ),
    // Comments link to these classes. Type imports make the links work in editors.
    importTypes(
      [...body.matchAll(/\{@link (\w+Error)\}/g)].map(([, name = ""]) => name),
      "../../errors/generated/errors.js",
    ),
    importTypes([...types], "../../generated/types.js"),
    ...elsewhere
      .filter((namespace) => body.includes(`{@link ${namespaceClass(namespace)}.`))
      .map((namespace) => importTypes([namespaceClass(namespace)], moduleOf(namespace))),
  ];
  return `${header}\n${imports.join("")}\n${body}`;
};

/** Returns the module of a namespace's class, as the generated files import it: hand-written classes are in the folder above. */
const moduleOf = (namespace: string): string =>
  `${isExtended(namespace) ? "../" : "./"}${resourceFile(namespace.split(".")[0] ?? namespace)}.js`;

const pagingImport = (body: string): string => {
  const names = ["CursorPage", "CursorPages", "WholeList"].filter((name) => body.includes(`${name}<`));
  if (!body.includes("readAnyPage")) return importTypes(names, "../../request/paging.js");
  return `import { ${[...names.map((name) => `type ${name}`), "readAnyPage"].join(", ")} } from "../../request/paging.js";\n`;
};

const importTypes = (names: string[], from: string): string =>
  names.length ? `import type { ${[...new Set(names)].sort().join(", ")} } from "${from}";\n` : "";

const resourceDeclaration = (
  namespace: string,
  children: string[],
  contract: Contract,
  types: Set<string>,
): string => {
  const own = contract.operations.filter(({ id }) => namespaceOf(id) === namespace);
  const all = own.map((operation) => method(operation, contract, types));
  const ensure = ensureMethod(namespace, contract);
  if (ensure) {
    all.push(ensure);
    for (const type of ensure.types) types.add(type);
  }
  const methods = all.map(({ source }) => source);
  const safeMethods = all.map(({ safe }) => safe);
  const rest = isExtended(namespace) ? ", without its hand-written methods" : "";
  const text = comment([`\`client.${namespace}\`${rest}`]);
  const declared = `${text}export class ${generatedClass(namespace)} extends Resource<${safeName(generatedClass(namespace))}> {\n${[constructorOf(namespace, children), ...methods].filter(Boolean).join("\n")}}\n`;
  return `${declared}\n${safeDeclaration(namespace, children, safeMethods)}`;
};

const constructorOf = (namespace: string, children: string[]): string => {
  if (children.length === 0) return "";
  const names = children.map((child) => ({
    name: child.slice(namespace.length + 1),
    class: namespaceClass(child),
  }));
  const fields = names.map((child) => `  declare readonly ${child.name}: ${child.class};\n`).join("");
  const made = names.map((child) => `    this.${child.name} = new ${child.class}(core);\n`).join("");
  return `${fields}\n  constructor(core: Core) {\n    super(core);\n${made}  }\n`;
};

const method = (operation: Operation, contract: Contract, types: Set<string>): GeneratedMethod => {
  const { id, method: verb, path, pathParameters, queryParameters, body } = operation;
  const parameters = pathParameters.map(({ name }) => `${paramName(name)}: string`);
  if (queryParameters.length && (body || verb !== "GET"))
    throw new Error(`${id}: only a GET can have query parameters, and no body`);
  const call = [`"${verb}"`, `"${path}"`];
  const input = body ? "body" : queryParameters.length ? "query" : undefined;
  if (pathParameters.length || input)
    call.push(`[${pathParameters.map(({ name }) => paramName(name)).join(", ")}]`);
  if (input) call.push(input);
  if (body) {
    parameters.push(
      `body${body.required ? "" : "?"}: ${named(operation, body.schema, "Body", contract, types)}`,
    );
  }
  if (queryParameters.length) {
    const required = queryParameters.some((parameter) => parameter.required);
    types.add(queryName(id));
    parameters.push(`query${required ? "" : "?"}: ${queryName(id)}`);
  }
  const { opener, type, result, value, reader = "" } = resultOf(operation, contract, types);
  parameters.push(`options?: ${opener === "pagesOf" ? "ListOptions" : "RequestOptions"}`);
  const text = comment(operationComment(operation, contract), "  ");
  const source = `${text}  ${methodName(id)}(${parameters.join(", ")}): ${result} {
    return this.${opener}${type}(contractCall(${call.join(", ")}), options${reader});
  }
`;
  return { source, safe: safeMethod(operation, contract.operations, parameters, value) };
};

/** Returns the method that unwraps the response, the return type, and the type that it resolves to. */
const resultOf = (
  operation: Operation,
  contract: Contract,
  types: Set<string>,
): { opener: string; type: string; result: string; value: string; reader?: string } => {
  const { envelope, schema, item, paged } = operation.success;
  const whole = schema && Object.keys(contract.resolve(schema).properties ?? {});
  if (schema === undefined || item === undefined)
    return { opener: "nothingOf", type: "", result: "ApiPromise<void>", value: "void" };
  if (envelope === "list") {
    const name = named(operation, item, "Item", contract, types);
    const plainPage = `CursorPage<${name}>`;
    if (paged)
      return { opener: "pagesOf", type: `<${name}>`, result: `CursorPages<${name}>`, value: plainPage };
    // The page of a list with more than its items has the rest, too.
    const page =
      whole?.length === 1
        ? undefined
        : `${named(operation, schema, "Response", contract, types)} & ${plainPage}`;
    const result = page === undefined ? `CursorPages<${name}>` : `WholeList<${name}, ${page}>`;
    const type = page === undefined ? `<${name}>` : `<${name}, ${result}>`;
    return { opener: "pagesOf", type, result, value: page ?? plainPage, reader: ", readAnyPage" };
  }
  if (envelope === "bare") {
    const name = named(operation, schema, "Response", contract, types);
    return { opener: "bodyOf", type: `<${name}>`, result: `ApiPromise<${name}>`, value: name };
  }
  const name = named(operation, item, "Response", contract, types);
  return { opener: "dataOf", type: `<${name}>`, result: `ApiPromise<${name}>`, value: name };
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
  const imports = roots.map((root) => {
    const name = namespaceClass(root);
    return `import { ${name}, type ${safeName(name)} } from "${moduleOf(root)}";\n`;
  });
  const exported = namespaces.map((namespace) => {
    const name = namespaceClass(namespace);
    return `export { ${name}, type ${safeName(name)} } from "${moduleOf(namespace)}";\n`;
  });
  const fields = roots.map((root) => `  readonly ${root}: ${namespaceClass(root)};\n`);
  const safeFields = roots.map((root) => `  readonly ${root}: ${safeName(namespaceClass(root))};\n`);
  const made = roots.map((root) => `  ${root}: ${namespaceClass(root)},\n`);
  return `${header}
${imports.join("")}
${exported.join("")}
/** All resources of the client. */
export interface Resources {
${fields.join("")}}

/** All resources of \`client.safe\`. */
export interface SafeResources {
${safeFields.join("")}}

/** Classes of all resources. */
export const resources = {
${made.join("")}};
`;
};
