import { type KeyObject, createHash, randomBytes, sign } from "node:crypto";
import { der } from "./der.js";

interface Authority {
  name: string;
  /** An EC key on the curve P-256. */
  privateKey: KeyObject;
  publicKey: KeyObject;
}

interface CertificateContent {
  name: string;
  publicKey: KeyObject;
  /** Lifetime in days, from today. */
  lifetimeDays: number;
  extensions: readonly Buffer[];
}

const dayMs = 86_400_000;

/** Object identifiers, by the names in [RFC 5280](https://www.rfc-editor.org/rfc/rfc5280#appendix-A). */
const oids = {
  authorityKeyIdentifier: "2.5.29.35",
  basicConstraints: "2.5.29.19",
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  extendedKeyUsage: "2.5.29.37",
  keyUsage: "2.5.29.15",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  subjectAltName: "2.5.29.17",
  subjectKeyIdentifier: "2.5.29.14",
};

const signatureAlgorithm = der.sequence(der.oid(oids.ecdsaWithSha256));

/**
 * Creates the certificate of an authority. It has no name constraints, because BoringSSL rejects those for addresses, so the
 * private key of the authority must be forgotten once the server certificate is signed.
 *
 * @returns the certificate in DER.
 */
export const createAuthorityCertificate = (authority: Authority, lifetimeDays: number): Buffer =>
  signCertificate(
    {
      name: authority.name,
      publicKey: authority.publicKey,
      lifetimeDays,
      extensions: [
        encodeCriticalExtension(oids.basicConstraints, der.sequence(der.true(), der.integer(0))),
        // keyCertSign and cRLSign.
        encodeCriticalExtension(oids.keyUsage, der.bits(Buffer.from([0b0000_0110]), 1)),
        encodeSubjectKeyIdentifier(authority.publicKey),
      ],
    },
    authority,
  );

/**
 * Creates a server certificate for `localhost`, `127.0.0.1` and `::1`.
 *
 * @returns the certificate in DER.
 */
export const createServerCertificate = (
  publicKey: KeyObject,
  authority: Authority,
  lifetimeDays: number,
): Buffer =>
  signCertificate(
    {
      name: "localhost",
      publicKey,
      lifetimeDays,
      extensions: [
        encodeCriticalExtension(oids.basicConstraints, der.sequence()),
        // digitalSignature.
        encodeCriticalExtension(oids.keyUsage, der.bits(Buffer.from([0b1000_0000]), 7)),
        encodeExtension(oids.extendedKeyUsage, der.sequence(der.oid(oids.serverAuth))),
        encodeExtension(
          oids.subjectAltName,
          der.sequence(
            encodeDnsName("localhost"),
            encodeIpAddress(ipv4Loopback),
            encodeIpAddress(ipv6Loopback),
          ),
        ),
        encodeSubjectKeyIdentifier(publicKey),
        encodeExtension(
          oids.authorityKeyIdentifier,
          der.sequence(der.implicit(0, hashKey(authority.publicKey))),
        ),
      ],
    },
    authority,
  );

/** Encodes and signs a certificate, version 3 ([RFC 5280](https://www.rfc-editor.org/rfc/rfc5280#section-4.1)). */
const signCertificate = (
  { name, publicKey, lifetimeDays, extensions }: CertificateContent,
  issuer: Authority,
): Buffer => {
  const now = Date.now();
  const serial = randomBytes(16);
  // A positive number without leading zeros.
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  const content = der.sequence(
    der.explicit(0, der.integer(2)),
    der.integer(...serial),
    signatureAlgorithm,
    encodeDistinguishedName(issuer.name),
    // A day of tolerance for clocks that differ.
    der.sequence(der.time(new Date(now - dayMs)), der.time(new Date(now + lifetimeDays * dayMs))),
    encodeDistinguishedName(name),
    publicKey.export({ type: "spki", format: "der" }),
    der.explicit(3, der.sequence(...extensions)),
  );
  return der.sequence(content, signatureAlgorithm, der.bits(sign("sha256", content, issuer.privateKey)));
};

/** Encodes a name that consists of a common name only. */
const encodeDistinguishedName = (commonName: string): Buffer =>
  der.sequence(der.set(der.sequence(der.oid(oids.commonName), der.utf8(commonName))));

const encodeExtension = (id: string, value: Buffer): Buffer => der.sequence(der.oid(id), der.octets(value));

const encodeCriticalExtension = (id: string, value: Buffer): Buffer =>
  der.sequence(der.oid(id), der.true(), der.octets(value));

const encodeSubjectKeyIdentifier = (publicKey: KeyObject): Buffer =>
  encodeExtension(oids.subjectKeyIdentifier, der.octets(hashKey(publicKey)));

const hashKey = (publicKey: KeyObject): Buffer =>
  createHash("sha1")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest();

const encodeDnsName = (name: string): Buffer => der.implicit(2, Buffer.from(name));
const encodeIpAddress = (bytes: Buffer): Buffer => der.implicit(7, bytes);

const ipv4Loopback = Buffer.from([127, 0, 0, 1]);
const ipv6Loopback = Buffer.from([...Array<number>(15).fill(0), 1]);
