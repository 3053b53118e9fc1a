import { type Command, Option } from 'commander'
import type { OperatorImportDetails } from '#contract'
import { plainText } from '#ingest'
import { type Unit, type UnitState, type Units, unitStates } from '#intake'
import { discardUnit, readImport, requireUnit, retryUnit } from '#operator'
import type { Records } from '#server'
import { asTable, createOutput, shorten } from './output.ts'
import { addQuarantinedRows } from './quarantined-rows.ts'
import { operatorOf, withRecords } from './records.ts'
import { withUnits } from './units.ts'

interface ListOptions {
  readonly brand?: string
  readonly state?: UnitState
  readonly json?: boolean
}

interface UnitOptions {
  readonly json?: boolean
}

interface RetryOptions extends UnitOptions {
  readonly accept?: boolean
}

/** How many units are listed. */
const listMax = 1_000

export const addIntake = (program: Command): void => {
  const intake = program
    .command('intake')
    .description(
      'Show what is on its way in: batches, files and rounds of a sync, each with its state and its last error, and rows in quarantine.',
    )

  intake
    .command('list', { isDefault: true })
    .description(
      `List the units of work, at most the last ${listMax.toLocaleString('en')}. The default.`,
    )
    .option('--brand <slug>', 'only the units of this brand')
    .addOption(new Option('--state <state>', 'only units in this state').choices(unitStates))
    .option('--json', 'print JSON')
    .action(({ brand, state, json }: ListOptions) =>
      withIntake(async (units) => {
        const all = await units.list({ brand, state, limit: listMax })
        createOutput(Boolean(json)).result(all, () =>
          all.length === 0 ? 'There are no such units.' : tableOf(all),
        )
      }),
    )

  intake
    .command('show')
    .description('Show a unit, and what it changed, as far as that is kept.')
    .argument('<id>', 'its id, as listed')
    .option('--json', 'print JSON')
    .action((id: string, { json }: UnitOptions) =>
      withIntake(async (units, records) => {
        const unit = await requireUnit(units, id)
        const ended = unit.finishedAt === null ? null : await readImport(operatorOf(records), id)
        const { collections = [], firstProblems = [], changes = null } = ended ?? {}
        createOutput(Boolean(json)).result(
          { ...unit, ...(ended && { collections, firstProblems, changes }) },
          () => [descriptionOf(unit), ...(ended ? effectTables(ended) : [])].join('\n\n'),
        )
      }),
    )

  intake
    .command('retry')
    .description(
      'Let the server, watch or sync that takes units of its source try a unit again that is quarantined, or whose process has ended. Records that have changed since stay as they are.',
    )
    .argument('<id>', 'its id, as listed')
    .option(
      '--accept',
      'take a file that is held because it has few rows, and remove the records it lacks',
    )
    .option('--json', 'print JSON')
    .action((id: string, { json, accept = false }: RetryOptions) =>
      withIntake(async (units) => {
        await retryUnit(units, id, accept)
        createOutput(Boolean(json)).result({ retried: id }, () => `${id} is tried again.`)
      }),
    )

  intake
    .command('discard')
    .description(
      'Refuse a unit that waits or is quarantined, or whose process has ended. Its records are lost unless they are sent again.',
    )
    .argument('<id>', 'its id, as listed')
    .option('--json', 'print JSON')
    .action((id: string, { json }: UnitOptions) =>
      withIntake(async (units) => {
        await discardUnit(units, id)
        createOutput(Boolean(json)).result({ discarded: id }, () => `Discarded ${id}.`)
      }),
    )

  addQuarantinedRows(intake)
}

const withIntake = (work: (units: Units, records: Records) => Promise<void>): Promise<void> =>
  withRecords((records) => withUnits(records, (units) => work(units, records)), {
    repairsSecurity: false,
  })

/** Maximum length of a table cell. `show` and `--json` have the whole text. */
const cellMax = 40

const tableOf = (all: readonly Unit[]): string => {
  const cell = (text: string | null) => shorten(plainText(text ?? '-'), cellMax)
  return asTable(
    ['id', 'brand', 'kind', 'source', 'position', 'state', 'attempts', 'received', 'error'],
    all.map((each) => [
      ...[each.id, each.brand, each.kind, cell(each.source), cell(each.position)],
      ...[each.state, String(each.attempts), each.receivedAt, cell(each.lastError ?? '')],
    ]),
  )
}

const descriptionOf = (unit: Unit): string =>
  asTable(
    ['field', 'value'],
    Object.entries(unit).map(([field, value]) => [field, plainText(String(value ?? '-'))]),
  )

/** How many records a unit has changed, and the first of them. */
const effectTables = ({
  collections,
  changes,
  hasMoreChanges,
}: OperatorImportDetails): readonly string[] => {
  const counts = collections.map((each) => [
    each.collection,
    ...[each.read, each.added, each.changed, each.removed, each.quarantined].map((count) =>
      count.toLocaleString('en'),
    ),
  ])
  const changed = (changes ?? []).map(({ operation, collection, id, title }) => [
    ...[operation, collection, id, shorten(plainText(title ?? '-'), cellMax)],
  ])
  return [
    ...(counts.length > 0
      ? [asTable(['collection', 'read', 'added', 'changed', 'removed', 'quarantined'], counts)]
      : []),
    ...(changed.length > 0 ? [asTable(['operation', 'collection', 'id', 'name'], changed)] : []),
    ...(changed.length > 0 && hasMoreChanges ? ['… and further records.'] : []),
  ]
}
