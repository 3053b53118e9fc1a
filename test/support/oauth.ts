/** Assistants that connect with OAuth, and the person who enters a key for them. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { oauthPaths } from '#oauth'
import type { Free } from './agent.ts'
import { type HttpResponse, responseOf } from './http-response.ts'

export const redirectUri = 'https://assistant.example/callback?from=selvedge'

/** Sends a form as a browser does. */
export const sendForm = async (
  url: string,
  fields: { readonly [name: string]: string } | URLSearchParams,
  headers: { readonly [name: string]: string } = {},
): Promise<HttpResponse> =>
  responseOf(
    await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    }),
  )

export const ticketIn = (html: string): string => {
  const [, ticket] = /name="ticket" value="([^"]+)"/.exec(html) ?? []
  assert.ok(ticket, html)
  return ticket
}

/** A person who opens the page, enters a key, sees what it allows, and allows it. */
export const allow = async (
  url: string,
  key: string,
  origin = new URL(url).origin,
): Promise<URL> => {
  const headers = { origin, 'sec-fetch-site': 'same-origin' }
  const page = await fetch(url)
  assert.equal(page.status, 200, await page.text())
  const entered = await sendForm(url, { key }, headers)
  assert.equal(entered.status, 200, entered.text)
  assert.ok(!entered.text.includes(key))
  const allowed = await sendForm(url, { ticket: ticketIn(entered.text) }, headers)
  assert.equal(allowed.status, 303, allowed.text)
  return new URL(allowed.headers.get('location') ?? '')
}

/** The state of one assistant, as the protocol's own client keeps it. */
export interface Assistant extends OAuthClientProvider {
  /** Where the person was sent last. */
  readonly sentTo: () => URL
}

export const createAssistant = (name = 'Example assistant'): Assistant => {
  const saved: { [name: string]: Free } = {}
  let sentTo: URL | undefined
  return {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: name, redirect_uris: [redirectUri] },
    state: () => 'state of the assistant',
    clientInformation: () => saved['client'],
    saveClientInformation: (client) => {
      saved['client'] = client
    },
    tokens: () => saved['tokens'],
    saveTokens: (tokens) => {
      saved['tokens'] = tokens
    },
    saveCodeVerifier: (verifier) => {
      saved['verifier'] = verifier
    },
    codeVerifier: () => saved['verifier'],
    saveDiscoveryState: (state) => {
      saved['discovery'] = state
    },
    discoveryState: () => saved['discovery'],
    invalidateCredentials: (what) => {
      delete saved[what]
    },
    redirectToAuthorization: (url) => {
      sentTo = url
    },
    sentTo: () => {
      assert.ok(sentTo)
      return sentTo
    },
  }
}

/** A client that is written out request by request, so that each can be wrong. */
export interface RawClient {
  readonly id: string
  readonly verifier: string
  /** The address of the page; parameters replace the usual ones, undefined leaves one out. */
  authorizeUrl(changes?: { readonly [name: string]: string | undefined }): string
  /** The code after a person has allowed it. */
  code(key: string): Promise<string>
  token(changes: { readonly [name: string]: string | undefined }): Promise<HttpResponse>
  /** Tokens for a key. */
  connect(key: string): Promise<{ readonly access: string; readonly refresh: string }>
  refresh(token: string): Promise<HttpResponse>
  revoke(token: string): Promise<HttpResponse>
  /** Calls a tool with a bearer token. */
  call(token: string | null, tool?: string, args?: object): Promise<HttpResponse>
}

export const register = async (url: string, metadata: unknown): Promise<HttpResponse> =>
  responseOf(
    await fetch(url + oauthPaths.register, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
    }),
  )

export const createRawClient = async (
  url: string,
  { issuer = url, uri = redirectUri }: { readonly issuer?: string; readonly uri?: string } = {},
): Promise<RawClient> => {
  const { status, body } = await register(url, { client_name: 'Raw', redirect_uris: [uri] })
  assert.equal(status, 201)
  const id = String(body.client_id)
  const verifier = randomBytes(32).toString('base64url')
  const usual = {
    response_type: 'code',
    client_id: id,
    redirect_uri: uri,
    state: 'a state',
    resource: `${issuer}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  const withChanges = (
    base: { readonly [name: string]: string },
    changes: { readonly [name: string]: string | undefined },
  ) =>
    new URLSearchParams(
      Object.entries({ ...base, ...changes }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    )
  const authorizeUrl: RawClient['authorizeUrl'] = (changes = {}) =>
    `${url}${oauthPaths.authorize}?${withChanges(usual, changes)}`
  const code = async (key: string) =>
    (await allow(authorizeUrl(), key, issuer)).searchParams.get('code') ?? ''
  const token: RawClient['token'] = (changes) =>
    sendForm(
      url + oauthPaths.token,
      withChanges(
        {
          grant_type: 'authorization_code',
          client_id: id,
          redirect_uri: uri,
          code_verifier: verifier,
        },
        changes,
      ),
    )
  return {
    id,
    verifier,
    authorizeUrl,
    code,
    token,
    connect: async (key) => {
      const answer = await token({ code: await code(key) })
      assert.equal(answer.status, 200, answer.text)
      return { access: answer.body.access_token, refresh: answer.body.refresh_token }
    },
    refresh: (refresh) =>
      token({ grant_type: 'refresh_token', refresh_token: refresh, code_verifier: undefined }),
    revoke: (each) => sendForm(url + oauthPaths.revoke, { token: each, client_id: id }),
    call: async (bearer, tool = 'list_groups', args = {}) =>
      responseOf(
        await fetch(`${url}/mcp`, {
          method: 'POST',
          headers: {
            ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({
            ...{
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { name: tool, arguments: args },
            },
          }),
        }),
      ),
  }
}
