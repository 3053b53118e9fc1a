import {
  type Checks,
  checkModeOf,
  isSameByValue,
  plainRecord,
  type UniqueKey,
  uniqueKeysOf,
} from '#contract'
import { type Dialect, quote, type Session } from '#database'
import { brandChecksQuery, parseChecks } from '../schema/brand-checks.ts'
import type { Table } from '../schema/tables.ts'
import { type CodeProblem, indexStaging, isAmong, stagedName, unstageRows } from './staging.ts'
import {
  describePassed,
  type KeyParts,
  type PassedKey,
  passedKeys,
  type RepeatedKey,
  repeatedKeys,
  suspiciousKeys,
} from './unique-keys.ts'

/*
 * Checks of staged rows whose severity the owner sets (see `Checks`), and the check of bounds, which is
 * always enforced. A record that arrives unchanged breaks nothing, and a value that its stored record
 * has already is reported at most.
 */

/** An error has removed its row from the staging table. */
interface Judged {
  readonly severity: 'error' | 'warning'
}

export type BrokenCode = CodeProblem & Judged & { readonly stagedRow: number }

/** A key that another record has. A row that was in quarantine stays there. */
export type BrokenKey = RepeatedKey & Judged & { readonly isQuarantined: boolean }

export interface RowChecks {
  /** Judges the invalid codes of a batch whose rows are staged from number `firstRow` on. */
  judgeCodes<Code extends CodeProblem>(
    table: Table,
    codes: readonly Code[],
    firstRow: number,
  ): Promise<readonly (Code & Pick<BrokenCode, 'severity' | 'stagedRow'>)[]>
  /**
   * Removes new and changed rows from the staging table if another record has their key, before a
   * merge. Returns how many. Only stored records that meet the condition `stays` are left by it.
   */
  rejectKeys(
    table: Table,
    stays: string | undefined,
    onBroken: (broken: BrokenKey) => void,
  ): Promise<number>
  /** Judges the keys of all staged rows that are new or changed. Returns how many it removed. */
  judgeKeys(
    table: Table,
    hasStored: boolean,
    onBroken: (broken: BrokenKey) => void,
  ): Promise<number>
  /** Whether any key may be repeated among the stored records. */
  mayRepeatKeys(table: Table): Promise<boolean>
}

export interface RowCheckParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly owner: number
  /** Whether rejected rows are kept; see `unstageRows`. */
  readonly keepsRejected: () => boolean
}

export const createRowChecks = (parts: RowCheckParts): RowChecks => {
  const { session, dialect, owner } = parts
  let read: Promise<Checks> | undefined
  const modeOf = async (check: string) => {
    read ??= session.all(brandChecksQuery(owner)).then(([row]) => parseChecks(row))
    return checkModeOf(await read, check)
  }

  const unstage = (table: Table, rows: readonly number[]) =>
    unstageRows(session, { table, dialect, keeps: parts.keepsRejected() }, rows)

  /** Removes the rows whose new key another record has, and the rows that want keys which these keep. */
  const rejectRepeated = async (
    of: KeyParts,
    onRejected: (repeated: RepeatedKey) => void,
  ): Promise<number> => {
    const enforced: UniqueKey[] = []
    for (const key of uniqueKeysOf(of.table.resource)) {
      if ((await modeOf(key.name)) === 'enforce') enforced.push(key)
    }
    let passed: Passed | undefined
    let count = 0
    for (const key of enforced) {
      const rejected = new Set<number>()
      for await (const repeated of repeatedKeys(of, key, 'new')) {
        for (const each of repeated) {
          rejected.add(each.row)
          onRejected(each)
        }
      }
      if (rejected.size === 0) continue
      // A removed row leaves its record with the keys that it had.
      passed ??= Map.groupBy(await passedKeys(of, enforced), ({ from }) => from)
      const dependent = followPassed(passed, rejected)
      for (const part of inParts(dependent)) {
        for (const each of await describePassed(of, part)) onRejected(each)
      }
      for (const part of inParts([...rejected])) count += await unstage(of.table, part)
    }
    return count
  }

  return {
    judgeCodes: async <Code extends CodeProblem>(
      table: Table,
      codes: readonly Code[],
      firstRow: number,
    ) => {
      if (codes.length === 0) return []
      const pairs = await readPairs(
        parts,
        table,
        codes.map(({ row }) => firstRow + row),
      )
      const broken: (Code & Pick<BrokenCode, 'severity' | 'stagedRow'>)[] = []
      for (const code of codes) {
        const pair = pairs.get(firstRow + code.row)
        if (!pair || pair.isSame()) continue
        const isKept = pair.isSameAt(code.pointer)
        const isError = !isKept && (await modeOf(code.check)) === 'enforce'
        const severity = isError ? 'error' : 'warning'
        broken.push({ ...code, severity, stagedRow: firstRow + code.row })
      }
      const rejected = broken.filter(({ severity }) => severity === 'error')
      if (rejected.length > 0)
        await unstage(table, [...new Set(rejected.map(({ stagedRow }) => stagedRow))])
      return broken
    },
    rejectKeys: async (table, stays, onBroken) => {
      const own = { ...parts, table, stays }
      if ((await suspiciousKeys(own, { staged: true, stored: true })).length === 0) return 0
      await indexStaging(session, table, dialect)
      return rejectRepeated(own, (each) => onBroken(asRejected(each)))
    },
    judgeKeys: async (table, hasStored, onBroken) => {
      const own = { ...parts, table }
      const suspicious = await suspiciousKeys(own, { staged: true, stored: hasStored })
      if (suspicious.length === 0) return 0
      await indexStaging(session, table, dialect)
      const rejected = await rejectRepeated(own, (each) => onBroken(asRejected(each)))
      for (const key of suspicious) {
        for (const which of ['kept', 'new'] as const) {
          for await (const repeated of repeatedKeys(own, key, which)) {
            for (const each of repeated)
              onBroken({ ...each, severity: 'warning', isQuarantined: false })
          }
        }
      }
      return rejected
    },
    mayRepeatKeys: async (table) =>
      (await suspiciousKeys({ ...parts, table }, { staged: false, stored: true })).length > 0,
  }
}

