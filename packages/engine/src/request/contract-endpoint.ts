import { buildPreflightHeaders } from "./cors.js";
import type { Endpoint } from "../context/endpoint.js";
import { errors } from "../values/errors.js";
import { getHeader } from "../values/message.js";
import type { Settings } from "../values/settings.js";

/** Path of the contract. It needs no authentication, and is not an operation of the contract. */
export const contractPath = "/v1/doc";

const allowedMethods = ["GET"];

/** Returns the endpoint that serves the contract as JSON. */
export const findContractEndpoint = (path: string): Endpoint | undefined =>
  path === contractPath ? contractEndpoint : undefined;

const contractEndpoint: Endpoint = {
  id: null,
  discardsBody: false,
  bodyLimit: () => 0,
  respond: ({ settings }, request) => {
    if (request.method === "OPTIONS") {
      const headers = buildPreflightHeaders(
        allowedMethods,
        getHeader(request, "access-control-request-headers"),
      );
      return { status: 204, code: null, headers };
    }
    if (request.method !== "GET") throw errors.methodNotAllowed(request.method, allowedMethods);
    return renderContract(settings).then((contractJson) => ({
      status: 200,
      code: null,
      rawBody: { text: contractJson, contentType: "application/json" },
    }));
  },
};

const contractTexts = new WeakMap<Settings, string>();

/** Returns the contract with the addresses of this server. */
const renderContract = async (settings: Settings): Promise<string> => {
  const cachedText = contractTexts.get(settings);
  if (cachedText !== undefined) return cachedText;
  // Loaded on demand, because the contract is large.
  const { contractText } = await import("../generated/contract-text.js");
  // The text is generated from the contract, which has these fields.
  const contract = JSON.parse(contractText) as OpenApiDocument;
  const { authorizationCode } = contract.components.securitySchemes.oauth2.flows;
  contract.servers = [{ url: settings.baseUrl }];
  for (const name of ["authorizationUrl", "tokenUrl", "refreshUrl"] as const) {
    authorizationCode[name] = settings.authUrl + authorizationCode[name];
  }
  const contractJson = JSON.stringify(contract);
  contractTexts.set(settings, contractJson);
  return contractJson;
};

interface OpenApiDocument {
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
