/** The SDK's redaction, which the build puts into a chunk of its own. */
export { redactBody, redactHeaders, redactUrl, secretsIn } from "@mgmt/sdk/node";
