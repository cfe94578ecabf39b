import type { Contract, JsonSchema, OpenApiDocument, Operation } from "./contract.js";
import type { ResourceDeclaration, Resources } from "./resource-declaration.js";

export const resourcesOf = (document: OpenApiDocument): Resources => document["x-resources"] ?? {};

/** Checks the declared resources against the operations and schemas. Returns the problems, one line each. */
export const checkResources = (contract: Contract): string[] => {
  const resources = resourcesOf(contract.document);
  return Object.entries(resources).flatMap(([name, resource]) => {
    const problems = [
      ...checkOperations(resource, contract),
      ...checkParents(resource, resources, contract),
      ...checkIdentities(resource, contract),
      ...checkFields(resource, contract),
      ...checkCompleteness(resource, contract),
      ...checkCredentials(name, resource, resources, contract),
    ];
    return problems.map((problem) => `x-resources ${name}${problem}`);
  });
};

const methodOf = { create: "POST", get: "GET", update: "PATCH", delete: "DELETE", list: "GET" } as const;

export const operationOf = (id: string | undefined, { operations }: Contract): Operation | undefined =>
  operations.find((operation) => operation.id === id);

const checkOperations = (
  { schema, operations, secrets }: ResourceDeclaration,
  contract: Contract,
): string[] => {
  const problems: string[] = [];
  if (contract.schemas[schema] === undefined) problems.push(`.schema: ${schema} is not a component schema`);
  for (const [verb, id] of Object.entries(operations)) {
    const operation = operationOf(id, contract);
    const method = methodOf[verb as keyof typeof methodOf];
    if (!operation) problems.push(`.operations.${verb}: ${id} is not an operation`);
    else if (operation.method !== method) {
      problems.push(`.operations.${verb}: ${id} is a ${operation.method} operation, not ${method}`);
    }
  }
  if (operationOf(operations.list, contract)?.success.paged === false) {
    problems.push(`.operations.list: ${operations.list} is not a paged list`);
  }
  if (secrets !== undefined && !operationOf(secrets, contract)) {
    problems.push(`.secrets: ${secrets} is not an operation`);
  }
  return problems;
};

const checkParents = (resource: ResourceDeclaration, all: Resources, contract: Contract): string[] => {
  const inputs = createInputs(resource, contract);
  return Object.entries(resource.parents ?? {}).flatMap(([name, parent]) => {
    const declared = all[name];
    if (!declared) return [`.parents.${name}: is not a declared resource`];
    const problems = checkInput(parent, resource, contract);
    if (!inputs.has(parent.input)) problems.push(missing(parent.input, resource));
    if (parent.identityInput !== undefined) {
      if (!inputs.has(parent.identityInput)) problems.push(missing(parent.identityInput, resource));
      if (declared.identities?.length !== 1) problems.push(`: ${name} must have exactly one identity`);
    }
    if (parent.default !== undefined && !hasProperty(declared.schema, parent.default, contract)) {
      problems.push(`: ${declared.schema} has no property ${parent.default}`);
    }
    return problems.map((problem) => `.parents.${name}${problem}`);
  });
};

const checkIdentities = (resource: ResourceDeclaration, contract: Contract): string[] =>
  (resource.identities ?? []).flatMap((identity) => {
    const { input, filter, scope, conflicts } = identity;
    const create = operationOf(resource.operations.create, contract);
    const list = operationOf(resource.operations.list, contract);
    const problems = checkInput(identity, resource, contract);
    if (!createInputs(resource, contract).has(input)) problems.push(missing(input, resource));
    if (filter !== undefined && !list?.queryParameters.some(({ name }) => name === filter)) {
      problems.push(`: ${resource.operations.list} has no query parameter ${filter}`);
    }
    if (resource.parents?.[scope] === undefined) problems.push(`: the scope ${scope} is not a parent`);
    const known = create?.errors.flatMap(({ codes }) => codes) ?? [];
    for (const code of conflicts) {
      if (!known.includes(code)) problems.push(`: ${resource.operations.create} has no error ${code}`);
    }
    const named = contract.errorCodes.some(({ code, conflict }) => conflicts.includes(code) && conflict);
    if (filter === undefined && !named) {
      problems.push(": an identity without a filter needs an error code with `conflict`");
    }
    return problems.map((problem) => `.identities.${input}${problem}`);
  });

const checkFields = (resource: ResourceDeclaration, contract: Contract): string[] =>
  Object.entries(resource.fields).flatMap(([input, field]) => {
    const known = createInputs(resource, contract).has(input) || updateInputs(resource, contract).has(input);
    const problems = checkInput({ ...field, input }, resource, contract);
    if (!known) problems.push(`: neither ${resource.operations.create} nor update has an input ${input}`);
    return problems.map((problem) => `.fields.${input}${problem}`);
  });

