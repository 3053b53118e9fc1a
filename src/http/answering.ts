import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ApiError, operationsOf } from '#contract'
import type { Grant, KeyVerifier } from '#keys'
import type { Log, Metrics } from '#observability'
import { asApiError } from '#request'
import { type ChangeTracker, dependencyOf, type ReadState } from '#store'
import { requireScope } from './authenticate.ts'
import { type Brands, requireBrand } from './brands.ts'
import type { ResponseMemory } from './connections.ts'
import { writeError } from './errors.ts'
import { type Handler, type HandlerParts, handlerOf } from './handlers.ts'
import { enterWithRoom, type InProgress } from './in-progress.ts'
import { type MeterParts, meter } from './meter.ts'
import { splitTarget } from './paths.ts'
import { chooseForm, writeForm } from './recall.ts'
import type { GivenAnswer, Remembered } from './remembered.ts'
import { endStage, nameKey, type Visit } from './visit.ts'
import { makeReady, writeNotModified, writeReady } from './write.ts'

export interface AnsweringParts extends HandlerParts, MeterParts {
  /** What is answered the same way and is no operation of the contract. */
  readonly others: { readonly [operation: string]: Handler }
  readonly brands: Brands
  readonly inProgress: InProgress
  readonly keyRing: KeyVerifier
  readonly news: ChangeTracker | null
  readonly remembered: Remembered | null
  readonly log: Log
  readonly metrics: Metrics
  readonly memory: ResponseMemory
  readonly draining: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** An operation that is asked for, with what its path names. */
export interface Question {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly visit: Visit
  /** The operation's id. */
  readonly operation: string
  readonly brand: string
  readonly id: string
}

/** Answers operations, whichever road they came. */
export interface Answering {
  /** Answers a question that was asked with a good key; never throws. */
  answer(question: Question, grant: Grant): Promise<void>
  /** Why there is no answer, once it has been noted if the fault is ours. */
  reasonOf(visit: Visit, thrown: unknown): ApiError
}

export const openAnswering = (parts: AnsweringParts): Answering => {
  const { brands, inProgress, keyRing, news, remembered, log, metrics, memory } = parts
  const handlers = new Map([
    ...Object.entries(parts.others),
    ...operationsOf(parts.store.catalog).map(
      ({ id, resource, endpoint }) => [id, handlerOf(parts, resource, endpoint)] as const,
    ),
  ])
  // Who is asked to leave is told so by Node's own way of writing.
  const time = () => (parts.draining() ? undefined : parts.now())

  /** How much, whether the brand is in the key's scope, and whether it is there at all. */
  const letIn = async (visit: Visit, brand: string, grant: Grant): Promise<void> => {
    nameKey(visit, grant)
    keyRing.markUsed(grant.keyId)
    await meter(parts, grant, visit)
    requireScope(grant, brand)
    await requireBrand(brands, brand)
    visit.brand = brand
    endStage(visit, 'admit')
  }

  /** Gives an answer that was given before, where it still holds; says whether it did. */
  const recall = ({ request, response, visit, brand }: Question): boolean => {
    const answer = request.method === 'GET' ? remembered?.find(request.url ?? '') : undefined
    const form = answer?.brand === brand ? chooseForm(visit, answer) : null
    if (!answer || !form || !news?.isFresh(answer.readState)) return false
    remembered?.given(answer)
    writeForm(response, visit, answer, form, time())
    return true
  }

  /** Makes an answer, when it is the turn of this request among those of its key. */
  const respond = async (question: Question, keyId: string): Promise<void> => {
    const { response } = question
    const leave = await enterWithRoom(memory, inProgress, response, keyId)
    try {
      // The client may have gone while its request waited.
      if (!response.closed) await work(question, keyId)
    } finally {
      leave()
    }
  }

  const work = async (question: Question, keyId: string): Promise<void> => {
    const { request, response, visit, operation, brand, id } = question
    const { url = '' } = request
    const [path, query] = splitTarget(url)
    const handle = handlers.get(operation)
    const answer = await handle?.({
      visit,
      brand,
      id,
      path,
      query,
      ifNoneMatch: visit.head.ifNoneMatch,
      reserve: inProgress.reserver(keyId, response),
    })
    if (!answer) throw new RangeError(`Nobody answers ${operation}.`)
    const { readState } = answer
    const note = (given: Pick<GivenAnswer, 'tag' | 'size' | 'encoding' | 'ready'>) => {
      if (!readState || !remembered?.wants(url)) return
      remembered.note(url, {
        ...given,
        operation,
        brand,
        readState: withBrand(readState, brand),
      })
    }
    if ('notModified' in answer) {
      note({ tag: answer.notModified, size: 0, encoding: null, ready: null })
      writeNotModified(response, visit, answer.notModified, time())
      return
    }
    memory.hold(response, keyId, answer.body.length)
    const { encoding, size, ready } = await makeReady(visit, answer)
    // Compressed, it is what waits to be sent.
    if (ready.length !== answer.body.length) memory.hold(response, keyId, ready.length)
    endStage(visit, 'write')
    note({ tag: answer.tag, size, encoding, ready })
    writeReady(response, visit, ready, time())
  }

  const reasonOf = (visit: Visit, thrown: unknown): ApiError => {
    const error = asApiError(thrown)
    if (error.status >= 500) {
      if (error.code === 'store_unavailable') metrics.storeFailed()
      log.error({ requestId: visit.id, error: error.cause ?? error }, error.message)
    }
    return error
  }

  return {
    reasonOf,
    answer: async (question, grant) => {
      const { response, visit, operation, brand } = question
      try {
        visit.operation = operation
        await letIn(visit, brand, grant)
        if (!recall(question)) await respond(question, grant.keyId)
      } catch (error) {
        // A message whose rest cannot be read has been answered in the meantime.
        if (!response.headersSent) writeError(response, visit, reasonOf(visit, error), time())
      }
    },
  }
}

/** An answer says nothing about a brand that is not there any more. */
const withBrand = ({ change, dependencies }: ReadState, brand: string): ReadState => ({
  change,
  dependencies: [...dependencies, dependencyOf(brand, 'brand')],
})
