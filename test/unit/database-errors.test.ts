import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type DatabaseError,
  type DatabaseFailure,
  DatabaseOutageError,
  DatabaseRefusedError,
  DatabaseUnreachableError,
} from '#database'
import { postgresError, sqliteError } from '../../src/database/errors.ts'

type Expected = readonly [failure: DatabaseFailure, codes: readonly (string | number)[]]

/** Every class of SQLSTATE codes of PostgreSQL 18, and the codes that differ from their class. */
const sqlStates: readonly Expected[] = [
  ['unavailable', ['00000', '01000', '02000', '03000', '0A000', '0B000', '0F000', '0L000']],
  ['unavailable', ['0P000', '0Z000', '10608', '20000', '24000', '25000', '25006', '25P02']],
  ['unavailable', ['26000', '28000', '28P01', '2B000', '2D000', '2F000', '34000', '38000']],
  ['unavailable', ['39000', '3B000', '3D000', '3F000', '40003', '42501', '42601', '42P01']],
  ['unavailable', ['08000', '08006', '53000', '53100', '53200', '53300', '53400', '55000']],
  ['unavailable', ['57000', '57P01', '57P02', '57P03', '57P04', '57P05', '58000', '58030']],
  ['unavailable', ['72000', 'F0000', 'HV000', 'XX000', 'XX001', 'XX002', '99999', '']],
  ['busy', ['40000', '40001', '40P01', '55006', '55P03']],
  ['timedOut', ['25P04', '57014']],
  ['refused', ['09000', '21000', '22000', '22001', '22003', '22007', '22008', '22021']],
  ['refused', ['22P02', '22P05', '23000', '23502', '23503', '23505', '23514', '23P01']],
  ['refused', ['27000', '40002', '44000', '54000', '54001', '54023', 'P0000', 'P0001']],
]

/** Every primary result code of SQLite 3.50, and extended ones. */
const resultCodes: readonly Expected[] = [
  ['unavailable', [1, 2, 3, 4, 7, 8, 10, 11, 12, 13, 14, 16, 21, 22, 23, 24, 26, 27, 28]],
  ['unavailable', [257, 264, 266, 267, 270, 516, 778, 1034, 3338, 99, 0]],
  ['busy', [5, 6, 15, 17, 261, 262, 513, 517, 518, 769, 773]],
  ['timedOut', [9]],
  ['refused', [18, 19, 20, 25, 275, 531, 787, 1043, 1299, 1555, 1811, 2067, 2323, 2579, 3091]],
]

const error = { message: 'what the engine says' }

const check = (
  table: readonly Expected[],
  classify: (code: string | number) => DatabaseError,
): void => {
  for (const [failure, codes] of table) {
    for (const code of codes) assert.equal(classify(code).failure, failure, `${code}`)
  }
}

describe('an error of a database', () => {
  it('is classified by its SQLSTATE, whatever that is', () => {
    check(sqlStates, (code) => postgresError(String(code), error))
  })

  it('is classified by its SQLite result code, whatever that is', () => {
    check(resultCodes, (code) => sqliteError(Number(code), error))
  })

  it('is one of the connection if another connection may work', () => {
    for (const code of ['08006', '53300', '57P01']) {
      assert.ok(postgresError(code, error) instanceof DatabaseUnreachableError, code)
    }
    // A full disk or a demoted server responds.
    for (const code of ['53100', '25006', '28P01']) {
      assert.ok(!(postgresError(code, error) instanceof DatabaseUnreachableError), code)
    }
  })

  it('is an outage if the engine is away, full, read-only or damaged, and only then', () => {
    const sqlStates = ['08006', '53100', '53300', '57P01', '57P03', '25006', '28P01', '3D000']
    for (const code of [...sqlStates, '58030', 'XX001', 'XX002']) {
      assert.ok(postgresError(code, error) instanceof DatabaseOutageError, code)
    }
    for (const code of [8, 10, 11, 13, 14, 26, 266, 778, 3338]) {
      assert.ok(sqliteError(code, error) instanceof DatabaseOutageError, `${code}`)
    }
    for (const each of [
      ...['XX000', '42P01', '53200', '53400', '57014', '55P03', '22003'].map((code) =>
        postgresError(code, error),
      ),
      ...[1, 5, 7, 9, 21, 19].map((code) => sqliteError(code, error)),
    ]) {
      assert.ok(!(each instanceof DatabaseOutageError), each.message)
    }
  })

  it('says in plain words why a value is refused', () => {
    const refusals = [
      [postgresError('54000', error), 'a value is too large for the database'],
      [postgresError('22P02', error), 'a value does not suit its column'],
      [postgresError('22003', error), 'a number is out of range'],
      [sqliteError(18, error), 'a value is too large for the database'],
      [sqliteError(275, error), 'a value breaks a check of its table'],
      [sqliteError(19 + 256 * 200, error), 'it breaks a constraint of its table'],
    ] as const
    for (const [refusal, reason] of refusals) {
      assert.ok(refusal instanceof DatabaseRefusedError)
      assert.equal(refusal.reason, `${reason} (what the engine says)`)
      assert.equal(refusal.message, `The database refused a value: ${refusal.reason}.`)
    }
  })
})
