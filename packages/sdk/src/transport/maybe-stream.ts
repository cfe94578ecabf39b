/** Reads the chunks of a web stream or a Node.js stream. */
export type ChunkIterator = Required<Pick<AsyncIterator<Uint8Array, unknown>, "next" | "return">>;

/** The body of a response, if it is a web stream or a Node.js stream. */
export interface MaybeStream {
  getReader?(): ReadableStreamDefaultReader<Uint8Array>;
  [Symbol.asyncIterator]?(): ChunkIterator;
}
