import viewerUrl from 'virtual:reference-viewer'
import { basePath } from '../../../src/contract/index.ts'
import { findSession } from '../session.ts'
import { applyTheme, readTheme } from '../theme.ts'
import '../tokens.css'
import './reference.css'

interface Viewer {
  createApiReference(place: string, options: object): unknown
}

interface Document {
  readonly components: { readonly parameters: { readonly [name: string]: object } }
}

const session = await findSession()
const theme = readTheme()
applyTheme(theme)

const setText = (id: string, sentence: string): void => {
  const place = document.getElementById(id)
  if (place) place.textContent = sentence
}

setText(
  'signed-in',
  session
    ? `Requests are sent with your key, for ${session.brand}.`
    : 'Sign in to the console to send requests with your key.',
)

/** Everything is loaded from this server: no external fonts, telemetry or services. */
const options = {
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  hideDarkModeToggle: true,
  ...(theme !== 'auto' && { forceDarkModeState: theme }),
  ...(session && {
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { token: session.key } },
    },
  }),
}

/** The OpenAPI document, with the brand of the session as the default for requests. */
const readDocument = async (): Promise<Document> => {
  const read = (await (await fetch(`${basePath}/openapi.json`)).json()) as Document
  const { brand, ...others } = read.components.parameters
  if (!session || !brand) return read
  const parameters = { ...others, brand: { ...brand, example: session.brand } }
  return { ...read, components: { ...read.components, parameters } }
}

const loadViewer = (): Promise<Viewer> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = viewerUrl
    script.onload = () => resolve((window as unknown as { Scalar: Viewer }).Scalar)
    script.onerror = reject
    document.head.append(script)
  })

try {
  const [content, viewer] = await Promise.all([readDocument(), loadViewer()])
  document.getElementById('reference')?.replaceChildren()
  viewer.createApiReference('#reference', { ...options, content })
} catch {
  setText('reference', 'The reference could not be loaded. Reload the page to try again.')
}
