/** The paths of OAuth on the public port. */
export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** The only scope: a token reads what its key reads. */
export const scope = 'records:read'

const resourcePath = '/mcp'
const resourceDocument = '/.well-known/oauth-protected-resource'
const issuerDocument = '/.well-known/oauth-authorization-server'

/** The audience of tokens (RFC 8707). */
export const resourceOf = (issuer: string): string => issuer + resourcePath

/** Whether a client means that resource; some clients add a trailing slash. */
export const isResource = (resource: string, text: string): boolean =>
  text === resource || text === `${resource}/`

/** The path prefix of a public URL; empty if there is none. */
const prefixOf = (url: string): string => new URL(url).pathname.replace(/\/$/, '')

/** The paths of the metadata documents, also without the prefix, as some clients expect. */
export const documentPaths = (publicUrl: string | null) => {
  const prefix = publicUrl === null ? '' : prefixOf(publicUrl)
  return {
    resource: [
      ...new Set([
        resourceDocument,
        resourceDocument + resourcePath,
        resourceDocument + prefix + resourcePath,
      ]),
    ],
    issuer: [...new Set([issuerDocument, issuerDocument + prefix])],
  }
}

/** The URL of the document in `WWW-Authenticate` (RFC 9728, 5.1). */
export const resourceDocumentUrl = (issuer: string): string =>
  `${new URL(issuer).origin}${resourceDocument}${prefixOf(issuer)}${resourcePath}`

/** The metadata of the protected resource (RFC 9728, 2). */
export const resourceMetadata = (issuer: string) => ({
  resource: resourceOf(issuer),
  resource_name: 'Selvedge',
  authorization_servers: [issuer],
  scopes_supported: [scope],
  bearer_methods_supported: ['header'],
})

/** The metadata of the authorization server (RFC 8414, 2). */
export const issuerMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + oauthPaths.authorize,
  token_endpoint: issuer + oauthPaths.token,
  registration_endpoint: issuer + oauthPaths.register,
  revocation_endpoint: issuer + oauthPaths.revoke,
  scopes_supported: [scope],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})
