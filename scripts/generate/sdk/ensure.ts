import { bodyForms } from "../contract/combinations.js";
import type { Contract, JsonSchema, Operation } from "../contract/contract.js";
import type {
  IdentityDeclaration,
  ParentDeclaration,
  ResourceDeclaration,
} from "../contract/resource-declaration.js";
import { credentialsOf, operationOf, resourcesOf } from "../contract/resources.js";
import { comment } from "./comments.js";
import { header, namespaceOf, pascal } from "./names.js";

/** A resource with an identity, which `ensure` can create or find. */
interface EnsurableResource {
  name: string;
  declaration: ResourceDeclaration;
  identities: readonly [IdentityDeclaration, ...IdentityDeclaration[]];
  create: Operation;
  list: Operation;
  /** Component schema of the body of `create`. */
  body: JsonSchema;
  /** Name of that schema. */
  bodyType: string;
}

const ensurableResources = (contract: Contract): EnsurableResource[] =>
  Object.entries(resourcesOf(contract.document)).flatMap(([name, declaration]) => {
    const [first, ...others] = declaration.identities ?? [];
    if (first === undefined) return [];
    const create = operationOf(declaration.operations.create, contract);
    const list = operationOf(declaration.operations.list, contract);
    if (!create?.body || !list)
      throw new Error(`x-resources ${name}: create needs a body, and list must exist`);
    const body = contract.resolve(create.body.schema);
    const bodyType = typeName(create.body.schema);
    return [{ name, declaration, identities: [first, ...others], create, list, body, bodyType }];
  });

/** Returns the resource whose `ensure` belongs to a namespace. */
const ensurableIn = (namespace: string, contract: Contract): EnsurableResource | undefined =>
  ensurableResources(contract).find(({ create }) => namespaceOf(create.id) === namespace);

const typeName = (schema: JsonSchema | undefined): string => schema?.$ref?.split("/").at(-1) ?? "";

/** Returns the type of the body of `ensure`, which requires an identity even if `create` does not. */
const ensureType = ({ name, identities, body, bodyType }: EnsurableResource): string => {
  const { required = [] } = body;
  return identities.some(({ input }) => required.includes(input)) ? bodyType : `Ensure${pascal(name)}`;
};

/** Returns the `ensure` methods with the operations that each may call. */
export const ensureOperations = (contract: Contract): { method: string; calls: Operation[] }[] =>
  ensurableResources(contract).map(({ name, declaration, create, list }) => {
    const resources = resourcesOf(contract.document);
    const lookups = Object.entries(declaration.parents ?? {}).flatMap(([parent, { default: byDefault }]) =>
      byDefault === undefined ? [] : [operationOf(resources[parent]?.operations.list, contract)],
    );
    const others = [
      operationOf(declaration.operations.get, contract),
      credentialsOf(name, contract)?.create,
      ...lookups,
    ];
    const calls = [create, list, ...others.filter((each) => each !== undefined)];
    return { method: `${namespaceOf(create.id)}.ensure`, calls };
  });

/** Generates the types of bodies that require an identity. */
export const ensureTypes = (contract: Contract): string[] =>
  ensurableResources(contract).flatMap((resource) => {
    const { name, identities, body, bodyType } = resource;
    const type = ensureType(resource);
    if (type === bodyType) return [];
    const [{ input }, ...others] = identities;
    if (others.length > 0) throw new Error(`x-resources ${name}: create must require one of the identities`);
    const property = body.properties?.[input] ?? {};
    const { description = "" } = { ...contract.resolve(property), ...property };
    const field = `{\n${comment([description], "  ")}  ${input}: string;\n}`;
    const text = comment([`{@link ${bodyType}} with the identity that \`ensure\` needs.`]);
    return bodyForms(body).length > 0
      ? `${text}export type ${type} = ${bodyType} & ${field};\n`
      : `${text}export interface ${type} extends ${bodyType} ${field}\n`;
  });

