import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "../input/context.js";
import { devNotRunningError } from "../errors/dev-errors.js";
import { getAtPath } from "../json/json-path.js";
import { isSameUrl, type Profile } from "../profiles/profile.js";
import { readPrivateFile } from "../files/private-file.js";
import { addSlownessNotices } from "../transport/announce-delays.js";
import { nodeTransport, TokenError, type Transport } from "../sdk/sdk.js";

const proofTimeoutMs = 30_000;

/** Returns the URL of the `mgmt dev` that registered the profile, if one did. */
export const getDevUrl = ({ controlUrl, controlSecretFile }: Profile): string | undefined =>
  controlSecretFile === undefined ? undefined : controlUrl?.replace(/\/_control\/*$/, "");

/**
 * Call it before a credential of a profile is sent. Throws `dev:not_running` if the profile belongs to a `mgmt dev` that no
 * longer runs: another account may listen on its port by now.
 */
export const assertDevServiceIsGenuine = async (
  name: string,
  profile: Profile,
  context: Pick<Context, "output" | "signal">,
): Promise<void> => {
  const devUrl = getDevUrl(profile);
  if (devUrl === undefined || !isSameUrl(devUrl, profile.baseUrl)) return;
  if (!(await isServiceGenuine(profile, context))) throw devNotRunningError(name, devUrl, profile.folder);
};

/**
 * Wraps a transport: before each request, the service has to prove that it is the one of the profile, because the `mgmt dev` of the
 * profile can end while a command waits or repeats a request. The proof usually travels over the connection of the request that follows.
 * While nothing listens, requests fail as they do without the proof, so that a command continues after a restart of `mgmt dev`.
 *
 * @param proofTransport transport for the proof, whose requests `--debug` does not report. Default: `transport`.
 */
export const requireServiceProof = (
  transport: Transport,
  { name, profile }: { name: string; profile: Profile },
  { signal }: Pick<Context, "signal">,
  proofTransport = transport,
): Transport => {
  const devUrl = getDevUrl(profile);
  if (devUrl === undefined || !isSameUrl(devUrl, profile.baseUrl)) return transport;
  return {
    async send(request) {
      if (!(await verifyService(profile, proofTransport, signal))) {
        // The SDK repeats requests after other errors.
        const cause = devNotRunningError(name, devUrl, profile.folder);
        throw new TokenError("The service is not the one that the token is for", { cause });
      }
      return transport.send(request);
    },
  };
};

/** Returns whether the service at the control URL of the profile proves to be the running `mgmt dev` that wrote its secret file. */
export const isServiceGenuine = async (
  profile: Profile,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<boolean> => {
  try {
    return await verifyService(profile, addSlownessNotices(nodeTransport(), output), signal);
  } catch {
    signal.throwIfAborted();
    return false;
  }
};

/**
 * Asks the service to prove that it knows the secret, which is not sent. Every start of `mgmt dev` makes a new secret. Errors of the
 * transport are thrown unchanged.
 */
const verifyService = async (
  profile: Profile,
  transport: Transport,
  callerSignal: AbortSignal,
): Promise<boolean> => {
  const devUrl = getDevUrl(profile);
  const { controlSecretFile } = profile;
  if (devUrl === undefined || controlSecretFile === undefined) return false;
  const secret = await readPrivateFile(controlSecretFile);
  if (secret === undefined) return false;
  const nonce = randomBytes(24).toString("base64url");
  const url = `${devUrl}/_control/proof?nonce=${nonce}`;
  const requestSignal = AbortSignal.any([callerSignal, AbortSignal.timeout(proofTimeoutMs)]);
  const headers = { accept: "application/json" };
  const { body } = await transport.send({
    method: "GET",
    url,
    headers,
    body: undefined,
    signal: requestSignal,
  });
  const signedText = `mgmt control proof\n${devUrl}\n${nonce}`;
  const expectedProof = createHmac("sha256", secret).update(signedText).digest();
  const proof = Buffer.from(parseProof(body), "base64url");
  return proof.length === expectedProof.length && timingSafeEqual(proof, expectedProof);
};

const parseProof = (body: string): string => {
  try {
    const proof = getAtPath(JSON.parse(body), ["proof"]);
    return typeof proof === "string" ? proof : "";
  } catch {
    return "";
  }
};
