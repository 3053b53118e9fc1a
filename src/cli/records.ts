import { openRecords, type Records, readServiceConfig } from '#server'

interface RecordsOptions {
  /** Whether the command creates a database that is not there. One that only reads does not. */
  readonly creates?: boolean
  /** Whether it repairs row-level security. One that must not wait for an import does not. */
  readonly repairsSecurity?: boolean
}

/** Opens the records for one command, and closes them whatever happens. */
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
