/** How texts contain a secret, by name. Each form tells that it is one. */
export type SecretForm = (secret: string) => string;

export const base64 = (text: string): string => Buffer.from(text).toString("base64");
const percent = encodeURIComponent;

const urlOf: SecretForm = (secret) => `postgres://ada:${percent(secret)}@db.test/shop`;
const pemOf: SecretForm = (secret) =>
  `-----BEGIN PRIVATE KEY-----\nMIIE\n${secret}\n-----END PRIVATE KEY-----`;

export const textForms: Readonly<Record<string, SecretForm>> = {
  "libpq key and value": (secret) => `host=db.test user=ada password=${secret} dbname=shop`,
  "libpq key and value with spaces": (secret) => `host=db.test password = ${secret}`,
  "libpq key and quoted value": (secret) => `password='it\\'s ${secret}' host=db.test`,
  "libpq sslpassword": (secret) => `sslpassword=${secret}`,
  "key and value in a value": (secret) => `conninfo=password=${secret}`,
  "environment variable": (secret) => `PGPASSWORD=${secret} psql`,
  "exported variable": (secret) => `export API_KEY="${secret}"`,
  "pin and passphrase": (secret) => `pin=${secret} passphrase='${secret}'`,
  "line of YAML": (secret) => `user: ada\npassword: ${secret}\nport: 5432`,
  "block of YAML": (secret) => `password: |\n  ${secret}\nport: 5432`,
  "program code": (secret) => `connect({ password: '${secret}', token: \`${secret}\` })`,
  "hash of Ruby": (secret) => `{:password=>"${secret}"}`,
  "dictionary of Python": (secret) => `{'a': 1, u'token': u'${secret}'}`,
  XML: (secret) => `<user><password>${secret}</password></user>`,
  flag: (secret) => `mgmt login --token ${secret} --password '${secret}'`,
  "user of curl": (secret) => `curl -u ada:${secret} https://x.test`,
  SQL: (secret) => `ALTER ROLE ada PASSWORD '${secret}'`,
  ".netrc": (secret) => `machine x.test login ada password ${secret}`,
  ".pgpass": (secret) => `db.test:5432:shop:ada:${secret}`,
  prose: (secret) => `the token is 4${secret}`,
  "JSON in a string": (secret) => JSON.stringify({ deep: [{ password: secret }] }),
  "JSON in JSON in a string": (secret) => JSON.stringify(JSON.stringify({ pin: secret })),
  "JSON inside a text": (secret) => `sent ${JSON.stringify({ a: 1, passphrase: `"${secret}` })} to it`,
  "array of JSON inside a text": (secret) => `sent { ${JSON.stringify({ passwords: [[secret]] })} to it`,
  "escaped names of JSON inside a text": (secret) => `sent {"pass\\u0077ord":"${secret}"} to it`,
  "escaped JSON inside a text": (secret) =>
    `sent ${JSON.stringify(JSON.stringify({ secret: `"${secret}` }))} to it`,
  "truncated JSON": (secret) => `{"a":1,"password":"${secret}`,
  "Basic credentials": (secret) => `Basic ${base64(`ada:${secret}`)}`,
  "Basic credentials in base64 alone": (secret) => base64(`ada:${secret}`),
  "Bearer credentials": (secret) => `Bearer ${secret}`,
  "Authorization header": (secret) => `Authorization: Digest ${secret}`,
  "Cookie header": (secret) => `GET / HTTP/1.1\r\nCookie: a=1; session=${secret}\r\nHost: x`,
  "Set-Cookie header": (secret) => `Set-Cookie: session=${secret}; HttpOnly`,
  "header of a key": (secret) => `curl -H "X-Api-Key: ${secret}"`,
  "connection string": urlOf,
  "connection string inside a text": (secret) => `could not connect to ${urlOf(secret)}: timeout`,
  "connection string with parameters": (secret) => `jdbc:postgresql://db/shop?user=ada&password=${secret}`,
  "ADO connection string": (secret) => `Server=db;User Id=ada;Password=${secret};`,
  "percent-encoded connection string": (secret) => percent(urlOf(secret)),
  "connection string encoded twice": (secret) => percent(percent(urlOf(secret))),
  "URL in a query": (secret) => `https://x.test/?next=${percent(`https://y.test/?access_token=${secret}`)}`,
  "query of a callback": (secret) =>
    `http://127.0.0.1/callback?code=${percent(secret)}&state=${percent(secret)}`,
  "form of a token request": (secret) => `code=${percent(secret)}&code_verifier=${percent(secret)}`,
  "query with a verifier": (secret) => `https://x.test/?verifier=${percent(secret)}`,
  "signed URL": (secret) => `https://x.test/?X-Amz-Signature=${percent(secret)}&sig=${percent(secret)}`,
  fragment: (secret) => `https://x.test/#access_token=${percent(secret)}`,
  "PEM block": (secret) => `key:\n${pemOf(secret)}\n`,
  "PEM block with escaped line breaks": (secret) => pemOf(secret).replaceAll("\n", "\\n"),
  "PEM block in a variable": (secret) => `KEY="${pemOf(secret).replaceAll("\n", "\\n")}"`,
  "PEM block of OpenSSH": (secret) => pemOf(secret).replaceAll("PRIVATE", "OPENSSH PRIVATE"),
  "PEM block without its end": (secret) => pemOf(secret).slice(0, -25),
  "base64 of libpq": (secret) => base64(`host=db.test password=${secret}`),
  "base64 of JSON": (secret) => base64(JSON.stringify({ password: secret })),
  "base64 of JSON in another script": (secret) => base64(JSON.stringify({ name: "東京", password: secret })),
  "base64 of JSON in lines": (secret) =>
    base64(JSON.stringify({ a: "x".repeat(38), password: secret })).replace(/.{64}/g, "$&\n"),
  "base64 of a connection string": (secret) => base64(urlOf(secret)),
  "base64 of a PEM block": (secret) => base64(pemOf(secret)),
  "base64 of base64": (secret) => base64(base64(`password=${secret}`)),
  "field named auth": (secret) => `could not log in with auth=${secret}`,
  "field named auth in quotes": (secret) => `{ user: 1, auth: "${secret}"`,
  "full-width name": (secret) => `failed: ｐａｓｓｗｏｒｄ=${secret}`,
  "full-width name in truncated JSON": (secret) => `{"a":1,"ａｐｉＫｅｙ":"${secret}`,
  "full-width name and sign": (secret) => `トークン：ｔｏｋｅｎ＝${secret}`,
  "hexadecimal digits": (secret) => Buffer.from(JSON.stringify({ password: secret })).toString("hex"),
};

