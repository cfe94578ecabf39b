import { createCipheriv, createDecipheriv, randomFillSync } from "node:crypto";
import { type Row, type Table, collections, serverTables } from "@mgmt/engine/internal";
import { parseStorableJson, toStorableJson } from "./json-text.js";
import { RecentMap } from "@mgmt/internal/values/recent-map";
import type { RecordKey, RecordKeys } from "./record-keys.js";

/** Thrown when a secret in the records was not encrypted for its place. */
export class AlteredSecretError extends Error {
  override readonly name = "AlteredSecretError";

  constructor(location: SecretLocation, options?: ErrorOptions) {
    super(
      `${location.path} of ${location.id} in the table ${location.table} cannot be decrypted: ` +
        "it was changed, or it belongs to another row or field",
      options,
    );
  }
}

/** The path of field names to a secret. */
type SecretPath = readonly [string, ...string[]];

const parsePath = (text: string): SecretPath => {
  const [name = "", ...innerNames] = text.split(".");
  return [name, ...innerNames];
};

const secretPathsByTable: ReadonlyMap<string, readonly SecretPath[]> = new Map(
  Object.entries<Table>({ ...collections, ...serverTables }).map(
    ([name, { secrets = [] }]): [string, SecretPath[]] => [name, secrets.map(parsePath)],
  ),
);

/** The paths of secrets that are null when they cannot be decrypted. */
const nullablePathsByTable: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries<Table>({ ...collections, ...serverTables }).map(([name, { nullableSecrets = [] }]) => [
    name,
    new Set(nullableSecrets),
  ]),
);

/** Returns the fields of a table with secrets. */
export const listSecretPaths = (table: string): readonly SecretPath[] => secretPathsByTable.get(table) ?? [];

/** The field of a row that contains a secret. The encryption binds a secret to its field, so it cannot be decrypted in another one. */
interface SecretLocation {
  readonly table: string;
  /** The id of the row. */
  readonly id: string;
  /** The path of the field, with the indexes of arrays: `changes.0.pass`. */
  readonly path: string;
}

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** An encrypted secret starts with the version of this format, which has the id of the key as its second part. */
export const secretPrefix = "v1.";

const encryptedPattern = /^v1\.([\w-]{11})\.([\w-]{38,})$/;

type JsonObject = Record<string, unknown>;

interface EncryptedSecret {
  readonly key: RecordKey;
  readonly data: string;
  readonly location: SecretLocation;
}

/** A secret as it was last read or written at its place. */
interface CachedSecret {
  readonly keyId: string;
  readonly data: string;
  readonly value: string;
}

/** Bounds the memory that the secrets take. */
const maxCachedSecrets = 2_000;

type AlteredSecretListener = (error: AlteredSecretError) => void;

/** Turns rows into the JSON of their tables, in which secrets are encrypted, and back. */
export class RowCodec {
  readonly #keys: RecordKeys;
  readonly #onAltered: AlteredSecretListener | undefined;
  /** A change usually changes one of the up to ten secrets of a row. The other secrets keep their ciphertext. */
  readonly #secrets = new RecentMap<string, CachedSecret>(maxCachedSecrets);

  /**
   * @param onAltered receives the error of a secret that `decode` reads as null, because it cannot be decrypted. Default: `decode` throws
   *   the error. `reencode` always throws it.
   */
  constructor(keys: RecordKeys, onAltered?: AlteredSecretListener) {
    this.#keys = keys;
    this.#onAltered = onAltered;
  }

  /** Returns a row as JSON that `jsonb` accepts. The ciphertext of a secret may differ each time. */
  encode(table: string, row: Row): string {
    let encodedRow: unknown = row;
    for (const secretPath of listSecretPaths(table)) {
      encodedRow = replaceSecrets(encodedRow, secretPath, "", (value, path) =>
        this.#encrypt(value, { table, id: row.id, path }),
      );
    }
    // A copy of the row.
    return toStorableJson(encodedRow as object);
  }

  /**
   * Returns the row that `encode` was given.
   *
   * @throws UnknownRecordKeyError, AlteredSecretError.
   */
  decode(table: string, text: string): Row {
    return this.#decryptRow(table, text, this.#onAltered);
  }

  /**
   * Returns a stored row with its secrets encrypted with the first key; undefined if they are. Never returns null for a secret that cannot be
   * decrypted: once written back, it would replace the only copy of the secret.
   *
   * @throws UnknownRecordKeyError, AlteredSecretError.
   */
  reencode(table: string, text: string): string | undefined {
    let hasOtherKey = false;
    const checkKey = (_object: JsonObject, _name: string, { key }: EncryptedSecret): void => {
      hasOtherKey ||= key !== this.#keys.current;
    };
    this.#visit(table, text, checkKey, undefined);
    return hasOtherKey ? this.encode(table, this.#decryptRow(table, text, undefined)) : undefined;
  }

  #decryptRow(table: string, text: string, onAltered: AlteredSecretListener | undefined): Row {
    const replaceByPlainText = (object: JsonObject, name: string, secret: EncryptedSecret): void => {
      object[name] = this.#decrypt(secret);
    };
    return this.#visit(table, text, replaceByPlainText, onAltered);
  }

