import { auditActions, type ChainHead, formatHead, type ReadEntry } from '#audit'
import type { OperatorAudit, OperatorAuditVerified } from '#contract'
import { readCursor, writeCursor } from './cursor.ts'
import { OperatorError } from './error.ts'
import { readPast } from './moments.ts'
import type { OperatorParts } from './parts.ts'

export interface AuditRequest {
  /** Times, or durations ago. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly brand?: string | undefined
  readonly action?: string | undefined
}

/** The entries that a request selects, for `Audit.list`. */
export const auditFilter = ({ since, until, brand, action }: AuditRequest, now: number) => ({
  since: since === undefined ? undefined : readPast(since, now),
  until: until === undefined ? undefined : readPast(until, now),
  brand,
  action,
})

/** Entries of a page. */
const pageEntries = 100

/** Entries of the audit log, the latest first, with those that were recorded just now. */
export const listAudit = async (
  { audit, now }: Pick<OperatorParts, 'audit' | 'now'>,
  { cursor, ...request }: AuditRequest & { readonly cursor?: string | undefined },
): Promise<OperatorAudit> => {
  const filter = auditFilter(request, now())
  const before = cursor === undefined ? undefined : Number(readCursor(cursor, 1)[0])
  if (before === undefined) await audit.chain()
  const entries = await audit.list({ ...filter, before, limit: pageEntries })
  const [first] = entries
  return {
    items: entries.toReversed().map(({ number, text }) => {
      const { id: _, ...entry } = JSON.parse(text) as ReadEntry
      return { number, ...entry }
    }),
    nextCursor: first && entries.length === pageEntries ? writeCursor([first.number]) : null,
    actions: auditActions,
  }
}

/** Reads a head as `verifyAudit` returns it. */
export const readHead = (text: string): ChainHead => {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (number && hash) return { number: Number(number), hash }
  throw new OperatorError(
    'usage',
    'Use a head as selvedge audit verify prints it: <number>:<hash>.',
  )
}

/** Computes the hashes of all entries again. */
export const verifyAudit = async (
  { audit }: Pick<OperatorParts, 'audit'>,
  {
    expect,
    onProgress,
  }: {
    readonly expect?: ChainHead | undefined
    readonly onProgress?: (entries: number) => void
  },
): Promise<OperatorAuditVerified> => {
  const { head, problem } = await audit.verify({ expect, ...(onProgress && { onProgress }) })
  return { entries: head.number, head: formatHead(head), problem }
}
