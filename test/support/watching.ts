/** A watch within this process, of whatever inbox, and buckets for it. */
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'
import { findSources } from '#ingest'
import { createS3Client, readS3Url, type S3Client } from '#s3'
import type { Store } from '#store'
import { type FileOutcome, type Inbox, watch } from '#watch'
import { bucket, credentials } from './images.ts'
import { brandRecord } from './model.ts'
import { recordsOf } from './page.ts'

interface Watched {
  readonly failed: number
  readonly outcomes: readonly FileOutcome[]
  readonly events: readonly string[]
}

/** Takes the files that wait, until none is left. Errors whose code is in `temporary` are tried again. */
export const watchOnce = async (
  store: Store,
  owner: string,
  inbox: Inbox,
  { temporary = [] }: { readonly temporary?: readonly string[] } = {},
): Promise<Watched> => {
  const outcomes: FileOutcome[] = []
  const events: string[] = []
  const { failed } = await watch({
    store,
    owner,
    inbox,
    mapping: '',
    findSources: (file) =>
      findSources([file], { catalog, collection: 'tags', input: process.stdin }),
    options: {
      replace: false,
      allowRemovals: false,
      allowDangling: false,
      skipInvalid: false,
      park: false,
    },
    describe: ({ first }) => first.map(({ reason }) => `${reason}\n`).join(''),
    settleMs: 0,
    needsMarker: false,
    everyMs: 1_000,
    once: true,
    rankOf: () => 0,
    holder: 'a test',
    hasEnded: () => true,
    signal: new AbortController().signal,
    wait: () => wait(1),
    repeat: () => () => undefined,
    now: Date.now,
    elapsed: () => performance.now(),
    onFile: async (outcome) => {
      outcomes.push(outcome)
    },
    onEvent: (sentence) => {
      events.push(sentence)
    },
    temporaryReason: (error) =>
      error instanceof Error && 'code' in error && temporary.includes(String(error.code))
        ? `${error.message}.`
        : null,
  })
  return { failed, outcomes, events }
}

export const addBrand = (store: Store, slug: string, number: number): Promise<unknown> =>
  store.write(slug, async (writer) => {
    const resource = resourceAt(catalog, 'brand')
    await writer.stage(resource, [brandRecord(slug, number)])
    await writer.merge(resource)
  })

/** The names of a brand's tags, in their order. */
export const tagNames = async (store: Store, brand: string): Promise<readonly unknown[]> => {
  const page = await store.list({
    resource: resourceAt(catalog, 'tags'),
    brand,
    filters: new Map(),
    limit: 100,
    after: null,
    include: [],
  })
  return recordsOf(page).map((record: DemoRecord) => record['name'])
}

export const bucketAddress = (endpoint: string, prefix: string): string =>
  `s3://${bucket}/${prefix}?endpoint=${endpoint}`

/** The objects below a prefix of the test's bucket. */
export const openBucketClient = (
  endpoint: string,
  prefix: string,
  changes: Partial<typeof credentials & { readonly bucket: string }> = {},
): S3Client => {
  const place = readS3Url(bucketAddress(endpoint, prefix))
  if ('problem' in place) throw new Error(place.problem)
  return createS3Client({
    ...place,
    ...credentials,
    ...changes,
    what: 'The bucket',
    now: Date.now,
    timeoutMs: 10_000,
  })
}

export const namesIn = async (client: S3Client, below = ''): Promise<readonly string[]> => {
  const names: string[] = []
  for await (const page of client.list(below)) names.push(...page.map(({ name }) => name))
  return names.sort()
}

export const putText = (client: S3Client, name: string, text: string): Promise<void> =>
  client.put(name, new TextEncoder().encode(text), {})
