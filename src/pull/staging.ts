/** The tables of a copy: staging tables, and the tables that they are merged into. */
import { printable } from '#client'
import { type Query, quote, type Session, type SqlValue } from '#database'
import type { Stage, StagePart } from './copy-store.ts'
import { PullError } from './pull-error.ts'
import type { CopiedRecord, RowMapping } from './row-mapping.ts'

/** The changes of a merge. */
export interface Merged {
  readonly added: number
  readonly changed: number
  readonly removed: number
}

/** The state of each collection. */
export const collectionsTable = 'selvedge_pull_collections'

/** Marks deleted identities. The name must not change, so that older pulls can be resumed. */
const deletedColumn = '"gone"'

const stagingTable = ({ table }: RowMapping): string => quote(`selvedge_staged_${table}`)

export const sql = (text: string, ...values: readonly SqlValue[]): Query => ({ text, values })

/** `?1, ?2, ?3` */
export const placeholders = (count: number, first = 1): string =>
  Array.from({ length: count }, (_, index) => `?${first + index}`).join(', ')

const columnList = ({ columns }: RowMapping): string =>
  columns.map(({ name }) => quote(name)).join(', ')

export const stageRows = async (
  session: Session,
  { mapping, rows, stage, isFirst = false, rejectsDuplicates = false }: StagePart,
): Promise<void> => {
  const { columns, keys } = mapping
  const table = stagingTable(mapping)
  if (isFirst) await session.run(sql(`drop table if exists ${table}`))
  await session.run(
    sql(
      `create table if not exists ${table} (
         ${columns.map(({ name, type }) => `${quote(name)} ${type}`)},
         ${deletedColumn} integer not null,
         primary key (${keys.map(quote)})
       ) without rowid`,
    ),
  )
  const put = `insert or ${rejectsDuplicates ? 'ignore' : 'replace'} into ${table}
    (${columnList(mapping)}, ${deletedColumn})
    values (${placeholders(columns.length)}, 0)`
  const remove = `insert or replace into ${table}
    (${keys.map(quote)}, ${deletedColumn})
    values (${placeholders(keys.length)}, 1)`
  for (const row of rows) {
    const written = await session.run(
      'put' in row
        ? { text: put, values: mapping.toRow(row.put) }
        : { text: remove, values: row.deleted },
    )
    if (written === 0 && 'put' in row) throw duplicate(mapping, row.put)
  }
  await saveCollection(session, mapping, { stage: JSON.stringify(stage) })
}

const duplicate = ({ resource, keys }: RowMapping, record: CopiedRecord): PullError => {
  const identity = keys.map((name) => printable(String(record[name]), 100)).join(', ')
  return new PullError(
    `The list of ${resource.path} has the record ${identity} twice, so its pages cannot be trusted. The copy was not changed.`,
  )
}

export const saveCollection = async (
  session: Session,
  { resource }: RowMapping,
  values: { readonly [column: string]: SqlValue },
): Promise<void> => {
  const columns = Object.keys(values)
  const assignments = columns.map((name) => `${quote(name)} = excluded.${quote(name)}`)
  await session.run(
    sql(
      `insert into ${collectionsTable} ("collection", ${columns.map(quote)})
       values (?1, ${placeholders(columns.length, 2)})
       on conflict do update set ${assignments}`,
      resource.path,
      ...Object.values(values),
    ),
  )
}

export const dropStage = async (session: Session, mapping: RowMapping): Promise<void> => {
  await session.run(sql(`drop table if exists ${stagingTable(mapping)}`))
  await saveCollection(session, mapping, { stage: null })
}

export const createTable = async (
  session: Session,
  mapping: Pick<RowMapping, 'table' | 'columns' | 'keys'>,
): Promise<void> => {
  const columns = mapping.columns.map(
    ({ name, type, isNullable }) => `${quote(name)} ${type}${isNullable ? '' : ' not null'}`,
  )
  await session.run(
    sql(
      `create table if not exists ${quote(mapping.table)} (
         ${columns},
         primary key (${mapping.keys.map(quote)})
       ) without rowid`,
    ),
  )
}

/**
 * Indexes for joins from a record to those that refer to it. Building them after the rows is faster
 * than maintaining them row by row.
 */
export const createIndexes = async (
  session: Session,
  { table, references }: RowMapping,
): Promise<void> => {
  for (const name of references) {
    const index = quote(`${table}_${name}`)
    await session.run(
      sql(`create index if not exists ${index} on ${quote(table)} (${quote(name)})`),
    )
  }
}

/** Conditions between the rows of the copy, `t`, and the staged rows, `s`. */
const conditions = (mapping: RowMapping) => {
  const copy = quote(mapping.table)
  const staged = stagingTable(mapping)
  const same = mapping.keys.map((name) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')
  const differences = mapping.columns
    .filter(({ name }) => !mapping.keys.includes(name))
    .map(({ name }) => `t.${quote(name)} is not s.${quote(name)}`)
  const differs = differences.length > 0 ? `(${differences.join(' or ')})` : '0'
  const stagedAs = (deleted: 0 | 1) => `exists (
    select 1
    from ${staged} as s
    where ${same} and s.${deletedColumn} = ${deleted}
  )`
  return { copy, staged, same, differs, stagedAs }
}

/** Queries that count the effects of a merge in advance. */
export const stageCounts = (mapping: RowMapping) => {
  const { copy, staged, same, differs, stagedAs } = conditions(mapping)
  return {
    staged: `select count(*)
      from ${staged}
      where ${deletedColumn} = 0`,
    added: `select count(*)
      from ${staged} as s
      where s.${deletedColumn} = 0
        and not exists (
          select 1
          from ${copy} as t
          where ${same}
        )`,
    changed: `select count(*)
      from ${staged} as s
      join ${copy} as t on ${same}
      where s.${deletedColumn} = 0 and ${differs}`,
    deleted: `select count(*)
      from ${copy} as t
      where ${stagedAs(1)}`,
  }
}

const mergeStatements = (mapping: RowMapping) => {
  const { copy, staged, same, differs, stagedAs } = conditions(mapping)
  return {
    removeFromWhole: `delete from ${copy} as t
      where not ${stagedAs(0)}`,
    removeByPatch: `delete from ${copy} as t
      where ${stagedAs(1)}`,
    put: `insert or replace into ${copy} (${columnList(mapping)})
      select ${columnList(mapping)}
      from ${staged} as s
      where s.${deletedColumn} = 0
        and not exists (
          select 1
          from ${copy} as t
          where ${same} and not ${differs}
        )`,
  }
}

export const mergeStage = async (
  session: Session,
  mapping: RowMapping,
  stage: Stage,
): Promise<Merged> => {
  const counts = stageCounts(mapping)
  const statements = mergeStatements(mapping)
  const countIn = async (query: string) => Number((await session.all(sql(query)))[0]?.[0] ?? 0)
  const added = await countIn(counts.added)
  const changed = await countIn(counts.changed)
  const removed = await session.run(
    sql(stage.kind === 'whole' ? statements.removeFromWhole : statements.removeByPatch),
  )
  if (added + changed > 0) await session.run(sql(statements.put))
  await dropStage(session, mapping)
  await saveCollection(session, mapping, {
    etag: stage.etag,
    total: stage.total,
    ...(added + changed + removed > 0 && { isUnpublished: 1 }),
  })
  return { added, changed, removed }
}
