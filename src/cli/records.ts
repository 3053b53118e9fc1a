import { openRecords, type Records, readServiceConfig } from '#service'

/** Opens the records for one command, and closes them whatever happens. */
export const withRecords = async <T>(work: (records: Records) => Promise<T>): Promise<T> => {
  const config = readServiceConfig()
  const records = await openRecords(config, (sentence) => process.stderr.write(`${sentence}\n`))
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}
