import { hash } from 'node:crypto'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const viewerModule = 'virtual:reference-viewer'

/**
 * The script of the API reference as a file of ours, under a name with its hash. The package has
 * it as a text that its server plugin serves, and so it is asked for it here, once.
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

const viewerScript = async (): Promise<string> => {
  const { fastify } = await import('fastify')
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(plugin, { routePrefix: '/viewer', configuration: { content: {} } })
  const { statusCode, body } = await app.inject('/viewer/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`The viewer's script was not found: ${statusCode}.`)
  return body
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), referenceViewer()],
  build: {
    target: 'es2024',
    // A small file as a data: address would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'docs.html'].map((each) => `${import.meta.dirname}/${each}`),
      // Importing the contract has no side effects: a page loads only the parts it uses.
      treeshake: { moduleSideEffects: [{ test: /\/src\/contract\//, sideEffects: false }] },
      // Only parts of the contract that no page uses import from Node.
      external: [/^node:/],
      // The reference's script is asked for by a plugin, and takes the longest: that is known.
      checks: { pluginTimings: false },
    },
  },
})
