import { randomUUID } from 'node:crypto'
import { DatabaseBusyError } from '#database'
import type { OperatorParts } from '#operator'
import { openRecords, type Records, readServiceConfig } from '#server'
import { hasProcessEnded, processName, sharedOwner } from '#store'
import { identity } from './identity.ts'
import { CommandError, logLine } from './output.ts'

interface RecordsOptions {
  /** Whether the command creates a missing database. Commands that only read do not. */
  readonly creates?: boolean
  /** Whether it repairs row-level security. Commands that must not wait for an import do not. */
  readonly repairsSecurity?: boolean
}

/** Opens the records for one command, and always closes them. */
export const withRecords = async <T>(
  work: (records: Records) => Promise<T>,
  { creates = false, repairsSecurity = true }: RecordsOptions = {},
): Promise<T> => {
  const config = { ...readServiceConfig(), ...identity(), creates, repairsSecurity }
  const records = await openRecords(config, (sentence) => process.stderr.write(`${sentence}\n`))
  try {
    return await work(records)
  } catch (error) {
    if (!(error instanceof DatabaseBusyError)) throw error
    throw new CommandError(await busySentence(records, error.message))
  } finally {
    await records.close()
  }
}

/** What the functions of an operator work on. */
export const operatorOf = (records: Records): OperatorParts => ({
  ...records,
  databaseUrl: readServiceConfig().databaseUrl,
  now: Date.now,
  newId: randomUUID,
})

/** Says who may be writing, as far as that is known: a sync and a watch hold a lease. */
const busySentence = async ({ store }: Records, message: string): Promise<string> => {
  const all = await store.leases.list(Date.now()).catch(() => [])
  const others = all
    .filter(({ holder }) => holder !== processName() && !hasProcessEnded(holder))
    .map(({ brand, work, holder }) => {
      const whose = brand === sharedOwner ? '' : ` of the brand ${brand}`
      return logLine(`${work}${whose} (${holder})`)
    })
  const writers = others.length > 0 ? ` At work: ${others.join(', ')}.` : ''
  return `${message}${writers} This command waited for a few seconds. Run it again when the other has finished.`
}
