/** The paths of OAuth on the public port. */
export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** The one scope there is: a token reads what its key reads. */
export const scope = 'records:read'

const resourcePath = '/mcp'
const resourceDocument = '/.well-known/oauth-protected-resource'
const issuerDocument = '/.well-known/oauth-authorization-server'

/** What tokens are valid for (RFC 8707). */
export const resourceOf = (issuer: string): string => issuer + resourcePath

/** Whether a client means that resource; some write a slash at the end. */
export const isResource = (resource: string, text: string): boolean =>
  text === resource || text === `${resource}/`

/** The path of a public URL, before those of this server; empty where there is none. */
const prefixOf = (url: string): string => new URL(url).pathname.replace(/\/$/, '')

/** Where the documents are served: also without the path, where some clients look. */
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

/** The address of the document that `WWW-Authenticate` names (RFC 9728, 5.1). */
export const resourceDocumentUrl = (issuer: string): string =>
  `${new URL(issuer).origin}${resourceDocument}${prefixOf(issuer)}${resourcePath}`

/** What a client needs to know of the resource (RFC 9728, 2). */
export const resourceMetadata = (issuer: string) => ({
  resource: resourceOf(issuer),
  resource_name: 'Selvedge',
  authorization_servers: [issuer],
  scopes_supported: [scope],
  bearer_methods_supported: ['header'],
})

/** What a client needs to know of the authorization server (RFC 8414, 2). */
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
