/** Images of the story and others beside them, behind a test service. */
import assert from 'node:assert/strict'
import { basePath } from '#contract'
import { type DemoRecord, openStory } from '#demo'
import { assertAnswer } from './answers.ts'
import type { TestService } from './service.ts'

const { records } = await openStory()
export const stored = records['images'] ?? []
export const [plain = {}] = stored
export const withoutExtent = stored.find(({ widthPx }) => widthPx === null) ?? {}
export const idOf = (image: DemoRecord): string => String(image['id'])
export const contentOf = (image: DemoRecord): string =>
  `${basePath}/brands/aldermoor/images/${idOf(image)}/content`
export const unknownId = '00000000-0000-4000-8000-000000000000'
export const picture = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz')

/** Images that are added to the story's, each for a case of its own. */
export const added = {
  svg: { mimeType: 'image/svg+xml', fileName: 'drawing.svg' },
  html: { mimeType: 'text/html', fileName: 'page.html' },
  odd: { mimeType: 'image/png\r\nx-injected: 1', fileName: 'a\r\nx-injected: 1/../b;"c.png' },
  missing: { mimeType: 'image/png', fileName: 'missing.png' },
  directory: { mimeType: 'image/png', fileName: 'directory.png' },
  escaped: { mimeType: 'image/png', fileName: 'escaped.png' },
} as const
type Added = keyof typeof added
export const addedNames = Object.keys(added) as Added[]
export const addedId = (name: Added): string =>
  `00000000-0000-4000-9000-00000000000${addedNames.indexOf(name)}`
export const addedRecord = (name: Added): DemoRecord => ({
  ...plain,
  ...added[name],
  id: addedId(name),
})

export const put = (service: TestService, image: DemoRecord, bytes = picture): Promise<void> =>
  service.images.put(
    {
      brand: 'aldermoor',
      id: idOf(image),
      mimeType: String(image['mimeType']),
      fileName: String(image['fileName']),
    },
    bytes,
  )

export interface Fetched {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Follows an address as a browser would: without a key. */
export const follow = async (url: string, options: RequestInit = {}): Promise<Fetched> => {
  const response = await fetch(url, options)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export const assertRefused = (fetched: Fetched, status: number, errorCode: string): void => {
  assertAnswer('GET', '/files/images', { ...fetched, body: JSON.parse(fetched.text) })
  assert.equal(fetched.status, status)
  assert.equal(JSON.parse(fetched.text).errorCode, errorCode)
  assert.ok(!fetched.text.includes(picture.toString()))
}
