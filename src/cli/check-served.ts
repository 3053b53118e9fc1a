import { randomBytes } from 'node:crypto'
import { basePath, catalog } from '#contract'
import { openKeyDatabase } from '#database'
import { createKeys } from '#keys'
import { openLog } from '#observability'
import { openServiceDatabase, prepareService, type readServiceConfig, type Service } from '#server'
import { type RecordCounts, sharedOwner } from '#store'
import { createUsageTables } from '#usage'
import { CommandError } from './output.ts'

/** A key for this check only is worth nothing later. */
const keyMs = 3_600_000

/**
 * Serves the database to this process, and compares the total of every list with the numbers of
 * records. Returns the number of lists. Throws `CommandError` if one differs.
 */
export const checkServed = (config: ServedConfig, counts: RecordCounts): Promise<number> =>
  withKey(config, async (key) => {
    const prepared = await prepareService(
      { ...config, host: '127.0.0.1', metricsPort: null, publicUrl: null },
      { log: openLog({ level: 'silent', readable: false }), drainMs: 0 },
    )
    const service = await prepared.listen(0)
    try {
      return await compareLists(service, key, counts)
    } finally {
      await service.close()
    }
  })

type ServedConfig = ReturnType<typeof readServiceConfig>

/** Issues a key, and removes it in the end with the usage that it has caused. */
const withKey = async <T>(config: ServedConfig, work: (key: string) => Promise<T>): Promise<T> => {
  const records = openServiceDatabase(config)
  const database = openKeyDatabase(config.databaseUrl, records)
  try {
    await createUsageTables(database)
    const keys = await createKeys({ database, now: Date.now, random: randomBytes })
    const { key, id } = await keys.issue({
      ...{ name: 'restore --verify', brands: [], global: true, perSecond: 1_000, burst: 1_000 },
      expiresAt: new Date(Date.now() + keyMs).toISOString(),
    })
    try {
      return await work(key)
    } finally {
      await database.write(async (session) => {
        for (const text of [
          'delete from "selvedge_keys" where "id" = ?1',
          'delete from "selvedge_usage" where "key_id" = ?1',
          'delete from "selvedge_usage_notices" where "key_id" = ?1',
        ]) {
          await session.run({ text, values: [id] })
        }
      })
    }
  } finally {
    await database.close()
    await records.close()
  }
}

const compareLists = async (
  { url }: Service,
  key: string,
  counts: RecordCounts,
): Promise<number> => {
  let lists = 0
  for (const brand of Object.keys(counts).filter((owner) => owner !== sharedOwner)) {
    for (const { path, scope, endpoints } of catalog.resources) {
      if (!endpoints.includes('list')) continue
      const expected = counts[scope === 'shared' ? sharedOwner : brand]?.[path] ?? 0
      const response = await fetch(`${url}${basePath}/brands/${brand}/${path}?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const text = await response.text()
      const total = response.ok
        ? (JSON.parse(text) as { totalItems?: number }).totalItems
        : undefined
      if (total !== expected) {
        throw new CommandError(
          `The database was restored, but ${path} of ${brand} should have ${expected} records, and the server responds with ${response.status} ${text.slice(0, 200)}`,
        )
      }
      lists += 1
    }
  }
  return lists
}
