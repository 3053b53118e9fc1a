/** Image storage for tests: an image, folders, and an S3 server of its own. */
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Parts, StoredImage } from '#images'

export const secret = 'a secret for tests only, not for use'
export const noon = Date.parse('2026-03-01T12:00:00.000Z')
export const bytes = new TextEncoder().encode('a picture')
export const image: StoredImage = {
  brand: 'acme',
  id: '0a1b2c3d-0000-4000-8000-000000000000',
  mimeType: 'image/png',
  fileName: 'front view.png',
}

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'selvedge-images-'))

/** Removes a folder. */
export const remove = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true })

export const listen = async (
  server: Server | ReturnType<typeof createSocketServer>,
): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

interface S3Server {
  readonly httpServer: Server
  run(): Promise<AddressInfo>
}

/** The package has no types. */
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (
  options: object,
) => S3Server

export const bucket = 'pictures'
export const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

export const startS3 = async (port = 0) => {
  const directory = await temporaryFolder()
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }, { name: 'other' }],
  })
  const { port: bound } = await server.run()
  return {
    directory,
    server: server.httpServer,
    endpoint: `http://127.0.0.1:${bound}`,
    close: async () => {
      await closeServer(server.httpServer)
      await remove(directory)
    },
  }
}

export const s3Parts = (endpoint: string, changes: Partial<S3Parts> = {}): S3Parts => ({
  bucket,
  prefix: 'some folder/images',
  endpoint,
  region: 'eu-central-1',
  ...credentials,
  pathStyle: true,
  linkSeconds: 900,
  now: Date.now,
  timeoutMs: 2_000,
  ...changes,
})

/** SigV4 for a presigned GET, written from its description and not from the code under test. */
export const signV4 = (url: URL, parts: Pick<S3Parts, 'region' | 'secretAccessKey'>): string => {
  const encode = (text: string): string =>
    [...Buffer.from(text)]
      .map((byte) => {
        const character = String.fromCharCode(byte)
        return /[A-Za-z0-9._~-]/.test(character)
          ? character
          : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
      })
      .join('')
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest()
  const date = url.searchParams.get('X-Amz-Date') ?? ''
  const day = date.slice(0, 8)
  const canonical = [
    'GET',
    url.pathname.split('/').map(decodeURIComponent).map(encode).join('/'),
    url.search
      .slice(1)
      .split('&')
      .map((pair) => pair.split('=').map(decodeURIComponent).map(encode).join('='))
      .filter((pair) => !pair.startsWith('X-Amz-Signature='))
      .sort()
      .join('&'),
    `host:${url.host}`,
    '',
    'host',
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const scope = `${day}/${parts.region}/s3/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const key = [day, parts.region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${parts.secretAccessKey}`,
  )
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope, digest].join('\n')).toString('hex')
}