/** A row that was in quarantine stays there. */
const asRejected = (each: RepeatedKey): BrokenKey => {
  // Rows that were in quarantine have no source of this import.
  const isQuarantined = each.source < 0
  return { ...each, severity: isQuarantined ? 'warning' : 'error', isQuarantined }
}

/** Keys that are passed on, by the row that gives them up. */
type Passed = ReadonlyMap<number, readonly PassedKey[]>

/** Follows the keys that rejected rows keep, adds the rows that want them, and returns these. */
const followPassed = (passed: Passed, rejected: Set<number>): readonly PassedKey[] => {
  const followed: PassedKey[] = []
  // A set also iterates over what is added meanwhile.
  for (const row of rejected) {
    for (const each of passed.get(row) ?? []) {
      if (rejected.has(each.to)) continue
      rejected.add(each.to)
      followed.push(each)
    }
  }
  return followed
}

/** Rows per statement. */
const partRows = 5_000

function* inParts<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += partRows) yield all.slice(at, at + partRows)
}

/** A staged row and its stored record, if there is one. */
interface Pair {
  /** Whether the row changes nothing. */
  isSame(): boolean
  /**
   * Whether the record has the row's value at a JSON pointer, in a list at any place. Amounts are
   * compared by value.
   */
  isSameAt(pointer: string): boolean
}

/** Staged rows and their stored records, by the number of the row. */
const readPairs = async (
  { session, dialect, owner }: Pick<RowCheckParts, 'session' | 'dialect' | 'owner'>,
  table: Table,
  rows: readonly number[],
): Promise<ReadonlyMap<number, Pair>> => {
  const isSame = table.key.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`).join(' and ')
  const pairs = await session.all({
    text: [
      'select s."staged_row", s."body", t."body"',
      `from ${quote(stagedName(table))} as s`,
      `left join ${quote(table.name)} as t on t."owner" = ?1 and ${isSame}`,
      `where ${isAmong('s."staged_row"', '?2', dialect)}`,
    ].join('\n'),
    values: [owner, JSON.stringify(rows)],
  })
  return new Map(
    pairs.map(([row, body, stored]) => [
      Number(row),
      pairOf(table, String(body), stored === null || stored === undefined ? null : String(stored)),
    ]),
  )
}

/** Parses and compares once: a row can have thousands of problems. */
const pairOf = ({ resource }: Table, body: string, stored: string | null): Pair => {
  if (stored === null) return { isSame: () => false, isSameAt: () => false }
  let isSame: boolean | undefined
  let records: readonly [unknown, unknown] | undefined
  /** The stored values by their pointer, in which the places in lists do not count. */
  const storedAt = new Map<string, ReadonlySet<string>>()
  const asJson = (value: unknown) => JSON.stringify(value)
  return {
    isSame: () => {
      isSame ??= isSameByValue(resource.fields, body, stored)
      return isSame
    },
    isSameAt: (pointer) => {
      records ??= [plainRecord(resource.fields, body), plainRecord(resource.fields, stored)]
      const [own, other] = records
      const path = pathOf(pointer)
      const list = pointer.replaceAll(/\/\d+/g, '/0')
      const values = storedAt.get(list) ?? new Set(valuesAt(other, path, true).map(asJson))
      storedAt.set(list, values)
      return valuesAt(own, path, false).some((each) => values.has(asJson(each)))
    },
  }
}

/** The names on the way to a value. */
const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The values at a path: one, or those in any place of the lists on the way. */
const valuesAt = (
  value: unknown,
  [name, ...rest]: readonly string[],
  inAnyPlace: boolean,
): readonly unknown[] => {
  if (name === undefined) return [value ?? null]
  if (inAnyPlace && Array.isArray(value))
    return value.flatMap((each) => valuesAt(each, rest, inAnyPlace))
  const inner = (value as { readonly [name: string]: unknown } | null | undefined)?.[name]
  return valuesAt(inner, rest, inAnyPlace)
}
