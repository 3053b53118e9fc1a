/** The rows of a backup of PostgreSQL as text, written by pg_dump or by this program. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CopiedRows, readCopyText } from '../../src/backup/copy-text.ts'
import { rowsText } from '../../src/backup/postgres-source.ts'

const read = async (text: string, bytesAtOnce = 7): Promise<readonly CopiedRows[]> => {
  const bytes = Buffer.from(text)
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      yield bytes.subarray(at, at + bytesAtOnce)
    }
  }
  return Array.fromAsync(readCopyText(chunks()))
}

describe('rows in the format of COPY', () => {
  it('are read with their escapes and nulls, and everything else is ignored', async () => {
    const text = [
      '--',
      '-- PostgreSQL database dump',
      'SET statement_timeout = 0;',
      'COPY public.orders (owner, "shipTo", body) FROM stdin;',
      '1\t\\N\t{"a":"\\\\n ü"}',
      '2\ta\\tb\\nc\\\\d\\re\t',
      '\\.',
      '',
      'COPY public."odd ""name" ("x") FROM stdin;',
      '\\.',
      "SELECT pg_catalog.setval('x', 1);",
      '',
    ].join('\n')
    for (const bytesAtOnce of [1, 7, 10_000]) {
      assert.deepEqual(await read(text, bytesAtOnce), [
        {
          name: 'orders',
          columns: ['owner', 'shipTo', 'body'],
          rows: [
            ['1', null, '{"a":"\\n ü"}'],
            ['2', 'a\tb\nc\\d\re', ''],
          ],
        },
        { name: 'odd "name', columns: ['x'], rows: [] },
      ])
    }
  })

  it('are refused without their end, and with another number of columns', async () => {
    await assert.rejects(read('COPY public.a (x) FROM stdin;\n1\n'), /the rows of a have no end/)
    await assert.rejects(
      read('COPY public.a (x) FROM stdin;\n1\t2\n\\.\n'),
      /a row of a has 2 columns/,
    )
  })

  it('of a dump need a pg_restore that is as new as the pg_dump', async () => {
    const nothing = (async function* () {})()
    await assert.rejects(
      rowsText('tables.dump', nothing, { dumpMajor: 99, tables: [] }),
      /made with pg_dump 99, and there is no pg_restore .* Install .* postgresql-client-99\./,
    )
  })
})
