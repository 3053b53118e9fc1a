import type { Client, Clients } from './client.ts'
import { OAuthError } from './oauth-error.ts'
import { matchesRedirectUri } from './redirect-uri.ts'
import { isResource } from './server-urls.ts'

/** A client's authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export interface AuthorizationRequest {
  readonly client: Client
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string | undefined
  readonly challenge: string
}

/** A rejected request of a known client, which may be reported to the client's redirect URI. */
export interface RefusedRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | undefined
  readonly refusal: OAuthError
}

const challengePattern = /^[\w-]{43}$/
const stateMax = 2_000

export interface AuthorizationParts {
  readonly clients: Clients
  readonly resource: () => string
}

/**
 * Parses an authorization request. Throws if the client or its redirect URI is unknown: a browser
 * must never be redirected to an unregistered URI.
 */
export const readAuthorizationRequest = (
  { clients, resource }: AuthorizationParts,
  parameters: URLSearchParams,
): AuthorizationRequest | RefusedRequest => {
  const clientId = onlyOne(parameters, 'client_id') ?? ''
  const client = clients.find(clientId)
  if (!client) {
    throw new OAuthError(
      'invalid_client',
      'This assistant is not registered with this server. Remove the connection in the assistant and add it again.',
    )
  }
  const redirectUri = redirectUriOf(client, onlyOne(parameters, 'redirect_uri'))
  const states = parameters.getAll('state')
  const state = states.length === 1 && (states[0] ?? '').length <= stateMax ? states[0] : undefined
  const refuse = (code: OAuthError['code'], sentence: string): RefusedRequest => ({
    ...{ client, redirectUri, state },
    refusal: new OAuthError(code, sentence),
  })
  const repeated = [...new Set(parameters.keys())].find(
    (name) => name !== 'resource' && parameters.getAll(name).length > 1,
  )
  if (repeated !== undefined) return refuse('invalid_request', 'A parameter occurs twice.')
  if (states.length > 0 && state === undefined) {
    return refuse('invalid_request', `state has at most ${stateMax} characters.`)
  }
  if (parameters.get('response_type') !== 'code') {
    return refuse('unsupported_response_type', 'response_type must be code.')
  }
  if (!['query', null].includes(parameters.get('response_mode'))) {
    return refuse('invalid_request', 'response_mode must be query.')
  }
  const challenge = parameters.get('code_challenge') ?? ''
  if (!challengePattern.test(challenge) || parameters.get('code_challenge_method') !== 'S256') {
    return refuse(
      'invalid_request',
      'A code_challenge with code_challenge_method S256 is required.',
    )
  }
  if (!parameters.getAll('resource').every((each) => isResource(resource(), each))) {
    return refuse('invalid_target', `resource must be ${resource()}.`)
  }
  return { client, clientId, redirectUri, state, challenge }
}

const onlyOne = (parameters: URLSearchParams, name: string): string | undefined => {
  const values = parameters.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} occurs twice.`)
  return values[0]
}

const redirectUriOf = ({ redirectUris }: Client, requested: string | undefined): string => {
  const [first, ...others] = redirectUris
  // May be omitted if the client has only one (RFC 6749, 3.1.2.3).
  if (requested === undefined && first !== undefined && others.length === 0) return first
  if (
    requested !== undefined &&
    redirectUris.some((registered) => matchesRedirectUri(registered, requested))
  ) {
    return requested
  }
  throw new OAuthError(
    'invalid_request',
    'This assistant wants to receive the answer at an address that it has not registered. Do not continue.',
  )
}
