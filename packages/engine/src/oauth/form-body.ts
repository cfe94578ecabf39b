import { type EngineRequest, header } from "../request/message.js";
import { oauthErrors } from "./oauth-error.js";
import { type Parameters, readParameters } from "./parameters.js";

/** Bytes of a form that are worth reading. */
export const maxFormBytes = 64 * 1024;

/** The parameters of a form. Throws `invalid_request` for what is no form, and with 413 for too large a one. */
export const readForm = (request: EngineRequest): Parameters => {
  const { body = "" } = request;
  if (request.bodyTooLarge || Buffer.byteLength(body) > maxFormBytes)
    throw oauthErrors.tooLarge(maxFormBytes);
  if (!isForm(header(request, "content-type"))) throw oauthErrors.notAForm();
  return readParameters(decode(body));
};

const decode = (body: Uint8Array | string): string => {
  if (typeof body === "string") return body;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw oauthErrors.unreadable();
  }
};

const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined &&
  /^application\/x-www-form-urlencoded *(; *charset="?utf-8"? *)?;?$/i.test(contentType.trim());
