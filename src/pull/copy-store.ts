import {
  type Database,
  DatabaseError,
  openDatabase,
  type Query,
  quote,
  type Row,
  type Session,
  type SqlValue,
} from '#database'
import { addNumberColumns } from './number-columns.ts'
import { PullError } from './pull-error.ts'
import type { CopiedRecord, RowMapping } from './row-mapping.ts'
import {
  collectionsTable,
  createIndexes,
  createTable,
  dropStage,
  type Merged,
  mergeStage,
  placeholders,
  saveCollection,
  sql,
  stageCounts,
  stageRows,
} from './staging.ts'

/** The state of the whole copy. */
export interface CopyState {
  readonly url: string
  readonly brand: string
  /** The storage of records: JSON texts (`bodies`) or columns. Earlier releases used `columns`. */
  readonly layout: 'typed columns' | 'columns' | 'bodies'
  /** The copy's position in the change feed; null if it was made without the feed. */
  readonly feedCursor: string | null
  /** The staged position in the change feed, and the kind of pull; null if nothing is staged. */
  readonly stagedCursor: string | null
  readonly stagedBy: 'feed' | 'walk' | null
}

/** The state of one collection of the copy. */
export interface CollectionState {
  /** The ETag of its first page when it was read; null if it must be read again. */
  readonly etag: string | null
  /** The API's total at that time. */
  readonly total: number | null
  /** Whether its file is older than its rows. */
  readonly isUnpublished: boolean
  readonly stage: Stage | null
}

/** A collection while it is being read. Stored as JSON. */
export interface Stage {
  /** `whole`: all records. `patch`: changes only. */
  readonly kind: 'whole' | 'patch'
  readonly etag: string | null
  /** The cursor of the next page; null after the last one. */
  readonly cursor: string | null
  readonly total: number | null
  /** Whether everything has been staged. */
  readonly isDone: boolean
}

/** A record, or the identity of a deleted one. */
export type StagedRow = { readonly put: CopiedRecord } | { readonly deleted: readonly string[] }

export interface StagePart {
  readonly mapping: RowMapping
  readonly rows: readonly StagedRow[]
  readonly stage: Stage
  /** Whether earlier staged rows are dropped first. */
  readonly isFirst?: boolean
  /** Whether a record that is already staged is an error. Otherwise it is replaced. */
  readonly rejectsDuplicates?: boolean
}

/**
 * The SQLite file of a copy. Rows are staged page by page, together with the position reached, and
 * merged into the copy in one transaction.
 */
export interface CopyStore {
  /** Null if the file is new. */
  state(): Promise<CopyState | null>
  saveState(state: CopyState): Promise<void>
  /** Clears tags and positions, so that everything is read again. Records stay. */
  invalidate(): Promise<void>
  /** Adds numeric columns to a copy of an earlier release, which stores amounts as texts only. */
  addNumbers(mappings: readonly RowMapping[]): Promise<void>
  /** Adds columns that an older copy lacks, and marks their collections to be read again. */
  addMissingColumns(mappings: readonly RowMapping[]): Promise<void>
  collection(mapping: RowMapping): Promise<CollectionState>
  /** Stages rows of several collections atomically. */
  stage(parts: readonly StagePart[], state?: Partial<CopyState>): Promise<void>
  unstage(mappings: readonly RowMapping[]): Promise<void>
  /** The number of records in the copy, now and after a merge. */
  count(mapping: RowMapping): Promise<number>
  countAfterMerge(mapping: RowMapping): Promise<number>
  /** Merges all staged rows into the copy. Returns the changes by collection. */
  merge(
    mappings: readonly RowMapping[],
    state: Partial<CopyState>,
  ): Promise<ReadonlyMap<string, Merged>>
  /** The records of a collection, ordered by identity, in batches. */
  bodies(mapping: RowMapping): AsyncIterable<readonly string[]>
  markPublished(mappings: readonly RowMapping[]): Promise<void>
  close(): Promise<void>
}

const stateTable = 'selvedge_pull'
const batchRows = 1_000

/** The stored names of the state. They must not change, so that older copies can be updated. */
const stateNames: Record<keyof CopyState, string> = {
  url: 'url',
  brand: 'brand',
  layout: 'form',
  feedCursor: 'feedCursor',
  stagedCursor: 'stagedCursor',
  stagedBy: 'stagedBy',
}

/** Opens or creates the file of a copy. Throws if the file holds something else. */
export const openCopyStore = async (file: string): Promise<CopyStore> => {
  const database = open(file)
  try {
    const tables = await database.tables()
    if (tables.size > 0 && !tables.has(stateTable)) {
      throw new PullError(`${file} is a database, but not a copy of a brand. Choose another file.`)
    }
    if (tables.size === 0) await database.write(createStateTables)
    return storeIn(database)
  } catch (error) {
    await database.close()
    throw error instanceof DatabaseError ? unusable(file, error) : error
  }
}

const open = (file: string): Database => {
  try {
    return openDatabase(`sqlite:${file}`)
  } catch (error) {
    throw error instanceof DatabaseError ? unusable(file, error) : error
  }
}

const unusable = (file: string, error: Error): PullError =>
  new PullError(`${file} cannot be used as a SQLite file: ${error.message}`, { cause: error })

const createStateTables = async (session: Session): Promise<void> => {
  await session.run(
    sql(
      `create table ${stateTable} (
         "name" text primary key,
         "value" text
       )`,
    ),
  )
  await session.run(
    sql(
      `create table ${collectionsTable} (
         "collection" text primary key,
         "etag" text,
         "total" integer,
         "isUnpublished" integer not null default 0,
         "stage" text
       )`,
    ),
  )
}