  #encrypt(value: unknown, location: SecretLocation): string {
    const key = this.#keys.current;
    const locationText = encodeLocation(location);
    const cachedSecret = this.#secrets.get(locationText);
    if (cachedSecret !== undefined && cachedSecret.value === value && cachedSecret.keyId === key.id)
      return toStoredSecret(key, cachedSecret.data);
    const data = encrypt(key, value, locationText);
    this.#cacheSecret(locationText, key, data, value);
    return toStoredSecret(key, data);
  }

  #decrypt({ key, data, location }: EncryptedSecret): unknown {
    const locationText = encodeLocation(location);
    const cachedSecret = this.#secrets.get(locationText);
    if (cachedSecret !== undefined && cachedSecret.data === data && cachedSecret.keyId === key.id)
      return cachedSecret.value;
    const value = decrypt(key, data, location);
    this.#cacheSecret(locationText, key, data, value);
    return value;
  }

  #cacheSecret(locationText: string, { id: keyId }: RecordKey, data: string, value: unknown): void {
    // Other secrets than passwords may be large.
    if (typeof value === "string") this.#secrets.set(locationText, { keyId, data, value });
  }

  /** Parses a stored row, and calls a function for each of its secrets. Without `onAltered`, every secret must be intact. */
  #visit(
    table: string,
    text: string,
    visit: (object: JsonObject, name: string, secret: EncryptedSecret) => void,
    onAltered: AlteredSecretListener | undefined,
  ): Row {
    // Only rows are stored.
    const row = parseStorableJson(text) as Row;
    for (const secretPath of listSecretPaths(table)) {
      visitSecrets(row, secretPath, "", (object, name, path) => {
        const location = { table, id: row.id, path };
        const value = object[name];
        const match = typeof value === "string" ? encryptedPattern.exec(value) : null;
        const [, keyId, data] = match ?? [];
        try {
          if (keyId === undefined || data === undefined) throw new AlteredSecretError(location);
          visit(object, name, { key: this.#keys.get(keyId), data, location });
        } catch (error) {
          const isNullable = nullablePathsByTable.get(table)?.has(secretPath.join(".")) ?? false;
          if (!(error instanceof AlteredSecretError && isNullable && onAltered)) throw error;
          object[name] = null;
          onAltered(error);
        }
      });
    }
    return row;
  }
}

/** Random bytes for many nonces, because each call of the random number generator is slow. */
const nonces = Buffer.alloc(nonceLength * 128);
let unusedNonceIndex = nonces.length;

/** Returns bytes that stay the same until the next call. */
const createNonce = (): Buffer => {
  if (unusedNonceIndex === nonces.length) {
    randomFillSync(nonces);
    unusedNonceIndex = 0;
  }
  unusedNonceIndex += nonceLength;
  return nonces.subarray(unusedNonceIndex - nonceLength, unusedNonceIndex);
};

const toStoredSecret = ({ id }: RecordKey, data: string): string => `${secretPrefix}${id}.${data}`;

const encrypt = ({ secret }: RecordKey, value: unknown, locationText: string): string => {
  const nonce = createNonce();
  const cipher = createCipheriv(algorithm, secret, nonce);
  cipher.setAAD(Buffer.from(locationText));
  const ciphertext = [cipher.update(JSON.stringify(value), "utf8"), cipher.final()];
  return Buffer.concat([nonce, ...ciphertext, cipher.getAuthTag()]).toString("base64url");
};

const decrypt = ({ secret }: RecordKey, data: string, location: SecretLocation): unknown => {
  const bytes = Buffer.from(data, "base64url");
  const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(Buffer.from(encodeLocation(location)));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  try {
    const text = decipher.update(bytes.subarray(nonceLength, -tagLength), undefined, "utf8");
    return JSON.parse(text + decipher.final("utf8"));
  } catch (error) {
    throw new AlteredSecretError(location, { cause: error });
  }
};

/**
 * Returns the location of a secret as the additional data of its encryption, so that a ciphertext is rejected in any other location. Only the id,
 * which comes last, may contain a space, so two locations never have the same encoding.
 */
const encodeLocation = ({ table, path, id }: SecretLocation): string => `${table} ${path} ${id}`;

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** Returns a copy in which the secrets at a path are replaced. */
const replaceSecrets = (
  value: unknown,
  path: SecretPath,
  prefix: string,
  replace: (value: unknown, path: string) => string,
): unknown => {
  if (Array.isArray(value))
    return value.map((item: unknown, index) =>
      replaceSecrets(item, path, `${prefix}${String(index)}.`, replace),
    );
  const [name, ...innerPath] = path;
  if (!isObject(value) || value[name] === undefined || value[name] === null) return value;
  const fieldPath = prefix + name;
  return {
    ...value,
    [name]: isPath(innerPath)
      ? replaceSecrets(value[name], innerPath, `${fieldPath}.`, replace)
      : replace(value[name], fieldPath),
  };
};

/** Calls a function for each secret at a path. */
const visitSecrets = (
  value: unknown,
  path: SecretPath,
  prefix: string,
  visit: (object: JsonObject, name: string, path: string) => void,
): void => {
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => visitSecrets(item, path, `${prefix}${String(index)}.`, visit));
    return;
  }
  const [name, ...innerPath] = path;
  if (!isObject(value) || value[name] === undefined || value[name] === null) return;
  const fieldPath = prefix + name;
  if (isPath(innerPath)) visitSecrets(value[name], innerPath, `${fieldPath}.`, visit);
  else visit(value, name, fieldPath);
};

const isPath = (names: readonly string[]): names is SecretPath => names.length > 0;
