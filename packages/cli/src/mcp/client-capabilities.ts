import type { Server, ServerContext as McpRequestContext } from "@modelcontextprotocol/server";
import { getAtPath } from "../json/json-path.js";

const clientInfoKey = "io.modelcontextprotocol/clientInfo";
const clientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

/** The client that sent a request. */
export interface ClientCapabilities {
  /** Its name and version, at most 200 characters. Null if it does not identify itself. */
  readonly name: string | null;
  /** Whether the client can show a link to the user. */
  readonly hasUrlElicitation: boolean;
  /** Whether the client can ask the user to fill in a form. */
  readonly hasFormElicitation: boolean;
}

/**
 * Returns the name and the capabilities of the client that sent a request. Clients identify themselves in every request; clients that use
 * the older protocol do so once, during initialization.
 */
export const readClientCapabilities = (
  { mcpReq: { envelope } }: McpRequestContext,
  server: Server,
): ClientCapabilities => {
  const info: unknown = getAtPath(envelope, [clientInfoKey]) ?? server.getClientVersion();
  const capabilities: unknown =
    getAtPath(envelope, [clientCapabilitiesKey]) ?? server.getClientCapabilities();
  const [name, version] = [getAtPath(info, ["name"]), getAtPath(info, ["version"])];
  const elicitation = getAtPath(capabilities, ["elicitation"]);
  return {
    name: typeof name === "string" ? `${name} ${String(version)}`.slice(0, 200) : null,
    hasUrlElicitation: getAtPath(elicitation, ["url"]) !== undefined,
    // Clients that predate the modes of elicitation support only forms.
    hasFormElicitation:
      elicitation !== undefined &&
      (getAtPath(elicitation, ["form"]) !== undefined || getAtPath(elicitation, ["url"]) === undefined),
  };
};
