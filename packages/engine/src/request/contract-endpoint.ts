import { preflightHeaders } from "./cors.js";
import type { Endpoint } from "../context/endpoint.js";
import { errors } from "../values/errors.js";
import { header } from "../values/message.js";
import type { Settings } from "../values/settings.js";

/** Path of the contract. It needs no authentication, and is not an operation of the contract. */
export const contractPath = "/v1/doc";

const methods = ["GET"];

/** Returns the endpoint that serves the contract as JSON. */
export const findContract = (path: string): Endpoint | undefined =>
  path === contractPath ? contractEndpoint : undefined;

const contractEndpoint: Endpoint = {
  id: null,
  discardsBody: false,
  bodyLimit: () => 0,
  respond: ({ settings }, request) => {
    if (request.method === "OPTIONS") {
      const headers = preflightHeaders(methods, header(request, "access-control-request-headers"));
      return { status: 204, code: null, headers };
    }
    if (request.method !== "GET") throw errors.methodNotAllowed(request.method, methods);
    return printContract(settings).then((text) => ({
      status: 200,
      code: null,
      raw: { text, contentType: "application/json" },
    }));
  },
};

const documents = new WeakMap<Settings, string>();

/** Returns the contract with the addresses of this server. */
const printContract = async (settings: Settings): Promise<string> => {
  const known = documents.get(settings);
  if (known !== undefined) return known;
  // Loaded on demand, because the contract is large.
  const { contractText } = await import("../generated/contract-text.js");
  // The text is generated from the contract, which has these fields.
  const contract = JSON.parse(contractText) as Contract;
  const { authorizationCode } = contract.components.securitySchemes.oauth2.flows;
  contract.servers = [{ url: settings.baseUrl }];
  for (const name of ["authorizationUrl", "tokenUrl", "refreshUrl"] as const) {
    authorizationCode[name] = settings.authUrl + authorizationCode[name];
  }
  const text = JSON.stringify(contract);
  documents.set(settings, text);
  return text;
};

interface Contract {
  servers: { url: string }[];
  components: {
    securitySchemes: {
      oauth2: {
        flows: {
          authorizationCode: Record<"authorizationUrl" | "tokenUrl" | "refreshUrl", string>;
        };
      };
    };
  };
}
