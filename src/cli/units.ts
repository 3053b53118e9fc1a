import { randomUUID } from 'node:crypto'
import type { Config } from '#config'
import { openQueueDatabase } from '#database'
import { openUnits, type Units } from '#intake'
import { type Records, readServiceConfig } from '#server'
import { processName } from '#store'

/** Opens the units of work for one command, and always closes them. */
export const withUnits = async <T>(
  { database: records, store, audit }: Records,
  work: (units: Units) => Promise<T>,
  { databaseUrl }: Pick<Config, 'databaseUrl'> = readServiceConfig(),
): Promise<T> => {
  const database = openQueueDatabase(databaseUrl, records)
  const stopRecording = await audit.addOutbox(database)
  try {
    const units = await openUnits({
      ...{ database, store, now: Date.now, newId: randomUUID, recordAudit: audit.record },
      // In a container, the process that was started again has the name of the one that died.
      holder: `${processName()} ${randomUUID().slice(0, 8)}`,
    })
    return await work(units)
  } finally {
    await audit.flush()
    stopRecording()
    await database.close()
  }
}
