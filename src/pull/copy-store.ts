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
import { PullRefused, printable } from './refusal.ts'
import type { CopiedRecord, Form } from './row-mapping.ts'

/** What is known of the whole copy. */
export interface Standing {
  readonly url: string
  readonly brand: string
  /** How records are kept: `columns` or `bodies`. */
  readonly form: string
  /** Where in the change feed the copy stands; null when it was made without one. */
  readonly feedCursor: string | null
  /** How far the change feed has been staged, and by which kind of pull; null when nothing is. */
  readonly stagedCursor: string | null
  readonly stagedBy: 'feed' | 'walk' | null
}

/** What is known of one collection of the copy. */
export interface CollectionStanding {
  /** Of its first page, when it was read; null when it has to be read anew. */
  readonly etag: string | null
  /** The API's own total, then. */
  readonly total: number | null
  /** Its file is older than its rows. */
  readonly isUnpublished: boolean
  readonly stage: Stage | null
}

/** A collection on its way in. */
export interface Stage {
  /** `whole`: all there is. `patch`: what has changed. */
  readonly kind: 'whole' | 'patch'
  readonly etag: string | null
  /** Where the walk goes on; null at its end. */
  readonly cursor: string | null
  readonly total: number | null
  /** All of it has been staged. */
  readonly isDone: boolean
}

