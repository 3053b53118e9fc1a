import { ApiError } from '#contract'
import type { Reader } from './reader.ts'
import { nextTurn } from './turn.ts'

/** What one message may read, all its calls together. */
export const messageBudget = {
  /** Messages of one batch. */
  messages: 10,
  /** Lists and records that are read for one message. */
  reads: 200,
  /** Reads that one request of the key's rate limit pays for. */
  readsPerRequest: 10,
}

export interface BudgetParts {
  /** Takes one request from the key's rate limit. Throws `rate_limited` when none is left. */
  readonly pay: () => Promise<void>
}

/** Gives readers whose reads are counted together, charged to a key and spread over time. */
export const openBudget = ({ pay }: BudgetParts): ((reader: Reader) => Reader) => {
  let reads = 0
  const begin = async (): Promise<void> => {
    if (reads >= messageBudget.reads) throw readsUsedUp()
    reads += 1
    if (reads % messageBudget.readsPerRequest === 0) await pay()
    await nextTurn()
  }
  return ({ brand, list, get }) => ({
    brand,
    list: async (resource, question) => {
      await begin()
      return list(resource, question)
    },
    get: async (resource, id, include) => {
      await begin()
      return get(resource, id, include)
    },
  })
}

const readsUsedUp = (): ApiError =>
  new ApiError(
    'rate_limited',
    `The calls of one message may read ${messageBudget.reads} lists and records together, and these are used up. Send this call again in a message of its own.`,
    { retryAfterSeconds: 1 },
  )
