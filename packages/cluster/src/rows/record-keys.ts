import { type KeyObject, createHmac, createSecretKey, randomBytes } from "node:crypto";

/** A key that encrypts secrets in the records. */
export interface RecordKey {
  /** Is stored with each value that the key encrypts. It is computed from the key, and does not reveal it. */
  readonly id: string;
  readonly secret: KeyObject;
}

/** Thrown when a text is not a list of keys. */
export class InvalidRecordKeysError extends Error {
  override readonly name = "InvalidRecordKeysError";
}

/** Thrown when secrets in the records were encrypted with keys that this process does not have. */
export class UnknownRecordKeyError extends Error {
  override readonly name = "UnknownRecordKeyError";

  constructor(readonly keyIds: readonly string[]) {
    super(
      `Secrets in the records are encrypted with ${keyIds.length === 1 ? "the key" : "the keys"} ${keyIds.join(", ")}, ` +
        "which this process does not have",
    );
  }
}

const keyLength = 32;

/** 32 bytes in base64 or base64url. */
const keyPattern = /^[\w+/-]{43}=?$/;

/** Returns a list with one new key. */
export const createRecordKeyList = (): string => `${randomBytes(keyLength).toString("base64url")}\n`;

/**
 * The keys of the records. The first encrypts, and all decrypt. A key that the list no longer contains decrypts until the process exits.
 */
export class RecordKeys {
  readonly #readList: () => Promise<string>;
  #keys: readonly [RecordKey, ...RecordKey[]];

  /**
   * @param list one key per line.
   * @param readList returns the current list. Default: the list never changes.
   * @throws InvalidRecordKeysError
   */
  constructor(list: string, readList = () => Promise.resolve(list)) {
    this.#keys = parseKeys(list);
    this.#readList = readList;
  }

  /** The key that encrypts. */
  get current(): RecordKey {
    return this.#keys[0];
  }

  /** The ids of all keys, in the order of the list. */
  get ids(): readonly string[] {
    return this.#keys.map(({ id }) => id);
  }

  /** @throws UnknownRecordKeyError */
  get(id: string): RecordKey {
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (key === undefined) throw new UnknownRecordKeyError([id]);
    return key;
  }

  /** @throws UnknownRecordKeyError unless each of these keys is among the keys. */
  requireAll(ids: readonly string[]): void {
    const unknownIds = ids.filter((id) => !this.#keys.some((key) => key.id === id));
    if (unknownIds.length > 0) throw new UnknownRecordKeyError(unknownIds);
  }

  /** Reads the list again. The keys stay as they are if it cannot be read. */
  async reload(): Promise<void> {
    const [firstKey, ...otherKeys] = parseKeys(await this.#readList());
    const keys = [firstKey, ...otherKeys];
    const removedKeys = this.#keys.filter(({ id }) => !keys.some((key) => key.id === id));
    this.#keys = [firstKey, ...otherKeys, ...removedKeys];
  }

  /** Runs a callback that is safe to repeat. If it needs a key that is not known, reads the list again and repeats it. */
  async withNewKeys<T>(callback: () => T | Promise<T>): Promise<T> {
    try {
      return await callback();
    } catch (error) {
      if (!(error instanceof UnknownRecordKeyError)) throw error;
      await this.reload();
      return callback();
    }
  }
}

const parseKeys = (list: string): [RecordKey, ...RecordKey[]] => {
  const lines = list.split("\n").map((line) => line.trim());
  const keys = lines.flatMap((line, index) => (line === "" ? [] : [parseKey(line, index + 1)]));
  const [firstKey, ...otherKeys] = keys;
  if (firstKey === undefined) throw new InvalidRecordKeysError("it is empty");
  return [firstKey, ...otherKeys];
};

const parseKey = (line: string, lineNumber: number): RecordKey => {
  if (!keyPattern.test(line))
    throw new InvalidRecordKeysError(
      `line ${String(lineNumber)} is not a key of ${String(keyLength)} bytes in base64`,
    );
  const secret = createSecretKey(line, "base64");
  const id = createHmac("sha256", secret).update("id of a record key").digest("base64url").slice(0, 11);
  return { id, secret };
};
