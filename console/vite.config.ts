import { hash } from 'node:crypto'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const viewerModule = 'virtual:reference-viewer'

/**
 * The script of the API reference as a file of ours, under a name with its hash. The package has
 * it as a text that only its server plugin hands out.
 */
const referenceViewer = (): Plugin => ({
  name: 'reference-viewer',
  resolveId: (id) => (id === viewerModule ? `\0${viewerModule}` : null),
  async load(id) {
    if (id !== `\0${viewerModule}`) return null
    const source = await viewerScript()
    const fileName = `assets/viewer-${hash('sha256', source, 'base64url').slice(0, 8)}.js`
    this.emitFile({ type: 'asset', fileName, source })
    return `export default '/${fileName}'`
  },
})

/** The part of a server that the plugin registers its routes with. */
interface PluginRoute {
  readonly url: string
  handler(request: unknown, reply: Reply): unknown
}
interface Reply {
  header(name: string, value: string): Reply
  send(body: string): unknown
}
type ServerPlugin = (
  server: { route(route: PluginRoute): void },
  options: object,
  next: () => void,
) => void

const viewerScript = async (): Promise<string> => {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const routes: PluginRoute[] = []
  const options = { routePrefix: '/viewer', configuration: { content: {} } }
  const server = { route: (route: PluginRoute) => void routes.push(route) }
  ;(plugin as unknown as ServerPlugin)(server, options, () => undefined)
  let script = ''
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body
    },
  }
  routes.find(({ url }) => url === '/viewer/js/scalar.js')?.handler(null, reply)
  if (script === '') throw new Error('The script of the API reference was not found.')
  return script
}

/**
 * The operator page is a build of its own, into a folder that the public port does not serve. The
 * scripts of the console stay as they are without it.
 */
export default defineConfig(({ mode }) => {
  const pages = mode === 'admin' ? ['admin.html'] : ['index.html', 'docs.html', 'guides.html']
  return {
    root: import.meta.dirname,
    plugins: [react(), referenceViewer()],
    build: {
      target: 'es2024',
      outDir: mode === 'admin' ? 'dist/admin' : 'dist',
      // A small file as a data: address would need a wider content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: pages.map((each) => `${import.meta.dirname}/${each}`),
        // Importing the contract has no side effects: a page loads only the parts it uses.
        treeshake: { moduleSideEffects: [{ test: /\/src\/contract\//, sideEffects: false }] },
        // Only parts of the contract that no page uses import from Node.
        external: [/^node:/],
        // The reference's script is asked for by a plugin, and takes the longest: that is known.
        checks: { pluginTimings: false },
      },
    },
  }
})
