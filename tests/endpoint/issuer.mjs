// An issuer of access tokens that the tests control: its keys, its tokens, and what it answers to the Worker's fetches.
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { Response } from 'miniflare';

export const ISSUER = 'https://issuer.example';

const KINDS = {
  ES256: ['ec', { namedCurve: 'P-256' }],
  RS256: ['rsa', { modulusLength: 2048 }],
  EdDSA: ['ed25519', {}],
};

const base64url = value => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A key of an algorithm, with an id. */
export function newKey(alg = 'ES256', kid = randomUUID()) {
  const [type, options] = KINDS[alg];
  const { privateKey, publicKey } = generateKeyPairSync(type, options);
  return { alg, kid, privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** Signs `claims`, an object or a text, with a key; `header` is added to the token's. */
export function signed(key, claims, header = {}) {
  const input = `${base64url({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })}.${base64url(claims)}`;
  const options = { key: createPrivateKey(key.privateKey.export({ format: 'pem', type: 'pkcs8' })), dsaEncoding: 'ieee-p1363' };
  const signature = sign(key.alg === 'EdDSA' ? null : 'sha256', Buffer.from(input), options);
  return `${input}.${signature.toString('base64url')}`;
}

/** The claims of a good token for `audience`. */
export function claims(audience, more = {}) {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: ISSUER, sub: 'ada', aud: audience, iat: now, exp: now + 600, jti: randomUUID(), client_id: 'host', scope: 'notes:read notes:write',
    ...more,
  };
}

/** An issuer: what it was asked is in `asked`; what `answers` holds for a URL is answered in place of the usual. */
export class Issuer {
  asked = [];
  answers = {};

  constructor(...keys) {
    this.keys = keys;
  }

  /** How often the keys were asked for. */
  get loads() {
    return this.asked.filter(url => url === `${ISSUER}/keys`).length;
  }

  /** Answers a fetch of the Worker's. */
  outbound = async request => {
    this.asked.push(request.url);
    const answer = this.answers[request.url];
    if (answer) return answer(request);
    switch (request.url) {
      case `${ISSUER}/.well-known/oauth-authorization-server`:
        return Response.json({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` });
      case `${ISSUER}/keys`:
        return Response.json({ keys: this.keys.map(key => key.jwk) });
      default:
        return new Response('not found', { status: 404 });
    }
  };
}
