import type { Database, Query, Row, Session } from '#database'

/** How far a response has brought a reader of the change feed. */
export interface FeedRead {
  /** The collection that it reads; null for all. */
  readonly collection: string | null
  /** The number of the last change that it has got, and the whole position as JSON. */
  readonly change: number
  readonly position: string
  /**
   * Whether it has got all changes. Null if the page has not changed since the reader got it: then
   * the position is that before the page.
   */
  readonly isAtEnd: boolean | null
}

/** A key that reads the change feed of a brand. */
export interface FeedReader extends Omit<FeedRead, 'isAtEnd'> {
  readonly keyId: string
  readonly brand: string
  /** When it has read last. */
  readonly readAt: string
  /** When it last had got all changes; null if never. */
  readonly caughtUpAt: string | null
}

export const feedReadersTable = 'selvedge_feed_readers'

export const feedReadersDdl = (text: string, integer: string): string =>
  `create table if not exists "${feedReadersTable}" (
    "brand" ${text} not null,
    "key_id" ${text} not null,
    "collection" ${text} not null,
    "change" ${integer} not null,
    "position" text not null,
    "read_at" ${text} not null,
    "caught_up_at" ${text},
    primary key ("brand", "key_id", "collection")
  )`

/** Readers that are kept between two writes, and in the table. Further ones are not recorded. */
const pendingMax = 5_000
const storedMax = 20_000

/** Readers written in one transaction. */
const writtenMax = 50

/** Keeps the last position of each reader in memory, because it runs for every page of the feed. */
export interface FeedReaders {
  add(keyId: string, brand: string, read: FeedRead): void
  /** Writes what was kept. What could not be written is kept. */
  write(database: Database, hasBrand: (brand: string) => Promise<boolean>): Promise<void>
  /** Forgets readers that have not read since a day. */
  removeBefore(database: Database, day: string): Promise<void>
}

interface PendingReader extends FeedReader {
  /** Whether it has only got an unchanged page, which is the last one if its stored position is the same. */
  readonly isConfirmed: boolean
}

export const createFeedReaders = (now: () => number): FeedReaders => {
  const pending = new Map<string, PendingReader>()
  return {
    add: (keyId, brand, { collection, change, position, isAtEnd }) => {
      const name = `${brand} ${keyId} ${collection ?? ''}`
      const before = pending.get(name)
      if (!before && pending.size >= pendingMax) return
      const readAt = new Date(now()).toISOString()
      const own = { keyId, brand, collection, change, position, readAt }
      if (isAtEnd === null) {
        const isThere = before === undefined || before.position === position
        const isConfirmed = before?.isConfirmed ?? true
        if (isThere) pending.set(name, { ...own, caughtUpAt: readAt, isConfirmed })
        return
      }
      const caughtUpBefore = before?.isConfirmed ? null : (before?.caughtUpAt ?? null)
      const caughtUpAt = isAtEnd ? readAt : caughtUpBefore
      pending.set(name, { ...own, caughtUpAt, isConfirmed: false })
    },
    write: async (database, hasBrand) => {
      while (pending.size > 0) {
        const some = [...pending.entries().take(writtenMax)]
        await database.write((session) =>
          writeReaders(
            session,
            some.map(([, each]) => each),
            hasBrand,
          ),
        )
        // One that has read meanwhile is written again.
        for (const [name, reader] of some) if (pending.get(name) === reader) pending.delete(name)
      }
    },
    removeBefore: (database, day) =>
      database.write(async (session) => {
        await session.run({
          text: `delete from "${feedReadersTable}" where "read_at" < ?1`,
          values: [day],
        })
      }),
  }
}

const writeReaders = async (
  session: Session,
  readers: readonly PendingReader[],
  hasBrand: (brand: string) => Promise<boolean>,
): Promise<void> => {
  const brands = [...new Set(readers.map(({ brand }) => brand))]
  const isThere = await Promise.all(brands.map(hasBrand))
  const missing = new Set(brands.filter((_, index) => !isThere[index]))
  const current = readers.filter(({ brand }) => !missing.has(brand))
  for (const reader of current) {
    await session.run(reader.isConfirmed ? confirmQuery(reader) : storeQuery(reader))
  }
}

/** A page that begins where its reader is, and has not changed, is empty. */
const confirmQuery = ({ brand, keyId, collection, position, readAt }: FeedReader): Query => ({
  text: `update "${feedReadersTable}"
    set "read_at" = ?5, "caught_up_at" = ?5
    where "brand" = ?1 and "key_id" = ?2 and "collection" = ?3 and "position" = ?4
      and "read_at" <= ?5`,
  values: [brand, keyId, collection ?? '', position, readAt],
})

/** Another process may have served a later page. */
const storeQuery = (reader: FeedReader): Query => {
  const { brand, keyId, collection, change, position, readAt, caughtUpAt } = reader
  return {
    text: `insert into "${feedReadersTable}"
      ("brand", "key_id", "collection", "change", "position", "read_at", "caught_up_at")
      select ?1, ?2, ?3, ${change}, ?4, ?5, ?6
      where (select count(*) from "${feedReadersTable}") < ${storedMax}
        or exists (
          select 1
          from "${feedReadersTable}"
          where "brand" = ?1 and "key_id" = ?2 and "collection" = ?3
        )
      on conflict ("brand", "key_id", "collection") do update
      set "change" = excluded."change",
        "position" = excluded."position",
        "read_at" = excluded."read_at",
        "caught_up_at" = coalesce(excluded."caught_up_at", "${feedReadersTable}"."caught_up_at")
      where excluded."read_at" >= "${feedReadersTable}"."read_at"`,
    values: [brand, keyId, collection ?? '', position, readAt, caughtUpAt],
  }
}

/** A place in the list of readers. */
export interface FeedReaderPlace {
  readonly brand: string
  readonly keyId: string
  readonly collection: string
}

export interface FeedReaderRequest {
  readonly brand?: string | undefined
  readonly after?: FeedReaderPlace | undefined
  readonly limit: number
}

/** Readers by brand, key and collection. */
export const readersQuery = ({ brand, after, limit }: FeedReaderRequest): Query => {
  const values: string[] = []
  const place = (value: string) => `?${values.push(value)}`
  const conditions = [
    ...(brand === undefined ? [] : [`"brand" = ${place(brand)}`]),
    ...(after === undefined
      ? []
      : [
          `("brand", "key_id", "collection") > (${[after.brand, after.keyId, after.collection].map(place).join(', ')})`,
        ]),
  ]
  return {
    text: [
      'select "key_id", "brand", "collection", "change", "position", "read_at", "caught_up_at"',
      `from "${feedReadersTable}"`,
      ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
      'order by "brand", "key_id", "collection"',
      `limit ${limit}`,
    ].join('\n'),
    values,
  }
}

export const parseReader = (row: Row): FeedReader => {
  const [keyId, brand, collection, change, position, readAt, caughtUpAt] = row
  return {
    ...{ keyId: String(keyId), brand: String(brand), change: Number(change) },
    ...{ position: String(position), readAt: String(readAt) },
    collection: collection === '' ? null : String(collection),
    caughtUpAt: caughtUpAt as string | null,
  }
}