/** Values of JSON that contain a secret below its name. */
export const valueForms: Readonly<Record<string, (secret: string) => unknown>> = {
  pin: (secret) => ({ pin: secret }),
  "pin in camel case": (secret) => ({ userPin: secret }),
  "pin in capitals": (secret) => ({ PIN_CODE: secret }),
  passphrase: (secret) => ({ passphrase: secret }),
  "names in one word": (secret) => ({ dbpassword: secret, accesstoken: secret, apikey: secret }),
  "names in kebab case": (secret) => ({ "x-api-key": secret, "pass-phrase": secret }),
  "OAuth fields": (secret) => ({ codeVerifier: secret, client_assertion: secret, id_token: secret }),
  array: (secret) => ({ passwords: [secret, [secret]] }),
  "array of tokens": (secret) => ({ tokens: [secret] }),
  "object of secrets": (secret) => ({ secrets: { DATABASE: secret } }),
  "objects below a secret": (secret) => ({ secret: [{ part: { first: [secret] } }] }),
  "array of environment variables": (secret) => ({ envVars: [{ name: "DATABASE", value: secret }] }),
  environment: (secret) => ({ env: { DATABASE: secret } }),
  "header pair": (secret) => ({ headers: [["x-api-key", secret]] }),
  "headers in turn": (secret) => ({ rawHeaders: ["host", "x", "authorization", secret] }),
  "name and value": (secret) => ({ params: [{ key: "password", val: secret }] }),
  "field of the contract": (secret) => ({ uploadUrl: secret }),
  auth: (secret) => ({ auth: secret, _auth: secret }),
  "full-width names": (secret) => ({ ｐａｓｓｗｏｒｄ: secret, ａｕｔｈ: [secret] }),
  "full-width header pair": (secret) => ({ headers: [["ｘ－ａｐｉ－ｋｅｙ", secret]] }),
  "JSON web key": (secret) => ({ kty: "EC", crv: "P-256", x: "x", d: secret }),
};

/** Everything that a line could show of a secret. */
const shownForms = (secret: string): string[] => [
  secret,
  percent(secret),
  base64(secret).slice(0, -4),
  Buffer.from(secret).toString("hex"),
];

const decodedRuns = (text: string): string =>
  [...text.matchAll(/[\w+/-]{8,}/g)]
    .flatMap(([run]) => [0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), "base64").toString()))
    .join("\n");

/** Whether a text contains a secret, plainly or in one of the encodings, up to three times. */
export const contains = (text: string, secret: string): boolean => {
  let decoded = text;
  for (let times = 0; times <= 3; times += 1) {
    if (shownForms(secret).some((form) => decoded.includes(form))) return true;
    decoded = `${decodedRuns(decoded)}\n${decoded.replaceAll("+", " ").replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))}`;
  }
  return false;
};
