import viewerUrl from 'virtual:reference-viewer'
import { basePath } from '../../../src/contract/limits.ts'
import { readSession } from '../session.ts'
import '../tokens.css'
import './reference.css'

interface Viewer {
  createApiReference(place: string, options: object): unknown
}

const session = readSession()
const signedIn = document.getElementById('signed-in')
if (signedIn) {
  signedIn.textContent = session
    ? `Requests are sent with your key, for ${session.brand}.`
    : 'Sign in to the console first, and requests are sent with your key.'
}

/** Everything comes from this server: no fonts, no telemetry, no outside helpers. */
const options = {
  url: `${basePath}/openapi.json`,
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  defaultOpenAllTags: false,
  documentDownloadType: 'json',
  ...(session && {
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { token: session.key } },
    },
  }),
}

const script = document.createElement('script')
script.src = viewerUrl
script.onload = () => {
  const place = document.getElementById('reference')
  place?.replaceChildren()
  const { Scalar } = window as unknown as { Scalar: Viewer }
  Scalar.createApiReference('#reference', options)
}
script.onerror = () => {
  const place = document.getElementById('reference')
  if (place) place.textContent = 'The reference could not be loaded. Reload the page to try again.'
}
document.head.append(script)
