import { setTimeout as wait } from 'node:timers/promises'
import { ingestBasePath } from '#contract'
import type { Batch } from '#intake'
import { bodyOf, type Item, putItem, storyBrand, storyItems } from '../../test/support/queue.ts'

/** A batch that is sent, and the reports about it. */
export interface PostedBatch {
  /** Its Idempotency-Key. */
  readonly key: string
  readonly body: string
  /** The batch ids from the responses, one for each time it was sent. */
  readonly accepted: string[]
  readonly finished: Batch[]
}

export interface SentBatch extends PostedBatch {
  readonly sender: number
  readonly number: number
  /** Whether one of its items is invalid. */
  readonly isWrong: boolean
  /** The ids of records that no other batch contains. */
  readonly ids: readonly string[]
}

const recordsEach = 3
const tag = storyItems.find(({ collection }) => collection === 'tags')?.record as NonNullable<
  Item['record']
>

const idOf = (sender: number, number: number, record: number) =>
  `00000000-0000-4000-${(0x8000 + sender).toString(16)}-${(number * recordsEach + record).toString(16).padStart(12, '0')}`

/** The record that every batch of a sender changes. It shows which batch was applied last. */
export const lastOf = (sender: number): string => idOf(sender, 0, 0)
export const codeOf = (sender: number, number: number): string => `${sender} sent ${number}`

/** The batch with this number, from 1. Every seventh has an invalid item. */
export const batchOf = (sender: number, number: number): SentBatch => {
  const ids = Array.from({ length: recordsEach }, (_, record) => idOf(sender, number, record))
  const code = codeOf(sender, number)
  const items: object[] = [lastOf(sender), ...ids].map((id) =>
    putItem('tags', { ...tag, id, name: id, code }),
  )
  const isWrong = number % 7 === 3
  if (isWrong) items.push({ collection: 'tags' })
  const key = `${sender}-${number}`
  return {
    key,
    body: String(bodyOf(items)),
    sender,
    number,
    isWrong,
    ids,
    accepted: [],
    finished: [],
  }
}

/** Compares the reports about a batch with the stored records. */
export const missesOf = (
  batch: SentBatch,
  codes: ReadonlyMap<string, string>,
): readonly string[] => {
  const { key, isWrong, ids, accepted, finished, sender, number } = batch
  const misses: string[] = []
  const miss = (sentence: string) => misses.push(`Batch ${key}: ${sentence}`)
  if (new Set(accepted).size !== 1) miss(`it was accepted as ${new Set(accepted).size} batches.`)
  const stored = ids.filter((id) => codes.get(id) === codeOf(sender, number)).length
  if (stored !== (isWrong ? 0 : ids.length)) miss(`${stored} of ${ids.length} records are stored.`)
  const texts = new Set(finished.map((each) => JSON.stringify(each)))
  if (texts.size !== 1) miss(`it was reported in ${texts.size} ways.`)
  const [first] = finished
  if (first?.state !== (isWrong ? 'refused' : 'committed')) miss(`it is ${first?.state}.`)
  // A second application would add no records.
  if (!isWrong && (first?.collections[0]?.added ?? 0) < ids.length) miss('it was applied twice.')
  return misses
}

export interface SenderOptions {
  readonly url: string
  readonly key: string
  /** The brand of the story by default. */
  readonly brand?: string
  /** Whether the sender waits for the result in the same request or polls for it. */
  readonly waits: boolean
  /** Called each time a batch is accepted. */
  readonly onAccepted?: (batch: PostedBatch) => void
  /** Ends the retries. */
  readonly signal?: AbortSignal
}

/** The pause before a retry. */
const pauseMs = 20
const answerMs = 60_000

/** Sends batches and retries until their outcome is known. */
export const createSender = ({
  url,
  key,
  brand = storyBrand,
  waits,
  onAccepted,
  signal,
}: SenderOptions) => {
  const batches = `${url}${ingestBasePath}/brands/${brand}/batches`
  const ask = async (path: string, init: RequestInit): Promise<Response | null> => {
    try {
      const response = await fetch(path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...init.headers },
        signal: AbortSignal.timeout(answerMs),
      })
      await response.clone().arrayBuffer()
      if (response.status < 500) return response
    } catch {
      // The server was killed before or during its response.
    }
    await wait(pauseMs)
    return null
  }
  /** Undefined while the batch is unfinished or the server does not respond. */
  const read = async (id: string): Promise<Batch | undefined> => {
    const response = await ask(`${batches}/${id}`, {})
    if (response === null) return undefined
    if (response.status !== 200) throw new Error(`Batch ${id}: ${await response.text()}`)
    const batch = (await response.json()) as Batch
    return batch.finishedAt === null ? undefined : batch
  }
  const report = async (batch: PostedBatch) => {
    for (;;) {
      const ended = await read(batch.accepted[0] ?? '')
      if (!ended) continue
      batch.finished.push(ended)
      return
    }
  }
  return {
    report,
    commit: async (batch: PostedBatch) => {
      for (;;) {
        signal?.throwIfAborted()
        const response = await ask(batches, {
          method: 'POST',
          headers: {
            'content-type': 'application/x-ndjson',
            'idempotency-key': batch.key,
            ...(waits && { prefer: 'wait=30' }),
          },
          body: batch.body,
        })
        if (response === null) continue
        const id = response.headers.get('location')?.split('/').at(-1)
        if (id === undefined) throw new Error(`${batch.key}: ${await response.text()}`)
        batch.accepted.push(id)
        onAccepted?.(batch)
        const ended = await read(id)
        if (ended === undefined) {
          // Sends it again, like a sender that lost the response.
          await wait(pauseMs)
          continue
        }
        batch.finished.push(ended)
        return
      }
    },
  }
}
