import {
  type LoginRejectedError,
  adminShutdown,
  databaseClosed,
  tooManyConnections,
} from "@mgmt/cluster/connection/login-rejected";
import { Rejection, parseSqlState } from "./rejection.js";
import { encodeError, errorResponseType, fieldTypes, parseErrorFields } from "./error-response.js";

/** A hint for an error of Postgres whose own hint does not help a user of the platform. */
interface ErrorHint {
  code: string;
  message: string;
  hint: string;
}

const errorHints: readonly ErrorHint[] = [
  {
    code: "0A000",
    message: 'extension "vector" is not available',
    hint:
      "The Postgres of this service does not have pgvector. Install Postgres and pgvector on its machine, such as the packages " +
      "postgresql-18 and postgresql-18-pgvector, and start mgmt dev with MGMT_POSTGRES=system.",
  },
  {
    code: "42501",
    message: 'permission denied to create extension "vector"',
    hint:
      "With Postgres 17 and older, the administrator of the machine has to allow it: add the line trusted = true to the file " +
      "extension/vector.control in the folder that pg_config --sharedir prints.",
  },
];

/** Every message of an error that is explained contains it. */
const explainedErrorMarker = Buffer.from('extension "vector"');

/** Larger parts of a response are passed on unchecked. An error comes alone, or after messages of a few bytes. */
const maxScannedLength = 4_096;

/** Length of the type and the length of a message, in bytes. */
const headerLength = 5;

/**
 * Gives errors of Postgres a hint for users of the platform ([message
 * formats](https://www.postgresql.org/docs/current/protocol-message-formats.html)).
 *
 * @param bytes a part of the data from Postgres.
 * @returns the same bytes, or a copy with other hints.
 */
export const addHints = (bytes: Buffer): Buffer => {
  if (bytes.length > maxScannedLength || !bytes.includes(explainedErrorMarker)) return bytes;
  const parts: Buffer[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const length = bytes.length - offset < headerLength ? 0 : bytes.readUInt32BE(offset + 1) + 1;
    // Bytes that are not a complete message stay as they are.
    const isMessage = length >= headerLength && length <= bytes.length - offset;
    const message = isMessage ? bytes.subarray(offset, offset + length) : bytes.subarray(offset);
    parts.push(isMessage && message[0] === errorResponseType ? addHint(message) : message);
    offset += message.length;
  }
  return Buffer.concat(parts);
};

const addHint = (message: Buffer): Buffer => {
  const fields = parseErrorFields(message);
  const findField = (type: string): string | undefined =>
    fields.find((field) => field.startsWith(type))?.slice(1);
  const explanation = errorHints.find(
    ({ code, message: text }) =>
      code === findField(fieldTypes.code) && text === findField(fieldTypes.message),
  );
  if (explanation === undefined) return message;
  const otherFields = fields.filter((field) => !field.startsWith(fieldTypes.hint));
  return encodeError([...otherFields, `${fieldTypes.hint}${explanation.hint}`]);
};

/** SQLSTATEs of sessions that the platform has terminated, and of logins that it has made Postgres reject. */
const replacedCodes: ReadonlySet<string | undefined> = new Set([
  adminShutdown,
  tooManyConnections,
  databaseClosed,
]);

/** The first bytes of the last error of a session, after its header. */
const fatalSeverity = Buffer.from("SFATAL\0VFATAL\0C");

/**
 * Replaces the error with which Postgres terminates a session by the reason of the platform. A login that is rejected because its database
 * may have no sessions keeps its code.
 *
 * @param bytes a part of the data from Postgres. The error is its end.
 */
export const replaceTerminationError = (
  bytes: Buffer,
  { code, message, hint }: LoginRejectedError,
): Buffer => {
  const start = bytes.lastIndexOf(fatalSeverity) - headerLength;
  if (start < 0 || bytes[start] !== errorResponseType) return bytes;
  if (bytes.readUInt32BE(start + 1) + 1 !== bytes.length - start) return bytes;
  const originalCode = parseSqlState(bytes.subarray(start));
  if (!replacedCodes.has(originalCode)) return bytes;
  const rejection = new Rejection(
    originalCode === tooManyConnections ? tooManyConnections : code,
    message,
    hint,
  );
  return Buffer.concat([bytes.subarray(0, start), rejection.encode()]);
};