/** Generates the table of resources that `ensure` supports. */
export const generateEnsurables = (contract: Contract): string => {
  const resources = ensurableResources(contract);
  const rows = resources.map(
    (resource) => `  ${resource.name}: ${JSON.stringify(row(resource, contract))},\n`,
  );
  return `${header}
import type { Ensurable } from "../ensurable.js";

/** Resources that \`ensure\` supports. */
export const ensurables = {
${rows.join("")}} as const satisfies Readonly<Record<string, Ensurable>>;
`;
};

const row = (
  { name: resource, declaration, identities, create, list }: EnsurableResource,
  contract: Contract,
): object => ({
  create: create.path,
  list: list.path,
  get: operationOf(declaration.operations.get, contract)?.path,
  parents: Object.entries(declaration.parents ?? {}).flatMap(([name, parent]) => {
    const { input, none } = parent;
    const parameters = [...list.pathParameters, ...list.queryParameters];
    // Otherwise the parent follows from the credential.
    if (!parameters.some((parameter) => parameter.name === input)) return [];
    const required = requiredInputs(create, contract).includes(input) || undefined;
    return [{ input, required, none, lookup: lookup(name, parent, contract) }];
  }),
  identities: identities.map(({ input, filter, property, conflicts }) => {
    const fieldsOf = (code: string): object =>
      contract.errorCodes.find((entry) => entry.code === code)?.conflict ?? {};
    const fields = Object.fromEntries(conflicts.map((code) => [code, fieldsOf(code)]));
    return { input, filter, property, conflicts: fields };
  }),
  credentials: credentialsRow(resource, declaration, contract),
});

const credentialsRow = (
  name: string,
  { credentials }: ResourceDeclaration,
  contract: Contract,
): object | undefined => {
  const rule = credentialsOf(name, contract);
  if (!rule || !credentials) return undefined;
  return { property: credentials.resource, create: rule.create.path, parent: rule.parent, body: rule.body };
};

const requiredInputs = ({ pathParameters, body }: Operation, { resolve }: Contract): string[] => [
  ...pathParameters.map(({ name }) => name),
  ...((body && resolve(body.schema).required) ?? []),
];

const lookup = (name: string, parent: ParentDeclaration, contract: Contract): object | undefined => {
  if (parent.default === undefined) return undefined;
  const declaration = resourcesOf(contract.document)[name];
  const identity = parent.identityInput === undefined ? undefined : declaration?.identities?.[0];
  return {
    list: operationOf(declaration?.operations.list, contract)?.path,
    input: parent.identityInput,
    property: identity?.property,
    default: parent.default,
  };
};

/** Generates the `ensure` method of a namespace, with the types that it uses. None if no resource with an identity belongs to it. */
export const ensureMethod = (
  namespace: string,
  contract: Contract,
): { types: string[]; source: string; safe: string } | undefined => {
  const resource = ensurableIn(namespace, contract);
  if (!resource) return undefined;
  const { name, create, list } = resource;
  const created = typeName(create.success.item);
  const found = typeName(list.success.item);
  const body = ensureType(resource);
  const path = create.pathParameters.map((parameter) => parameter.name);
  const issued = typeName(credentialsOf(name, contract)?.create.success.item);
  const options = `options?: ${issued ? "EnsureOptions<Issues>" : "EnsureRequestOptions"}`;
  const given = [...path.map((each) => `${each}: string`), `body: ${body}`];
  const credentials = `{ readonly ${resource.declaration.credentials?.resource ?? ""}: ${issued} }`;
  const results = issued
    ? [created, found, `CredentialsIf<Issues, ${credentials}>`]
    : created === found
      ? [found]
      : [created, found];
  const perhaps = issued
    ? 'MaybeDryRunOptions & Pick<EnsureOptions<Issues>, "credentials">'
    : "MaybeDryRunOptions";
  const generic = issued ? "<Issues extends boolean = true>" : "";
  const result = `EnsureResult<${results.join(", ")}>`;
  const plan = `EnsurePlan<${found}>`;
  const overloads = [
    {
      text: [
        "Find out what `ensure` would do, without changing anything. Throws as the reads that it needs.",
      ],
      head: `ensure(${[...given, "options: DryRunOptions"].join(", ")})`,
      value: plan,
    },
    {
      text: ensureComment(resource, created !== found, contract),
      head: `ensure${generic}(${[...given, options].join(", ")})`,
      value: result,
    },
    {
      text: ["Create or find the resource, or find out what that would do, as `dryRun` says."],
      head: `ensure${generic}(${[...given, `options: ${perhaps}`].join(", ")})`,
      value: `${result} | ${plan}`,
    },
  ];
  const declared = overloads.map(
    ({ text, head, value }) => `${comment(text, "  ")}  ${head}: Promise<${value}>;\n`,
  );
  const call = [`"${name}"`, "body", "options", ...(path.length > 0 ? [`{ ${path.join(", ")} }`] : [])];
  return {
    types: [body, created, found, ...(issued ? [issued] : [])],
    source: `${declared.join("")}  ensure(${[...given, "options?: AnyEnsureOptions"].join(", ")}): Promise<unknown> {
    return this.ensureOf(${call.join(", ")});
  }
`,
    safe: overloads
      .map(({ head, value }) => `  ${head}: Promise<Result<${value}, MethodError<"${namespace}.ensure">>>;\n`)
      .join(""),
  };
};

