import type { KeyVerifier } from '#keys'
import { type AccessTokens, createAccessTokens } from './access-tokens.ts'
import { type Clients, createClients } from './client.ts'
import type { Consents } from './consents.ts'
import { resourceOf } from './server-urls.ts'
import { createSignedTexts, type SignedTexts } from './signed-text.ts'

/** Proves, between the two pages of the consent, that a person has entered a key for a request. */
export interface Ticket {
  readonly keyId: string
  /** The hash of the request. */
  readonly request: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** The authorization server. It issues tokens for `/mcp` only. */
export interface AuthorizationServer {
  readonly issuer: () => string
  readonly resource: () => string
  readonly clients: Clients
  readonly tickets: SignedTexts<Ticket>
  readonly consents: Consents
  readonly accessTokens: AccessTokens
}

export interface AuthorizationServerParts {
  readonly consents: Consents
  readonly keyVerifier: KeyVerifier
  /** The database's secret. The keys that sign client ids and tickets are derived from it. */
  readonly secret: string
  /** The public URL of this server. */
  readonly issuer: () => string
  readonly now: () => number
  readonly random: (size: number) => Uint8Array
}

export const createAuthorizationServer = (parts: AuthorizationServerParts): AuthorizationServer => {
  const { consents, secret, issuer } = parts
  const resource = () => resourceOf(issuer())
  return {
    issuer,
    resource,
    clients: createClients(parts),
    tickets: createSignedTexts(secret, 'ticket'),
    consents,
    accessTokens: createAccessTokens({ ...parts, resource }),
  }
}
