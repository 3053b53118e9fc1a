export { readAuthorizationRequest } from './authorization-request.ts'
export { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts'
export { createConsentTables } from './consent-table.ts'
export { type Consents, createConsents, type IssuedTokens } from './consents.ts'
export { OAuthError } from './oauth-error.ts'
export { allowPage, keyPage, type Page, refusedPage } from './page.ts'
export { chooseLanguage } from './page-texts.ts'
export { withParameters } from './redirect-uri.ts'
export {
  documentPaths,
  isResource,
  issuerMetadata,
  oauthPaths,
  resourceDocumentUrl,
  resourceMetadata,
  scope,
} from './server-urls.ts'
export { hashOf, isAccessToken } from './token.ts'
