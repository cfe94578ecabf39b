/** Keeps secrets, each under an account of its own. What is thrown holds no secret. */
export interface Keyring {
  /** Undefined when there is none. */
  read(account: string): Promise<string | undefined>;
  /** Replaces what is there. */
  write(account: string, secret: string): Promise<void>;
  /** Does nothing when there is none. */
  remove(account: string): Promise<void>;
}

/** Gives the keyring when it is needed first: loading it costs a native library. */
export type OpenKeyring = () => Promise<Keyring>;
