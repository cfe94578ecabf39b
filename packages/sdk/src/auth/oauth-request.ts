import { type CustomFetchOptions, allowInsecureRequests, customFetch } from "oauth4webapi";
import { decodeBase64, decodePercent, isReadableText } from "@mgmt/internal/text/encodings";
import { describeInnermostCause } from "../errors/local-errors.js";
import { abortError } from "../deadlines/abort-error.js";
import { withDeadline } from "../deadlines/with-deadline.js";
import type { TransportResponse } from "../transport/transport.js";
import { AuthError } from "./auth-error.js";
import { type OAuthStage, authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";

/** A request to the authorization server. */
export interface OAuthRequest {
  stage: OAuthStage;
  settings: OAuthSettings;
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds. Default: `settings.timeoutMs`. */
  timeoutMs?: number | undefined;
  /** Secrets in the request. They are removed from error messages, even if the server quotes them. */
  secrets: readonly (string | undefined)[];
}

/** Options that `oauth4webapi` accepts with each request. */
export interface OAuthLibraryOptions {
  signal: AbortSignal;
  [allowInsecureRequests]: boolean;
  [customFetch]: (
    url: string,
    options: CustomFetchOptions<"GET" | "POST", URLSearchParams | undefined>,
  ) => Promise<Response>;
}

/**
 * Sends a request over the transport in `settings`, within the timeout. Every failure becomes an `AuthError` of the
 * stage, except an abort by the caller, which throws the reason of the signal. The library's own errors contain
 * requests and responses, so they are never passed on.
 */
export const sendOAuthRequest = async <T>(
  { stage, settings, signal, secrets, timeoutMs = settings.timeoutMs }: OAuthRequest,
  callback: (options: OAuthLibraryOptions) => Promise<T>,
): Promise<T> => {
  const { transport, usesHttp } = settings;
  let request = settings.issuer;
  let response: TransportResponse | undefined;
  const secretsToHide = [...secrets];
  const send: OAuthLibraryOptions[typeof customFetch] = async (
    url,
    { method, headers, body, signal: deadlineSignal },
  ) => {
    request = `${method} ${url}`;
    // Basic authentication encodes the client secret.
    secretsToHide.push(headers["authorization"]?.split(" ")[1]);
    const transportRequest = {
      method,
      url,
      headers,
      body: body?.toString(),
      signal: deadlineSignal ?? new AbortController().signal,
    };
    response = await transport.send(transportRequest);
    const { status } = response;
    const bodyText = [204, 205, 304].includes(status) ? null : response.body;
    return new Response(bodyText, { status, headers: response.headers });
  };
  try {
    return await withDeadline(
      {
        signals: [signal],
        timeoutMs,
        onTimeout: () => authErrors.serverTimeout(request, timeoutMs),
      },
      (deadlineSignal) =>
        callback({ signal: deadlineSignal, [allowInsecureRequests]: usesHttp, [customFetch]: send }),
    );
  } catch (error) {
    if (signal?.aborted) throw abortError(signal.reason);
    if (error instanceof AuthError) throw error;
    const hideInText = (text: string): string => hideSecrets(text, secretsToHide);
    if (!response)
      throw authErrors.requestFailed(
        stage,
        hideInText(`${request} got no complete response (${describeInnermostCause(error)})`),
        {},
      );
    const { status } = response;
    const { oauthError, description } = parseOAuthError(response.body);
    const problem =
      oauthError === undefined
        ? `returned ${status} (${describeContentType(response)}), which is not a valid OAuth response${formatLibraryProblem(error, status)}`
        : `was refused with ${oauthError}${description === undefined ? "" : `: ${description}`}`;
    throw authErrors.requestFailed(stage, hideInText(`${request} ${problem}`), {
      oauthError: oauthError && (standardErrorPattern.test(oauthError) ? oauthError : hideInText(oauthError)),
      status,
    });
  }
};

/**
 * Error codes of [RFC 6749](https://www.rfc-editor.org/rfc/rfc6749#section-5.2) and
 * [RFC 7009](https://www.rfc-editor.org/rfc/rfc7009#section-2.2.1), which do not specify what happens to a secret in them.
 */
const standardErrorPattern =
  /^(?:invalid_(?:request|client|grant|scope)|unauthorized_client|unsupported_(?:grant|token)_type)$/;

const describeContentType = ({ headers, body }: TransportResponse): string =>
  body === "" ? "no body" : (headers["content-type"]?.split(";")[0] ?? "no content type");

/**
 * Returns the library's message for a 200 response, since it names fields but quotes no values; otherwise an empty
 * string.
 */
const formatLibraryProblem = (error: unknown, status: number): string =>
  status === 200 && error instanceof Error ? `: ${error.message}` : "";

/**
 * Matches the characters that [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2) allows.
 * Rejects, for example, the error page of a proxy.
 */
const isErrorText = (value: unknown): value is string =>
  typeof value === "string" && /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,300}$/.test(value);

