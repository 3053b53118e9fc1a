/** Images in a folder: links, and files that are not what they should be. */
import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  contentDisposition,
  type FolderImages,
  imageFilesPath,
  type OpenedLink,
  StorageUnavailable,
  type StoredImage,
} from '#images'
import { folderImages } from '../../src/images/folder.ts'
import { imagesConformance } from '../conformance/images.ts'
import {
  bytes,
  closeServer,
  image,
  listen,
  noon,
  remove,
  secret,
  temporaryFolder,
} from '../support/images.ts'

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

  it('a link to one image, brand or path is not valid for another', async () => {
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
    // A link is looked for whose signature has a character that the other alphabet spells differently.
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
    const deleted = { ...image, brand: 'deleted' }
    await images.put(deleted, bytes)
    const url = await linkTo(deleted)
    await remove(join(folder, 'images', 'deleted'))
    assert.equal(await openAt(noon, url), 'missing')
    assert.equal(await images.link(deleted), null)
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
