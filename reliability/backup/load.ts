/** Writers of batches, imports and keys, which know when each of their writes was applied. */
import { setTimeout as wait } from 'node:timers/promises'
import { openRecords, readServiceConfig } from '#server'
import { ndjson } from '../../test/support/command.ts'
import { storyBrand } from '../../test/support/queue.ts'
import { batchOf, createSender } from '../ingest-kill/senders.ts'
import { type BackupPlace, importBrand } from './place.ts'

/** A write that was applied at some time between two. */
export interface Write {
  readonly number: number
  readonly beganAt: number
  /** Undefined if it is not known whether it was applied. */
  ackedAt?: number
}

/** Writes one after the other, so that those in any state of the database are the first ones. */
export interface Writer {
  readonly name: string
  readonly writes: readonly Write[]
}

export interface Load {
  readonly writers: readonly Writer[]
  /** The keys that were issued, by the numbers of the writes. */
  readonly keys: ReadonlyMap<number, string>
  /** Ends the writers after their current writes. */
  stop(): Promise<void>
}

export const senders = 4
/** Rows of an import. Each import changes all of them. */
export const importRows = 500
const keyPauseMs = 50

/** The names of the writers, by what they write. */
export const writerNames = {
  batches: (sender: number) => `batches of sender ${sender}`,
  /** Accepted, and stored later. */
  units: (sender: number) => `units of sender ${sender}`,
  imports: 'imports',
  keys: 'keys',
} as const

export const codeOfImport = (row: number): string => `I-${row}`
export const nameOfImport = (number: number): string => `import ${number}`
export const nameOfKey = (number: number): string => `key ${number}`

/** Begins to write, as fast as writes are acknowledged. */
export const startLoad = (place: BackupPlace): Load => {
  const state = { isOver: false }
  const keys = new Map<number, string>()
  const imports = createWriter(writerNames.imports)
  const issued = createWriter(writerNames.keys)
  const sending = createSending()
  const working = Promise.all([
    ...sending.map((each) => sendBatches(place, each, state)),
    importAgainAndAgain(place, imports, state),
    issueKeys(place, issued, keys, state),
  ])
  // Awaited in `stop`.
  working.catch(() => undefined)
  return {
    writers: [...writersOf(sending), imports, issued],
    keys,
    stop: async () => {
      state.isOver = true
      await working
    },
  }
}

/** Begins to send batches only. */
export const startBatches = (
  place: Receiver,
): Pick<Load, 'writers'> & { abandon(): Promise<void> } => {
  const state = { isOver: false }
  const abort = new AbortController()
  const sending = createSending()
  const working = sending.map((each) => sendBatches(place, each, state, abort.signal))
  const ended = Promise.allSettled(working)
  return {
    writers: writersOf(sending),
    /** Ends the senders, whose server does not come back. */
    abandon: async () => {
      state.isOver = true
      abort.abort()
      await ended
    },
  }
}

/** A server that receives batches. */
type Receiver = Pick<BackupPlace, 'server' | 'ingestKey'>

const createSending = (): readonly Sending[] =>
  Array.from({ length: senders }, (_, sender) => ({
    sender,
    batches: createWriter(writerNames.batches(sender)),
    units: createWriter(writerNames.units(sender)),
  }))

const writersOf = (sending: readonly Sending[]): readonly Writer[] =>
  sending.flatMap(({ batches, units }) => [batches, units])

const createWriter = (name: string) => {
  const writes: Write[] = []
  return {
    name,
    writes,
    begin: (number: number, beganAt = performance.now()): Write => {
      const write = { number, beganAt }
      writes.push(write)
      return write
    },
  }
}
type OpenWriter = ReturnType<typeof createWriter>

interface LoadState {
  readonly isOver: boolean
}

interface Sending {
  readonly sender: number
  readonly batches: OpenWriter
  readonly units: OpenWriter
}

const sendBatches = async (
  { server, ingestKey }: Receiver,
  { sender, batches, units }: Sending,
  state: LoadState,
  signal?: AbortSignal,
): Promise<void> => {
  let unit: Write | undefined
  const { commit } = createSender({
    ...{ url: server.url, key: ingestKey, waits: sender % 2 === 0 },
    ...(signal && { signal }),
    onAccepted: () => {
      if (unit) unit.ackedAt ??= performance.now()
    },
  })
  for (let number = 1; !state.isOver; number += 1) {
    const batch = batchOf(sender, number)
    unit = units.begin(number)
    await commit(batch)
    // Invalid ones are refused, and those that were killed three times wait for an operator.
    const isStored = batch.finished.at(-1)?.state === 'committed'
    if (isStored) batches.begin(number, unit.beganAt).ackedAt = performance.now()
  }
}

const importAgainAndAgain = async (
  { sandbox }: BackupPlace,
  writer: OpenWriter,
  state: LoadState,
): Promise<void> => {
  const at = '2026-11-01T08:00:00.000Z'
  for (let number = 1; !state.isOver; number += 1) {
    const colours = Array.from({ length: importRows }, (_, row) => ({
      id: `00000000-0000-4000-9000-${row.toString(16).padStart(12, '0')}`,
      ...{ code: codeOfImport(row), name: nameOfImport(number), hexCode: '#1A2B3C' },
      ...{ standardSystem: null, standardReference: null, family: null, status: 'active' },
      ...{ createdAt: at, updatedAt: at },
    }))
    sandbox.put({ 'colors.ndjson': ndjson(colours) })
    const write = writer.begin(number)
    const { code, stderr } = await sandbox.runProcess([
      ...['import', 'colors.ndjson', '--brand', importBrand, '--no-check'],
    ])
    if (code !== 0) throw new Error(stderr)
    write.ackedAt = performance.now()
  }
}

const issueKeys = async (
  { sandbox }: BackupPlace,
  writer: OpenWriter,
  keys: Map<number, string>,
  state: LoadState,
): Promise<void> => {
  const records = await openRecords(readServiceConfig({ DATABASE_URL: sandbox.databaseUrl }))
  try {
    for (let number = 1; !state.isOver; number += 1) {
      const write = writer.begin(number)
      const { key } = await records.keys.issue({
        ...{ name: nameOfKey(number), brands: [storyBrand], global: false },
        ...{ expiresAt: null, perSecond: null, burst: null },
      })
      write.ackedAt = performance.now()
      keys.set(number, key)
      await wait(keyPauseMs)
    }
  } finally {
    await records.close()
  }
}
