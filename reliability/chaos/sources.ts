/** The sources of the checks: senders over HTTP, watched folders, and tables of databases. */
import { existsSync, globSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { RowProblem } from '#ingest'
import { bodyOf } from '../../test/support/queue.ts'
import { createSender, type PostedBatch, type SenderOptions } from '../ingest-kill/senders.ts'
import {
  type Colour,
  coloursEach,
  corrected,
  type Fault,
  faultFields,
  itemOf,
  type SentUnit,
} from './colours.ts'
import type { Misses } from './judge.ts'

/** A source that units are sent to. */
export interface Feed {
  readonly sent: readonly SentUnit[]
  /** The brand in whose quarantine the bad rows of a unit wait; null if it is refused as a whole. */
  readonly quarantinedFor: string | null
  /** Sends a unit. */
  send(unit: SentUnit): Promise<void>
  /** Corrects the bad rows in quarantine. */
  correct(): Promise<void>
  /** What has not ended as it must so far. */
  misses(): Misses
}

const quarantinePauseMs = 200

/** Sends batches one after the other, each again until it is stored or refused. */
export const createBatches = (sender: SenderOptions): Feed => {
  const sent: SentUnit[] = []
  const misses = new Map<string, string>()
  const { commit } = createSender(sender)
  const missOf = ({ fault }: SentUnit, batch: PostedBatch): string | null => {
    const { state, problems, collections } = batch.finished.at(-1) ?? {}
    if (new Set(batch.accepted).size !== 1) return 'was accepted more than once'
    if (state !== (fault ? 'refused' : 'committed')) return `is ${state}`
    if (fault) return namesField(problems ?? [], fault) ? null : 'has no reason'
    return collections?.[0]?.added === coloursEach ? null : 'was applied twice'
  }
  return {
    ...{ sent, quarantinedFor: null, correct: async () => undefined },
    send: async (unit) => {
      sent.push(unit)
      const body = String(bodyOf(unit.colours.map(itemOf)))
      const batch: PostedBatch = { key: unit.name, body, accepted: [], finished: [] }
      await commit(batch)
      while (batch.finished.at(-1)?.state === 'quarantined') {
        await wait(quarantinePauseMs)
        await commit(batch)
      }
      const miss = missOf(unit, batch)
      if (miss) misses.set(`batch ${unit.name}`, `Batch ${unit.name} ${miss}.`)
    },
    misses: () => misses,
  }
}

const namesField = (problems: readonly RowProblem[], fault: Fault): boolean =>
  problems.some(({ field }) => field === faultFields[fault])

const csvCell = (text: string): string => `"${text.replaceAll('"', '""')}"`
const cellsOf = ({ no, code, name, hex, status }: Colour) => [no, code, name, hex, status]

const csvColumns = 'NO;CODE;NAME;HEX;STATUS'

/** A sender drops no more files than these, until some are taken within a time. */
const waitingMax = 5
const takenWithinMs = 600_000

/** Drops files into a folder that `selvedge watch` takes them from. */
export const createFolder = (folder: string, brand: string): Feed => {
  const sent: SentUnit[] = []
  const files: string[] = []
  mkdirSync(folder)
  const drop = (name: string, colours: readonly Colour[]) => {
    const file = `colors-${name}.csv`
    files.push(file)
    const rows = colours.map((colour) => cellsOf(colour).map(csvCell).join(';'))
    writeFileSync(join(folder, '.draft'), `${[csvColumns, ...rows].join('\n')}\n`)
    renameSync(join(folder, '.draft'), join(folder, file))
  }
  const untilTaken = async () => {
    const until = performance.now() + takenWithinMs
    while (globSync(join(folder, '*.csv')).length >= waitingMax) {
      if (performance.now() > until) throw new Error(`No file of ${folder} was taken.`)
      await wait(100)
    }
  }
  const pathsIn = (below: string): readonly string[] => {
    const at = join(folder, below)
    if (!existsSync(at)) return []
    return readdirSync(at, { recursive: true }).map((path) => join(at, String(path)))
  }
  return {
    ...{ sent, quarantinedFor: brand },
    send: async (unit) => {
      await untilTaken()
      sent.push(unit)
      drop(unit.name, unit.colours)
    },
    /** Drops one file with all bad rows. */
    correct: async () => {
      const bad = sent.flatMap(({ colours }) => colours.filter(({ fault }) => fault))
      const isBad = new Set(bad.map(({ no }) => no))
      for (const [index, unit] of sent.entries()) sent[index] = corrected(unit)
      const rows = sent.flatMap(({ colours }) => colours.filter(({ no }) => isBad.has(no)))
      if (rows.length > 0) drop(`corrected-${files.length}`, rows)
    },
    misses: () => {
      const [processed, failed] = [pathsIn('processed'), pathsIn('failed')]
      const misses = new Map<string, string>()
      for (const file of files) {
        const of = (paths: readonly string[]) => paths.filter((path) => basename(path) === file)
        const [done, bad] = [of(processed).length, of(failed).length]
        if (done === 1 && bad === 0) continue
        misses.set(file, `${file} is ${done} times in processed, ${bad} times in failed.`)
      }
      return misses
    },
  }
}

/** The statement that makes the table of a source database. */
export const coloursTable = `create table colours (
  no varchar(40) primary key, code varchar(40), name varchar(1500), hex varchar(20),
  status varchar(20), changed_at timestamp(6) not null default current_timestamp(6)
)`

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Inserts rows into a table that `selvedge sync` reads again and again. */
export const createTable = (run: (statement: string) => Promise<void>, brand: string): Feed => {
  const sent: SentUnit[] = []
  return {
    ...{ sent, quarantinedFor: brand, misses: () => new Map() },
    send: async (unit) => {
      const rows = unit.colours.map((colour) => `(${cellsOf(colour).map(quoted).join(', ')})`)
      await run(`insert into colours (no, code, name, hex, status) values ${rows.join(', ')}`)
      sent.push(unit)
    },
    correct: async () => {
      for (const [index, unit] of sent.entries()) {
        if (unit.fault === null) continue
        const good = corrected(unit)
        for (const { no, code, name, hex, status } of good.colours) {
          const values = Object.entries({ code, name, hex, status })
          const set = values.map(([column, value]) => `${column} = ${quoted(value)}`)
          set.push('changed_at = current_timestamp(6)')
          await run(`update colours set ${set.join(', ')} where no = ${quoted(no)}`)
        }
        sent[index] = good
      }
    },
  }
}
