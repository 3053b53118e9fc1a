import { cpSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openPostgres } from '../../test/support/postgres.ts'
import type { Sandbox } from '../../tools/sandbox.ts'
import type { Engine } from '../engine.ts'

/** The location of a database. No program may have it open while it is copied. */
export interface Place {
  readonly url: string
  /** Saves a copy. */
  keep(): Promise<void>
  /** Restores the copy. */
  restore(): Promise<void>
  /** The size of tables and indexes. */
  bytes(): Promise<number>
}

export const openPlace = async (engine: Engine, { folder, onClose }: Sandbox): Promise<Place> => {
  if (engine === 'sqlite') {
    const [file, copy] = [join(folder, 'records.db'), join(folder, 'kept.db')]
    return {
      url: `sqlite:${file}`,
      keep: async () => cpSync(file, copy),
      restore: async () => cpSync(copy, file),
      bytes: async () => statSync(file).size,
    }
  }
  const postgres = await openPostgres({ settings: ['max_wal_size=4GB'] })
  onClose(postgres.close)
  const url = await postgres.url('records')
  const query = async (database: string, ...texts: readonly string[]) => {
    const client = new pg.Client(await postgres.url(database))
    await client.connect()
    try {
      let rows: readonly { readonly value?: string }[] = []
      for (const text of texts) ({ rows } = await client.query(text))
      return rows[0]?.value
    } finally {
      await client.end()
    }
  }
  const replace = (to: string, from: string) =>
    query(
      'postgres',
      `drop database if exists ${to} with (force)`,
      `create database ${to} template ${from}`,
    )
  return {
    url,
    keep: async () => void (await replace('kept', 'records')),
    restore: async () => void (await replace('records', 'kept')),
    bytes: async () =>
      Number(
        await query(
          'records',
          [
            'select sum(pg_total_relation_size(oid)) as value',
            'from pg_class',
            "where relkind = 'r' and relnamespace = 'public'::regnamespace",
          ].join('\n'),
        ),
      ),
  }
}
