import viewerUrl from 'virtual:reference-viewer'
import {
  basePath,
  feedBasePath,
  ingestBasePath,
  queryBasePath,
} from '../../../src/contract/index.ts'
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

/** Loads everything from this server: no external fonts, telemetry or services. */
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

/** The APIs of this server, in display order. */
const apis = [
  { title: 'API', slug: 'api', path: basePath },
  { title: 'Query API', slug: 'query', path: queryBasePath },
  { title: 'Change feed', slug: 'changes', path: feedBasePath },
  { title: 'Ingest API', slug: 'ingest', path: ingestBasePath },
]

interface Source {
  readonly title: string
  readonly slug: string
  readonly content: Document
}

/** The OpenAPI documents that this page links to: a server may lack a change feed or ingest. */
const readSources = async (): Promise<readonly Source[]> => {
  const links = (await fetch(location.pathname, { method: 'HEAD' })).headers.get('link') ?? ''
  return Promise.all(
    apis
      .filter(({ path }) => links.includes(`<${path}/openapi.json>`))
      .map(async ({ path, ...source }) => {
        const response = await fetch(`${path}/openapi.json`)
        return { ...source, content: withBrand(await response.json()) }
      }),
  )
}

/** Sets the brand of the session as the default for requests. */
const withBrand = (read: Document): Document => {
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

// Old links to operations lack the name of an API. They mean the first API.
if (/^#(tag|description|models?)\//.test(location.hash)) {
  history.replaceState(null, '', `#${apis[0]?.slug}/${location.hash.slice(1)}`)
}

try {
  const [sources, viewer] = await Promise.all([readSources(), loadViewer()])
  document.getElementById('reference')?.replaceChildren()
  viewer.createApiReference('#reference', { ...options, sources })
} catch {
  setText('reference', 'The reference could not be loaded. Reload the page to try again.')
}
