import { OAuthError } from './oauth-error.ts'
import { redirectUriProblem } from './redirect-uri.ts'
import { createSignedTexts } from './signed-text.ts'

/** A program that asks for access, as it describes itself. Nothing of it is verified. */
export interface Client {
  readonly name: string
  readonly redirectUris: readonly string[]
  /** Seconds since 1970. */
  readonly registeredAt: number
  /** Distinguishes clients with the same description. */
  readonly serial: string
}

const nameMax = 80
const redirectUrisMax = 5
/** Total length of the URIs: a client id is part of URLs. */
const redirectUrisLengthMax = 1_000

/** Parses the metadata of a registration (RFC 7591, 2). Ignores fields that are not needed. */
const readClient = (metadata: unknown): Pick<Client, 'name' | 'redirectUris'> => {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw new OAuthError('invalid_client_metadata', 'The body must be a JSON object.')
  }
  const { redirect_uris: uris, client_name: name } = metadata as { [name: string]: unknown }
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must be an array of 1 to ${redirectUrisMax} URLs.`,
    )
  }
  for (const uri of uris) {
    const problem = redirectUriProblem(uri)
    if (problem) throw new OAuthError('invalid_redirect_uri', `A redirect URI ${problem}.`)
  }
  if (uris.join('').length > redirectUrisLengthMax) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must have at most ${redirectUrisLengthMax} characters together.`,
    )
  }
  return { name: shownName(name), redirectUris: uris as string[] }
}

/** A name for display: on one line, without invisible characters. */
const shownName = (name: unknown): string => {
  const text = typeof name === 'string' ? name.slice(0, 1_000) : ''
  return [...text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim()].slice(0, nameMax).join('').trim()
}

/**
 * Clients and their ids. An id contains the signed registration, so registrations need no storage.
 */
export interface Clients {
  /** Registers a client. Throws an `OAuthError`. */
  register(metadata: unknown): { readonly clientId: string; readonly client: Client }
  /** Undefined if this server did not issue the id. */
  find(clientId: string): Client | undefined
}

export interface ClientParts {
  readonly secret: string
  readonly now: () => number
  readonly random: (size: number) => Uint8Array
}

type Registration = readonly [
  name: string,
  redirectUris: readonly string[],
  registeredAt: number,
  serial: string,
]

const clientIdMax = 4_000

export const createClients = ({ secret, now, random }: ClientParts): Clients => {
  const signed = createSignedTexts<Registration>(secret, 'client')
  return {
    register: (metadata) => {
      const { name, redirectUris } = readClient(metadata)
      const registeredAt = Math.floor(now() / 1_000)
      const serial = Buffer.from(random(9)).toString('base64url')
      const clientId = signed.sign([name, redirectUris, registeredAt, serial])
      return { clientId, client: { name, redirectUris, registeredAt, serial } }
    },
    find: (clientId) => {
      const values = clientId.length > clientIdMax ? undefined : signed.verify(clientId)
      if (!values) return undefined
      const [name, redirectUris, registeredAt, serial] = values
      return { name, redirectUris, registeredAt, serial }
    },
  }
}
