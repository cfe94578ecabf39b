import { type KeyObject, createHash, randomBytes, sign } from "node:crypto";
import { der } from "./der.js";

interface Issuer {
  name: string;
  /** An EC key on the curve P-256. */
  privateKey: KeyObject;
  publicKey: KeyObject;
}

interface CertificateContent {
  name: string;
  publicKey: KeyObject;
  /** Lifetime in days, from today. */
  days: number;
  extensions: readonly Buffer[];
}

const dayMs = 86_400_000;

/** `ecdsa-with-SHA256`. */
const signatureAlgorithm = der.sequence(der.oid("1.2.840.10045.4.3.2"));

/**
 * Creates the certificate of an authority. It has no name constraints, because BoringSSL refuses those for addresses, so the
 * private key of the authority must be forgotten once the server certificate is signed.
 *
 * @returns the certificate in DER.
 */
export const authorityCertificate = (authority: Issuer, days: number): Buffer =>
  certificate(
    {
      name: authority.name,
      publicKey: authority.publicKey,
      days,
      extensions: [
        critical("2.5.29.19", der.sequence(der.true(), der.integer(0))),
        // keyCertSign and cRLSign.
        critical("2.5.29.15", der.bits(Buffer.from([0b0000_0110]), 1)),
        keyIdentifier(authority.publicKey),
      ],
    },
    authority,
  );

/**
 * Creates a server certificate for `localhost`, `127.0.0.1` and `::1`.
 *
 * @returns the certificate in DER.
 */
export const serverCertificate = (publicKey: KeyObject, authority: Issuer, days: number): Buffer =>
  certificate(
    {
      name: "localhost",
      publicKey,
      days,
      extensions: [
        critical("2.5.29.19", der.sequence()),
        // digitalSignature.
        critical("2.5.29.15", der.bits(Buffer.from([0b1000_0000]), 7)),
        extension("2.5.29.37", der.sequence(der.oid("1.3.6.1.5.5.7.3.1"))),
        extension(
          "2.5.29.17",
          der.sequence(dnsName("localhost"), ipAddress(loopback4), ipAddress(loopback6)),
        ),
        keyIdentifier(publicKey),
        extension("2.5.29.35", der.sequence(der.implicit(0, keyHash(authority.publicKey)))),
      ],
    },
    authority,
  );

/** Encodes and signs a certificate, version 3 ([RFC 5280](https://www.rfc-editor.org/rfc/rfc5280#section-4.1)). */
const certificate = ({ name, publicKey, days, extensions }: CertificateContent, issuer: Issuer): Buffer => {
  const now = Date.now();
  const serial = randomBytes(16);
  // A positive number without leading zeros.
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  const content = der.sequence(
    der.explicit(0, der.integer(2)),
    der.integer(...serial),
    signatureAlgorithm,
    distinguishedName(issuer.name),
    // A day of tolerance for clocks that differ.
    der.sequence(der.time(new Date(now - dayMs)), der.time(new Date(now + days * dayMs))),
    distinguishedName(name),
    publicKey.export({ type: "spki", format: "der" }),
    der.explicit(3, der.sequence(...extensions)),
  );
  return der.sequence(content, signatureAlgorithm, der.bits(sign("sha256", content, issuer.privateKey)));
};

/** Encodes a name that consists of a common name only. */
const distinguishedName = (commonName: string): Buffer =>
  der.sequence(der.set(der.sequence(der.oid("2.5.4.3"), der.utf8(commonName))));

const extension = (id: string, value: Buffer): Buffer => der.sequence(der.oid(id), der.octets(value));

const critical = (id: string, value: Buffer): Buffer =>
  der.sequence(der.oid(id), der.true(), der.octets(value));

const keyIdentifier = (publicKey: KeyObject): Buffer =>
  extension("2.5.29.14", der.octets(keyHash(publicKey)));

const keyHash = (publicKey: KeyObject): Buffer =>
  createHash("sha1")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest();

const dnsName = (name: string): Buffer => der.implicit(2, Buffer.from(name));
const ipAddress = (bytes: Buffer): Buffer => der.implicit(7, bytes);

const loopback4 = Buffer.from([127, 0, 0, 1]);
const loopback6 = Buffer.from([...Array<number>(15).fill(0), 1]);
