/** Imports within this process, from files in a folder of their own. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import type { DemoRecord } from '#demo'
import {
  findSources,
  type IngestOptions,
  type IngestResult,
  ingest,
  openReport,
  type SourceOptions,
} from '#ingest'
import { createStore, type Store } from '#store'
import { recordsOf } from './page.ts'
import { putDatabase } from './prepared-database.ts'

/** The story's brand, the owner of imports by default. */
const brand = 'aldermoor'

export type ReportedProblem = readonly [place: string, field: string, value: string, reason: string]
export type Files = { readonly [name: string]: string | Uint8Array }

export interface Imported extends IngestResult {
  readonly errors: number
  readonly warnings: number
  /** Each problem as its file and line, field, value and reason. */
  readonly reported: readonly ReportedProblem[]
}

export interface OpenRecords {
  readonly database: Database
  readonly store: Store
}

/** Opens a folder for the files and databases of a test. */
export const openImportSandbox = () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-import-'))
  let runs = 0

  /** Writes files into a folder of their own. */
  const writeFiles = (files: Files): string => {
    runs += 1
    const at = join(folder, `run-${runs}`)
    mkdirSync(at)
    for (const [name, content] of Object.entries(files)) writeFileSync(join(at, name), content)
    return at
  }

  const openRecords = async (name: string): Promise<OpenRecords> => {
    const file = join(folder, name)
    if (!existsSync(file)) await putDatabase('tables', file)
    const database = openDatabase(`sqlite:${file}`)
    after(() => database.close())
    return { database, store: await createStore(catalog, database) }
  }

  /** Imports files, in the order they are named in, and returns what was reported. */
  const importInto = async (
    { store }: OpenRecords,
    files: Files,
    options: Partial<IngestOptions> & Partial<SourceOptions> & { at?: readonly string[] } = {},
  ): Promise<Imported> => {
    const at = writeFiles(files)
    const { collection, format, table, input = Readable.from([]), ...rest } = options
    const paths = options.at ?? Object.keys(files)
    const sources = await findSources(
      paths.map((name) => (name === '-' ? name : join(at, name))),
      { catalog, collection, format, table, input },
    ).catch((error: Error) => {
      throw Object.assign(error, { message: error.message.replaceAll(`${at}/`, '') })
    })
    const report = openReport(undefined)
    const result = await ingest({
      store,
      sources: sources.map((source) => ({ ...source, name: source.name.replace(`${at}/`, '') })),
      owner: brand,
      replace: false,
      // What is refused without it is in import-removals.test.ts.
      allowRemovals: true,
      dryRun: false,
      allowDangling: false,
      report,
      now: Date.now,
      ...rest,
    })
    return {
      ...result,
      errors: report.errors,
      warnings: report.warnings,
      reported: report.first.map(({ file, line, field, value, reason }) => [
        line > 0 ? `${file}:${line}` : file,
        field,
        value,
        reason,
      ]),
    }
  }

  /** Every collection's version and total, as a text to compare. */
  const storedState = async ({ database }: OpenRecords): Promise<string> => {
    const [rows = []] = await database.read([
      {
        text: 'select "owner", "collection", "version", "total" from "selvedge_collections"',
        values: [],
      },
    ])
    return JSON.stringify(rows)
  }

  const stored = async (
    { store }: OpenRecords,
    path: string,
    owner = brand,
  ): Promise<readonly DemoRecord[]> => {
    const records: DemoRecord[] = []
    let after: readonly string[] | null = null
    do {
      const resource = resourceAt(catalog, path)
      const filters = new Map<string, string>()
      const request = { resource, brand: owner, filters, limit: 100, after, include: [] }
      const page: Awaited<ReturnType<Store['list']>> = await store.list(request)
      records.push(...recordsOf(page))
      after = page.next
    } while (after !== null)
    return records
  }

  const close = (): void => rmSync(folder, { recursive: true, force: true })

  return { writeFiles, openRecords, importInto, storedState, stored, close }
}
