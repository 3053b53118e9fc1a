import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Images, StoredImage } from '../../src/images/images.ts'

/** A storage under test, empty, with the clock and the length of links it was opened with. */
export interface OpenedStorage {
  readonly images: Images
  readonly now: () => number
  readonly linkSeconds: number
  /** The name of every object or file there is, wherever the storage could have put one. */
  readonly names: () => Promise<readonly string[]>
  /** Closes the storage and whatever serves it. */
  readonly close: () => Promise<void>
}

/** What every image storage promises. */
export const imagesConformance = (name: string, open: () => Promise<OpenedStorage>): void => {
  describe(`images in ${name}`, () => {
    let storage: OpenedStorage
    before(async () => {
      storage = await open()
    })
    after(() => storage.close())

    const link = async (image: StoredImage) => {
      const made = await storage.images.link(image)
      assert.ok(made, 'there is a link')
      return made
    }

    it('a link gives the bytes and the content type without any key', async () => {
      const image = { ...front, id: '00000000-0000-4000-8000-000000000001' }
      await storage.images.put(image, picture)
      const response = await fetch((await link(image)).url)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'image/png')
      assert.equal(response.headers.get('content-disposition'), 'inline; filename="front view.png"')
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), picture)
    })

    it('what could carry a script is offered as a download', async () => {
      const image = { ...front, mimeType: 'image/svg+xml', fileName: 'logo.svg' }
      await storage.images.put(image, picture)
      const response = await fetch((await link(image)).url)
      await response.arrayBuffer()
      assert.equal(response.headers.get('content-type'), 'image/svg+xml')
      assert.equal(response.headers.get('content-disposition'), 'attachment; filename="logo.svg"')
    })

    it('an object put twice is the last one put', async () => {
      const image = { ...front, id: '00000000-0000-4000-8000-000000000002' }
      await storage.images.put(image, new Uint8Array([1, 2, 3]))
      await storage.images.put(image, picture)
      const response = await fetch((await link(image)).url)
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), picture)
    })

    it('an image without an object has no link', async () => {
      const image = { ...front, id: '00000000-0000-4000-8000-000000000003' }
      assert.equal(await storage.images.link(image), null)
      assert.equal(await storage.images.link({ ...image, brand: 'no-such-brand' }), null)
    })

    it('expiresAt is the end of the link, in whole seconds', async () => {
      await storage.images.put(front, picture)
      const earliest = Math.floor(storage.now() / 1000) + storage.linkSeconds
      const { expiresAt } = await link(front)
      const latest = Math.floor(storage.now() / 1000) + storage.linkSeconds
      assert.match(expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
      const end = Date.parse(expiresAt) / 1000
      assert.ok(end >= earliest && end <= latest, `${expiresAt} is ${storage.linkSeconds} s away`)
    })

    it('the same id of another brand is another object', async () => {
      const id = '00000000-0000-4000-8000-000000000004'
      await storage.images.put({ ...front, id }, picture)
      assert.equal(await storage.images.link({ ...front, id, brand: 'other' }), null)
    })

    it('a link to one brand is not valid for another', async () => {
      await storage.images.put(front, picture)
      await storage.images.put({ ...front, brand: 'other' }, picture)
      const { url } = await link(front)
      const moved = url.replace(`/${front.brand}/`, '/other/')
      assert.notEqual(moved, url)
      const response = await fetch(moved)
      await response.arrayBuffer()
      assert.equal(response.status, 403)
    })

    it('the objects of a brand are listed and removed one by one', async () => {
      const ids = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000010${number}`)
      const listed = async (brand: string) => {
        const all: string[] = []
        for await (const batch of storage.images.ids(brand)) all.push(...batch)
        return all.sort()
      }
      for (const id of ids) await storage.images.put({ ...front, brand: 'listed', id }, picture)
      await storage.images.put({ ...front, brand: 'listed-too', id: ids[0] ?? '' }, picture)
      assert.deepEqual(await listed('listed'), ids)
      assert.deepEqual(await listed('no-such-brand'), [])
      for (const id of ids) await storage.images.remove({ brand: 'listed', id })
      await storage.images.remove({ brand: 'listed', id: ids[0] ?? '' })
      assert.deepEqual(await listed('listed'), [])
      assert.deepEqual(await listed('listed-too'), [ids[0]])
      assert.equal(await storage.images.link({ ...front, brand: 'listed', id: ids[1] ?? '' }), null)
    })

    for (const hostile of hostileNames) {
      it(`${JSON.stringify(hostile)} is neither a brand nor an id to the storage`, async () => {
        await storage.images.put(front, picture)
        const names = await storage.names()
        for (const image of [
          { ...front, brand: hostile },
          { ...front, id: hostile },
          { ...front, brand: hostile, id: hostile },
        ]) {
          assert.equal(await storage.images.link(image), null)
          await assert.rejects(storage.images.put(image, picture), RangeError)
          await assert.rejects(storage.images.remove(image), RangeError)
        }
        const listing = storage.images.ids(hostile)[Symbol.asyncIterator]()
        if (hostile !== front.id) await assert.rejects(listing.next(), RangeError)
        assert.deepEqual(await storage.names(), names)
      })
    }

    for (const fileName of hostileFileNames) {
      it(`a file named ${JSON.stringify(fileName)} has a link that an address can hold`, async () => {
        await storage.images.put({ ...front, fileName }, picture)
        const { url } = await link({ ...front, fileName })
        assert.equal(new URL(url).href, url)
        assert.ok(url.length < 4_096, `${url.length} characters`)
      })
    }
  })
}

const front: StoredImage = {
  brand: 'acme',
  id: '0a1b2c3d-0000-4000-8000-000000000000',
  mimeType: 'image/png',
  fileName: 'front view.png',
}

/** Every byte value, so that no text conversion goes unnoticed. */
const picture = Uint8Array.from({ length: 256 * 40 }, (_, index) => index % 256)

const hostileNames = [
  '',
  '.',
  '..',
  '../acme',
  'acme/..',
  '%2e%2e',
  '%2e%2e%2facme',
  '..\\acme',
  '/etc/passwd',
  'file:///etc/passwd',
  'acme\0',
  '%00',
  'acme/other',
  'acme\n',
  'Acme',
  '-acme',
  'acmé',
  'a'.repeat(64),
  '0A1B2C3D-0000-4000-8000-000000000000',
  '0a1b2c3d-0000-4000-8000-000000000000/..',
  '0a1b2c3d-0000-4000-8000-000000000000?versionId=1',
]

const hostileFileNames = [
  '',
  'a\r\nSet-Cookie: b=c.png',
  '../../"; filename="x.html',
  "sketch (1)!*'.png",
  'Ärmel größe 漢字 🧵.png',
  'lone \ud800 surrogate.png',
  `${'漢'.repeat(1_000)}.png`,
  '100% + & = ? #.png',
]
