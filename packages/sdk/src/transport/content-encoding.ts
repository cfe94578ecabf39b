import type { IncomingMessage } from "node:http";
import { type Readable, type Transform, pipeline } from "node:stream";
import zlib from "node:zlib";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
};
/** Each coding multiplies the work, and more than two are never needed. */
const maxCodings = 5;

/**
 * Returns the body of a response without its content codings, in the order of
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.4. Throws for a coding that Node.js cannot decode.
 */
export const decodeContent = (incoming: IncomingMessage): Readable => {
  const header = incoming.headers["content-encoding"] ?? "";
  const codings = header
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((coding) => !["", "identity"].includes(coding));
  const streams = codings.reverse().map((coding) => {
    const decoder = codings.length > maxCodings ? undefined : decoders[coding];
    if (!decoder) throw new Error(`the content-encoding ${header} is not supported`);
    return decoder();
  });
  // The last stream fails with the error of any.
  return streams.reduce<Readable>((source, stream) => pipeline(source, stream, () => undefined), incoming);
};
