import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  checkImagesUrl,
  contentDisposition,
  type FolderImages,
  folderImages,
  type Images,
  imageFilesPath,
  type OpenedLink,
  openImages,
  type S3Parts,
  StorageUnavailable,
  type StoredImage,
  s3Images,
} from '#images'
import { imagesConformance } from '../conformance/images.ts'

const secret = 'a secret for tests only, not for use'
const noon = Date.parse('2026-03-01T12:00:00.000Z')
const bytes = new TextEncoder().encode('a picture')
const image: StoredImage = {
  brand: 'acme',
  id: '0a1b2c3d-0000-4000-8000-000000000000',
  mimeType: 'image/png',
  fileName: 'front view.png',
}

const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'selvedge-images-'))

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })

const listen = async (server: Server | ReturnType<typeof createSocketServer>): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/** The file route in miniature. */
const serveFolder = (images: () => FolderImages): Server =>
  createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    images()
      .open(path, query)
      .then((opened) => {
        if (opened === 'refused' || opened === 'missing') {
          response.writeHead(opened === 'refused' ? 403 : 404).end()
          return
        }
        response.writeHead(200, {
          'content-type': opened.mimeType,
          'content-length': opened.sizeBytes,
          'content-disposition': contentDisposition(opened),
        })
        createReadStream(opened.file).pipe(response)
      })
      .catch(() => response.writeHead(503).end())
  })

interface S3Server {
  readonly httpServer: Server
  run(): Promise<AddressInfo>
}

/** The package has no types. */
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (
  options: object,
) => S3Server

const bucket = 'pictures'
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

const startS3 = async () => {
  const directory = await temporaryFolder()
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }, { name: 'other' }],
  })
  const { port } = await server.run()
  return {
    directory,
    server: server.httpServer,
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      await closeServer(server.httpServer)
      await remove(directory)
    },
  }
}

