/** Reads the parts of a stream, of the web or of Node.js. */
export type ChunkIterator = Required<Pick<AsyncIterator<Uint8Array, unknown>, "next" | "return">>;

/** The body of a response, if it is a stream: of the web, or of Node.js. */
export interface MaybeStream {
  getReader?(): ReadableStreamDefaultReader<Uint8Array>;
  [Symbol.asyncIterator]?(): ChunkIterator;
}
