/** The queries that a source database is asked, and how its cursor is followed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigError, expandVariable } from '#config'
import type { SqlOrigin } from '#mapping'
import { replaceCursor } from '../../src/sync/cursor-placeholder.ts'
import { mysqlLexicon } from '../../src/sync/mysql-source.ts'
import { postgresSchema } from '../../src/sync/postgres-schema.ts'
import { postgresLexicon } from '../../src/sync/postgres-source.ts'
import { requireReading } from '../../src/sync/reading-statement.ts'
import { parseSourceAddress } from '../../src/sync/source-address.ts'
import { arrayCell, numberCell } from '../../src/sync/source-cell.ts'
import { SourceDatabaseError, type SourceDialect } from '../../src/sync/source-database.ts'
import {
  createCursorReader,
  deletedQuery,
  keysQuery,
  rowsQuery,
} from '../../src/sync/source-query.ts'

const dialect: SourceDialect = {
  quote: (name) => `"${name}"`,
  literal: (text) => `'${text}'`,
  asText: (value) => `${value}::text`,
  ascending: (value) => `${value} nulls first`,
  schema: postgresSchema,
  lexicon: postgresLexicon,
}
const origin: SqlOrigin = {
  line: 1,
  sql: 'select * from lines -- all of them\n;',
  cursor: 'changed_at',
  overlapMs: 600_000,
  deleted: 'select no from gone where at > :cursor',
  reconcile: { everyMs: 1, sql: null },
}
const rows = (value: string | null, kind: 'instant' | 'civil' | 'number', more = {}) =>
  rowsQuery({ ...origin, ...more }, value === null ? null : { kind, value }, dialect)

describe('the query of the rows of a source', () => {
  it('reads all rows the first time, in the order of the cursor', () => {
    assert.equal(
      rows(null, 'instant'),
      [
        'select s.*, s."changed_at"::text as selvedge_cursor',
        'from (',
        'select * from lines -- all of them',
        ') as s',
        'order by s."changed_at" nulls first',
      ].join('\n'),
    )
  })

  for (const [value, kind, bound] of [
    ['2026-03-01 00:05:00.123456+00', 'instant', '2026-02-28 23:55:00.123+00'],
    ['2026-03-01 00:05:00', 'civil', '2026-02-28 23:55:00.000'],
    ['2026-03-01', 'civil', '2026-02-28'],
  ] as const) {
    it(`reads rows from ten minutes before ${value} again, and those without a time`, () => {
      assert.match(
        rows(value, kind),
        new RegExp(
          `\\nwhere s\\."changed_at" >= '${bound.replaceAll(/[.+]/g, '\\$&')}' or s\\."changed_at" is null\\n`,
        ),
      )
    })
  }

  it('compares numbers as they are, and has no overlap of them', () => {
    assert.match(rows('7', 'number', { overlapMs: 0 }), /where s\."changed_at" >= '7' or /)
    assert.throws(
      () => rows('7', 'number'),
      /^Error: overlap needs a cursor column of dates or times/,
    )
  })

  it('is a part of another one without a cursor, or with a place for it', () => {
    assert.equal(
      rows(null, 'instant', { cursor: null }),
      'select q.*\nfrom (\nselect * from lines -- all of them\n) as q',
    )
    const sql = 'select x from t where x > :cursor'
    assert.match(rows('7', 'number', { sql, overlapMs: 0 }), /where x > '7'\n\) as s\norder by/)
    assert.match(rows(null, 'number', { sql }), /where x > null\n/)
  })
})

describe('the place of the cursor', () => {
  const lexicons = { postgres: postgresLexicon, mysql: mysqlLexicon }
  for (const [engine, sql] of [
    ['postgres', "where a > @ and b = ':cursor' and c = 'it''s :cursor' or d < @"],
    [
      'postgres',
      'select a::cursor, b :: cursor, c[1:cursor], ":cursor", :cursors, :cursor_1, @::text',
    ],
    ['postgres', "select E'\\':cursor\\'', '\\', @"],
    ['postgres', 'select $$ :cursor $$, $a$ :cursor $$ :cursor $a$, a$b, @ -- :cursor\n, @'],
    ['postgres', 'select /* :cursor /* :cursor */ :cursor */ @ /* :cursor'],
    ['postgres', "select @, ':cursor"],
    ['postgres', 'select a-- :cursor'],
    ['mysql', "select 'it\\'s :cursor', \":cursor\", `:cursor`, @ # :cursor\n, @"],
    ['mysql', 'select /* :cursor /* :cursor */ @, 1--@\n, 1 -- :cursor'],
  ] as const) {
    it(`is not in texts, names, comments or casts of ${engine}: ${sql}`, () => {
      const query = sql.replaceAll('@', ':cursor')
      assert.equal(replaceCursor(query, '7', lexicons[engine]), sql.replaceAll('@', '7'))
    })
  }
})

