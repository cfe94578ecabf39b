/** The SDK's redaction, which the build puts into a chunk of its own. */
export { redactBody, redactHeaders, redactUrl } from "@mgmt/sdk/node";
