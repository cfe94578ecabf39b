import { byteLength } from "../values/byte-length.js";
import { type EngineRequest, hasContentEncoding, getHeader } from "../values/message.js";
import { oauthErrors } from "./oauth-error.js";
import { type OAuthParameters, parseParameters } from "./parameters.js";

/** Maximum size of a form, in bytes. */
export const maxFormBytes = 64 * 1024;

/**
 * Parses a form body. Throws `invalid_request` when the body is not a form or is encoded, with status 413 when it is too
 * large.
 */
export const parseForm = (request: EngineRequest): OAuthParameters => {
  const { body = "" } = request;
  if (request.bodyTooLarge || byteLength(body) > maxFormBytes) throw oauthErrors.tooLarge(maxFormBytes);
  if (!isFormContentType(getHeader(request, "content-type"))) throw oauthErrors.notAForm();
  if (hasContentEncoding(request.headers)) throw oauthErrors.unsupportedContentEncoding();
  return parseParameters(decodeForm(body));
};

const decodeForm = (body: Uint8Array | string): string => {
  if (typeof body === "string") return body;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw oauthErrors.undecodableParameters();
  }
};

const isFormContentType = (contentType: string | undefined): boolean =>
  contentType !== undefined &&
  /^application\/x-www-form-urlencoded *(; *charset="?utf-8"? *)?;?$/i.test(contentType.trim());
