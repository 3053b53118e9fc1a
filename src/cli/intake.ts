import { type Command, Option } from 'commander'
import { plainText } from '#ingest'
import { type Unit, type UnitState, type Units, unitStates } from '#intake'
import { asTable, CommandError, createOutput, shorten } from './output.ts'
import { addQuarantinedRows } from './quarantined-rows.ts'
import { withRecords } from './records.ts'
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
    .description('Show a unit.')
    .argument('<id>', 'its id, as listed')
    .option('--json', 'print JSON')
    .action((id: string, { json }: UnitOptions) =>
      withIntake(async (units) => {
        const unit = await requireUnit(units, id)
        createOutput(Boolean(json)).result(unit, () => descriptionOf(unit))
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
        const unit = await requireUnit(units, id)
        if (accept && unit.kind !== 'file') {
          throw new CommandError(`${id} is not a file: there is nothing to accept.`)
        }
        if (!(await units.retry(id, accept))) throw new CommandError(stateSentence(unit, 'retried'))
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
        const unit = await requireUnit(units, id)
        if (!(await units.discard(id))) throw new CommandError(stateSentence(unit, 'discarded'))
        createOutput(Boolean(json)).result({ discarded: id }, () => `Discarded ${id}.`)
      }),
    )

  addQuarantinedRows(intake)
}

const withIntake = (work: (units: Units) => Promise<void>): Promise<void> =>
  withRecords((records) => withUnits(records, work), { repairsSecurity: false })

const requireUnit = async (units: Units, id: string): Promise<Unit> => {
  const unit = await units.find(id)
  if (unit) return unit
  throw new CommandError(`There is no unit ${plainText(id)}. See: selvedge intake`)
}

const stateSentence = ({ id, state }: Unit, what: 'retried' | 'discarded'): string =>
  `${id} is ${state} and cannot be ${what}. ${what === 'retried' ? 'A unit can be retried if it is quarantined or its process has ended.' : 'A unit can be discarded if it waits, is quarantined, or its process has ended.'}`

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
