import type { Config } from '#config'
import {
  type OnConverting,
  type OnUnreachable,
  openRecordsToServe,
  openServiceImages,
  type RecordsLog,
  recordStart,
  whenReachable,
} from '#server'
import { identity } from './identity.ts'

/** The demo brand that `serve --demo` shows. */
export interface Demo {
  readonly brand: string
  readonly key: string
  readonly records: number
  /** The age of the records: days since the day that they were created for. */
  readonly daysOld: number
}

export interface PrepareOptions {
  readonly demo: boolean
  /** Whether this is the start of the server, for the audit log. */
  readonly isStart?: boolean
  readonly onUnreachable: OnUnreachable
  readonly onConverting: OnConverting
  readonly log?: RecordsLog
}

/** Migrates the tables, and loads the demo brand on request. */
export const prepareRecords = async (
  config: Config,
  { demo: wantsDemo, isStart, onUnreachable, onConverting, log }: PrepareOptions,
): Promise<Demo | null> => {
  const open = () => openRecordsToServe({ ...config, ...identity() }, log, onConverting)
  const records = await whenReachable(open, onUnreachable)
  try {
    if (isStart) await recordStart(records, log)
    if (!wantsDemo) return null
    const { loadDemo } = await import('./demo.ts')
    const images = openServiceImages(config, records.secret, () => '')
    const demo = await loadDemo({ records, images })
    await images.close()
    return demo
  } finally {
    await records.close()
  }
}
