import type { SecretFields } from "../../../packages/cli/src/contract/generated-command.js";
import type { Contract, JsonSchema, Operation } from "../contract/contract.js";
import { createdResource, credentialsOf } from "../contract/resources.js";

/** Operations whose secrets are new, and are not returned again. */
const issuing = /\.(create|rotate)$/;

/** Returns the `x-secret` fields in the result of an operation, or undefined if there are none. */
export const secretFields = (operation: Operation, contract: Contract): SecretFields | undefined => {
  const { id, success } = operation;
  const [name, declaration] = createdResource(operation, contract);
  const credentials = credentialsOf(name, contract)?.create.success.item;
  const { resource = "" } = declaration?.credentials ?? {};
  const paths = [
    ...(success.item ? secretPaths(success.item, contract.resolve, []) : []),
    // The command adds the credentials to the resource.
    ...(credentials ? secretPaths(credentials, contract.resolve, [resource]) : []),
  ];
  return paths.length === 0 ? undefined : { paths: [...new Set(paths)], issued: issuing.test(id) };
};

const secretPaths = (schema: JsonSchema, resolve: Contract["resolve"], path: readonly string[]): string[] => {
  const target = resolve(schema);
  if (schema["x-secret"] || target["x-secret"]) return [path.join(".")];
  const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [] } = target;
  return [
    ...Object.entries(properties).flatMap(([name, each]) => secretPaths(each, resolve, [...path, name])),
    ...(items ? secretPaths(items, resolve, [...path, "*"]) : []),
    ...(typeof additionalProperties === "object"
      ? secretPaths(additionalProperties, resolve, [...path, "*"])
      : []),
    ...[...allOf, ...anyOf, ...oneOf].flatMap((part) => secretPaths(part, resolve, path)),
  ];
};