const s3Parts = (endpoint: string, changes: Partial<S3Parts> = {}): S3Parts => ({
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

imagesConformance('a folder', async () => {
  const folder = await temporaryFolder()
  const server = serveFolder(() => images)
  const port = await listen(server)
  const images = folderImages({
    folder: join(folder, 'inner', 'images'),
    secret,
    baseUrl: () => `http://127.0.0.1:${port}`,
    linkSeconds: 900,
    now: Date.now,
  })
  return {
    images,
    now: Date.now,
    linkSeconds: 900,
    names: async () => (await readdir(folder, { recursive: true })).sort(),
    close: async () => {
      await images.close()
      await closeServer(server)
      await remove(folder)
    },
  }
})

imagesConformance('a bucket', async () => {
  const s3 = await startS3()
  const images = s3Images(s3Parts(s3.endpoint))
  return {
    images,
    now: Date.now,
    linkSeconds: 900,
    names: async () => (await readdir(s3.directory, { recursive: true })).sort(),
    close: async () => {
      await images.close()
      await s3.close()
    },
  }
})

describe('links to a folder', () => {
  let folder: string
  let images: FolderImages
  let clock = noon

  before(async () => {
    folder = await temporaryFolder()
    images = folderImages({
      folder: join(folder, 'images'),
      secret,
      baseUrl: () => 'https://api.example.com/',
      linkSeconds: 900,
      now: () => clock,
    })
    await images.put(image, bytes)
  })
  after(() => remove(folder))

  /** A link made at noon. */
  const linkTo = async (to: StoredImage = image): Promise<URL> => {
    clock = noon
    const made = await images.link(to)
    assert.ok(made)
    return new URL(made.url)
  }

  const openAt = (at: number, { pathname, search }: URL): Promise<OpenedLink> => {
    clock = at
    return images.open(pathname, search)
  }

  const refused = async (url: URL): Promise<void> =>
    assert.equal(await openAt(noon, url), 'refused')

  const changed = (url: URL, change: (url: URL) => void): URL => {
    const copy = new URL(url)
    change(copy)
    assert.notEqual(copy.href, url.href)
    return copy
  }

  it('a link names the file, its type, its end and a signature', async () => {
    const url = await linkTo()
    assert.equal(url.origin, 'https://api.example.com')
    assert.equal(url.pathname, `${imageFilesPath}/${image.brand}/${image.id}`)
    assert.deepEqual([...url.searchParams].slice(0, 3), [
      ['name', 'front view.png'],
      ['type', 'image/png'],
      ['expires', String(noon / 1000 + 900)],
    ])
    assert.match(url.searchParams.get('signature') ?? '', /^[\w-]{43}$/)
    assert.deepEqual(await openAt(noon, url), {
      file: join(folder, 'images', image.brand, image.id),
      mimeType: 'image/png',
      fileName: 'front view.png',
      sizeBytes: bytes.length,
    })
  })

  it('a link works to the last moment of its last second', async () => {
    const url = await linkTo()
    assert.equal(typeof (await openAt(noon + 900_000, url)), 'object')
    assert.equal(typeof (await openAt(noon + 900_999, url)), 'object')
  })

  it('a link stops working one second after its expiry', async () => {
    assert.equal(await openAt(noon + 901_000, await linkTo()), 'refused')
  })

  it('expiresAt is never later than the link works', async () => {
    clock = noon + 999
    const made = await images.link(image)
    assert.ok(made)
    assert.equal(made.expiresAt, '2026-03-01T12:15:00.000Z')
    assert.equal(typeof (await openAt(Date.parse(made.expiresAt), new URL(made.url))), 'object')
  })

  for (const [parameter, value] of [
    ['name', 'back.png'],
    ['name', ''],
    ['type', 'text/html'],
    ['expires', String(noon / 1000 + 901)],
    ['expires', String(noon / 1000 + 899)],
    ['expires', `0${noon / 1000 + 900}`],
    ['expires', `${noon / 1000 + 900}.0`],
    ['expires', '9e9'],
    ['expires', 'Infinity'],
    ['expires', '-1'],
    ['expires', ''],
    ['signature', ''],
    ['signature', 'A'.repeat(43)],
  ] as const) {
    it(`a link with ${parameter} changed to "${value}" is refused`, async () => {
      const url = await linkTo()
      await refused(changed(url, (copy) => copy.searchParams.set(parameter, value)))
    })
  }

  for (const parameter of ['name', 'type', 'expires', 'signature']) {
    it(`a link without ${parameter}, or with two, is refused`, async () => {
      const url = await linkTo()
      await refused(changed(url, (copy) => copy.searchParams.delete(parameter)))
      const value = url.searchParams.get(parameter) ?? ''
      await refused(changed(url, (copy) => copy.searchParams.append(parameter, value)))
    })
  }

  it('a link with a parameter of its own is refused', async () => {
    await refused(changed(await linkTo(), (copy) => copy.searchParams.append('download', '1')))
  })

  it('a link to one image, brand or path is no link to another', async () => {
    const url = await linkTo()
    const other = { ...image, brand: 'other', id: image.id.replace('0a', '0b') }
    await images.put(other, bytes)
    await images.put({ ...image, id: other.id }, bytes)
    await images.put({ ...image, brand: other.brand }, bytes)
    for (const path of [
      `${imageFilesPath}/${other.brand}/${image.id}`,
      `${imageFilesPath}/${image.brand}/${other.id}`,
      `${imageFilesPath}/${other.brand}/${other.id}`,
      `${imageFilesPath}/${image.brand}/${image.id}/`,
      `${imageFilesPath}//${image.brand}/${image.id}`,
      `${imageFilesPath}/${image.brand}/${image.id.toUpperCase()}`,
      `${imageFilesPath}/%61cme/${image.id}`,
      `${imageFilesPath}/other/../${image.brand}/${image.id}`,
      `${imageFilesPath}/${image.brand}/%2e%2e/${image.brand}/${image.id}`,
      `${imageFilesPath}/${image.brand}/${image.id}%00`,
      `${imageFilesPath}/${image.brand}/${image.id}\n`,
      `/${image.brand}/${image.id}`,
      '/etc/passwd',
      '',
    ]) {
      assert.equal(await images.open(path, url.search), 'refused', path)
    }
    assert.equal(typeof (await openAt(noon, url)), 'object')
  })

  it('a signature with any single bit flipped is refused', async () => {
    const url = await linkTo()
    const signature = Buffer.from(url.searchParams.get('signature') ?? '', 'base64url')
    for (let bit = 0; bit < signature.length * 8; bit++) {
      const flipped = Buffer.from(signature)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      url.searchParams.set('signature', flipped.toString('base64url'))
      await refused(url)
    }
  })

  it('a signature with any single bit of its text flipped is refused', async () => {
    const url = await linkTo()
    const text = Buffer.from(url.searchParams.get('signature') ?? '', 'latin1')
    for (let bit = 0; bit < text.length * 8; bit++) {
      const flipped = Buffer.from(text)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      url.searchParams.set('signature', flipped.toString('latin1'))
      await refused(url)
    }
  })

  it('a signature cut off anywhere, or with something added, is refused', async () => {
    const url = await linkTo()
    const signature = url.searchParams.get('signature') ?? ''
    for (let length = 0; length < signature.length; length++) {
      url.searchParams.set('signature', signature.slice(0, length))
      await refused(url)
    }
    for (const added of ['A', '=', '==', ' ', '\n', '.', '\0', signature]) {
      url.searchParams.set('signature', signature + added)
      await refused(url)
    }
  })

  it('no second spelling of a signature is accepted', async () => {
    // 32 bytes leave two unused bits in the last of 43 characters, and base64 has another alphabet.
    const url = await linkTo()
    const signature = url.searchParams.get('signature') ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const accepted: string[] = []
    for (const last of alphabet) {
      url.searchParams.set('signature', signature.slice(0, -1) + last)
      if ((await openAt(noon, url)) !== 'refused') accepted.push(last)
    }
    assert.deepEqual(accepted, [signature.at(-1)])
    // A link is looked for whose signature has a character that the other alphabet spells anew.
    for (let at = 0; ; at += 1_000) {
      clock = noon + at
      const made = new URL((await images.link(image))?.url ?? '')
      const spelled = made.searchParams.get('signature') ?? ''
      if (!/[-_]/.test(spelled)) continue
      made.searchParams.set('signature', spelled.replaceAll('-', '+').replaceAll('_', '/'))
      await refused(made)
      break
    }
  })

  it('a link signed with another secret is refused', async () => {
    const others = folderImages({
      folder: join(folder, 'images'),
      secret: secret.toUpperCase(),
      baseUrl: () => 'https://api.example.com',
      linkSeconds: 900,
      now: () => noon,
    })
    const made = await others.link(image)
    assert.ok(made)
    await refused(new URL(made.url))
  })

  it('a short secret is not accepted', () => {
    assert.throws(
      () =>
        folderImages({ folder, secret: '', baseUrl: () => '', linkSeconds: 900, now: () => noon }),
      /needs 16 characters/,
    )
  })

  it('the link of a deleted image is missing', async () => {
    const gone = { ...image, brand: 'gone' }
    await images.put(gone, bytes)
    const url = await linkTo(gone)
    await remove(join(folder, 'images', 'gone'))
    assert.equal(await openAt(noon, url), 'missing')
    assert.equal(await images.link(gone), null)
  })

  it('a type that could not stand in a header is served as plain bytes', async () => {
    const url = await linkTo({ ...image, mimeType: 'image/png\r\nX-Evil: 1' })
    assert.equal(url.searchParams.get('type'), 'application/octet-stream')
    assert.equal(typeof (await openAt(noon, url)), 'object')
  })

  it('what is written is for its owner alone', async () => {
    const own = { ...image, brand: 'own' }
    await images.put(own, bytes)
    const modeOf = async (path: string) =>
      ((await stat(join(folder, 'images', path))).mode & 0o777).toString(8)
    assert.equal(await modeOf('own'), '700')
    assert.equal(await modeOf(`own/${image.id}`), '600')
  })

  it('writing leaves nothing but the object behind', async () => {
    const crowd = { ...image, brand: 'crowd' }
    await Promise.all(Array.from({ length: 20 }, () => images.put(crowd, bytes)))
    assert.deepEqual(await readdir(join(folder, 'images', 'crowd')), [image.id])
    const left = await readdir(join(folder, 'images'))
    assert.deepEqual(
      left.filter((name) => name.startsWith('.')),
      [],
    )
  })
})

describe('what stands in an image folder', () => {
  let folder: string
  let home: string
  let images: FolderImages

  before(async () => {
    folder = await temporaryFolder()
    home = join(folder, 'images')
    images = imagesIn(home)
    await images.put(image, bytes)
    await writeFile(join(folder, 'secret'), 'not to be read')
  })
  after(() => remove(folder))

  const imagesIn = (where: string): FolderImages =>
    folderImages({
      folder: where,
      secret,
      baseUrl: () => 'http://127.0.0.1',
      linkSeconds: 900,
      now: () => noon,
    })

  /** Puts an image, takes its link, and lets something else stand in its place. */
  const replaced = async (id: string, replace: (path: string) => Promise<unknown>) => {
    const victim = { ...image, id }
    await images.put(victim, bytes)
    const { pathname, search } = new URL((await images.link(victim))?.url ?? '')
    await rm(join(home, victim.brand, id))
    await replace(join(home, victim.brand, id))
    return { link: await images.link(victim), opened: await images.open(pathname, search) }
  }

  const missing = { link: null, opened: 'missing' }

  it('a symbolic link out of the folder is missing', async () => {
    assert.deepEqual(
      await replaced('00000000-0000-4000-8000-000000000011', (path) =>
        symlink(join(folder, 'secret'), path),
      ),
      missing,
    )
    assert.deepEqual(
      await replaced('00000000-0000-4000-8000-000000000012', (path) =>
        symlink('../../secret', path),
      ),
      missing,
    )
  })

  it("a symbolic link to another brand's image is missing", async () => {
    await images.put({ ...image, brand: 'acme-2' }, bytes)
    assert.deepEqual(
      await replaced('00000000-0000-4000-8000-000000000013', (path) =>
        symlink(`../acme-2/${image.id}`, path),
      ),
      missing,
    )
  })

  it('a symbolic link that leads nowhere, or in a circle, is missing', async () => {
    assert.deepEqual(
      await replaced('00000000-0000-4000-8000-000000000014', (path) => symlink('nowhere', path)),
      missing,
    )
    assert.deepEqual(
      await replaced('00000000-0000-4000-8000-000000000015', (path) => symlink(path, path)),
      missing,
    )
  })

  it('a folder in the place of a file is missing', async () => {
    assert.deepEqual(
      await replaced('00000000-0000-4000-8000-000000000016', (path) => mkdir(path)),
      missing,
    )
  })

  it('a device in the place of a file is missing', async () => {
    assert.deepEqual(
      await replaced('00000000-0000-4000-8000-000000000017', (path) => symlink('/dev/zero', path)),
      missing,
    )
  })

  it('a brand whose folder leads elsewhere is neither read nor written', async () => {
    const outside = join(folder, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, image.id), 'not to be read')
    await symlink(outside, join(home, 'astray'))
    const astray = { ...image, brand: 'astray' }
    assert.equal(await images.link(astray), null)
    await assert.rejects(images.put(astray, bytes), StorageUnavailable)
    assert.deepEqual(await readdir(outside), [image.id])
  })

  it('an image folder that is itself a symbolic link is followed', async () => {
    await symlink(home, join(folder, 'alias'))
    assert.ok(await imagesIn(join(folder, 'alias')).link(image))
  })

  it('where there is no folder yet, or a file instead of it, every image is missing', async () => {
    assert.equal(await imagesIn(join(folder, 'none')).link(image), null)
    assert.equal(await imagesIn(join(folder, 'secret')).link(image), null)
  })

  it('a file in the place of the folder cannot be written to, and says why', async () => {
    await assert.rejects(
      imagesIn(join(folder, 'secret')).put(image, bytes),
      (error) => error instanceof StorageUnavailable && error.cause instanceof Error,
    )
  })

  it('a folder that cannot be read is unavailable, not missing', async () => {
    // A name that is too long fails for every user, also for root, whom no permission stops.
    const unreadable = imagesIn(join(folder, 'x'.repeat(300)))
    await assert.rejects(
      unreadable.link(image),
      (error) =>
        error instanceof StorageUnavailable &&
        (error.cause as NodeJS.ErrnoException).code === 'ENAMETOOLONG',
    )
    const { pathname, search } = new URL((await images.link(image))?.url ?? '')
    await assert.rejects(unreadable.open(pathname, search), StorageUnavailable)
    await assert.rejects(unreadable.put(image, bytes), StorageUnavailable)
  })

  it('a folder without permission is unavailable to all but root', async () => {
    const closed = join(folder, 'closed')
    await imagesIn(closed).put(image, bytes)
    await chmod(join(closed, image.brand), 0o000)
    try {
      if (process.getuid?.() === 0) assert.ok(await imagesIn(closed).link(image))
      else await assert.rejects(imagesIn(closed).link(image), StorageUnavailable)
    } finally {
      await chmod(join(closed, image.brand), 0o755)
    }
  })
})

describe('links to a bucket', () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  let images: Images

  before(async () => {
    s3 = await startS3()
    images = s3Images(s3Parts(s3.endpoint))
    await images.put(image, bytes)
  })
  after(() => s3.close())

  const linkOf = async (from: Images, to: StoredImage = image): Promise<URL> => {
    const made = await from.link(to)
    assert.ok(made)
    return new URL(made.url)
  }

  const statusOf = async (url: URL): Promise<number> => {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.status
  }

  it('a presigned address is accepted as it is', async () => {
    assert.equal(await statusOf(await linkOf(images)), 200)
  })

  it('a tampered signature is refused', async () => {
    const url = await linkOf(images)
    const signature = url.searchParams.get('X-Amz-Signature') ?? ''
    const flipped = (signature.startsWith('0') ? '1' : '0') + signature.slice(1)
    url.searchParams.set('X-Amz-Signature', flipped)
    assert.equal(await statusOf(url), 403)
  })

  for (const [parameter, value] of [
    ['X-Amz-Expires', '901'],
    ['response-content-type', 'text/html'],
    ['response-content-disposition', 'inline'],
  ] as const) {
    it(`a link with ${parameter} changed to "${value}" is refused`, async () => {
      const url = await linkOf(images)
      url.searchParams.set(parameter, value)
      assert.equal(await statusOf(url), 403)
    })
  }

  it('a link to one bucket is no link to another', async () => {
    const url = await linkOf(images)
    url.pathname = url.pathname.replace(`/${bucket}/`, '/other/')
    assert.equal(await statusOf(url), 403)
  })

  it('a link stops working one second after its expiry', async () => {
    const late = s3Images(s3Parts(s3.endpoint, { linkSeconds: 60, now: () => Date.now() - 61_000 }))
    assert.equal(await statusOf(await linkOf(late)), 403)
  })

  it('a link is made for seven days at most, and says so', async () => {
    const long = s3Images(s3Parts(s3.endpoint, { linkSeconds: 30 * 24 * 60 * 60 }))
    const made = await long.link(image)
    assert.ok(made)
    assert.equal(new URL(made.url).searchParams.get('X-Amz-Expires'), '604800')
    const days = (Date.parse(made.expiresAt) - Date.now()) / (24 * 60 * 60 * 1000)
    assert.ok(days > 6.999 && days <= 7, `${days} days`)
    assert.equal(await statusOf(new URL(made.url)), 200)
  })

  it('hostile names send no request at all', async () => {
    let requests = 0
    const count = () => {
      requests++
    }
    s3.server.on('request', count)
    for (const hostile of ['..', '%2e%2e', '/etc', 'a\0', 'a/b', '']) {
      assert.equal(await images.link({ ...image, brand: hostile }), null)
      assert.equal(await images.link({ ...image, id: hostile }), null)
      await assert.rejects(images.put({ ...image, brand: hostile }, bytes), RangeError)
    }
    s3.server.off('request', count)
    assert.equal(requests, 0)
  })

  it('a key that the storage does not know is unavailable, not missing', async () => {
    for (const wrong of [{ accessKeyId: 'NOBODY' }, { secretAccessKey: 'wrong' }]) {
      const stranger = s3Images(s3Parts(s3.endpoint, wrong))
      await assert.rejects(stranger.link(image), /answered HEAD with 403/)
      await assert.rejects(stranger.link(image), StorageUnavailable)
      await assert.rejects(stranger.put(image, bytes), /answered PUT with 403 \w+/)
    }
  })

  it('a bucket that is not there has no images and takes none', async () => {
    const lost = s3Images(s3Parts(s3.endpoint, { bucket: 'nowhere' }))
    assert.equal(await lost.link(image), null)
    await assert.rejects(lost.put(image, bytes), StorageUnavailable)
  })

  it('an image is stored below the prefix, or right in the bucket without one', async () => {
    const bare = s3Images(s3Parts(s3.endpoint, { prefix: '' }))
    assert.equal(await bare.link(image), null)
    await bare.put(image, bytes)
    const url = await linkOf(bare)
    assert.equal(url.pathname, `/${bucket}/${image.brand}/${image.id}`)
    assert.equal(await statusOf(url), 200)
    assert.equal(
      (await linkOf(images)).pathname,
      `/${bucket}/some%20folder/images/${image.brand}/${image.id}`,
    )
  })

  it('a presigned address holds the signature that SigV4 prescribes', async () => {
    const cases: readonly [Partial<S3Parts>, Partial<StoredImage>][] = [
      [{}, {}],
      [{ prefix: '' }, { fileName: "sketch (1)!*'~ ä 漢字 + & =.png" }],
      [{ sessionToken: 'a/token+with=signs' }, {}],
      [{ linkSeconds: 1 }, { mimeType: 'image/svg+xml' }],
      [{ region: 'us-east-1' }, { fileName: '' }],
    ]
    // Only HEAD is asked of it, so it may answer yes to everything, also at a frozen clock.
    const dates = new Set<unknown>()
    const yes = createServer((request, response) => {
      dates.add(request.headers['x-amz-date'])
      response.end()
    })
    const endpoint = `http://127.0.0.1:${await listen(yes)}`
    try {
      for (const [parts, changes] of cases) {
        const all = s3Parts(endpoint, { now: () => noon + 999, ...parts })
        const made = await s3Images(all).link({ ...image, ...changes })
        assert.ok(made)
        const url = new URL(made.url)
        assert.equal(url.searchParams.get('X-Amz-Date'), '20260301T120000Z')
        assert.equal(url.searchParams.get('X-Amz-Signature'), signV4(url, all))
        assert.equal(url.searchParams.get('X-Amz-Security-Token'), parts.sessionToken ?? null)
        assert.equal(Date.parse(made.expiresAt), noon + all.linkSeconds * 1000)
        assert.ok(!url.search.includes('+'), 'spaces are %20')
      }
      assert.deepEqual([...dates], ['20260301T120000Z'], 'HEAD is signed at the same clock')
    } finally {
      await closeServer(yes)
    }
  })

  it('the signature of this test is the one of the AWS documentation', () => {
    // docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    const url = new URL(
      'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host',
    )
    assert.equal(
      signV4(url, {
        region: 'us-east-1',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      }),
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    )
  })
})

