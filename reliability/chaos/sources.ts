/** The sources of the checks: senders over HTTP, watched folders, and tables of databases. */
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { RowProblem } from '#ingest'
import { bodyOf } from '../../test/support/queue.ts'
import { createSender, type PostedBatch, type SenderOptions } from '../ingest-kill/senders.ts'
import {
  type Colour,
  coloursEach,
  type Fault,
  faultFields,
  itemOf,
  type SentUnit,
} from './colours.ts'
import type { Misses } from './judge.ts'

/** A source that units are sent to. */
export interface Feed {
  readonly sent: readonly SentUnit[]
  /** Sends a unit. */
  send(unit: SentUnit): Promise<void>
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
    sent,
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

/** The problems of a report that may be written at the moment. */
const problemsIn = (file: string): readonly RowProblem[] => {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const problems = lines.map((line) => JSON.parse(line) as RowProblem)
  return problems.filter(({ severity }) => severity === 'error')
}

const csvCell = (text: string): string => `"${text.replaceAll('"', '""')}"`
const cellsOf = ({ no, code, name, hex, status }: Colour) => [no, code, name, hex, status]

const csvColumns = 'NO;CODE;NAME;HEX;STATUS'

/** A sender drops no more files than these, until some are taken within a time. */
const waitingMax = 5
const takenWithinMs = 600_000

/** Drops files into a folder that `selvedge watch` takes them from. */
export const createFolder = (folder: string): Feed => {
  const sent: SentUnit[] = []
  mkdirSync(folder)
  const fileOf = ({ name }: SentUnit) => `colors-${name}.csv`
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
    sent,
    send: async (unit) => {
      await untilTaken()
      sent.push(unit)
      const rows = unit.colours.map((colour) => cellsOf(colour).map(csvCell).join(';'))
      writeFileSync(join(folder, '.draft'), `${[csvColumns, ...rows].join('\n')}\n`)
      renameSync(join(folder, '.draft'), join(folder, fileOf(unit)))
    },
    misses: () => {
      const [processed, failed] = [pathsIn('processed'), pathsIn('failed')]
      const misses = new Map<string, string>()
      for (const unit of sent) {
        const file = fileOf(unit)
        const of = (paths: readonly string[]) => paths.filter((path) => basename(path) === file)
        const [done, bad] = [of(processed).length, of(failed).length]
        const reasons = problemsIn(join(folder, 'failed', `${file}.problems.ndjson`))
        const isRight = unit.fault
          ? done === 0 && bad === 1 && namesField(reasons, unit.fault)
          : done === 1 && bad === 0
        if (isRight) continue
        const words = reasons.map(({ reason }) => reason).join('; ')
        misses.set(file, `${file} is ${done} times in processed, ${bad} times in failed. ${words}`)
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

/**
 * Inserts rows into a table that `selvedge sync` reads again and again. Each good row of a unit is
 * stored. The report of the last round has all bad rows.
 */
export const createTable = (
  run: (statement: string) => Promise<void>,
  name: string,
  report: string,
): Feed & { correct(): Promise<void> } => {
  const sent: SentUnit[] = []
  return {
    sent,
    /** Deletes the bad rows, as somebody who has read their reasons does. */
    correct: async () => {
      const bad = sent.filter(({ fault }) => fault !== null)
      const keys = bad.map((unit) => quoted(unit.name)).join(', ')
      await run(`delete from colours where no in (${keys})`)
      for (const unit of bad) sent.splice(sent.indexOf(unit), 1)
    },
    send: async ({ colours }) => {
      const rows = colours.map((colour) => `(${cellsOf(colour).map(quoted).join(', ')})`)
      await run(`insert into colours (no, code, name, hex, status) values ${rows.join(', ')}`)
      sent.push(...colours.map((each) => ({ name: each.no, colours: [each], fault: each.fault })))
    },
    misses: () => {
      const problems = problemsIn(report)
      const misses = new Map<string, string>()
      for (const [fault, field] of Object.entries(faultFields)) {
        const bad = sent.filter((unit) => unit.fault === fault).length
        const refused = problems.filter((problem) => problem.field === field).length
        const what = `${fault} of ${name}`
        if (bad !== refused) misses.set(what, `${what}: ${refused} of ${bad} rows are refused.`)
      }
      return misses
    },
  }
}
