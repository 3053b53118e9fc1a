/** Which rows wait before the limit is reached, and with which cells. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { createCheckReport } from '../../src/ingest/check-report.ts'
import type { HeldRows } from '../../src/ingest/held-rows.ts'
import { openReport } from '../../src/ingest/report.ts'
import { fitting } from '../../src/store/write/quarantine-statements.ts'

const rows = [1, 2, 3, 4].map((row) => ({ row, source: 0 }))
const fit = (waiting: readonly number[], room: number) =>
  fitting(rows, new Set(waiting), room).map(({ row }) => row)

describe('rows that are to wait', () => {
  it('are the first that there is room for', () => {
    assert.deepEqual(fit([], 2), [1, 2])
    assert.deepEqual(fit([], 0), [])
    assert.deepEqual(fit([], -1), [])
  })

  it('need no room if they are in quarantine already', () => {
    assert.deepEqual(fit([2, 4], 1), [1, 2, 4])
    assert.deepEqual(fit([4], 0), [4])
  })
})

describe('rows with an invalid code', () => {
  it('keep their own cells, also if rows of another day had the same line', () => {
    const held: unknown[] = []
    const addRejected: HeldRows['addRejected'] = (row, _reason, _problem, received) => {
      held.push([row.row, received?.row?.cells])
    }
    const parts = {
      report: openReport(undefined),
      named: { add: () => undefined, flush: async () => undefined, isFull: false },
      addReleased: () => undefined,
      held: { addRejected } as HeldRows,
    }
    const checks = createCheckReport(parts, resourceAt(catalog, 'partners'), [])
    const suspectRows = ['first', 'second'].map((cell, index) => ({
      ...{ index, key: null, parent: null, natural: null, isMapped: true },
      row: { columns: ['NAME'], cells: [cell] },
    }))
    const code = { check: 'currency', pointer: '/a', value: 'x', reason: 'is not a code' } as const
    checks.addCodes(
      { source: 0, lines: [3, 3], suspectRows },
      [0, 1].map((row) => ({ ...code, row, stagedRow: row + 1, severity: 'error' as const })),
    )
    assert.deepEqual(held, [
      [1, ['first']],
      [2, ['second']],
    ])
  })
})
