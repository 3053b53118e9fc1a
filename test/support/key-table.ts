import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '#database'
import { hashOf } from '../../src/keys/key.ts'
import { createKeyTable, insertQuery, versionQuery } from '../../src/keys/table.ts'
import { seeded } from './model.ts'

export interface KeyTable {
  readonly database: Database
  /** Does not advance until a test moves it. */
  readonly clock: { at: number; readonly now: () => number }
  readonly random: (size: number) => Uint8Array
  /** Changes whenever processes have to read the keys again. */
  version(): Promise<number>
  /** Stores a text as if it were a key. */
  store(text: string): Promise<void>
}

/** Works with a table of keys in a database of its own. */
export const inKeyTable = async (work: (table: KeyTable) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-mutants-'))
  const database = openDatabase(`sqlite:${join(folder, 'keys.db')}`)
  const clock = { at: Date.parse('2026-01-01T00:00:00.000Z'), now: () => clock.at }
  const random = seeded(7)
  try {
    await work({
      database,
      clock,
      random: (size) => Uint8Array.from({ length: size }, () => random(256)),
      version: async () => Number((await database.read([versionQuery]))[0]?.[0]?.[0]),
      store: async (text) => {
        await createKeyTable(database)
        const none = { expiresAt: null, revokedAt: null, lastUsedAt: null, successorId: null }
        const scope = { kind: 'read', collections: null, webhook: false } as const
        const rights = { brands: [], global: true, perSecond: null, burst: null, ...scope }
        const limits = { onlyGroups: null, withoutGroups: null, addresses: null }
        const record = { id: text, name: text, createdAt: '', ...none, ...rights, ...limits }
        await database.write(async (session) => {
          await session.run(insertQuery(record, hashOf(text)))
        })
      },
    })
  } finally {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
