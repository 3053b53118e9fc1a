import type { RecordAudit } from '#audit'
import { type PublishedView, publishedViewLimits } from '#contract'
import type { Database, Dialect, Query, Row, Session } from '#database'
import { asInteger, type StoreTable } from '../schema/collection-stats.ts'
import { ownerNumber } from '../schema/owners.ts'

/** The views of lists that an operator publishes for a brand. */
export interface PublishedViews {
  /** In the order in which they were added. */
  list(brand: string): Promise<readonly PublishedView[]>
  /** Adds a view, unless it cannot be added. */
  add(brand: string, view: PublishedView): Promise<'added' | 'exists' | 'full' | 'no brand'>
  /** Whether there was one of this name. */
  remove(brand: string, name: string): Promise<boolean>
}

const table = 'selvedge_views'

export const publishedViewsTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: table,
  rows: 'owner',
  ddl: `create table "${table}" (
  "owner" ${integer} not null,
  "name" ${text} not null,
  "number" ${integer} not null,
  "collection" ${text} not null,
  "query" text not null,
  primary key ("owner", "name")
)${tableOptions}`,
})

interface PublishedViewsParts {
  readonly database: Database
  /** Writes under the lock of a brand, so that neither its removal nor another view comes between. */
  readonly write: <T>(brand: string, work: (session: Session) => Promise<T>) => Promise<T>
  readonly recordAudit: RecordAudit
}

export const createPublishedViews = ({
  database,
  write,
  recordAudit,
}: PublishedViewsParts): PublishedViews => ({
  list: async (brand) => {
    const owner = ownerNumber(brand)
    const [rows = []] = await database.read([viewsQuery(owner)], owner)
    return rows.map(parseView)
  },
  add: (brand, view) =>
    write(brand, async (session) => {
      const owner = ownerNumber(brand)
      const { name, group, query } = view
      if ((await session.all(hasRecordsQuery(owner))).length === 0) return 'no brand'
      const views = await session.all(viewsQuery(owner))
      if (views.some(([each]) => each === name)) return 'exists'
      if (views.length >= publishedViewLimits.perBrand) return 'full'
      const integer = asInteger('?1', database.dialect)
      await session.run({
        text: [
          `insert into "${table}" ("owner", "name", "number", "collection", "query")`,
          `select ${integer}, ?2, coalesce(max("number"), 0) + 1, ?3, ?4`,
          `from "${table}"`,
          `where "owner" = ${integer}`,
        ].join('\n'),
        values: [owner, name, group, query],
      })
      // Without its parameters: they have content of records.
      const details = { group }
      await recordAudit(session, { action: 'view.published', brand, subject: name, details })
      return 'added'
    }),
  remove: (brand, name) =>
    write(brand, async (session) => {
      const removed = await session.run({
        text: `delete from "${table}"\nwhere "owner" = ?1 and "name" = ?2`,
        values: [ownerNumber(brand), name],
      })
      if (removed > 0) await recordAudit(session, { action: 'view.removed', brand, subject: name })
      return removed > 0
    }),
})

const viewsQuery = (owner: number): Query => ({
  text: [
    'select "name", "collection", "query"',
    `from "${table}"`,
    'where "owner" = ?1',
    'order by "number"',
  ].join('\n'),
  values: [owner],
})

const parseView = ([name, group, query]: Row): PublishedView => ({
  name: String(name),
  group: String(group),
  query: String(query),
})

/** Whether the brand exists. */
const hasRecordsQuery = (owner: number): Query => ({
  text: [
    'select 1',
    'from "selvedge_collections"',
    'where "owner" = ?1 and "total" > 0',
    'limit 1',
  ].join('\n'),
  values: [owner],
})