describe('a text of a mapping', () => {
  const lexicons = { postgres: postgresLexicon, mysql: mysqlLexicon }
  for (const [engine, sql, problem] of [
    ['mysql', 'drop table labels', /^The query begins with drop\. Nothing of it was sent\./],
    ['mysql', '/* x */ (TRUNCATE table labels)', /begins with truncate/],
    ['mysql', '-- select\n call p()', /begins with call/],
    ['postgres', "do $$ begin perform 'x'; end $$", /begins with do/],
    ['mysql', '', /begins with no word/],
    ['mysql', 'select 1; drop table labels', /has a semicolon/],
    ['postgres', 'select 1) as q; delete from labels where (true', /has a semicolon/],
    ['postgres', 'select 1) as q, (select 2', /has a parenthesis without its other one/],
    ['mysql', 'select 1 /*!50000 , load_file(2) */', /has a comment that is executed/],
    ['mysql', 'select 1 /*M! , 2 */', /has a comment that is executed/],
    ['mysql', 'select * from labels FOR  UPDATE', /locks rows/],
    ['postgres', 'select * from labels for no key update', /locks rows/],
  ] as const) {
    it(`of ${engine} is refused: ${sql}`, () => {
      assert.throws(
        () => requireReading(sql, lexicons[engine]),
        (error) =>
          error instanceof SourceDatabaseError && !error.isTransient && problem.test(error.message),
      )
    })
  }

  for (const [engine, sql] of [
    ['postgres', "select*from labels where a = ';) for update' -- ;)"],
    ['postgres', 'with t as (select 1) table t /*! , 2 */'],
    ['mysql', "(select `;`, 'it\\'s ;') union values (1, 2) # drop ; all"],
    ['mysql', 'SELECT /*+ hint */ 1 as `for`, updated from labels'],
  ] as const) {
    it(`of ${engine} is one query: ${sql}`, () => {
      assert.equal(requireReading(`${sql}\n ;`, lexicons[engine]), sql)
    })
  }
})

describe('the query of deleted rows', () => {
  it('leaves out keys that are in use again', () => {
    const text = deletedQuery(
      origin,
      ['no', 'line'],
      { kind: 'civil', value: '2026-03-01' },
      dialect,
    )
    assert.match(text ?? '', /at > '2026-02-28'\n\) as d\nwhere not exists/)
    assert.match(text ?? '', /where s\."no" = d\."no" and s\."line" = d\."line"\)$/)
  })

  it('is not asked before rows were read, if it depends on the cursor', () => {
    assert.equal(deletedQuery(origin, ['no'], null, dialect), null)
    const always = { ...origin, deleted: 'select no from gone' }
    assert.match(deletedQuery(always, ['no'], null, dialect) ?? '', /^select d\.\*/)
  })
})