/** Checks what parents, identities and fields have in common. */
const checkInput = (
  { input, property, mutable }: { input: string; property?: string; mutable?: true },
  resource: ResourceDeclaration,
  contract: Contract,
): string[] => {
  const problems: string[] = [];
  if (property !== undefined && !hasProperty(resource.schema, property, contract)) {
    problems.push(`: ${resource.schema} has no property ${property}`);
  }
  const updatable = updateInputs(resource, contract).has(input);
  if (mutable && !updatable) {
    problems.push(`: is mutable, but ${resource.operations.update ?? "update"} has no body field ${input}`);
  }
  if (!mutable && updatable) {
    problems.push(`: is a body field of ${resource.operations.update ?? ""}, but not mutable`);
  }
  return problems;
};

/** Every input must be declared, so that a tool that reads the declaration knows all of them. */
const checkCompleteness = (resource: ResourceDeclaration, contract: Contract): string[] => {
  const parents = Object.values(resource.parents ?? {});
  const declared = new Set([
    ...parents.flatMap(({ input, identityInput }) => [input, identityInput]),
    ...(resource.identities ?? []).map(({ input }) => input),
    ...Object.keys(resource.fields),
  ]);
  const inputs = new Set([...createInputs(resource, contract), ...updateInputs(resource, contract)]);
  return [...inputs]
    .filter((input) => !declared.has(input))
    .map((input) => `: the input ${input} is not declared`);
};

/** Returns the name and declaration of the resource that the operation creates. */
export const createdResource = (
  { id }: Operation,
  { document }: Contract,
): [name: string, declaration: ResourceDeclaration | undefined] =>
  Object.entries(resourcesOf(document)).find(([, { operations }]) => operations.create === id) ?? [
    "",
    undefined,
  ];

/** How to create the credentials of a resource. */
export interface CredentialsRule {
  create: Operation;
  /** Input of `create` with the id of the resource. */
  parent: string;
  body: Record<string, unknown>;
}

/** Returns how to create credentials for the resource. None if its own `create` returns them, or it has none. */
export const credentialsOf = (name: string, contract: Contract): CredentialsRule | undefined => {
  const resources = resourcesOf(contract.document);
  const { resource = "", body = {} } = resources[name]?.credentials ?? {};
  const create = operationOf(resources[resource]?.operations.create, contract);
  const parent = resources[resource]?.parents?.[name]?.input;
  return create && parent !== undefined ? { create, parent, body } : undefined;
};

const checkCredentials = (
  name: string,
  { credentials }: ResourceDeclaration,
  all: Resources,
  contract: Contract,
): string[] => {
  if (!credentials) return [];
  const { resource, body } = credentials;
  const declared = all[resource];
  if (!declared) return [`.credentials: ${resource} is not a declared resource`];
  if (!declared.parents?.[name]) return [`.credentials: ${resource} has no parent ${name}`];
  const inputs = createInputs(declared, contract);
  return Object.keys(body)
    .filter((input) => !inputs.has(input))
    .map((input) => `.credentials.body: ${declared.operations.create} has no input ${input}`);
};

const missing = (input: string, { operations }: ResourceDeclaration): string =>
  `: ${operations.create} has no input ${input}`;

/** Returns the path parameters and body fields of `create`, without deprecated fields. */
export const createInputs = ({ operations }: ResourceDeclaration, contract: Contract): Set<string> => {
  const create = operationOf(operations.create, contract);
  const path = create?.pathParameters.map(({ name }) => name) ?? [];
  return new Set([...path, ...bodyFieldsOf(create, contract)]);
};

const updateInputs = ({ operations }: ResourceDeclaration, contract: Contract): Set<string> =>
  new Set(bodyFieldsOf(operationOf(operations.update, contract), contract));

const bodyFieldsOf = (operation: Operation | undefined, { resolve }: Contract): string[] => {
  const { properties = {} } = operation?.body ? resolve(operation.body.schema) : {};
  return Object.entries(properties)
    .filter(([, { deprecated }]) => !deprecated)
    .map(([name]) => name);
};

const hasProperty = (schema: string, path: string, contract: Contract): boolean => {
  const within = ({ ...part }: JsonSchema, [name, ...rest]: string[]): boolean => {
    if (name === undefined) return true;
    const resolved = contract.resolve(part);
    const next = resolved.properties?.[name];
    const parts = [...(resolved.allOf ?? []), ...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])];
    return (next !== undefined && within(next, rest)) || parts.some((each) => within(each, [name, ...rest]));
  };
  return within(contract.schemas[schema] ?? {}, path.split("."));
};
