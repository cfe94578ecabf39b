/** A P-256 key as a private JWK. It is part of the state, so that tokens remain valid after a restart. */
export interface SigningKeyState {
  kid: string;
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  d: string;
}