/** SigV4 for a presigned GET, written from its description and not from the code under test. */
const signV4 = (url: URL, parts: Pick<S3Parts, 'region' | 'secretAccessKey'>): string => {
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

describe('a bucket that cannot be reached', () => {
  const timeoutMs = 200

  const unavailable = async (endpoint: string, message: RegExp): Promise<void> => {
    const images = s3Images(s3Parts(endpoint, { timeoutMs }))
    const started = performance.now()
    for (const attempt of [() => images.link(image), () => images.put(image, bytes)]) {
      await assert.rejects(attempt, (error) => {
        assert.ok(error instanceof StorageUnavailable)
        assert.match(error.message, message)
        return true
      })
    }
    const took = performance.now() - started
    assert.ok(took < 2 * timeoutMs + 400, `${took} ms for two requests`)
  }

  it('a closed port is unavailable at once', async () => {
    const server = createServer()
    const port = await listen(server)
    await closeServer(server)
    await unavailable(`http://127.0.0.1:${port}`, /cannot be reached/)
  })

  it('a storage that accepts and never answers is unavailable within the time limit', async () => {
    const sockets = new Set<Socket>()
    const server = createSocketServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
    })
    const port = await listen(server)
    await unavailable(`http://127.0.0.1:${port}`, /did not answer within 20\d ms/)
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })

  it('a storage that hangs up is asked a second time and is unavailable then', async () => {
    let asked = 0
    const server = createServer((request) => {
      asked++
      request.socket.destroy()
    })
    await unavailable(`http://127.0.0.1:${await listen(server)}`, /cannot be reached/)
    assert.equal(asked, 4)
    await closeServer(server)
  })

  it('a storage that hangs up once is not unavailable', async () => {
    let asked = 0
    const server = createServer((request, response) => {
      if (asked++ === 0) request.socket.destroy()
      else response.end()
    })
    const endpoint = `http://127.0.0.1:${await listen(server)}`
    assert.ok(await s3Images(s3Parts(endpoint, { timeoutMs })).link(image))
    await closeServer(server)
  })

  for (const status of [301, 307, 400, 401, 403, 429, 500, 503]) {
    it(`a storage that answers ${status} is unavailable`, async () => {
      const server = createServer((_request, response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
      })
      await unavailable(
        `http://127.0.0.1:${await listen(server)}`,
        new RegExp(`answered (HEAD|PUT) with ${status}`),
      )
      await closeServer(server)
    })
  }
})

