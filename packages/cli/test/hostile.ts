import type { IncomingMessage } from "node:http";
import document from "@mgmt/sdk/openapi.json";
import type { CannedResponse } from "./canned-server.js";

/** Clears the screen, sets the title, deletes, reverses the text, hides text, and starts a line of its own. */
export const hostile =
  "a\u001b[2J\u0007\u0008\u000b\u007fb\u009b2J\u009d0;title\u009c\u202ec\u2066d\u061c\u200e\u200f\u200b\u2060\ufeff\u00ad\r\ne\u2028f\u2029g\u0085\ud800h\u{e0041}i\u{e0100}";

/** Everything that a terminal may act on, or that is not visible. Line breaks are allowed as layout. */
export const unsafe =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd]|[\u{e0000}-\u{e0fff}]/u;

/** Removes the escape sequences that the command itself prints, for colors and spinners. */
export const withoutOwn = (text: string): string => text.replaceAll(/\u001b\[\d+m|\r\u001b\[K/g, "");

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/**
 * Returns a value with every field of a schema, and with the hostile text in place of each string, whatever it may be. Booleans
 * are false, so that no page has a next one.
 */
const valueOf = (schema: Schema, depth = 0): unknown => {
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  if (schema.$ref) return valueOf(schemas[schema.$ref.replace(/^.*\//, "")] ?? {}, depth);
  const alternative = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].find(({ type }) => type !== "null");
  if (alternative && depth < 12) return valueOf(alternative, depth + 1);
  const parts = (schema.allOf ?? []).map((part) => valueOf(part, depth + 1));
  if (parts.some((part) => typeof part !== "object")) return parts[0];
  if (schema.properties || schema.additionalProperties || parts.length > 0) {
    const own = Object.entries(schema.properties ?? {}).map(([name, each]) => [
      name,
      valueOf(each, depth + 1),
    ]);
    const more = schema.additionalProperties ? { [hostile]: hostile } : {};
    return Object.assign({}, ...parts, Object.fromEntries(own), more);
  }
  const type = [schema.type ?? "string"].flat().find((each) => each !== "null");
  if (type === "array") return [valueOf(schema.items ?? {}, depth + 1)];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return 1;
  return type === "object" ? { [hostile]: hostile } : hostile;
};

interface Operation {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      operation,
    })),
);

/** The response of a hostile service to a request: as the contract has it, except that no text is harmless. */
export const hostileResponse = ({ method, url = "" }: IncomingMessage): CannedResponse => {
  const [path = ""] = url.split("?");
  const found = operations.find((each) => each.method === method && each.path.test(path));
  const [status = "404", response] =
    Object.entries(found?.operation.responses ?? {}).find(([each]) => each.startsWith("2")) ?? [];
  const schema = response?.content?.["application/json"]?.schema;
  const body = schema ? valueOf(schema) : "";
  return { status: Number(status), headers: { "x-request-id": "a\u009b2Jb" }, body };
};

/** An error response without harmless text. */
export const hostileError = (status: number): CannedResponse => {
  const issues = [{ path: hostile, message: hostile, code: hostile }];
  const details = { [hostile]: hostile, approvalId: hostile, approvalUrl: hostile, expiresAt: hostile };
  const error = { ...details, code: hostile, message: hostile, hint: hostile, requestId: hostile, issues };
  return { status, headers: { "x-request-id": "a\u009b2Jb" }, body: { error } };
};
