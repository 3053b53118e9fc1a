import { ApiError } from '#contract'
import { nextTurn } from '#reading'
import type { Reader } from './reader.ts'

/** The read budget of all calls in one message. */
export const messageBudget = {
  /** Messages per batch. */
  messages: 10,
  /** Lists and records read per message. */
  reads: 200,
  /** Reads that count as one request against the key's rate limit. */
  readsPerRequest: 10,
}

export interface BudgetParts {
  /** Charges one request to the key's rate limit. Throws `rate_limited` if none is left. */
  readonly pay: () => Promise<void>
}

/** Wraps readers: their reads share a budget, count against a key and yield to other work. */
export const createBudget = ({ pay }: BudgetParts): ((reader: Reader) => Reader) => {
  let reads = 0
  const begin = async (): Promise<void> => {
    if (reads >= messageBudget.reads) throw readsUsedUp()
    reads += 1
    if (reads % messageBudget.readsPerRequest === 0) await pay()
    await nextTurn()
  }
  const counted =
    <A extends readonly unknown[], R>(read: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await begin()
      return read(...args)
    }
  return ({ brand, scope, list, get, query, summary, document, search, today }) => ({
    brand,
    scope,
    list: counted(list),
    get: counted(get),
    query: counted(query),
    summary: counted(summary),
    document: counted(document),
    search: counted(search),
    today: counted(today),
  })
}

const readsUsedUp = (): ApiError =>
  new ApiError(
    'rate_limited',
    `The calls of one message may read ${messageBudget.reads} lists and records together, and that limit is reached. Send this call again in a message of its own.`,
    { retryAfterSeconds: 1 },
  )
