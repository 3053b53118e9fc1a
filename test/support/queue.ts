/** A queue over a store of its own, and batches for it out of the story's records. */
import { randomUUID } from 'node:crypto'
import { catalog, importOrder, resourceAt, writeIdentity } from '#contract'
import type { Database } from '#database'
import { type DemoRecord, openStory } from '#demo'
import {
  type BatchQueue,
  type BatchRequest,
  openBatchQueue,
  openBodyPacker,
  type QueueParts,
} from '#intake'
import { createStore, feedStart, type Store, sharedOwner } from '#store'
import { decodeBody } from '../../src/store/read/body.ts'
import { keyOf } from './model.ts'

/** Generous: the machine may have other things to do. */
const waitMs = 300_000

const story = await openStory()
export const storyBrand = String(story.records['brand']?.[0]?.['slug'])

export interface Item {
  readonly collection: string
  readonly id: string
  readonly operation: 'put' | 'remove'
  readonly record?: DemoRecord
}

export const putItem = (collection: string, record: DemoRecord): Item => ({
  collection,
  id: writeIdentity(keyOf(resourceAt(catalog, collection).key, record)),
  operation: 'put',
  record,
})

export const removeItem = (collection: string, id: string): Item => ({
  collection,
  id,
  operation: 'remove',
})

export const bodyOf = (items: readonly object[]): Buffer =>
  Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''))

/** The story's records of a brand as items, each after what it refers to. */
export const storyItems: readonly Item[] = importOrder(catalog)
  .flat()
  .flatMap((path) => (story.records[path] ?? []).map((record) => putItem(path, record)))

/** The shared records of the story, as an import brings them. */
export const importShared = async (store: Store): Promise<void> => {
  for (const [path, records] of Object.entries(story.shared)) {
    const resource = resourceAt(catalog, path)
    await store.write(sharedOwner, async (writer) => {
      await writer.stage(resource, records)
      await writer.merge(resource)
    })
  }
}

export interface TestQueue {
  readonly store: Store
  readonly queue: BatchQueue
  /** What failed and is tried again. */
  readonly failures: unknown[]
  send(items: readonly object[], more?: Partial<SentRequest>): ReturnType<BatchQueue['accept']>
  /** Sends a batch and waits until it is finished. */
  commit(items: readonly object[], more?: Partial<SentRequest>): Promise<FinishedTestBatch>
}

/** A request before its body is packed. */
export type SentRequest = Omit<BatchRequest, 'body'> & { readonly body: Buffer }

export const packed = async (request: SentRequest): Promise<BatchRequest> => {
  const packer = openBodyPacker(request)
  packer.write(request.body)
  return { ...request, body: await packer.end() }
}

export type FinishedTestBatch = NonNullable<Awaited<ReturnType<BatchQueue['finished']>>>

export interface TestQueueOptions extends Partial<QueueParts> {
  readonly recordsChanges?: boolean
}

export const openTestQueue = async (
  records: Database,
  database: Database,
  { recordsChanges = true, ...options }: TestQueueOptions = {},
): Promise<TestQueue> => {
  const store = await createStore(catalog, records, { recordsChanges })
  const failures: unknown[] = []
  const queue = await openBatchQueue({
    store,
    database,
    now: Date.now,
    newId: randomUUID,
    onFailure: (_brand, error) => failures.push(error),
    onQuarantined: ({ lastError }) => failures.push(new Error(`quarantined: ${lastError}`)),
    onReleasedProblem: () => undefined,
    ...options,
  })
  const send: TestQueue['send'] = async (items, more = {}) => {
    const request: SentRequest = {
      brand: storyBrand,
      keyId: 'k1',
      idempotencyKey: null,
      body: bodyOf(items),
      collections: null,
      map: null,
      form: 'items',
      dryRun: false,
      ...more,
    }
    return queue.accept(await packed(request))
  }
  return {
    store,
    queue,
    failures,
    send,
    commit: async (items, more = {}) => {
      const { batch } = await send(items, more)
      const finished = await queue.finished(batch.brand, batch.id, waitMs)
      if (!finished?.finishedAt) throw new Error(`The batch is ${finished?.state}.`)
      return finished
    },
  }
}

/** Everything in the change feed of a brand: each record and its last state. */
export const feedItems = async (store: Store, brand = storyBrand): Promise<readonly Item[]> => {
  const items: Item[] = []
  for (let after = feedStart; ; ) {
    const page = await store.feed.page({ brand, resource: null, after, limit: 1_000 })
    for (const { collection, key, body } of page.changes) {
      const id = writeIdentity(key)
      items.push(
        body === null
          ? removeItem(collection, id)
          : { collection, id, operation: 'put', record: JSON.parse(decodeBody(body)) },
      )
    }
    if (!page.hasMore) return items
    after = page.next
  }
}

/** All records that a brand reads, as their texts by collection and identity. */
export const contentOf = async (
  store: Store,
  brand = storyBrand,
): Promise<ReadonlyMap<string, string>> => {
  const items = await feedItems(store, brand)
  return new Map(
    items
      .filter(({ operation }) => operation === 'put')
      .map(({ collection, id, record }) => [`${collection} ${id}`, JSON.stringify(record)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
