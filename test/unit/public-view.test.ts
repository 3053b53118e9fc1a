/** What a key that reads records may see of the sources of its brand. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type IntakeSource, rowView, shortNames, sourcesView } from '#intake'
import type { QuarantinedRow } from '#store'
import { withoutPlaces } from '../../src/intake/public-view.ts'

const source = (change: Partial<IntakeSource>): IntakeSource => ({
  ...{
    brand: 'acme',
    kind: 'watch',
    name: '/srv/drop/acme',
    state: 'idle',
    cursor: 'secret cursor',
  },
  ...{ startedAt: null, succeededAt: null, failedAt: null, error: null, behindSince: null },
  ...{ waiting: 0, processed: 0, failed: 0, quarantined: 0, quarantinedRows: 0 },
  ...change,
})

describe('a text for keys that read', () => {
  for (const [text, shown] of [
    ['cannot reach postgres://erp:s3cret@10.0.0.7:5432/erp?x=1', 'cannot reach …'],
    ['login failed: password=hunter2, user=erp', 'login failed: password=…, user=erp'],
    ['cannot read /var/lib/selvedge/inbox/orders.csv: EACCES', 'cannot read …/orders.csv: EACCES'],
    ["cannot open 'C:\\\\drop\\\\acme\\\\orders.csv'", "cannot open '…/orders.csv'"],
    ['is not a date: 31/02/2026', 'is not a date: 31/02/2026'],
    ['refers to /partnerId, which is not stored', 'refers to /partnerId, which is not stored'],
  ] as const) {
    it(`is "${shown}"`, () => assert.equal(withoutPlaces(text), shown))
  }
})

describe('the name of a source', () => {
  it('has as many parts of its path as tell it apart', () => {
    const watch = (name: string) => ({ kind: 'watch', name }) as const
    const all = [watch('/srv/north/inbox'), watch('/srv/south/inbox'), watch('/srv/drop')]
    const bucket = watch('s3://key:secret@drops/acme?endpoint=https://s3.internal')
    const nameOf = shortNames([...all, bucket, { kind: 'sync', name: 'inbox' }])
    assert.deepEqual(all.map(nameOf), ['north/inbox', 'south/inbox', 'drop'])
    assert.equal(nameOf(bucket), 'acme')
    assert.equal(nameOf({ kind: 'sync', name: 'inbox' }), 'inbox')
    assert.equal(nameOf(watch('/etc/other')), 'other')
    assert.equal(nameOf(watch('/srv/in@acme')), 'in@acme')
    assert.equal(nameOf(watch('s3://key:sec/r@t@drops/acme')), 'acme')
    assert.equal(nameOf(watch('s3://key:sec/r@t@drops')), 'drops')
  })
})

describe('the sources of a brand', () => {
  it('need attention if one fails, or a unit or a row is in quarantine', () => {
    const row = { source: null, collection: 'orders', rows: 1, waiting: 1 }
    assert.equal(sourcesView([source({ state: 'working', waiting: 3 })], []).needsAttention, false)
    assert.equal(sourcesView([source({ state: 'failing' })], []).needsAttention, true)
    assert.equal(sourcesView([source({ quarantined: 1 })], []).needsAttention, true)
    assert.equal(sourcesView([], [row]).needsAttention, true)
  })

  it('have no error, cursor or folder', () => {
    const error = 'password authentication failed for user "erp" at erp.internal'
    const view = sourcesView([source({ state: 'failing', error })], [])
    assert.equal(view.sources[0]?.name, 'acme')
    assert.doesNotMatch(JSON.stringify(view), /erp|secret|srv|password/)
  })
})

describe('a row in quarantine', () => {
  it('has its problems and what it waits for, and no cells', () => {
    const row: QuarantinedRow = {
      ...{ id: 'a1b2', collection: 'order-items', key: ['1', '2'], title: null, source: null },
      ...{ file: '/srv/drop/acme/lines.csv', line: 7, since: '2026-11-18', triedAt: '2026-11-18' },
      problems: [
        {
          ...{ file: '/srv/drop/acme/lines.csv', line: 7, key: 'Nr "B777", Pos "2"' },
          ...{ field: '/unitPrice', value: '1O' },
          ...{ reason: 'is not a number', severity: 'error', column: 'Preis' },
          ...{ mappingFile: '/etc/selvedge/acme.map.yaml', mappingLine: 12 },
        },
      ],
      waitsFor: { field: 'skuId', collection: 'skus', value: 'A-1' },
      parent: { collection: 'orders', id: 'o-1' },
      row: { columns: ['Preis', 'Kunde'], cells: ['1O', 'Erika Mustermann'] },
      record: null,
      isMapped: true,
      version: '0f3a92c41b7d',
    }
    const view = rowView(row, () => 'never')
    assert.deepEqual([view.key, view.file, view.line], ['1:2', 'lines.csv', 7])
    assert.deepEqual(view.waitsFor, { field: 'skuId', group: 'skus', value: 'A-1' })
    assert.deepEqual(view.problems, [
      {
        ...{ file: 'lines.csv', line: 7, key: 'Nr "B777", Pos "2"' },
        ...{ field: '/unitPrice', column: 'Preis', value: '1O' },
        ...{ reason: 'is not a number', severity: 'error' },
      },
    ])
    assert.doesNotMatch(JSON.stringify(view), /Kunde|Erika|srv|etc|map/)
  })
})