/** Returns the `error` and `error_description` of a response or a callback, without values that are not valid OAuth. */
export const selectValidErrorFields = (
  error: unknown,
  description: unknown,
): { oauthError?: string | undefined; description?: string | undefined } => ({
  oauthError: isErrorText(error) ? error : undefined,
  description: isErrorText(description) ? description : undefined,
});

const parseOAuthError = (body: string): ReturnType<typeof selectValidErrorFields> => {
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json !== "object" || json === null) return {};
    // The check above proves that this is an object; the types of its fields are unknown.
    const { error, error_description: description } = json as {
      error?: unknown;
      error_description?: unknown;
    };
    return selectValidErrorFields(error, description);
  } catch {
    return {};
  }
};

/** Shorter secrets occur in encoded strings by chance. */
const minEncodedLength = 6;
/** A secret may be encoded in an encoded text. */
const maxEncodingDepth = 4;

/** Replaces secrets in a string with `…`, in case a server or a transport quoted them, also percent-encoded or in base64. */
export const hideSecrets = (text: string, secrets: readonly (string | undefined)[]): string => {
  const presentSecrets = secrets.flatMap((secret) => secret || []);
  const maskedText = presentSecrets.reduce(
    (remainingText, secret) => remainingText.replaceAll(secret, "…"),
    text,
  );
  const encodableSecrets = presentSecrets.filter(({ length }) => length >= minEncodedLength);
  return maskedText
    .replace(base64Pattern, (encodedText) =>
      containsSecretInBase64(encodedText, encodableSecrets, 1) ? "…" : encodedText,
    )
    .replace(/[^\s"<>]+/g, (word) => (containsEncodedSecret(word, encodableSecrets, 1) ? "…" : word));
};

const base64Pattern = /[\w+/-]{8,}={0,2}/g;

const containsEncodedSecret = (text: string, secrets: readonly string[], encodingDepth: number): boolean => {
  if (encodingDepth > maxEncodingDepth) return false;
  // Forms encode spaces as plus signs.
  const percentDecodedTexts = [text, text.replaceAll("+", " ")]
    .map(decodePercent)
    .filter((decodedText) => decodedText !== text);
  return (
    percentDecodedTexts.some((decodedText) => containsSecret(decodedText, secrets, encodingDepth)) ||
    (text.match(base64Pattern) ?? []).some((encodedText) =>
      containsSecretInBase64(encodedText, secrets, encodingDepth),
    )
  );
};

/**
 * Returns whether base64 contains a secret. Tries four offsets, because other characters of base64, such as the `/` of a path, may come
 * before the encoded text.
 */
const containsSecretInBase64 = (
  encodedText: string,
  secrets: readonly string[],
  encodingDepth: number,
): boolean =>
  [0, 1, 2, 3].some((offset) =>
    containsSecret(decodeBase64(encodedText.slice(offset)), secrets, encodingDepth),
  );

const containsSecret = (decodedText: string, secrets: readonly string[], encodingDepth: number): boolean =>
  secrets.some((secret) => decodedText.includes(secret)) ||
  (isReadableText(decodedText) && containsEncodedSecret(decodedText, secrets, encodingDepth + 1));
