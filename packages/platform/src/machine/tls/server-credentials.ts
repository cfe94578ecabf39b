import { X509Certificate, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { removeUnfinishedFiles, writeAtomically } from "../data-dir/atomic-file.js";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { readOwnedFile } from "../data-dir/safe-file.js";
import { createAuthorityCertificate, createServerCertificate } from "./certificate.js";

/** The key and certificate of a TLS server, and the certificate by which its clients verify it. */
export interface ServerCredentials {
  /** PEM. */
  key: string;
  /** PEM. */
  cert: string;
  /** Path of the certificate of the authority, for `sslrootcert`. */
  caFile: string;
}

/** The certificate of the authority, and the key and the certificate of the server, in PEM. */
interface CertificateChain {
  authority: string;
  key: string;
  cert: string;
}

const authorityName = "mgmt local certificate authority";

/**
 * How long certificates are valid, in days. Apple's systems reject server certificates that are valid for more than 825. A start replaces a
 * chain that has less than `lifetimeDays.remaining` left; a platform that runs for longer has to be started again.
 */
const lifetimeDays = { total: 800, remaining: 365 };

const certificateFileNames = { authority: "ca.pem", key: "server-key.pem", cert: "server.pem" };

/**
 * Loads the certificate of the database server. When it is missing, unusable or about to expire, a new local certificate
 * authority is created to sign a new one. The private key of the authority is never stored, so no one can sign another
 * certificate that its clients trust. All files have mode 0600.
 *
 * @param directory created if it does not exist.
 */
export const loadServerCredentials = async (
  directory: string,
  { isDurable }: { isDurable: boolean },
): Promise<ServerCredentials> => {
  createDirectory(directory);
  await removeUnfinishedFiles(directory, Object.values(certificateFileNames));
  const readIfReadable = (name: string): Promise<string> =>
    readOwnedFile(join(directory, name)).catch(() => "");
  let chain: CertificateChain = {
    authority: await readIfReadable(certificateFileNames.authority),
    key: await readIfReadable(certificateFileNames.key),
    cert: await readIfReadable(certificateFileNames.cert),
  };
  if (!isUsableChain(chain)) {
    chain = createCertificateChain();
    for (const part of ["authority", "key", "cert"] as const) {
      await writeAtomically(join(directory, certificateFileNames[part]), chain[part], { isDurable });
    }
  }
  return { key: chain.key, cert: chain.cert, caFile: join(directory, certificateFileNames.authority) };
};

const isUsableChain = ({ authority, key, cert }: CertificateChain): boolean => {
  try {
    const [authorityCertificate, serverCertificate] = [
      new X509Certificate(authority),
      new X509Certificate(cert),
    ];
    return (
      [authorityCertificate, serverCertificate].every(isValidLongEnough) &&
      serverCertificate.checkPrivateKey(createPrivateKey(key)) &&
      serverCertificate.verify(authorityCertificate.publicKey)
    );
  } catch {
    return false;
  }
};

const isValidLongEnough = ({ validTo }: X509Certificate): boolean =>
  Date.parse(validTo) - Date.now() > lifetimeDays.remaining * 86_400_000;

const createCertificateChain = (): CertificateChain => {
  const authorityKeys = { name: authorityName, ...generateKeyPair() };
  const serverKeys = generateKeyPair();
  return {
    authority: encodePem(createAuthorityCertificate(authorityKeys, lifetimeDays.total)),
    key: serverKeys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: encodePem(createServerCertificate(serverKeys.publicKey, authorityKeys, lifetimeDays.total)),
  };
};

const generateKeyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

const encodePem = (certificate: Buffer): string => new X509Certificate(certificate).toString();