const storeIn = (database: Database): CopyStore => {
  const all = async (query: Query): Promise<readonly Row[]> =>
    (await database.read([query]))[0] ?? []
  const countIn = async (text: string): Promise<number> =>
    Number((await all(sql(text)))[0]?.[0] ?? 0)

  const collection = async ({ resource }: RowMapping): Promise<CollectionState> => {
    const [[etag, total, isUnpublished, stage] = []] = await all(
      sql(
        `select "etag", "total", "isUnpublished", "stage"
         from ${collectionsTable}
         where "collection" = ?1`,
        resource.path,
      ),
    )
    return {
      etag: (etag ?? null) as string | null,
      total: (total ?? null) as number | null,
      isUnpublished: isUnpublished === 1,
      stage: stage ? (JSON.parse(stage as string) as Stage) : null,
    }
  }

  const count = async ({ table }: RowMapping): Promise<number> => {
    const tables = await all(
      sql(
        `select 1
         from sqlite_schema
         where type = 'table' and name = ?1`,
        table,
      ),
    )
    return tables.length === 0 ? 0 : countIn(`select count(*) from ${quote(table)}`)
  }

  const readState = async (): Promise<CopyState | null> => {
    const rows = await all(sql(`select "name", "value" from ${stateTable}`))
    const values = new Map(rows as readonly (readonly [string, string | null])[])
    if (!values.has('brand')) return null
    const state = Object.entries(stateNames).map(([name, stored]) => [
      name,
      values.get(stored) ?? null,
    ])
    return Object.fromEntries(state) as unknown as CopyState
  }

  return {
    collection,
    count,
    state: readState,
    saveState: (state) => database.write((session) => writeState(session, state)),
    invalidate: () =>
      database.write(async (session) => {
        await session.run(sql(`update ${collectionsTable} set "etag" = null`))
        await writeState(session, { feedCursor: null })
      }),
    addNumbers: async (mappings) => {
      if ((await readState())?.layout !== 'columns') return
      const tables = await database.tables()
      await database.write(async (session) => {
        for (const mapping of mappings) {
          const columns = tables.get(mapping.table)
          if (columns) await addNumberColumns(session, mapping, columns)
          await dropStage(session, mapping)
        }
        // Earlier releases reject this layout, so they do not write texts into it.
        await writeState(session, {
          layout: 'typed columns',
          stagedCursor: null,
          stagedBy: null,
        })
      })
    },
    addMissingColumns: async (mappings) => {
      const tables = await database.tables()
      const incomplete = mappings.flatMap((mapping) => {
        const present = tables.get(mapping.table)
        const missing = mapping.columns.filter(({ name }) => present && !present.includes(name))
        return missing.length > 0 ? [{ mapping, missing }] : []
      })
      if (incomplete.length === 0) return
      await database.write(async (session) => {
        for (const { mapping, missing } of incomplete) {
          for (const { name, type } of missing) {
            const column = `${quote(name)} ${type}`
            await session.run(sql(`alter table ${quote(mapping.table)} add column ${column}`))
          }
          await dropStage(session, mapping)
          await saveCollection(session, mapping, { etag: null })
        }
        await writeState(session, { feedCursor: null, stagedCursor: null, stagedBy: null })
      })
    },
    stage: (parts, state = {}) =>
      database.write(async (session) => {
        for (const part of parts) await stageRows(session, part)
        await writeState(session, state)
      }),
    unstage: (mappings) =>
      database.write(async (session) => {
        for (const mapping of mappings) await dropStage(session, mapping)
      }),
    countAfterMerge: async (mapping) => {
      const { stage } = await collection(mapping)
      const present = await count(mapping)
      if (!stage) return present
      const counts = stageCounts(mapping)
      if (stage.kind === 'whole' || present === 0) return countIn(counts.staged)
      return present + (await countIn(counts.added)) - (await countIn(counts.deleted))
    },
    merge: (mappings, state) =>
      database.write(async (session) => {
        const merged = new Map<string, Merged>()
        for (const mapping of mappings) {
          const { stage } = await collection(mapping)
          await createTable(session, mapping)
          if (stage) {
            const result = await mergeStage(session, mapping, stage)
            merged.set(mapping.resource.path, result)
          }
          await createIndexes(session, mapping)
        }
        await writeState(session, state)
        return merged
      }),
    bodies: (mapping) => readBodies(all, mapping),
    markPublished: (mappings) =>
      database.write(async (session) => {
        for (const mapping of mappings) {
          await saveCollection(session, mapping, { isUnpublished: 0 })
        }
      }),
    close: () => database.close(),
  }
}

async function* readBodies(
  all: (query: Query) => Promise<readonly Row[]>,
  { table, keys }: RowMapping,
): AsyncIterable<readonly string[]> {
  const order = keys.map(quote)
  const after = `where (${order}) > (${placeholders(keys.length)})`
  let last: readonly SqlValue[] | null = null
  for (;;) {
    const rows: readonly Row[] = await all(
      sql(
        `select "body", ${order}
         from ${quote(table)}
         ${last ? after : ''}
         order by ${order}
         limit ${batchRows}`,
        ...(last ?? []),
      ),
    )
    if (rows.length > 0) yield rows.map(([body]) => body as string)
    if (rows.length < batchRows) return
    last = rows.at(-1)?.slice(1) ?? []
  }
}

const writeState = async (session: Session, state: Partial<CopyState>): Promise<void> => {
  for (const [name, value] of Object.entries(state)) {
    const stored = stateNames[name as keyof CopyState]
    await session.run(
      sql(
        `insert or replace into ${stateTable}
         values (?1, ?2)`,
        stored,
        value,
      ),
    )
  }
}
