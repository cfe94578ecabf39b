import { X509Certificate, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { removeUnfinished, writeAtomically } from "../data-dir/atomic-file.js";
import { makeDirectory } from "../data-dir/make-directory.js";
import { readOwn } from "../data-dir/own-file.js";
import { authorityCertificate, serverCertificate } from "./certificate.js";

/** What a TLS server needs, and the certificate that its clients verify it with. */
export interface ServerCredentials {
  /** PEM. */
  key: string;
  /** PEM. */
  cert: string;
  /** Path of the certificate of the authority, for `sslrootcert`. */
  caFile: string;
}

interface CertifiedKey {
  key: string;
  cert: string;
}

const authorityName = "mgmt local certificate authority";

/** Lifetimes in days. A certificate with less than `remaining` left is replaced. */
const lifetime = { authority: 3_650, server: 365, remaining: 30 };

/**
 * Loads the certificate of the database server, and creates it together with a local certificate authority when it is
 * missing, unusable or about to expire. All files have mode 0600.
 *
 * @param directory created if it does not exist.
 */
export const loadServerCredentials = async (
  directory: string,
  { durable }: { durable: boolean },
): Promise<ServerCredentials> => {
  await makeDirectory(directory, 0o700);
  await removeUnfinished(
    directory,
    ["ca", "server"].flatMap((name) => [`${name}-key.pem`, `${name}.pem`]),
  );
  const pathOf = (name: string): string => join(directory, name);
  const load = async (name: string): Promise<CertifiedKey | undefined> => {
    const files = [`${name}-key.pem`, `${name}.pem`].map((file) => readOwn(pathOf(file)));
    const [key, cert] = await Promise.all(files.map((file) => file.catch(() => undefined)));
    return key !== undefined && cert !== undefined && isUsable({ key, cert }) ? { key, cert } : undefined;
  };
  const save = async (name: string, { key, cert }: CertifiedKey): Promise<CertifiedKey> => {
    await writeAtomically(pathOf(`${name}-key.pem`), key, { durable });
    await writeAtomically(pathOf(`${name}.pem`), cert, { durable });
    return { key, cert };
  };
  const authority = (await load("ca")) ?? (await save("ca", createAuthority()));
  const stored = await load("server");
  const server =
    stored !== undefined && isIssuedBy(stored, authority)
      ? stored
      : await save("server", createServer(authority));
  return { ...server, caFile: pathOf("ca.pem") };
};

const isUsable = ({ key, cert }: CertifiedKey): boolean => {
  try {
    const certificate = new X509Certificate(cert);
    const left = Date.parse(certificate.validTo) - Date.now();
    return left > lifetime.remaining * 86_400_000 && certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
};

const isIssuedBy = ({ cert }: CertifiedKey, authority: CertifiedKey): boolean =>
  new X509Certificate(cert).verify(createPublicKey(authority.cert));

const createAuthority = (): CertifiedKey => {
  const pair = newKeyPair();
  return certified(
    pair.privateKey,
    authorityCertificate({ name: authorityName, ...pair }, lifetime.authority),
  );
};

const createServer = (authority: CertifiedKey): CertifiedKey => {
  const privateKey = createPrivateKey(authority.key);
  const issuer = { name: authorityName, privateKey, publicKey: createPublicKey(privateKey) };
  const pair = newKeyPair();
  return certified(pair.privateKey, serverCertificate(pair.publicKey, issuer, lifetime.server));
};

const newKeyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

const certified = (privateKey: ReturnType<typeof newKeyPair>["privateKey"], cert: Buffer): CertifiedKey => ({
  key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  cert: new X509Certificate(cert).toString(),
});