const ensureComment = (
  { name, identities, declaration, create }: EnsurableResource,
  hasSecrets: boolean,
  contract: Contract,
): string[] => {
  const noun = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const [first, second] = identities;
  const identity = second
    ? `\`${first.input}\`, or without one the same \`${second.input}\`,`
    : `\`${first.input}\``;
  const scope = first.scope === "branch" ? "on the branch" : `in the ${first.scope}`;
  const required = requiredInputs(create, contract);
  const parents = Object.values(declaration.parents ?? {}).map(({ input }) => input);
  const needed = [...parents.filter((input) => required.includes(input)), first.input];
  const lines = [
    `Create ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}, or return the existing one with the same ${identity} ${scope}.`,
    "",
    `An existing ${noun} is returned unchanged, even if it differs from \`body\`. After lost responses, and if several processes ` +
      `call this at once, there is still only one ${noun}.`,
  ];
  const credentials = credentialsOf(name, contract);
  if (hasSecrets && !credentials) {
    const reissue = declaration.secrets === undefined ? "" : ` \`${declaration.secrets}\` issues new ones.`;
    lines.push(
      "",
      "Connection strings are returned only once, when the resource is created: they are missing if `created` is false, even if this call " +
        `created it and the response was lost.${reissue}`,
    );
  }
  if (credentials) {
    const property = declaration.credentials?.resource ?? "";
    lines.push(
      "",
      `If it creates the ${noun}, it also creates a ${property} with \`${credentials.create.id}\` and returns it with its secrets as ` +
        `\`${property}\`, which is absent if \`created\` is false. With \`credentials: false\` it creates none. \`${credentials.create.id}\` creates another one at any time. If ` +
        `creating the ${property} fails, the call throws, and the ${noun} exists.`,
    );
  }
  if (second) {
    lines.push(
      "",
      `Throws the conflict if another ${noun} has the \`${second.input}\`, but not the \`${first.input}\`.`,
    );
  }
  const codes = [...new Set(identities.flatMap(({ conflicts }) => conflicts))].map((code) => `\`${code}\``);
  const fallback = second ? ` or \`${second.input}\`` : "";
  return [
    ...lines,
    "",
    ...create.pathParameters.map((parameter) => `@param ${parameter.name} ${parameter.description}`),
    `@param body As for \`create\`, with ${second ? "a" : "the required"} \`${first.input}\`${fallback}.`,
    "@param options `timeoutMs` limits the whole operation. By default, each request has the timeout of the client. With " +
      "`dryRun: true`, nothing is created: the result is an `EnsurePlan`.",
    `@throws \`InvalidArgumentError\` without ${needed.map((input) => `\`${input}\``).join(" and ")}${fallback}.`,
    "@throws `TimeoutError` if the outcome is still unknown after `timeoutMs`.",
    `@throws The errors of \`create\`${credentials ? ` and \`${credentials.create.id}\`` : ""}, except ${codes.join(" and ")}, and the reason of \`options.signal\` if it is aborted.`,
  ];
};
