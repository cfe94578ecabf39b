/** A P-256 key as a private JWK (RFC 7518, section 6.2). Servers store it, so that tokens remain valid after a restart. */
export interface SigningKeyJwk {
  kid: string;
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  d: string;
}
