import { rejections } from "./rejection.js";

/** The first message of a client, or the first after an encryption request. */
export type FirstMessage =
  | { type: "ssl" | "gss" }
  /** Cancels a query of another connection. */
  | { type: "cancel"; bytes: Buffer }
  | StartupMessage;

/** The message with which a client begins a session. See https://www.postgresql.org/docs/current/protocol-message-formats.html. */
export interface StartupMessage {
  type: "startup";
  bytes: Buffer;
  user: string;
  /** It is undefined when the client names none. */
  database: string | undefined;
}

/** Postgres accepts no longer message (`MAX_STARTUP_PACKET_LENGTH`). */
const maxMessageLength = 10_000;

/** Values instead of the protocol version. */
const cancelRequestCode = 80_877_102;
const sslRequestCode = 80_877_103;
const gssRequestCode = 80_877_104;

/**
 * Parses a first message
 * ([start-up](https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-START-UP)).
 *
 * @returns the message and the bytes after it, or undefined when the message is incomplete.
 * @throws Rejection as soon as the bytes cannot become a valid message.
 */
export const parseFirstMessage = (
  bytes: Buffer,
): { message: FirstMessage; bytesAfter: Buffer } | undefined => {
  if (bytes.length < 4) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length < 8 || length > maxMessageLength) throw rejections.invalidLength();
  if (bytes.length < length) return undefined;
  return { message: parseCompleteMessage(bytes.subarray(0, length)), bytesAfter: bytes.subarray(length) };
};

const parseCompleteMessage = (bytes: Buffer): FirstMessage => {
  const version = bytes.readUInt32BE(4);
  if (version === sslRequestCode || version === gssRequestCode) {
    if (bytes.length !== 8) throw rejections.invalidLength();
    return { type: version === sslRequestCode ? "ssl" : "gss" };
  }
  if (version === cancelRequestCode) {
    // Process id and secret key.
    if (bytes.length < 16) throw rejections.invalidLength();
    return { type: "cancel", bytes };
  }
  const major = version >>> 16;
  if (major !== 3) throw rejections.unsupportedProtocol(major, version & 0xffff);
  const parameters = parseParameters(bytes);
  const findValue = (parameterName: string): string | undefined =>
    // Postgres uses the last value, too.
    parameters.findLast(({ name }) => name === parameterName)?.value || undefined;
  const user = findValue("user");
  if (user === undefined) throw rejections.noUser();
  return { type: "startup", bytes, user, database: findValue("database") };
};

interface StartupParameter {
  name: string;
  value: string;
}

/** Reads the parameters as Latin-1, which preserves the bytes of every encoding. */
const parseParameters = (startup: Buffer): StartupParameter[] => {
  const text = startup.toString("latin1");
  const parameters: StartupParameter[] = [];
  let offset = 8;
  while (offset < text.length && text[offset] !== "\0") {
    const nameEnd = text.indexOf("\0", offset);
    const valueEnd = nameEnd === -1 ? -1 : text.indexOf("\0", nameEnd + 1);
    if (valueEnd === -1) throw rejections.invalidLayout();
    parameters.push({ name: text.slice(offset, nameEnd), value: text.slice(nameEnd + 1, valueEnd) });
    offset = valueEnd + 1;
  }
  if (offset !== text.length - 1) throw rejections.invalidLayout();
  return parameters;
};

/** Returns a StartupMessage that asks for another database. Everything else stays unchanged. */
export const replaceDatabase = (startup: Buffer, databaseName: string): Buffer => {
  const parameters = parseParameters(startup).filter(({ name }) => name !== "database");
  const content = [...parameters, { name: "database", value: databaseName }]
    .map(({ name, value }) => `${name}\0${value}\0`)
    .join("");
  const bytes = Buffer.concat([startup.subarray(0, 8), Buffer.from(`${content}\0`, "latin1")]);
  bytes.writeUInt32BE(bytes.length, 0);
  return bytes;
};
