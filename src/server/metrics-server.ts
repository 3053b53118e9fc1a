import type { AddressInfo } from 'node:net'
import type { MetricsText } from '#observability'

// Not imported, for the reason in http/node-http.ts, which is not loaded here: commands use this
// too.
const { createServer } = process.getBuiltinModule('node:http')

/** Serves `/metrics` on a separate port. */
export interface MetricsServer {
  readonly url: string
  close(): void
}

export const openMetricsServer = async (
  metrics: { text(): Promise<MetricsText> },
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> => {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.text().then(
      ({ body, contentType }) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: boundPort } = server.address() as AddressInfo
  return { url: `${urlAt(host, boundPort)}/metrics`, close: () => server.close() }
}

export const urlAt = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
