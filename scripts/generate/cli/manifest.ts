import { format } from "../format.js";
import type { ManagedField, ManagedResource } from "../../../packages/cli/src/contract/managed-resource.js";
import { wordsOf } from "./bodies.js";
import { compact } from "./fields.js";
import type { Contract, JsonSchema, Operation } from "../contract/contract.js";
import type { ResourceDeclaration } from "../contract/resource-declaration.js";
import { operationOf, resourcesOf } from "../contract/resources.js";

/** A declared resource that a manifest can contain. */
interface Declared {
  readonly name: string;
  readonly resource: ResourceDeclaration;
  readonly create: Operation;
  readonly container: string;
}

/** Generates the table of resources that `plan` and `apply` manage, and the JSON Schema of a manifest. */
export const generateManifest = async (contract: Contract, header: string): Promise<Map<string, string>> => {
  const declared = declaredResources(contract);
  const table = declared.map((each) => managedResource(each, declared, contract));
  const source = `${header}import type { ManagedResource } from "../managed-resource.js";
/** The resources of a manifest, each after the one that contains it. */
export const managedResources: readonly ManagedResource[] = ${JSON.stringify(table)};`;
  const schema = manifestSchema(declared, table, contract);
  return new Map([
    ["packages/cli/src/contract/generated/managed-resources.ts", await format("typescript", source)],
    ["packages/cli/mgmt.schema.json", await format("json", JSON.stringify(schema))],
  ]);
};

/** Returns the resources with an identity, without the deprecated names of others. */
const declaredResources = (contract: Contract): Declared[] =>
  Object.entries(resourcesOf(contract.document))
    .flatMap(([name, resource]) => {
      const create = operationOf(resource.operations.create, contract);
      const container = resource.identities?.[0]?.scope;
      if (!create || create.deprecated || container === undefined) return [];
      return [{ name, resource, create, container }];
    })
    .sort((a, b) => depthOf(a.name, contract) - depthOf(b.name, contract));

const depthOf = (name: string, contract: Contract): number => {
  const scope = resourcesOf(contract.document)[name]?.identities?.[0]?.scope;
  return scope === undefined ? 0 : 1 + depthOf(scope, contract);
};

const managedResource = (
  { name, resource, create, container }: Declared,
  declared: readonly Declared[],
  contract: Contract,
): ManagedResource => {
  const { operations, identities = [], parents = {} } = resource;
  const [identity] = identities;
  const list = operationOf(operations.list, contract);
  const update = operationOf(operations.update, contract);
  const remove = operationOf(operations.delete, contract);
  if (!identity || !list) throw new Error(`x-resources ${name}: an identity and a list are needed`);
  const isManaged = (parent: string): boolean => declared.some((each) => each.name === parent);
  return compact<ManagedResource>({
    name,
    collection: create.id.split(".").at(-2) ?? "",
    container: isManaged(container) ? container : undefined,
    identity: compact<ManagedResource["identity"]>({
      input: identity.input,
      property: identity.property,
      mutable: identity.mutable,
      optional: isNullable(resource, identity.property, contract) || undefined,
    }),
    create: { id: create.id, path: create.path, parameters: create.pathParameters.map((each) => each.name) },
    list: { path: list.path, parameters: list.pathParameters.map((each) => each.name) },
    update: update && { path: update.path },
    delete: remove && { path: remove.path },
    parents: Object.entries(parents)
      .filter(([parent]) => isManaged(parent))
      .map(([parent, { input, property }]) => compact({ resource: parent, input, property })),
    fields: fieldsOf(resource, create, contract),
  });
};

const isNullable = ({ schema }: ResourceDeclaration, property: string, contract: Contract): boolean => {
  const propertiesOf = (each: JsonSchema): Record<string, JsonSchema> => {
    const { properties = {}, allOf = [] } = contract.resolve(each);
    return Object.assign({}, ...allOf.map(propertiesOf), properties) as Record<string, JsonSchema>;
  };
  const found = propertiesOf({ $ref: `#/components/schemas/${schema}` })[property];
  return found !== undefined && [contract.resolve(found).type].flat().includes("null");
};

/** Returns the inputs of `create` beside the parents and the identity of the entry. */
const fieldsOf = (
  { fields, identities = [] }: ResourceDeclaration,
  create: Operation,
  { resolve }: Contract,
): ManagedField[] => {
  const { properties = {}, required = [] } = create.body ? resolve(create.body.schema) : {};
  const others = identities
    .slice(1)
    .map(({ input, property, mutable }) => [input, { property, mutable }] as const);
  return [...others, ...Object.entries(fields)]
    .filter(([input]) => properties[input] !== undefined)
    .map(([input, { property, mutable }]) =>
      compact<ManagedField>({
        input,
        property,
        mutable,
        required: required.includes(input) || undefined,
        default: resolve(properties[input] ?? {})["default"],
      }),
    );
};