describe('the address of image storage', () => {
  const parts = {
    secret,
    baseUrl: () => 'http://127.0.0.1:3000',
    linkSeconds: 900,
    now: () => noon,
    timeoutMs: 2_000,
  }

  for (const [url, problem] of [
    ['', /must begin with file: or s3:/],
    ['./data/images', /must begin with file: or s3:/],
    ['https://example.com/images', /must begin with file: or s3:/],
    ['file:', /names no folder/],
    ['file:./images?mode=fast', /takes no parameters/],
    ['file:./images#top', /takes no parameters/],
    ['file://elsewhere/images', /is not a folder on this machine/],
    ['file:./%zz', /is not a folder on this machine/],
    ['file:./%00', /is not a folder/],
    ['s3:bucket', /must look like s3:\/\/bucket\/prefix/],
    ['s3://', /s3:\/\/bucket|must name a bucket/],
    ['s3://pictures:9000/a', /must look like s3:\/\/bucket\/prefix/],
    ['s3://pictures/a#top', /must look like s3:\/\/bucket\/prefix/],
    ['s3://My_Bucket/a', /must name a bucket/],
    ['s3://key:hidden@pictures/a', /must not hold credentials/],
    ['s3://pictures/a//b', /has a prefix that cannot be used/],
    ['s3://pictures/a%2Fb', /has a prefix that cannot be used/],
    ['s3://pictures/a%00', /has a prefix that cannot be used/],
    ['s3://pictures?colour=red', /unknown parameter "colour"; known are endpoint, region/],
    ['s3://pictures?region=a&region=b', /has region more than once/],
    ['s3://pictures?region=EU%20', /must have a region such as/],
    ['s3://pictures?endpoint=127.0.0.1:9000', /must have an endpoint such as/],
    ['s3://pictures?endpoint=ftp://127.0.0.1', /must have an endpoint such as/],
    ['s3://pictures?endpoint=http://a:hidden@b', /must have an endpoint such as/],
    ['s3://pictures?path-style=yes', /must have path-style=true/],
  ] as const) {
    it(`${url || 'an empty address'} is refused in a sentence`, () => {
      const sentence = checkImagesUrl(url) ?? ''
      assert.match(sentence, problem)
      assert.match(sentence, /^(must|takes|names|is|has) .*[^.]$/)
      assert.throws(
        () => openImages(url, { ...parts, credentials }),
        ({ message }: Error) =>
          /^The image storage address ".*" /.test(message) &&
          message.endsWith(` ${sentence}.`) &&
          !message.includes('hidden'),
      )
    })
  }

  for (const url of [
    'file:./data/images',
    'file:data/images',
    'file:/var/lib/images',
    'file:///var/lib/my%20images',
    's3://pictures',
    's3://pictures/',
    's3://pictures/a/b%20c/?region=eu-west-1',
    's3://pictures/a?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true',
    's3://pictures/a?endpoint=https%3A%2F%2Fexample.com%2Fstorage%2Fs3&path-style=false',
  ]) {
    it(`${url} is accepted`, async () => {
      assert.equal(checkImagesUrl(url), undefined)
      const images = openImages(url, { ...parts, credentials })
      assert.equal(typeof images.open, url.startsWith('file:') ? 'function' : 'undefined')
      await images.close()
    })
  }

  it('a bucket without credentials is refused in a sentence', () => {
    for (const given of [
      parts,
      { ...parts, credentials: { accessKeyId: '', secretAccessKey: 'a' } },
      { ...parts, credentials: { accessKeyId: 'a', secretAccessKey: '' } },
    ]) {
      assert.throws(
        () => openImages('s3://pictures', given),
        /The image storage s3:\/\/pictures needs an access key id/,
      )
    }
  })

  it('a folder is relative to the working directory', async () => {
    const folder = await temporaryFolder()
    const started = process.cwd()
    try {
      process.chdir(folder)
      const images = openImages('file:./some%20where/images', parts)
      process.chdir(started)
      await images.put(image, bytes)
      assert.deepEqual(await readdir(resolve(folder, 'some where/images/acme')), [image.id])
    } finally {
      process.chdir(started)
      await remove(folder)
    }
  })

  it('a bucket is found by path with an endpoint, and by host without or where asked', async (t) => {
    const asked: string[] = []
    // No network here: only the address of the question is of interest.
    t.mock.method(globalThis, 'fetch', async (request: Request) => {
      asked.push(request.url)
      return new Response()
    })
    for (const [url, address] of [
      ['s3://pictures/a', 'https://pictures.s3.us-east-1.amazonaws.com/a'],
      ['s3://pictures/a?region=eu-west-1', 'https://pictures.s3.eu-west-1.amazonaws.com/a'],
      ['s3://pictures?path-style=true', 'https://s3.us-east-1.amazonaws.com/pictures'],
      ['s3://pictures/a/?endpoint=http://127.0.0.1:9000', 'http://127.0.0.1:9000/pictures/a'],
      ['s3://pictures?endpoint=https://b.example&path-style=false', 'https://pictures.b.example'],
      ['s3://pictures?endpoint=https://b.example/s3/', 'https://b.example/s3/pictures'],
    ] as const) {
      const made = await openImages(url, { ...parts, credentials }).link(image)
      const expected = `${address}/${image.brand}/${image.id}`
      assert.equal(asked.pop(), expected)
      assert.ok(made)
      assert.ok(made.url.startsWith(`${expected}?`), made.url)
      const signed = new URL(made.url)
      const region = signed.searchParams.get('X-Amz-Credential')?.split('/')[2] ?? ''
      assert.equal(
        signed.searchParams.get('X-Amz-Signature'),
        signV4(signed, { region, ...credentials }),
      )
    }
  })
})