export interface Merged {
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** A record that came, or the identity of one that went. */
export type Staged = { readonly put: CopiedRecord } | { readonly gone: readonly string[] }

/**
 * The file that a copy is kept in while and after it is made. What comes is staged, page by page
 * and together with how far it got, and becomes part of the copy in one transaction.
 */
export interface Shelf {
  standing(): Promise<Standing | null>
  begin(standing: Standing): Promise<void>
  /** Forgets what allows to read less, so that everything is read anew. Records stay. */
  forget(): Promise<void>
  /** Adds the columns that an older copy lacks; their collections are then read anew. */
  widen(forms: readonly Form[]): Promise<void>
  collection(form: Form): Promise<CollectionStanding>
  /** Stages rows of some collections, or none where they begin anew. All is kept, or nothing. */
  stage(parts: readonly StagePart[], standing?: Partial<Standing>): Promise<void>
  /** Drops what was staged of a collection, or of all. */
  unstage(forms: readonly Form[]): Promise<void>
  /** How many records there are, and how many there will be. */
  held(form: Form): Promise<number>
  heldAfter(form: Form): Promise<number>
  /** Makes what was staged part of the copy, at once. */
  merge(forms: readonly Form[], standing: Partial<Standing>): Promise<ReadonlyMap<string, Merged>>
  /** What a collection holds, in the order of its identity, in batches. */
  bodies(form: Form): AsyncIterable<readonly string[]>
  published(forms: readonly Form[]): Promise<void>
  close(): Promise<void>
}

export interface StagePart {
  readonly form: Form
  readonly rows: readonly Staged[]
  readonly stage: Stage
  /** What was staged before is dropped first. */
  readonly isAnew?: boolean
  /** A record that is staged already is refused, instead of replaced. */
  readonly isOnce?: boolean
}

const bookkeeping = 'selvedge_pull'
const collectionsTable = 'selvedge_pull_collections'
const names = ['url', 'brand', 'form', 'feedCursor', 'stagedCursor', 'stagedBy'] as const
const batchRows = 1_000

/** Opens the file of a copy, or makes one. Refuses a file that holds something else. */
export const openShelf = async (file: string): Promise<Shelf> => {
  const database = open(file)
  try {
    const tables = await database.tables()
    if (tables.size > 0 && !tables.has(bookkeeping)) {
      throw new PullRefused(`${file} is a database, but no copy of a brand. Choose another file.`)
    }
    if (tables.size === 0) await database.write(createBookkeeping)
    return shelfOf(database)
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

const unusable = (file: string, error: Error): PullRefused =>
  new PullRefused(`${file} cannot be used as a SQLite file: ${error.message}`, { cause: error })

const createBookkeeping = async (session: Session): Promise<void> => {
  await session.run(sql(`create table ${bookkeeping} ("name" text primary key, "value" text)`))
  await session.run(
    sql(
      `create table ${collectionsTable} ("collection" text primary key, "etag" text,
       "total" integer, "isUnpublished" integer not null default 0, "stage" text)`,
    ),
  )
}

const shelfOf = (database: Database): Shelf => {
  const all = async (query: Query): Promise<readonly Row[]> =>
    (await database.read([query]))[0] ?? []
  const count = async (text: string): Promise<number> => Number((await all(sql(text)))[0]?.[0] ?? 0)

  const collection = async ({ resource }: Form): Promise<CollectionStanding> => {
    const text = `select "etag", "total", "isUnpublished", "stage" from ${collectionsTable} where "collection" = ?1`
    const [[etag, total, isUnpublished, stage] = []] = await all(sql(text, resource.path))
    return {
      etag: (etag ?? null) as string | null,
      total: (total ?? null) as number | null,
      isUnpublished: isUnpublished === 1,
      stage: stage ? (JSON.parse(stage as string) as Stage) : null,
    }
  }
  const has = async (table: string): Promise<boolean> =>
    (await all(sql("select 1 from sqlite_schema where type = 'table' and name = ?1", table)))
      .length > 0

  return {
    collection,
    standing: async () => {
      const rows = await all(sql(`select "name", "value" from ${bookkeeping}`))
      const values = new Map(rows as readonly (readonly [string, string | null])[])
      return values.has('brand')
        ? (Object.fromEntries(
            names.map((name) => [name, values.get(name) ?? null]),
          ) as unknown as Standing)
        : null
    },
    begin: (standing) => database.write((session) => note(session, standing)),
    forget: () =>
      database.write(async (session) => {
        await session.run(sql(`update ${collectionsTable} set "etag" = null`))
        await note(session, { feedCursor: null })
      }),
    widen: async (forms) => {
      const tables = await database.tables()
      const narrow = forms.flatMap((form) => {
        const present = tables.get(form.table)
        const missing = form.columns.filter(({ name }) => present && !present.includes(name))
        return missing.length > 0 ? [{ form, missing }] : []
      })
      if (narrow.length === 0) return
      await database.write(async (session) => {
        for (const { form, missing } of narrow) {
          for (const { name, type } of missing) {
            const column = `${quote(name)} ${type}`
            await session.run(sql(`alter table ${quote(form.table)} add column ${column}`))
          }
          await dropStage(session, form)
          await keep(session, form, { etag: null })
        }
        await note(session, { feedCursor: null, stagedCursor: null, stagedBy: null })
      })
    },
    stage: (parts, standing = {}) =>
      database.write(async (session) => {
        for (const part of parts) await stagePart(session, part)
        await note(session, standing)
      }),
    unstage: (forms) =>
      database.write(async (session) => {
        for (const form of forms) await dropStage(session, form)
      }),
    held: async (form) =>
      (await has(form.table)) ? count(`select count(*) from ${quote(form.table)}`) : 0,
    heldAfter: async (form) => {
      const { stage } = await collection(form)
      const held = (await has(form.table))
        ? await count(`select count(*) from ${quote(form.table)}`)
        : 0
      if (!stage) return held
      if (stage.kind === 'whole') return count(countOf(form).staged)
      const { added, removedPatch } = countOf(form)
      if (held === 0) return count(countOf(form).staged)
      return held + (await count(added)) - (await count(removedPatch))
    },
    merge: (forms, standing) =>
      database.write(async (session) => {
        const merged = new Map<string, Merged>()
        for (const form of forms) {
          const { stage } = await collection(form)
          await createTable(session, form)
          if (stage) merged.set(form.resource.path, await mergeStage(session, form, stage))
        }
        await note(session, standing)
        return merged
      }),
    bodies: (form) => bodiesOf(all, form),
    published: (forms) =>
      database.write(async (session) => {
        for (const form of forms) await keep(session, form, { isUnpublished: 0 })
      }),
    close: () => database.close(),
  }
}

async function* bodiesOf(
  all: (query: Query) => Promise<readonly Row[]>,
  { table, keys }: Form,
): AsyncIterable<readonly string[]> {
  const order = keys.map(quote)
  const after = `(${order}) > (${keys.map((_, index) => `?${index + 1}`)})`
  let last: readonly SqlValue[] | null = null
  for (;;) {
    const rows: readonly Row[] = await all(
      sql(
        `select "body", ${order} from ${quote(table)} ${last ? `where ${after}` : ''} order by ${order} limit ${batchRows}`,
        ...(last ?? []),
      ),
    )
    if (rows.length > 0) yield rows.map(([body]) => body as string)
    if (rows.length < batchRows) return
    last = rows.at(-1)?.slice(1) ?? []
  }
}

const note = async (session: Session, standing: Partial<Standing>): Promise<void> => {
  for (const [name, value] of Object.entries(standing)) {
    await session.run(sql(`insert or replace into ${bookkeeping} values (?1, ?2)`, name, value))
  }
}

const stagedTable = ({ table }: Form): string => `selvedge_staged_${table}`

const stagePart = async (
  session: Session,
  { form, rows, stage, isAnew = false, isOnce = false }: StagePart,
): Promise<void> => {
  const table = quote(stagedTable(form))
  if (isAnew) await session.run(sql(`drop table if exists ${table}`))
  await session.run(
    sql(
      `create table if not exists ${table} (${form.columns.map(({ name, type }) => `${quote(name)} ${type}`)},
       "gone" integer not null, primary key (${form.keys.map(quote)})) without rowid`,
    ),
  )
  const put = `insert or ${isOnce ? 'ignore' : 'replace'} into ${table} (${columnsOf(form)}, "gone") values (${form.columns.map((_, index) => `?${index + 1}`)}, 0)`
  const gone = `insert or replace into ${table} (${form.keys.map(quote)}, "gone") values (${form.keys.map((_, index) => `?${index + 1}`)}, 1)`
  for (const row of rows) {
    const written = await session.run(
      'put' in row ? { text: put, values: form.rowOf(row.put) } : { text: gone, values: row.gone },
    )
    if (written === 0 && 'put' in row) throw repeated(form, row.put)
  }
  await keep(session, form, { stage: JSON.stringify(stage) })
}

const repeated = ({ resource, keys }: Form, record: CopiedRecord): PullRefused => {
  const identity = keys.map((name) => printable(String(record[name]), 100)).join(', ')
  return new PullRefused(
    `The list of ${resource.path} has the record ${identity} twice, so its pages cannot be trusted. The copy is left as it was.`,
  )
}

const keep = async (
  session: Session,
  { resource }: Form,
  values: { readonly [column: string]: SqlValue },
): Promise<void> => {
  const columns = Object.keys(values)
  await session.run(
    sql(
      `insert into ${collectionsTable} ("collection", ${columns.map(quote)})
       values (?1, ${columns.map((_, index) => `?${index + 2}`)})
       on conflict do update set ${columns.map((name) => `${quote(name)} = excluded.${quote(name)}`)}`,
      resource.path,
      ...Object.values(values),
    ),
  )
}

const dropStage = async (session: Session, form: Form): Promise<void> => {
  await session.run(sql(`drop table if exists ${quote(stagedTable(form))}`))
  await keep(session, form, { stage: null })
}

const createTable = async (session: Session, form: Form): Promise<void> => {
  const columns = form.columns.map(
    ({ name, type, isNullable }) => `${quote(name)} ${type}${isNullable ? '' : ' not null'}`,
  )
  await session.run(
    sql(
      `create table if not exists ${quote(form.table)} (${columns}, primary key (${form.keys.map(quote)})) without rowid`,
    ),
  )
}

const columnsOf = ({ columns }: Form): string => columns.map(({ name }) => quote(name)).join(', ')

/** The statements that say what a merge would do. */
const countOf = (form: Form) => {
  const kept = quote(form.table)
  const staged = quote(stagedTable(form))
  const same = form.keys.map((name) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')
  const differs = form.columns
    .filter(({ name }) => !form.keys.includes(name))
    .map(({ name }) => `t.${quote(name)} is not s.${quote(name)}`)
  const isOther = differs.length > 0 ? `(${differs.join(' or ')})` : '0'
  const inKept = `exists (select 1 from ${kept} as t where ${same})`
  const inStaged = `exists (select 1 from ${staged} as s where ${same} and s."gone" = 0)`
  const isGone = `exists (select 1 from ${staged} as s where ${same} and s."gone" = 1)`
  return {
    staged: `select count(*) from ${staged} where "gone" = 0`,
    added: `select count(*) from ${staged} as s where s."gone" = 0 and not ${inKept}`,
    changed: `select count(*) from ${staged} as s join ${kept} as t on ${same} where s."gone" = 0 and ${isOther}`,
    removedPatch: `select count(*) from ${kept} as t where ${isGone}`,
    removeWhole: `delete from ${kept} as t where not ${inStaged}`,
    removePatch: `delete from ${kept} as t where ${isGone}`,
    put: `insert or replace into ${kept} (${columnsOf(form)}) select ${columnsOf(form)} from ${staged} as s
      where s."gone" = 0 and not exists (select 1 from ${kept} as t where ${same} and not ${isOther})`,
  }
}

const mergeStage = async (session: Session, form: Form, stage: Stage): Promise<Merged> => {
  const text = countOf(form)
  const ask = async (query: string) => Number((await session.all(sql(query)))[0]?.[0] ?? 0)
  const added = await ask(text.added)
  const changed = await ask(text.changed)
  const removed = await session.run(
    sql(stage.kind === 'whole' ? text.removeWhole : text.removePatch),
  )
  if (added + changed > 0) await session.run(sql(text.put))
  await dropStage(session, form)
  await keep(session, form, {
    etag: stage.etag,
    total: stage.total,
    ...(added + changed + removed > 0 && { isUnpublished: 1 }),
  })
  return { added, changed, removed }
}

const sql = (text: string, ...values: readonly SqlValue[]): Query => ({ text, values })