const manifestSchema = (
  declared: readonly Declared[],
  table: readonly ManagedResource[],
  contract: Contract,
): object => {
  const entries = (container: string | undefined): Record<string, object> =>
    Object.fromEntries(
      table.flatMap((managed) => {
        const found = declared.find(({ name }) => name === managed.name);
        if (managed.container !== container || !found) return [];
        return [[managed.collection, collectionSchema(managed, found, contract)]];
      }),
    );
  const collectionSchema = (managed: ManagedResource, { create }: Declared, of: Contract): object => {
    const { properties = {} } = create.body ? of.resolve(create.body.schema) : {};
    const key = plainSchema(properties[managed.identity.input] ?? {}, of, table);
    return {
      description: `The ${managed.collection}, by their \`${managed.identity.input}\`.`,
      type: "object",
      propertyNames: compact({
        pattern: key["pattern"],
        patternErrorMessage: key["patternErrorMessage"],
        minLength: 1,
        maxLength: key["maxLength"],
      }),
      additionalProperties: {
        type: ["object", "null"],
        additionalProperties: false,
        properties: {
          ...(managed.identity.optional && { adopt: adoptSchema(managed.name) }),
          ...Object.fromEntries(
            managed.fields.map(({ input }) => [
              input,
              fieldSchema(managed.name, input, properties[input] ?? {}, of, table),
            ]),
          ),
          ...entries(managed.name),
        },
      },
    };
  };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mgmt.yaml",
    description: "The resources that `mgmt plan` and `mgmt apply` manage.",
    type: "object",
    required: ["version"],
    additionalProperties: false,
    properties: {
      version: { const: 1, description: "Version of this format." },
      ...entries(undefined),
    },
  };
};

const adoptSchema = (name: string): object => ({
  type: "string",
  description: `Id or name of a ${name} that exists without a logical id, and that this entry describes from now on. Has no effect once a ${name} has the key of this entry as its logical id. Where there is nothing to adopt, a ${name} is created.`,
  minLength: 1,
});

const fieldSchema = (
  resource: string,
  input: string,
  schema: JsonSchema,
  contract: Contract,
  table: readonly ManagedResource[],
): object => {
  const { default: value, ...plain } = plainSchema(schema, contract, table);
  if (input === "name") return { ...plain, description: "Display name. Default: the key of the entry." };
  // Another one becomes the default instead; none cannot be.
  if (input === "isDefault") return { ...plain, const: true };
  if (resource === "database" && input === "region") {
    const description = `${String(plain["description"])} Default: the region of the source, or else of the project.`;
    return { ...plain, description };
  }
  if (resource === "project" && input === "region") {
    const description =
      "Default region of the project. Default: the region of its default database, or else the only one that its databases name, or else `us-east-1`.";
    return { ...plain, description };
  }
  return value === undefined ? plain : { ...plain, default: value };
};

type Plain = Record<string, unknown>;

/** Returns a schema without references and extensions, in which the id of a managed resource may be a reference to its entry. */
const plainSchema = (schema: JsonSchema, contract: Contract, table: readonly ManagedResource[]): Plain => {
  const { $ref, ...own } = schema;
  const target: JsonSchema = $ref === undefined ? schema : { ...contract.resolve(schema), ...own };
  const plain: Plain = {};
  for (const [name, value] of Object.entries(target)) {
    if (name.startsWith("x-") || name === "$ref" || name === "deprecated") continue;
    plain[name] = value;
  }
  const words = wordsOf(target);
  // A keyword of editors, which show it instead of the pattern.
  if (words !== undefined) plain["patternErrorMessage"] = words;
  const each = (inner: JsonSchema): Plain => plainSchema(inner, contract, table);
  if (target.properties) {
    plain["properties"] = Object.fromEntries(
      Object.entries(target.properties).map(([name, property]) => [name, each(property)]),
    );
  }
  for (const union of ["oneOf", "anyOf", "allOf"] as const) {
    const parts = target[union];
    if (parts) plain[union] = parts.map(each);
  }
  const managed = table.find(({ name }) => name === target["x-id-kind"]);
  return managed ? withReference(plain, managed, table) : plain;
};

/** Returns a schema of an id, or of a reference such as `{ branch: main, database: reports }`. */
const withReference = (
  { description, ...id }: Plain,
  managed: ManagedResource,
  table: readonly ManagedResource[],
): Plain => {
  const names: string[] = [];
  for (let each: ManagedResource | undefined = managed; each;) {
    names.unshift(each.name);
    const { container }: ManagedResource = each;
    each = table.find(({ name }) => name === container);
  }
  return compact({
    description,
    anyOf: [
      id,
      {
        type: "object",
        description:
          "The keys of the entry in this file. What contains it defaults to what contains this entry.",
        additionalProperties: false,
        required: [managed.name],
        properties: Object.fromEntries(names.map((name) => [name, { type: "string", minLength: 1 }])),
      },
    ],
  });
};