it('the query of keys has their columns only, or is the own one', () => {
  assert.match(keysQuery(origin, ['no', 'line'], dialect), /^select s\."no", s\."line"\nfrom \(\n/)
  const own = { ...origin, reconcile: { everyMs: 1, sql: 'select no from keys;' } }
  assert.equal(keysQuery(own, ['no'], dialect), 'select q.*\nfrom (\nselect no from keys\n) as q')
})

describe('the cursor', () => {
  const now = Date.UTC(2026, 2, 1)
  const follow = (kind: 'instant' | 'civil' | 'number' | 'text', ...values: (string | null)[]) => {
    const reader = createCursorReader(kind, now)
    for (const value of values) reader.read(value)
    return reader.last()?.value ?? null
  }

  it('is the last value of rows in its order', () => {
    assert.equal(follow('number', null, '9', '10'), '10')
    assert.equal(follow('text', null, null), null)
  })

  it('does not follow times in the future, which are mistakes', () => {
    const [before, after] = ['2026-02-28 23:59:00+00', '2126-02-28 00:00:00+00']
    assert.equal(follow('instant', before, after), before)
    assert.equal(follow('instant', '2026-03-01 00:01:01+00'), null)
    // A time without a zone may be that of a zone in which it is later.
    assert.equal(follow('civil', '2026-03-01 12:00:00'), '2026-03-01 12:00:00')
    assert.equal(follow('civil', '2026-03-02', '2026-03-01'), '2026-03-01')
  })
})

describe('the address of a source', () => {
  it('names the engine, the place, the user and how TLS is used', () => {
    assert.deepEqual(
      parseSourceAddress(
        'mariadb://erp%40x:p%2Fw@[::1]:3307/erp?sslmode=verify-full&sslrootcert=/ca.pem',
      ),
      {
        engine: 'mysql',
        host: '::1',
        port: 3_307,
        user: 'erp@x',
        password: 'p/w',
        database: 'erp',
        tls: { verifies: true, rootCertificate: '/ca.pem', certificate: null, key: null },
      },
    )
    const { port, tls, password } = parseSourceAddress('postgresql://host/erp')
    assert.deepEqual([port, tls, password], [5_432, null, undefined])
    assert.equal(parseSourceAddress('mysql://h/x?sslmode=require').tls?.verifies, false)
  })

  for (const [url, problem] of [
    ['oracle://u:needle@h/x', /must be postgres:/],
    ['needle', /must be postgres:/],
    ['mysql://u:needle@h', /has no host or no database/],
    ['mysql://u:needle%@h/x', /not percent-encoded/],
    [
      'mysql://u:needle@h/x?sslmode=maybe',
      /has an sslmode other than disable, require, verify-full/,
    ],
    ['mysql://u:needle@h/x?sslcert=/x', /has sslcert, which has no effect without/],
    ['postgres://u:needle@%2Frun%2Fpostgresql/x', /has the path of a socket .* such as localhost/],
    ['mysql://u:needle@h/x?compress=1', /has an unknown option: compress/],
  ] as const) {
    it(`is refused without its password: ${url}`, () => {
      assert.throws(
        () => parseSourceAddress(url),
        (error) =>
          error instanceof SourceDatabaseError &&
          problem.test(error.message) &&
          !error.message.includes('needle'),
      )
    })
  }
})

it('a number of a source keeps all of its digits', () => {
  for (const [text, cell] of [
    ['12', 12],
    ['-0.50', -0.5],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['1234567890123.45', 1_234_567_890_123.45],
    ['12345678901234567.89', '12345678901234567.89'],
    ['NaN', 'NaN'],
  ] as const) {
    assert.equal(numberCell(text), cell)
  }
})

it('an array of a source has one dimension, and others stay texts', () => {
  assert.deepEqual(arrayCell('{a,"b, \\"c\\"",NULL}'), ['a', 'b, "c"', null])
  assert.deepEqual(arrayCell('{}'), [])
  for (const text of ['{{a,b},{c,d}}', '[0:1]={a,b}']) assert.equal(arrayCell(text), text)
})

it('the address in a mapping is a text or one variable that is not a setting', () => {
  const environment = { ERP_URL: 'postgres://h/erp', DATABASE_URL: 'postgres://h/own' }
  const expand = (text: string) => expandVariable(text, 'database of x.yaml', environment)
  assert.equal(expand(`\${ERP_URL}`), 'postgres://h/erp')
  assert.equal(expand('postgres://h/erp'), 'postgres://h/erp')
  for (const [text, problem] of [
    [`postgres://u:\${ERP_URL}@h/x`, 'database of x.yaml has a variable within a text'],
    [`\${DATABASE_URL}`, 'DATABASE_URL is a setting of Selvedge'],
    [`\${NOTHING}`, 'NOTHING is not set'],
  ] as const) {
    assert.throws(
      () => expand(text),
      (error) => error instanceof ConfigError && error.problems[0]?.startsWith(problem),
    )
  }
})
