import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A tool, as far as the contract says what it has to be. */
export interface ContractTool {
  readonly name: string;
  readonly annotations: object;
  /** Names of the arguments, sorted. */
  readonly names: readonly string[];
  readonly required: readonly string[];
}

type Json = Record<string, unknown>;

const path = fileURLToPath(new URL("../../packages/sdk/openapi.json", import.meta.url));

/** Reads from the published document, and not from what is generated for the command, which tools there are for its operations. */
export const readContractTools = (): ContractTool[] => {
  const document = JSON.parse(readFileSync(path, "utf8")) as Json & { paths: Record<string, Json> };
  const resolve = (value: unknown): Json => {
    const reference = (value as Json | undefined)?.["$ref"];
    if (typeof reference !== "string") return (value ?? {}) as Json;
    const target = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((part, name) => (part as Json)[name], document);
    return { ...resolve(target), ...(value as Json) };
  };
  const toTool = (url: string, method: string, operation: Json): ContractTool => {
    const parameters = ((operation["parameters"] ?? []) as unknown[]).map(resolve);
    const pathNames = parameters
      .filter((parameter) => parameter["in"] === "path")
      .map(({ name }) => (name === "id" ? idNameOf(url) : String(name)));
    const query = parameters.filter(
      ({ in: place, name }) => place === "query" && name !== "limit" && name !== "cursor",
    );
    const content = resolve(operation["requestBody"])["content"] as Json | undefined;
    const body = resolve((content?.["application/json"] as Json | undefined)?.["schema"]);
    const fields = Object.entries((body["properties"] ?? {}) as Json)
      .map(([name, schema]) => ({ name, schema: resolve(schema) }))
      .filter(({ schema }) => schema["x-secret"] === undefined && schema["deprecated"] !== true);
    const fieldNames = fields.map(({ name }) => name);
    const required = [
      ...pathNames,
      ...query.filter((parameter) => parameter["required"] === true).map(({ name }) => String(name)),
      ...((body["required"] ?? []) as string[]).filter((name) => fieldNames.includes(name)),
    ];
    const approval = operation["x-agent-approval"];
    // `never` is for what no agent may do. An object names the fields that an agent needs the approval for.
    const needsApproval = approval !== undefined && approval !== "never";
    const isRead = method === "get";
    return {
      name: String(operation["operationId"]).replaceAll(".", "_"),
      annotations: { readOnlyHint: isRead, destructiveHint: needsApproval, idempotentHint: isRead },
      names: [...pathNames, ...query.map(({ name }) => String(name)), ...fieldNames].sort(),
      // Without it, a tool uses the project of the folder.
      required: required.filter((name) => name !== "projectId" || url.startsWith("/v1/projects/{id}")).sort(),
    };
  };
  return Object.entries(document.paths).flatMap(([url, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => (operation as Json | undefined)?.["operationId"] !== undefined)
      .map(([method, operation]) => toTool(url, method, operation as Json)),
  );
};

/** `/v1/projects/{id}/transfer` takes a `projectId`. */
const idNameOf = (url: string): string => {
  const [, plural = ""] = /\/([\w-]+)\/\{id\}/.exec(url) ?? [];
  return `${plural.replace(/s$/, "")}Id`;
};
