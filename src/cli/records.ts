import { openRecords, type Records, readServiceConfig } from '#server'

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
  const config = { ...readServiceConfig(), creates, repairsSecurity }
  const records = await openRecords(config, (sentence) => process.stderr.write(`${sentence}\n`))
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}