describe('the name a download is given', () => {
  for (const [fileName, disposition] of [
    ['front.png', 'inline; filename="front.png"'],
    ['', 'inline; filename="image"'],
    ['a"b\\c/d.png', 'inline; filename="a_b_c_d.png"; filename*=UTF-8\'\'a%22b_c_d.png'],
    [
      "größe (1)'.png",
      "inline; filename=\"gr__e (1)'.png\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%281%29%27.png",
    ],
    ['a\r\nb\0\u202egnp.exe', 'inline; filename="a__b__gnp.exe"'],
    ['\ud800.png', 'inline; filename="_.png"; filename*=UTF-8\'\'%EF%BF%BD.png'],
  ] as const) {
    it(`${JSON.stringify(fileName)} becomes ${disposition}`, () => {
      assert.equal(contentDisposition({ mimeType: 'image/png', fileName }), disposition)
    })
  }

  for (const [mimeType, way] of [
    ['image/webp', 'inline'],
    ['IMAGE/JPEG', 'inline'],
    ['image/svg+xml', 'attachment'],
    ['text/html', 'attachment'],
    ['application/pdf', 'attachment'],
    ['image/png; charset=x', 'attachment'],
    ['', 'attachment'],
  ] as const) {
    it(`"${mimeType}" is served ${way}`, () => {
      assert.equal(contentDisposition({ mimeType, fileName: 'a' }), `${way}; filename="a"`)
    })
  }
})
